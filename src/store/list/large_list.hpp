#pragma once

#include <cstddef>
#include <cstdint>

#include "store/index/key_hash.hpp"
#include "store/list/chunk.hpp"
#include "store/list/chunk_tree.hpp"
#include "store/list/list_limits.hpp"

namespace tern::store::lists {

enum class End : std::uint8_t { kHead, kTail };

/// A list of any size: chunks of packed entries, found by position through a counted tree.
///
/// Threads:  one at a time. Lifetime: `arena` outlives the list.
class LargeList {
public:
    LargeList(Arena& arena, const KeyHasher&) noexcept : arena_(&arena), tree_(arena) {}
    LargeList(const LargeList&) = delete;
    LargeList& operator=(const LargeList&) = delete;
    ~LargeList();

    [[nodiscard]] std::uint64_t size() const noexcept { return tree_.element_count(); }
    /// Chunks and nodes, from a sample where there are many; not the object itself.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;
    /// Whether all elements lie in one chunk within `limits`; `bytes` are then its entries.
    [[nodiscard]] bool fits_one_run(const ListLimits& limits, Bytes& bytes) const noexcept;

    // The changes: false without memory, and then nothing changed.

    [[nodiscard]] bool push(End end,
                            const packed_entry::Value& value,
                            const ListLimits& limits) noexcept;
    /// Takes in the `count` entries of a run; for an empty list.
    [[nodiscard]] bool take_run(const PackedRun& run,
                                std::size_t count,
                                const ListLimits& limits) noexcept;
    /// Puts a value in front of element `index`, or behind the last one.
    [[nodiscard]] bool insert(std::uint64_t index,
                              const packed_entry::Value& value,
                              const ListLimits& limits) noexcept;
    [[nodiscard]] bool replace(std::uint64_t index,
                               const packed_entry::Value& value,
                               const ListLimits& limits) noexcept;

    void erase(std::uint64_t index) noexcept;
    /// Removes `count` elements from an end, a chunk at a time: at most `size()`.
    void erase_end(End end, std::uint64_t count) noexcept;
    /// Moves `count` elements from an end, fewer than there are, to `other`, which is empty, in a
    /// bounded number of steps. False without memory: nothing moved.
    [[nodiscard]] bool cut_end(End end, std::uint64_t count, LargeList& other) noexcept;
    /// Removes up to `count` elements that equal `value`, the first or the last ones; returns how
    /// many.
    std::uint64_t erase_equal(const packed_entry::Value& value,
                              std::uint64_t count,
                              bool from_tail) noexcept;

    /// Calls `visit(Entry)` for `count` elements from `index` on in either direction; stops when it
    /// says false.
    template <typename Visit>
    void walk(std::uint64_t index, std::uint64_t count, bool backwards, Visit&& visit) const;

    /// Puts a copy of every element into `target`, which is empty. False without memory.
    [[nodiscard]] bool copy_to(LargeList& target) const noexcept;
    /// Frees about `budget` chunks; true when none is left.
    bool drain(std::size_t budget) noexcept;

private:
    using Place = ChunkTree::Place;

    [[nodiscard]] Chunk chunk_at(const Place& place) const noexcept {
        return {*arena_, tree_.chunk(place)};
    }
    [[nodiscard]] Place find(std::uint64_t index, std::size_t& in_chunk) const noexcept;
    [[nodiscard]] std::size_t capacity_for(const ListLimits& limits) const noexcept;
    [[nodiscard]] bool accepts(const Place& place,
                               std::size_t entry_bytes,
                               const ListLimits& limits) const noexcept;
    [[nodiscard]] bool make_room(const Place& place,
                                 std::size_t entry_bytes,
                                 bool room_in_front,
                                 const ListLimits& limits) noexcept;
    [[nodiscard]] bool add_to(const Place& place,
                              std::size_t offset,
                              const packed_entry::Value& value,
                              const ListLimits& limits) noexcept;
    [[nodiscard]] bool add_chunk(const Place& place,
                                 bool behind,
                                 const packed_entry::Value& value,
                                 const ListLimits& limits) noexcept;
    [[nodiscard]] bool split_chunk(const Place& place,
                                   std::size_t offset,
                                   std::size_t left_count) noexcept;
    [[nodiscard]] bool replace_in_chunk(const Place& place,
                                        std::size_t offset,
                                        const packed_entry::Value& value,
                                        const ListLimits& limits) noexcept;
    void shrink(const Place& place) noexcept;
    void drop_chunk(const Place& place) noexcept;
    [[nodiscard]] std::size_t count_equal(const Place& place,
                                          const packed_entry::Value& value) const noexcept;

    Arena* arena_;
    ChunkTree tree_;
};

template <typename Visit>
void LargeList::walk(std::uint64_t index,
                     std::uint64_t count,
                     bool backwards,
                     Visit&& visit) const {
    if (count == 0) {
        return;
    }
    std::size_t in_chunk = 0;
    Place place = find(index, in_chunk);
    while (true) {
        const Chunk chunk = chunk_at(place);
        const std::size_t chunk_count = tree_.count(place);
        const std::size_t left_in_chunk = backwards ? in_chunk + 1 : chunk_count - in_chunk;
        const std::size_t part =
            count < left_in_chunk ? static_cast<std::size_t>(count) : left_in_chunk;
        if (chunk.is_alone()) {
            if (!visit(chunk.alone())) {
                return;
            }
        } else {
            const PackedRun run = chunk.run();
            const std::size_t offset =
                run.offset_of(backwards ? in_chunk + 1 : in_chunk, chunk_count);
            if (!run.walk(offset, part, backwards, visit)) {
                return;
            }
        }
        count -= part;
        if (count == 0 || !(backwards ? tree_.previous(place) : tree_.next(place))) {
            return;
        }
        in_chunk = backwards ? tree_.count(place) - 1 : 0;
    }
}

}  // namespace tern::store::lists
