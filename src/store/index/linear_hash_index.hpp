#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tern/base/check.hpp>

#include "base/prefetch.hpp"
#include "store/index/tag_match.hpp"
#include "store/memory/arena.hpp"

namespace tern::store {

/// What an index needs to know of its entries: where their key is. The hash comes from the same
/// function that the caller uses for look-ups.
template <typename T>
concept IndexTraits = requires(const T traits, Handle handle) {
    { traits.hash(handle) } -> std::same_as<std::uint64_t>;
    {traits.prefetch(handle)};
};

/// A hash index of 32-bit handles that never stops the world: linear hashing.
///
/// `bucket_count` buckets are in use; one insert adds at most one bucket, which takes part of the
/// entries of one other, and one erase removes at most one. Nothing else moves, whatever the size.
///
///     bucket, one cache line                     overflow block, a slot of the arena, n = 4, 8, 12
///     … 0           12         16            64    0         n                  5 n
///     +-----------+----------+--------------+    +---------+--------------------+
///     | 12 tags   | overflow | 12 handles   |    | n tags  | n handles          |
///     +-----------+----------+--------------+    +---------+--------------------+
///
/// A tag is a byte of the hash, 0 where there is no entry; entries are dense, and the overflow
/// block exists only when the bucket is full. With `kEntriesPerBucket` entries for each bucket an
/// entry costs 6.2 to 6.6 bytes. Segment k holds buckets 2^(k-1) to 2^k - 1, so growing never
/// copies.
///
/// Invariants: bucket b holds exactly the entries with bucket_of(hash) == b; size is their number.
/// Threads:  the arena's owner. Lifetime: the arena outlives the index.
template <IndexTraits Traits>
class LinearHashIndex {
public:
    /// An empty index takes no memory until the first insert.
    LinearHashIndex(Arena& arena, Traits traits) noexcept : arena_(&arena), traits_(traits) {}
    LinearHashIndex(const LinearHashIndex&) = delete;
    LinearHashIndex& operator=(const LinearHashIndex&) = delete;
    /// Moves the index itself; its entries stay where they are. The source is empty afterwards.
    LinearHashIndex(LinearHashIndex&& other) noexcept;
    LinearHashIndex& operator=(LinearHashIndex&& other) noexcept;
    /// Gives the index's memory back, not the entries: they are the owner's.
    ~LinearHashIndex() { clear(); }

    /// The entry whose key is `key`, or null.
    ///
    /// Units:    `hash` is the hash of `key`; the traits have `equals(handle, key)`.
    template <typename Key>
    [[nodiscard]] Handle find(std::uint64_t hash, const Key& key) const noexcept;

    /// Fetches the line that `find(hash, …)` will read first.
    void prefetch(std::uint64_t hash) const noexcept {
        if (bucket_count_ != 0) {
            prefetch_line(bucket_at(bucket_of(hash)));
        }
    }

    /// Fetches what `find(hash, …)` will read after that line: the entry, or the overflow block.
    void prefetch_entry(std::uint64_t hash) const noexcept;

    /// Adds an entry whose key is not in the index. False when the arena is exhausted; nothing
    /// changed then.
    [[nodiscard]] bool insert(std::uint64_t hash, Handle handle) noexcept;

    /// Removes an entry. False when it is not there.
    bool erase(std::uint64_t hash, Handle handle) noexcept;

    /// Whether `handle` is in the index under this hash.
    [[nodiscard]] bool contains(std::uint64_t hash, Handle handle) const noexcept {
        return find_handle(hash, handle) != nullptr;
    }

    /// Says that an entry moved from `from` to `to`. False when `from` is not there.
    bool replace(std::uint64_t hash, Handle from, Handle to) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t bucket_count() const noexcept { return bucket_count_; }

    /// Segments and overflow blocks, at their rounded sizes.
    [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }

    /// Visits the entries of one bucket and returns the next cursor; 0 begins, and 0 ends.
    ///
    /// An entry that is in the index from the first call to the last is visited at least once,
    /// however the index grows and shrinks between the calls. The visitor may not change the index.
    template <typename Visitor>
    std::uint64_t scan(std::uint64_t cursor, Visitor&& visitor) const;

    /// Visits every entry. The visitor may not change the index.
    template <typename Visitor>
    void for_each(Visitor&& visitor) const;

    /// An entry chosen by `random`, a callable that returns 64 random bits; null when empty. Every
    /// entry has the same chance unless a chain is longer than 32.
    template <typename Random>
    [[nodiscard]] Handle random_entry(Random&& random) const;

    /// Removes the entries of at most `bucket_count_max` buckets, giving each to `visitor` after it
    /// is gone from the index. True when the index is empty and holds no memory any more.
    template <typename Visitor>
    bool drain(std::size_t bucket_count_max, Visitor&& visitor);

    /// Removes every entry and gives the index's memory back.
    void clear() noexcept {
        while (!drain(kClearStep, [](Handle) {})) {}
    }

    /// How many entries the last insert or erase moved from one bucket to another, and the most
    /// that one ever did: the bound that the tests hold.
    [[nodiscard]] std::size_t entries_moved_last() const noexcept { return entries_moved_last_; }
    [[nodiscard]] std::size_t entries_moved_max() const noexcept { return entries_moved_max_; }

    /// Entries for each bucket: above, a bucket is added; below the lower one, a bucket is removed.
    /// 12 fills the primary slots on average; measured (docs/decisions/store-memory.md).
    static constexpr std::size_t kEntriesPerBucket = 12;
    static constexpr std::size_t kEntriesPerBucketMin = 8;

private:
    static constexpr std::size_t kSlots = 12;
    static constexpr std::uint32_t kSlotsMask = (1U << kSlots) - 1;
    /// Segments 0 to 27: 134 million buckets, 1.6 thousand million entries. Beyond, chains grow.
    static constexpr std::size_t kSegmentCount = 28;
    /// Longer chains refuse inserts; met only when the arena is exhausted for a long time.
    static constexpr std::size_t kOverflowMax = 1000;
    static constexpr std::size_t kRandomRange = 32;
    static constexpr std::size_t kClearStep = 1024;

    struct Bucket {
        std::uint8_t tags[kSlots];
        std::uint32_t overflow;
        std::uint32_t handles[kSlots];
    };
    static_assert(sizeof(Bucket) == 64);

    /// An overflow block, taken apart.
    struct Overflow {
        std::uint8_t* tags = nullptr;
        std::uint32_t* handles = nullptr;
        std::size_t capacity = 0;
    };
    /// Where one entry's tag and handle are.
    struct Place {
        std::uint8_t* tag = nullptr;
        std::uint32_t* handle = nullptr;
    };
    /// Which entries of a chain go to the new bucket, by position in the chain.
    struct Movers {
        std::array<std::uint64_t, (kSlots + kOverflowMax) / 64 + 1> bits{};
        std::size_t count = 0;
    };

    [[nodiscard]] static std::uint8_t tag_of(std::uint64_t hash) noexcept {
        const auto tag = static_cast<std::uint8_t>(hash >> 56);
        return tag != 0 ? tag : std::uint8_t{1};
    }
    [[nodiscard]] std::size_t bucket_of(std::uint64_t hash) const noexcept {
        const std::size_t wide = hash & mask_;
        return wide < bucket_count_ ? wide : wide & (mask_ >> 1);
    }
    [[nodiscard]] Bucket* bucket_at(std::size_t bucket) const noexcept {
        return reinterpret_cast<Bucket*>(
            segment_origin_[static_cast<std::size_t>(std::bit_width(bucket))] +
            bucket * sizeof(Bucket));
    }
    [[nodiscard]] static std::size_t segment_first(std::size_t segment) noexcept {
        return segment == 0 ? 0 : std::size_t{1} << (segment - 1);
    }
    [[nodiscard]] static std::size_t segment_bytes(std::size_t segment) noexcept {
        return (segment == 0 ? 1 : std::size_t{1} << (segment - 1)) * sizeof(Bucket);
    }
    [[nodiscard]] static std::size_t primary_count(const Bucket& bucket) noexcept;
    [[nodiscard]] Overflow overflow_of(const Bucket& bucket) const noexcept;
    [[nodiscard]] static std::size_t overflow_count(const Overflow& overflow) noexcept;
    [[nodiscard]] std::size_t chain_count(const Bucket& bucket) const noexcept;
    [[nodiscard]] Place place_at(Bucket& bucket,
                                 const Overflow& overflow,
                                 std::size_t i) const noexcept;
    [[nodiscard]] std::uint32_t* find_handle(std::uint64_t hash, Handle handle) const noexcept;

    [[nodiscard]] bool resize_overflow(Bucket& bucket, std::size_t count) noexcept;
    void truncate_chain(Bucket& bucket, std::size_t count) noexcept;
    [[nodiscard]] bool append(Bucket& bucket, std::uint8_t tag, std::uint32_t handle) noexcept;
    template <typename Visitor>
    void visit_chain(const Bucket& bucket, Visitor&& visitor) const;

    [[nodiscard]] bool add_segment_for(std::size_t bucket) noexcept;
    void drop_segment_of(std::size_t bucket) noexcept;
    [[nodiscard]] bool grow() noexcept;
    void shrink() noexcept;
    [[nodiscard]] Movers movers_of(Bucket& bucket,
                                   std::size_t count,
                                   std::uint64_t bit) const noexcept;
    void set_bucket_count(std::size_t count) noexcept;
    void note_moved(std::size_t count) noexcept;
    void take(LinearHashIndex& other) noexcept;

    Arena* arena_;
    Traits traits_;
    std::size_t bucket_count_ = 0;
    std::size_t mask_ = 0;  ///< enough low bits for any bucket number
    std::size_t size_ = 0;
    std::size_t memory_bytes_ = 0;
    std::uint32_t entries_moved_last_ = 0;
    std::uint32_t entries_moved_max_ = 0;
    /// Where bucket 0 would be if the segment reached down to it; 0 for a segment that is not
    /// there.
    std::array<std::uintptr_t, kSegmentCount> segment_origin_{};
};

}  // namespace tern::store

#include "store/index/linear_hash_index_inl.hpp"
