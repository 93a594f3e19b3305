#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "store/list/packed_entry.hpp"
#include "store/memory/arena.hpp"
#include "store/stream/entry_id.hpp"

namespace tern::store::streams {

/// How much one node of a stream may hold: stream-node-max-bytes and stream-node-max-entries.
struct NodeLimits {
    std::size_t bytes_max = 4096;       ///< 0: no limit
    std::size_t entry_count_max = 100;  ///< 0: no limit
};

/// The fields of an entry as they go in: names and values in turn.
using FieldTexts = std::span<const std::string_view>;

/// One entry of a node.
///
/// Lifetime: until the stream changes.
struct EntryView {
    EntryId id;
    bool is_deleted = false;
    std::size_t field_count = 0;
    std::size_t begin = 0;                     ///< where it begins in the node's run
    std::size_t end = 0;                       ///< behind it
    const std::byte* shared_fields = nullptr;  ///< the node's first field; null: it has its own
    const std::byte* texts = nullptr;          ///< its values, or its fields and values in turn

    /// How many elements it takes in a listpack.
    [[nodiscard]] std::size_t element_count() const noexcept {
        return shared_fields != nullptr ? field_count + 4 : 2 * field_count + 5;
    }

    /// Calls `visit(name, value)` for each field, both packed_entry::Entry.
    template <typename Visit>
    void for_each_field(Visit&& visit) const {
        const std::byte* names = shared_fields;
        const std::byte* at = texts;
        for (std::size_t i = 0; i < field_count; ++i) {
            const std::byte*& source = shared_fields != nullptr ? names : at;
            const packed_entry::Entry name = packed_entry::read(source);
            source += name.size_bytes;
            const packed_entry::Entry value = packed_entry::read(at);
            at += value.size_bytes;
            visit(name, value);
        }
    }
};

/// Some entries of a stream, one behind the other: what a listpack of Redis's holds, behind a head
/// of fixed size in place of the listpack's frame and its two counts. A run too long for a slot, of
/// one entry then, lies in an extent.
///
///     slot:  | first id 16 | live 4 | deleted 4 | run bytes 4 | extent 4 | run |
///     run:   | field count | fields | 0 | entry | entry | ...
///     entry: | flags | ms and sequence less the first's | values | number of elements before |
///            | flags | ...              | field count | fields and values | number ... |
///     flags: 1 deleted, 2 the fields are the node's
///
/// The node's fields are those of the entry that it began with.
///
/// Lifetime: a view; until the node is resized or freed.
class Node {
public:
    static constexpr std::size_t kHeadBytes = 32;
    /// The most that the run of a node of several entries can take.
    static constexpr std::size_t kRunBytesMax = kSlotBytesMax - kHeadBytes;
    /// Redis's bound on the texts of one entry.
    static constexpr std::size_t kTextBytesMax = std::size_t{1} << 30;

    Node(const Arena& arena, Handle handle) noexcept
        : arena_(&arena), at_(arena.at(handle)), handle_(handle) {}

    /// A node of one entry with room for a run of `capacity_bytes`. Null without memory.
    [[nodiscard]] static Handle make(Arena& arena,
                                     const EntryId& id,
                                     FieldTexts fields,
                                     std::size_t capacity_bytes) noexcept;
    /// A copy with room for a run of `capacity_bytes`, or for its own; null without memory.
    [[nodiscard]] static Handle copy(Arena& arena,
                                     Handle handle,
                                     std::size_t capacity_bytes = 0) noexcept;
    static void free(Arena& arena, Handle handle) noexcept;
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return arena_->slot_bytes(handle_) + (extent() ? arena_->extent_bytes(extent()) : 0);
    }

    [[nodiscard]] EntryId first_id() const noexcept {
        return {load<std::uint64_t>(at_), load<std::uint64_t>(at_ + 8)};
    }
    [[nodiscard]] std::uint32_t live_count() const noexcept {
        return load<std::uint32_t>(at_ + 16);
    }
    [[nodiscard]] std::uint32_t deleted_count() const noexcept {
        return load<std::uint32_t>(at_ + 20);
    }
    [[nodiscard]] std::uint32_t field_count() const noexcept {
        return static_cast<std::uint32_t>(packed_entry::read(run().data()).number);
    }
    /// The elements of the node's listpack behind its two counts.
    [[nodiscard]] MutableBytes run() const noexcept {
        std::byte* const begin = extent() ? arena_->at(extent()) : at_ + kHeadBytes;
        return {begin, load<std::uint32_t>(at_ + 24)};
    }
    [[nodiscard]] bool is_in_slot() const noexcept { return !extent(); }
    [[nodiscard]] std::size_t capacity_bytes() const noexcept {
        return arena_->slot_bytes(handle_) - kHeadBytes;
    }
    /// What Redis's listpack with the same elements takes: its limits count that.
    [[nodiscard]] std::size_t listpack_bytes() const noexcept;

    /// What the entry would add to the run.
    [[nodiscard]] std::size_t entry_bytes(const EntryId& id, FieldTexts fields) const noexcept;
    /// Puts an entry, above all that are there, behind the last; `entry_bytes` are within the
    /// capacity.
    void append(const EntryId& id, FieldTexts fields, std::size_t entry_bytes) noexcept;

    /// Where the entries begin in the run; its size is where they end.
    [[nodiscard]] std::size_t entries_begin() const noexcept;
    /// The entry that begins at `offset`.
    [[nodiscard]] EntryView entry_at(std::size_t offset) const noexcept;
    /// The entry that ends at `offset`.
    [[nodiscard]] EntryView entry_before(std::size_t offset) const noexcept;
    /// Marks an entry, which is not, as deleted; not the last live one.
    void mark_deleted(const EntryView& entry) noexcept;

    /// Calls `visit(EntryView)` for all entries, deleted ones included, in either direction until
    /// it says false; whether it never did.
    template <typename Visit>
    bool walk(bool backwards, Visit&& visit) const {
        const std::size_t begin = entries_begin();
        const std::size_t end = run().size();
        std::size_t offset = backwards ? end : begin;
        while (offset != (backwards ? begin : end)) {
            const EntryView entry = backwards ? entry_before(offset) : entry_at(offset);
            if (!visit(entry)) {
                return false;
            }
            offset = backwards ? entry.begin : entry.end;
        }
        return true;
    }

private:
    [[nodiscard]] ExtentId extent() const noexcept {
        return ExtentId{load<std::uint32_t>(at_ + 28)};
    }
    void set_counts(std::size_t live, std::size_t deleted) noexcept {
        store_value(at_ + 16, static_cast<std::uint32_t>(live));
        store_value(at_ + 20, static_cast<std::uint32_t>(deleted));
    }
    void set_run_bytes(std::size_t bytes) noexcept {
        store_value(at_ + 24, static_cast<std::uint32_t>(bytes));
    }
    [[nodiscard]] static Handle allocate(Arena& arena,
                                         const EntryId& first,
                                         std::size_t run_bytes,
                                         std::size_t capacity_bytes) noexcept;
    [[nodiscard]] bool has_fields(FieldTexts fields) const noexcept;

    const Arena* arena_;
    std::byte* at_;
    Handle handle_;
};

}  // namespace tern::store::streams
