#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "store/memory/arena.hpp"

namespace tern::store::lists {

/// The chunks of a large list in order, found by the position of an element: a tree whose nodes
/// count the elements below them. Inserting, erasing and cutting in two take steps in proportion to
/// its height.
///
///     node (a slot of 248): | size 4 | 4 | element counts 8 x 20 | handles 4 x 20 |
///     a leaf's handles are chunks, an inner node's are nodes; all leaves have the same depth
///
/// Nodes may be less than half full, but none is empty. The tree does not own the chunks.
///
/// Threads:  one. Lifetime: the arena outlives it.
class ChunkTree {
public:
    static constexpr unsigned kFanout = 20;

    /// The way to one chunk. Valid until the tree is changed by anything but `add_count` and
    /// `set_chunk`.
    class Place {
    public:
        [[nodiscard]] explicit operator bool() const noexcept { return height_ != 0; }

    private:
        friend class ChunkTree;
        static constexpr unsigned kHeightMax = 12;
        struct Step {
            Handle node;
            unsigned slot = 0;
        };
        [[nodiscard]] const Step& leaf() const noexcept { return steps_[height_ - 1]; }
        std::array<Step, kHeightMax> steps_;  ///< from the root down
        unsigned height_ = 0;
    };

    explicit ChunkTree(Arena& arena) noexcept : arena_(&arena) {}
    ChunkTree(const ChunkTree&) = delete;
    ChunkTree& operator=(const ChunkTree&) = delete;
    /// The tree must be empty.
    ~ChunkTree();

    void swap(ChunkTree& other) noexcept;

    [[nodiscard]] bool empty() const noexcept { return height_ == 0; }
    [[nodiscard]] bool has_one_chunk() const noexcept;
    /// At least so many chunks are there; exact up to kFanout.
    [[nodiscard]] std::size_t chunk_count_min() const noexcept;
    /// Elements of all chunks.
    [[nodiscard]] std::uint64_t element_count() const noexcept;

    [[nodiscard]] Place first() const noexcept { return edge(false); }
    [[nodiscard]] Place last() const noexcept { return edge(true); }
    /// The chunk of element `index`; `index` becomes its place in the chunk. Not beyond the end.
    [[nodiscard]] Place find(std::uint64_t& index) const noexcept;
    /// Steps to the neighbour; false at the end, and the place is then not valid.
    [[nodiscard]] bool next(Place& place) const noexcept { return step(place, true); }
    [[nodiscard]] bool previous(Place& place) const noexcept { return step(place, false); }

    [[nodiscard]] Handle chunk(const Place& place) const noexcept;
    [[nodiscard]] std::size_t count(const Place& place) const noexcept;
    /// The chunk moved.
    void set_chunk(const Place& place, Handle chunk) noexcept;
    /// The chunk has so many elements more.
    void add_count(const Place& place, std::int64_t delta) noexcept;

    /// Puts a chunk in front of a place or behind it; anywhere into an empty tree. False without
    /// memory: nothing changed.
    [[nodiscard]] bool insert(const Place& place,
                              bool behind,
                              Handle chunk,
                              std::size_t count) noexcept;
    /// Takes a chunk out.
    void erase(const Place& place) noexcept;
    /// Moves the chunk at `place` and all behind it to `right`, which is empty. False without
    /// memory: nothing changed.
    [[nodiscard]] bool split_before(const Place& place, ChunkTree& right) noexcept;

private:
    struct Node;
    struct Item {
        Handle handle;
        std::uint64_t count = 0;
    };
    using Spares = std::array<Handle, Place::kHeightMax + 1>;

    [[nodiscard]] Node& node(Handle handle) const noexcept;
    [[nodiscard]] Place edge(bool is_last) const noexcept;
    [[nodiscard]] bool step(Place& place, bool forward) const noexcept;
    void descend(Place& place, unsigned level, Handle handle, bool is_last) const noexcept;
    [[nodiscard]] bool reserve(Spares& spares, unsigned count) noexcept;
    [[nodiscard]] bool plant(const Item& item) noexcept;
    static void split_full(Node& left, Node& right, unsigned slot, const Item& item) noexcept;
    void grow_root(Handle fresh, const Item& right) noexcept;
    [[nodiscard]] bool merge(Node& parent, unsigned slot) noexcept;
    [[nodiscard]] bool tidy(const Place& place, unsigned level) noexcept;
    void trim_root() noexcept;

    Arena* arena_;
    Handle root_;
    unsigned height_ = 0;
};

}  // namespace tern::store::lists
