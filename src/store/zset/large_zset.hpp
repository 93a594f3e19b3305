#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/random.hpp"
#include "store/hash/element_slot.hpp"
#include "store/index/key_hash.hpp"
#include "store/index/linear_hash_index.hpp"
#include "store/memory/arena.hpp"
#include "store/ordered/ordered_index.hpp"
#include "store/zset/compact_zset.hpp"
#include "store/zset/range.hpp"

namespace tern::store::zsets {

/// Maps a score that is not NaN to a number that sorts as scores do; -0 and 0 are equal.
[[nodiscard]] inline std::uint64_t sortable_score(double score) noexcept {
    constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
    return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

/// A sorted set of any size: a slot for each element, a hash index by member and an ordered index.
///
///     slot: | score 8 | member length | member |
///
/// Threads:  one thread at a time.
/// Lifetime: `arena` and `hasher` outlive the set.
class LargeZset {
public:
    LargeZset(Arena& arena, const KeyHasher& hasher) noexcept
        : arena_(&arena),
          hasher_(&hasher),
          members_(arena, Traits{&arena, &hasher}),
          order_(arena, Order{&arena}) {}
    LargeZset(const LargeZset&) = delete;
    LargeZset& operator=(const LargeZset&) = delete;
    ~LargeZset();

    [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
    /// Slots, extents and both indexes; not the object itself.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return element_bytes_ + members_.memory_bytes() + order_.memory_bytes();
    }

    /// The element of `member`, or null.
    [[nodiscard]] Handle find(std::string_view member) const noexcept {
        return members_.find((*hasher_)(member), member);
    }
    [[nodiscard]] Element element_at(Handle handle) const noexcept { return read(*arena_, handle); }
    [[nodiscard]] std::uint64_t rank_of(Handle handle) const noexcept;

    /// Adds an element whose member is not in the set. False, and nothing changed, without memory.
    [[nodiscard]] bool add(const Element& element) noexcept;
    /// Gives an element another score. False, and nothing changed, without memory.
    [[nodiscard]] bool set_score(Handle handle, double score) noexcept;
    void erase(Handle handle) noexcept;
    void erase(RankSpan span) noexcept;

    [[nodiscard]] RankSpan span(const ScoreRange& range) const noexcept;
    [[nodiscard]] RankSpan span(const LexRange& range) const noexcept;

    /// Calls `visit(const Element&)` for a span in order.
    template <typename Visit>
    void visit(RankSpan span, Visit&& visit) const {
        OrderedCursor cursor = order_.at_rank(span.begin);
        for (std::uint64_t i = 0; i < span.count; ++i, cursor.next()) {
            visit(read(*arena_, cursor.get()));
        }
    }
    /// The same from the last element of the span to its first.
    template <typename Visit>
    void visit_reversed(RankSpan span, Visit&& visit) const {
        OrderedCursor cursor = span.count > 0 ? order_.at_rank(span.end() - 1) : OrderedCursor();
        for (std::uint64_t i = 0; i < span.count; ++i, cursor.previous()) {
            visit(read(*arena_, cursor.get()));
        }
    }
    /// Calls `visit(const Element&)` for the elements of one bucket of the hash index; returns the
    /// next cursor, 0 at the end.
    template <typename Visit>
    std::uint64_t scan(std::uint64_t cursor, Visit&& visit) const {
        return members_.scan(cursor, [&](Handle handle) { visit(read(*arena_, handle)); });
    }
    /// An element at random; not for an empty set.
    [[nodiscard]] Element random(Random& random) const;

    /// Puts a copy of every element into `target`, which is empty. False without memory.
    [[nodiscard]] bool copy_to(LargeZset& target) const noexcept;
    /// Frees about `budget` elements or what indexes them; true when nothing is left.
    bool drain(std::size_t budget) noexcept;

    /// Aborts when the two indexes disagree; reads everything. For tests.
    void check_invariants() const;

private:
    static constexpr std::size_t kScoreBytes = sizeof(double);

    struct Order {
        const Arena* arena;
        [[nodiscard]] std::uint64_t prefix_of(Handle handle) const noexcept {
            return sortable_score(load<double>(arena->at(handle)));
        }
    };
    struct Traits {
        const Arena* arena;
        const KeyHasher* hasher;
        [[nodiscard]] std::uint64_t hash(Handle handle) const noexcept {
            return (*hasher)(read(*arena, handle).member);
        }
        [[nodiscard]] bool equals(Handle handle, std::string_view member) const noexcept {
            return read(*arena, handle).member == member;
        }
        void prefetch(Handle handle) const noexcept { arena->prefetch(handle); }
    };

    [[nodiscard]] static Element read(const Arena& arena, Handle handle) noexcept;
    [[nodiscard]] Handle make_slot(const Element& element) noexcept;
    void free_slot(Handle handle) noexcept;
    [[nodiscard]] bool insert_ordered(Handle handle, const Element& element) noexcept;
    template <bool IncludesEqual>
    [[nodiscard]] auto below(const Element& element) const noexcept;

    Arena* arena_;
    const KeyHasher* hasher_;
    std::size_t element_bytes_ = 0;
    LinearHashIndex<Traits> members_;
    OrderedIndex<Order> order_;
};

}  // namespace tern::store::zsets
