#pragma once

#include <cstdint>
#include <tern/base/bytes.hpp>

#include "store/memory/arena.hpp"
#include "store/ordered/ordered_index.hpp"
#include "store/stream/entry_id.hpp"

namespace tern::store::streams {

/// Slots of the arena that begin with an EntryId, in its order: the nodes of a stream, the pending
/// entries of a group and of a consumer. Ids are unique.
///
/// Lifetime: `arena` outlives the index, which never frees a slot.
class IdIndex {
public:
    explicit IdIndex(Arena& arena) noexcept : arena_(&arena), index_(arena, Order{&arena}) {}

    [[nodiscard]] static EntryId id_of(const Arena& arena, Handle handle) noexcept {
        return {load<std::uint64_t>(arena.at(handle)), load<std::uint64_t>(arena.at(handle) + 8)};
    }

    [[nodiscard]] std::uint64_t size() const noexcept { return index_.size(); }
    [[nodiscard]] bool empty() const noexcept { return index_.size() == 0; }
    [[nodiscard]] std::size_t memory_bytes() const noexcept { return index_.memory_bytes(); }

    /// Adds a slot whose id is not there. False without memory.
    [[nodiscard]] bool insert(Handle handle) noexcept {
        return index_.insert(handle, Below<false>{arena_, id_of(*arena_, handle)});
    }
    void erase(Handle handle) noexcept {
        index_.erase(handle, Below<true>{arena_, id_of(*arena_, handle)});
    }
    /// Says that the slot `from` was copied to `to`.
    void replace(Handle from, Handle to) noexcept {
        index_.replace(from, to, Below<true>{arena_, id_of(*arena_, from)});
    }

    /// The slot of `id`, or null.
    [[nodiscard]] Handle find(const EntryId& id) const noexcept {
        const OrderedCursor cursor = at_or_above(id);
        return cursor && id_of(*arena_, cursor.get()) == id ? cursor.get() : Handle{};
    }
    /// The first slot at or above `id`.
    [[nodiscard]] OrderedCursor at_or_above(const EntryId& id) const noexcept {
        return index_.partition_point(Below<false>{arena_, id}).cursor;
    }
    /// The last slot at or below `id`.
    [[nodiscard]] OrderedCursor at_or_below(const EntryId& id) const noexcept {
        const std::uint64_t rank = index_.partition_point(Below<true>{arena_, id}).rank;
        return rank == 0 ? OrderedCursor() : index_.at_rank(rank - 1);
    }
    [[nodiscard]] OrderedCursor first() const noexcept { return index_.first(); }
    [[nodiscard]] OrderedCursor last() const noexcept { return index_.last(); }

    /// Removes about `budget` slots from the front and gives each to `visit(Handle)`.
    template <typename Visit>
    void drain(std::uint64_t budget, Visit&& visit) {
        static_cast<void>(index_.drain(budget, visit));
    }
    void swap(IdIndex& other) noexcept { index_.swap(other.index_); }
    /// Aborts when the tree is broken. For tests.
    void check_invariants() const { index_.check_invariants(); }

private:
    struct Order {
        const Arena* arena;
        [[nodiscard]] std::uint64_t prefix_of(Handle handle) const noexcept {
            return load<std::uint64_t>(arena->at(handle));
        }
    };
    template <bool IncludesEqual>
    struct Below {
        const Arena* arena;
        EntryId id;
        [[nodiscard]] bool operator()(std::uint64_t prefix, Handle handle) const noexcept {
            if (prefix != id.ms) {
                return prefix < id.ms;
            }
            const EntryId other = id_of(*arena, handle);
            return IncludesEqual ? other <= id : other < id;
        }
    };

    Arena* arena_;
    OrderedIndex<Order> index_;
};

}  // namespace tern::store::streams
