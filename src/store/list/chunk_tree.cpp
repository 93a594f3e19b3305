#include "store/list/chunk_tree.hpp"

#include <algorithm>
#include <new>
#include <tern/base/check.hpp>
#include <utility>

namespace tern::store::lists {

struct ChunkTree::Node {
    std::uint32_t size = 0;
    std::uint32_t unused = 0;
    std::array<std::uint64_t, kFanout> counts;
    std::array<Handle, kFanout> handles;

    [[nodiscard]] std::uint64_t sum() const noexcept {
        std::uint64_t total = 0;
        for (unsigned i = 0; i < size; ++i) {
            total += counts[i];
        }
        return total;
    }
    void insert(unsigned slot, const Item& item) noexcept {
        TERN_DCHECK(size < kFanout && slot <= size);
        std::copy_backward(counts.begin() + slot, counts.begin() + size, counts.begin() + size + 1);
        std::copy_backward(
            handles.begin() + slot, handles.begin() + size, handles.begin() + size + 1);
        counts[slot] = item.count;
        handles[slot] = item.handle;
        ++size;
    }
    void remove(unsigned slot) noexcept {
        TERN_DCHECK(slot < size);
        std::copy(counts.begin() + slot + 1, counts.begin() + size, counts.begin() + slot);
        std::copy(handles.begin() + slot + 1, handles.begin() + size, handles.begin() + slot);
        --size;
    }
    /// Moves what begins at `slot` behind what `to` has.
    void move_from(unsigned slot, Node& to) noexcept {
        TERN_DCHECK(slot <= size && to.size + size - slot <= kFanout);
        std::copy(counts.begin() + slot, counts.begin() + size, to.counts.begin() + to.size);
        std::copy(handles.begin() + slot, handles.begin() + size, to.handles.begin() + to.size);
        to.size += size - slot;
        size = slot;
    }
};

ChunkTree::~ChunkTree() {
    TERN_CHECK(empty());
}

void ChunkTree::swap(ChunkTree& other) noexcept {
    TERN_CHECK(arena_ == other.arena_);
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
}

ChunkTree::Node& ChunkTree::node(Handle handle) const noexcept {
    static_assert(sizeof(Node) == 248);
    return *arena_->as<Node>(handle);
}

// Looking

bool ChunkTree::has_one_chunk() const noexcept {
    return height_ == 1 && node(root_).size == 1;
}

std::size_t ChunkTree::chunk_count_min() const noexcept {
    return height_ == 0 ? 0 : height_ == 1 ? node(root_).size : kFanout;
}

std::uint64_t ChunkTree::element_count() const noexcept {
    return height_ == 0 ? 0 : node(root_).sum();
}

/// Completes `place` from `level` on, always at the same edge.
void ChunkTree::descend(Place& place, unsigned level, Handle handle, bool is_last) const noexcept {
    for (; level < height_; ++level) {
        const Node& here = node(handle);
        const unsigned slot = is_last ? here.size - 1 : 0;
        place.steps_[level] = {handle, slot};
        handle = here.handles[slot];
    }
    place.height_ = height_;
}

ChunkTree::Place ChunkTree::edge(bool is_last) const noexcept {
    Place place;
    descend(place, 0, root_, is_last);
    return place;
}

ChunkTree::Place ChunkTree::find(std::uint64_t& index) const noexcept {
    Place place;
    Handle handle = root_;
    for (unsigned level = 0; level < height_; ++level) {
        const Node& here = node(handle);
        unsigned slot = 0;
        while (index >= here.counts[slot]) {
            index -= here.counts[slot++];
            TERN_CHECK(slot < here.size);
        }
        place.steps_[level] = {handle, slot};
        handle = here.handles[slot];
    }
    place.height_ = height_;
    return place;
}

bool ChunkTree::step(Place& place, bool forward) const noexcept {
    for (unsigned level = height_; level-- > 0;) {
        Place::Step& here = place.steps_[level];
        const Node& at = node(here.node);
        if (forward ? here.slot + 1 < at.size : here.slot > 0) {
            here.slot = forward ? here.slot + 1 : here.slot - 1;
            descend(place, level + 1, at.handles[here.slot], !forward);
            return true;
        }
    }
    return false;
}

Handle ChunkTree::chunk(const Place& place) const noexcept {
    return node(place.leaf().node).handles[place.leaf().slot];
}

std::size_t ChunkTree::count(const Place& place) const noexcept {
    return static_cast<std::size_t>(node(place.leaf().node).counts[place.leaf().slot]);
}

void ChunkTree::set_chunk(const Place& place, Handle chunk) noexcept {
    node(place.leaf().node).handles[place.leaf().slot] = chunk;
}

void ChunkTree::add_count(const Place& place, std::int64_t delta) noexcept {
    for (unsigned level = 0; level < place.height_; ++level) {
        const Place::Step& here = place.steps_[level];
        node(here.node).counts[here.slot] += static_cast<std::uint64_t>(delta);
    }
}

// Inserting

/// `count` fresh nodes, or none and false.
bool ChunkTree::reserve(Spares& spares, unsigned count) noexcept {
    for (unsigned i = 0; i < count; ++i) {
        spares[i] = arena_->allocate(sizeof(Node));
        if (!spares[i]) {
            while (i-- > 0) {
                arena_->free(spares[i]);
            }
            return false;
        }
        new (arena_->at(spares[i])) Node;
    }
    return true;
}

bool ChunkTree::plant(const Item& item) noexcept {
    Spares spares;
    if (!reserve(spares, 1)) {
        return false;
    }
    root_ = spares[0];
    height_ = 1;
    node(root_).insert(0, item);
    return true;
}

/// Distributes a full node and one item more over it and an empty one. At the ends the full node
/// stays whole: a list that is pushed to has full nodes.
void ChunkTree::split_full(Node& left, Node& right, unsigned slot, const Item& item) noexcept {
    const unsigned cut = slot == kFanout ? kFanout : slot == 0 ? 0 : kFanout / 2;
    left.move_from(cut, right);
    if (slot > cut || cut == kFanout) {
        right.insert(slot - cut, item);
    } else {
        left.insert(slot, item);
    }
}

void ChunkTree::grow_root(Handle fresh, const Item& right) noexcept {
    TERN_CHECK(height_ < Place::kHeightMax);
    Node& top = node(fresh);
    top.insert(0, {root_, node(root_).sum()});
    top.insert(1, right);
    root_ = fresh;
    ++height_;
}

bool ChunkTree::insert(const Place& place, bool behind, Handle chunk, std::size_t count) noexcept {
    Item item{chunk, count};
    if (empty()) {
        return plant(item);
    }
    unsigned splits = 0;
    while (splits < height_ && node(place.steps_[height_ - 1 - splits].node).size == kFanout) {
        ++splits;
    }
    Spares spares;
    if (!reserve(spares, splits == height_ ? splits + 1 : splits)) {
        return false;
    }
    unsigned slot = place.leaf().slot + (behind ? 1 : 0);
    unsigned level = height_ - 1;
    for (unsigned i = 0; i < splits; ++i) {
        Node& left = node(place.steps_[level].node);
        Node& right = node(spares[i]);
        split_full(left, right, slot, item);
        item = {spares[i], right.sum()};
        if (level == 0) {
            grow_root(spares[i + 1], item);
            return true;
        }
        const Place::Step& above = place.steps_[--level];
        node(above.node).counts[above.slot] = left.sum();
        slot = above.slot + 1;
    }
    node(place.steps_[level].node).insert(slot, item);
    while (level-- > 0) {
        const Place::Step& above = place.steps_[level];
        node(above.node).counts[above.slot] += count;
    }
    return true;
}

// Erasing

/// Joins the node in `slot` of `parent` with its right neighbour if both are small.
bool ChunkTree::merge(Node& parent, unsigned slot) noexcept {
    constexpr unsigned kMergedSizeMax = kFanout * 3 / 4;
    if (slot + 1 >= parent.size) {
        return false;
    }
    Node& left = node(parent.handles[slot]);
    Node& right = node(parent.handles[slot + 1]);
    if (left.size + right.size > kMergedSizeMax) {
        return false;
    }
    right.move_from(0, left);
    arena_->free(parent.handles[slot + 1]);
    parent.counts[slot] += parent.counts[slot + 1];
    parent.remove(slot + 1);
    return true;
}

/// Frees or merges the node at `level`, which is below the root and has lost an item; whether its
/// parent lost one by that.
bool ChunkTree::tidy(const Place& place, unsigned level) noexcept {
    const Place::Step& here = place.steps_[level];
    const Place::Step& above = place.steps_[level - 1];
    Node& parent = node(above.node);
    if (node(here.node).size == 0) {
        arena_->free(here.node);
        parent.remove(above.slot);
        return true;
    }
    return merge(parent, above.slot) || (above.slot > 0 && merge(parent, above.slot - 1));
}

/// A root without items goes, and one with a single child makes way for it.
void ChunkTree::trim_root() noexcept {
    if (height_ != 0 && node(root_).size == 0) {
        arena_->free(std::exchange(root_, {}));
        height_ = 0;
    }
    while (height_ > 1 && node(root_).size == 1) {
        const Handle child = node(root_).handles[0];
        arena_->free(std::exchange(root_, child));
        --height_;
    }
}

void ChunkTree::erase(const Place& place) noexcept {
    add_count(place, -static_cast<std::int64_t>(count(place)));
    node(place.leaf().node).remove(place.leaf().slot);
    for (unsigned level = height_ - 1; level > 0 && tidy(place, level); --level) {}
    trim_root();
}

bool ChunkTree::split_before(const Place& place, ChunkTree& right) noexcept {
    TERN_CHECK(right.empty() && right.arena_ == arena_);
    Spares spares;
    if (!reserve(spares, height_)) {
        return false;
    }
    bool keeps_child = false;
    for (unsigned level = height_; level-- > 0;) {
        const Place::Step& here = place.steps_[level];
        Node& from = node(here.node);
        Node& to = node(spares[level]);
        const bool is_leaf = level + 1 == height_;
        if (is_leaf) {
            from.move_from(here.slot, to);
        } else {
            to.insert(0, {spares[level + 1], node(spares[level + 1]).sum()});
            from.move_from(here.slot + 1, to);
            if (keeps_child) {
                from.counts[here.slot] = node(place.steps_[level + 1].node).sum();
            } else {
                arena_->free(from.handles[here.slot]);
                from.size = here.slot;
            }
        }
        keeps_child = from.size != 0;
    }
    right.root_ = spares[0];
    right.height_ = height_;
    trim_root();
    right.trim_root();
    return true;
}

}  // namespace tern::store::lists
