#pragma once

#include <algorithm>

#include "store/ordered/ordered_index.hpp"

/// Bodies of OrderedIndex. Balance is kept on the way down: before a descent enters a node that
/// could overflow (or starve), its parent makes room in it (or fills it), so no change travels back
/// up.
namespace tern::store {

/// The number of leading entries for which `is_true` holds; `is_true` is monotone.
template <typename Entry, typename IsTrue>
[[nodiscard]] std::uint32_t count_leading(const Entry* entries,
                                          std::uint32_t count,
                                          const IsTrue& is_true) {
    std::uint32_t low = 0;
    while (count > 0) {
        const std::uint32_t half = count / 2;
        if (is_true(entries[low + half])) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/// Steers a descent by a predicate, to the last child whose first element is below.
template <ElementOrder Order>
template <typename Predicate>
struct OrderedIndex<Order>::BySearch {
    const OrderedIndex& index;
    const Predicate& is_below;

    [[nodiscard]] std::uint32_t pick(const Inner& node) const {
        return count_leading(
            node.entries + 1, node.count - 1, [this](const InnerEntry& entry) -> bool {
                return is_below(entry.prefix(), entry.first);
            });
    }
    void enter(const Inner&, std::uint32_t) noexcept {}
    /// The place in the leaf behind all elements that are below. Each element is a cache miss, so
    /// both that the next step may read are fetched during this one.
    [[nodiscard]] std::uint32_t end_in(const Leaf& leaf) const {
        const Handle* at = leaf.entries;
        std::uint32_t count = leaf.count;
        while (count > 0) {
            const std::uint32_t half = count / 2;
            const std::uint32_t rest = count - half - 1;
            index.arena_->prefetch(at[half / 2]);
            if (rest > 0) {
                index.arena_->prefetch(at[half + 1 + rest / 2]);
            }
            const bool is_in_front = is_below(index.order_.prefix_of(at[half]), at[half]);
            at = is_in_front ? at + half + 1 : at;
            count = is_in_front ? rest : half;
        }
        return static_cast<std::uint32_t>(at - leaf.entries);
    }
};

/// Steers a descent to the element with a rank.
template <ElementOrder Order>
struct OrderedIndex<Order>::ByRank {
    std::uint64_t rank;

    [[nodiscard]] std::uint32_t pick(const Inner& node) const noexcept {
        std::uint64_t before = node.entries[0].count;
        std::uint32_t i = 0;
        while (i + 1 < node.count && rank >= before) {
            before += node.entries[++i].count;
        }
        return i;
    }
    void enter(const Inner& node, std::uint32_t picked) noexcept {
        for (std::uint32_t i = 0; i < picked; ++i) {
            rank -= node.entries[i].count;
        }
    }
    /// One behind the element, as BySearch counts.
    [[nodiscard]] std::uint32_t end_in(const Leaf&) const noexcept {
        return static_cast<std::uint32_t>(rank) + 1;
    }
};

// Changes.

/// Adds `change` to the counts above `level`, and passes on that a first element is another one.
template <ElementOrder Order>
void OrderedIndex<Order>::count_change(Path& path,
                                       std::uint32_t level,
                                       std::int32_t change,
                                       bool first_changed) {
    for (; level <= height_; ++level) {
        InnerEntry& entry = path[level].node->entries[path[level].index];
        entry.count += static_cast<std::uint32_t>(change);
        if (!first_changed) {
            continue;
        }
        if (level == 1) {
            const Handle first = node_at<Leaf>(entry.child).entries[0];
            entry.set_first(order_.prefix_of(first), first);
        } else {
            const InnerEntry& below = node_at<Inner>(entry.child).entries[0];
            entry.set_first(below.prefix(), below.first);
        }
        first_changed = path[level].index == 0;
    }
}

/// Picks the child of `inner` that takes `element` and sees to it that it has room. Returns
/// `Inner::kCapacity` when the arena has none.
template <ElementOrder Order>
template <typename Steering>
std::uint32_t OrderedIndex<Order>::pick_with_room(Inner& inner,
                                                  std::uint32_t level,
                                                  Steering& steering,
                                                  Handle element) {
    const std::uint32_t i = steering.pick(inner);
    const Handle child = inner.entries[i].child;
    if (level > 1) {
        if (node_at<Inner>(child).count < Inner::kCapacity) {
            return i;
        }
        return make_room<Inner>(inner, i) ? steering.pick(inner) : Inner::kCapacity;
    }
    const Leaf& leaf = node_at<Leaf>(child);
    if (leaf.count < Leaf::kCapacity) {
        return i;
    }
    const std::uint32_t end = steering.end_in(leaf);
    if (end == Leaf::kCapacity && !leaf.next) {
        return add_edge_leaf(inner, i + 1, element) ? i + 1 : Inner::kCapacity;
    }
    if (end == 0 && !leaf.previous) {
        return add_edge_leaf(inner, 0, element) ? 0 : Inner::kCapacity;
    }
    return make_room<Leaf>(inner, i) ? steering.pick(inner) : Inner::kCapacity;
}

template <ElementOrder Order>
bool OrderedIndex<Order>::insert(Handle element, const MonotonePredicate auto& is_below) {
    TERN_CHECK(element && size_ < UINT32_MAX);
    if (!top_) {
        top_ = make_node<Leaf>();
        if (!top_) {
            return false;
        }
        first_leaf_ = last_leaf_ = top_;
    }
    const bool is_top_full = height_ == 0 ? node_at<Leaf>(top_).count == Leaf::kCapacity
                                          : node_at<Inner>(top_).count == Inner::kCapacity;
    if (is_top_full && !grow_top()) {
        return false;
    }
    BySearch<std::remove_cvref_t<decltype(is_below)>> steering{*this, is_below};
    Path path;
    Handle node = top_;
    for (std::uint32_t level = height_; level > 0; --level) {
        Inner& inner = node_at<Inner>(node);
        const std::uint32_t i = pick_with_room(inner, level, steering, element);
        if (i == Inner::kCapacity) {
            return false;
        }
        path[level] = Step{&inner, i};
        node = inner.entries[i].child;
    }
    Leaf& leaf = node_at<Leaf>(node);
    const std::uint32_t index = steering.end_in(leaf);
    ordered::insert_entry(leaf, index, element);
    ++size_;
    count_change(path, 1, 1, index == 0);
    return true;
}

/// Goes to the leaf of an element that will leave it, and fills every node on the way that could
/// fall below its low water. The first and the last leaf may run empty, so that queues move
/// nothing.
template <ElementOrder Order>
template <typename Steering>
Handle OrderedIndex<Order>::descend_to_erase(Steering& steering, Path& path) {
    collapse_top();
    Handle node = top_;
    for (std::uint32_t level = height_; level > 0; --level) {
        Inner& inner = node_at<Inner>(node);
        std::uint32_t i = steering.pick(inner);
        const Handle child = inner.entries[i].child;
        if (level > 1) {
            if (node_at<Inner>(child).count <= Inner::kLowWater && inner.count > 1) {
                refill<Inner>(inner, i);
                i = steering.pick(inner);
            }
        } else if (const Leaf& leaf = node_at<Leaf>(child);
                   leaf.count <= Leaf::kLowWater && inner.count > 1 && leaf.next && leaf.previous) {
            refill<Leaf>(inner, i);
            i = steering.pick(inner);
        }
        steering.enter(inner, i);
        path[level] = Step{&inner, i};
        node = inner.entries[i].child;
    }
    return node;
}

template <ElementOrder Order>
void OrderedIndex<Order>::remove_from_leaf(Handle handle, std::uint32_t index, Path& path) {
    Leaf& leaf = node_at<Leaf>(handle);
    ordered::erase_entry(leaf, index);
    --size_;
    if (leaf.count > 0) {
        count_change(path, 1, -1, index == 0);
    } else {
        remove_empty_leaf(handle, path, 1);
    }
    collapse_top();
}

/// Takes an empty leaf out of the tree, and the inner nodes that it leaves empty.
template <ElementOrder Order>
void OrderedIndex<Order>::remove_empty_leaf(Handle leaf, Path& path, std::uint32_t removed) {
    unlink(leaf);
    free_node<Leaf>(leaf);
    for (std::uint32_t level = 1; level <= height_; ++level) {
        Inner& inner = *path[level].node;
        ordered::erase_entry(inner, path[level].index);
        if (inner.count > 0) {
            count_change(
                path, level + 1, -static_cast<std::int32_t>(removed), path[level].index == 0);
            return;
        }
        free_node<Inner>(
            level == height_ ? top_ : path[level + 1].node->entries[path[level + 1].index].child);
    }
    top_ = Handle{};
    height_ = 0;
}

template <ElementOrder Order>
void OrderedIndex<Order>::erase(Handle element, const MonotonePredicate auto& is_at_or_below) {
    TERN_CHECK(top_);
    BySearch<std::remove_cvref_t<decltype(is_at_or_below)>> steering{*this, is_at_or_below};
    Path path;
    const Handle leaf = descend_to_erase(steering, path);
    const std::uint32_t end = steering.end_in(node_at<Leaf>(leaf));
    TERN_CHECK(end > 0 && node_at<Leaf>(leaf).entries[end - 1] == element);
    remove_from_leaf(leaf, end - 1, path);
}

template <ElementOrder Order>
Handle OrderedIndex<Order>::erase_at(std::uint64_t rank) {
    TERN_CHECK(rank < size_);
    ByRank steering{rank};
    Path path;
    const Handle leaf = descend_to_erase(steering, path);
    const auto index = static_cast<std::uint32_t>(steering.rank);
    TERN_CHECK(index < node_at<Leaf>(leaf).count);
    const Handle element = node_at<Leaf>(leaf).entries[index];
    remove_from_leaf(leaf, index, path);
    return element;
}

/// The place of `element` in `leaf`, with the path to it.
template <ElementOrder Order>
std::uint32_t OrderedIndex<Order>::find_element(Handle element,
                                                const MonotonePredicate auto& is_at_or_below,
                                                Path& path,
                                                Leaf*& leaf) {
    TERN_CHECK(top_);
    BySearch<std::remove_cvref_t<decltype(is_at_or_below)>> steering{*this, is_at_or_below};
    Handle node = top_;
    for (std::uint32_t level = height_; level > 0; --level) {
        Inner& inner = node_at<Inner>(node);
        path[level] = Step{&inner, steering.pick(inner)};
        node = inner.entries[path[level].index].child;
    }
    leaf = &node_at<Leaf>(node);
    const std::uint32_t end = steering.end_in(*leaf);
    TERN_CHECK(end > 0 && leaf->entries[end - 1] == element);
    return end - 1;
}

template <ElementOrder Order>
void OrderedIndex<Order>::replace(Handle element,
                                  Handle replacement,
                                  const MonotonePredicate auto& is_at_or_below) {
    TERN_CHECK(replacement);
    Path path;
    Leaf* leaf = nullptr;
    const std::uint32_t index = find_element(element, is_at_or_below, path, leaf);
    leaf->entries[index] = replacement;
    count_change(path, 1, 0, index == 0);
}

template <ElementOrder Order>
template <typename CanStay, typename Change>
bool OrderedIndex<Order>::change_key(Handle element,
                                     const MonotonePredicate auto& is_at_or_below,
                                     const CanStay& can_stay,
                                     const Change& change) {
    Path path;
    Leaf* leaf = nullptr;
    const std::uint32_t index = find_element(element, is_at_or_below, path, leaf);
    Handle previous;
    Handle next;
    if (index > 0) {
        previous = leaf->entries[index - 1];
    } else if (leaf->previous) {
        const Leaf& before = node_at<Leaf>(leaf->previous);
        previous = before.entries[before.count - 1];
    }
    if (index + 1 < leaf->count) {
        next = leaf->entries[index + 1];
    } else if (leaf->next) {
        next = node_at<Leaf>(leaf->next).entries[0];
    }
    if (!can_stay(previous, next)) {
        return false;
    }
    change();
    count_change(path, 1, 0, index == 0);
    return true;
}

template <ElementOrder Order>
template <typename Visit>
std::uint64_t OrderedIndex<Order>::drain(std::uint64_t budget, Visit&& visit) {
    std::uint64_t removed = 0;
    while (removed < budget && top_) {
        Path path;
        Handle node = top_;
        for (std::uint32_t level = height_; level > 0; --level) {
            path[level] = Step{&node_at<Inner>(node), 0};
            node = node_at<Inner>(node).entries[0].child;
        }
        Leaf& leaf = node_at<Leaf>(node);
        for (std::uint32_t i = 0; i < leaf.count; ++i) {
            visit(leaf.entries[i]);
        }
        const std::uint32_t count = leaf.count;
        leaf.count = 0;
        size_ -= count;
        removed += count;
        remove_empty_leaf(node, path, count);
    }
    return removed;
}

// Searches.

template <ElementOrder Order>
auto OrderedIndex<Order>::partition_point(const MonotonePredicate auto& is_below) const -> Place {
    if (!top_) {
        return {};
    }
    const BySearch<std::remove_cvref_t<decltype(is_below)>> steering{*this, is_below};
    Place place;
    Handle node = top_;
    for (std::uint32_t level = height_; level > 0; --level) {
        const Inner& inner = node_at<Inner>(node);
        const std::uint32_t picked = steering.pick(inner);
        for (std::uint32_t i = 0; i < picked; ++i) {
            place.rank += inner.entries[i].count;
        }
        node = inner.entries[picked].child;
    }
    const std::uint32_t end = steering.end_in(node_at<Leaf>(node));
    place.rank += end;
    place.cursor = OrderedCursor(*arena_, node, end);
    return place;
}

template <ElementOrder Order>
OrderedCursor OrderedIndex<Order>::at_rank(std::uint64_t rank) const {
    if (rank >= size_) {
        return {};
    }
    ByRank steering{rank};
    Handle node = top_;
    for (std::uint32_t level = height_; level > 0; --level) {
        const Inner& inner = node_at<Inner>(node);
        const std::uint32_t picked = steering.pick(inner);
        steering.enter(inner, picked);
        node = inner.entries[picked].child;
    }
    return OrderedCursor(*arena_, node, static_cast<std::uint32_t>(steering.rank));
}

template <ElementOrder Order>
OrderedCursor OrderedIndex<Order>::first() const noexcept {
    return first_leaf_ ? OrderedCursor(*arena_, first_leaf_, 0) : OrderedCursor();
}

template <ElementOrder Order>
OrderedCursor OrderedIndex<Order>::last() const noexcept {
    return last_leaf_ ? OrderedCursor(*arena_, last_leaf_, node_at<Leaf>(last_leaf_).count - 1)
                      : OrderedCursor();
}

// Checks.

/// Returns the number of elements below `handle`; `previous` is the last leaf before it.
template <ElementOrder Order>
template <typename Node>
std::uint64_t OrderedIndex<Order>::check_node(Handle handle,
                                              std::uint32_t level,
                                              Handle& previous) const {
    const Node& node = node_at<Node>(handle);
    TERN_CHECK(node.count > 0 && node.count <= Node::kCapacity);
    if constexpr (std::is_same_v<Node, Leaf>) {
        TERN_CHECK(level == 0 && node.previous == previous);
        TERN_CHECK((previous ? node_at<Leaf>(previous).next : first_leaf_) == handle);
        previous = handle;
        return node.count;
    } else {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            const InnerEntry& entry = node.entries[i];
            InnerEntry expected = entry;
            std::uint64_t below = 0;
            if (level == 1) {
                below = check_node<Leaf>(entry.child, 0, previous);
                refresh<Leaf>(expected);
            } else {
                below = check_node<Inner>(entry.child, level - 1, previous);
                refresh<Inner>(expected);
            }
            TERN_CHECK(entry.count == below && expected.count == below);
            TERN_CHECK(entry.first == expected.first && entry.prefix() == expected.prefix());
            sum += below;
        }
        return sum;
    }
}

template <ElementOrder Order>
void OrderedIndex<Order>::check_invariants() const {
    Handle previous;
    if (top_) {
        const std::uint64_t count = height_ == 0 ? check_node<Leaf>(top_, 0, previous)
                                                 : check_node<Inner>(top_, height_, previous);
        TERN_CHECK(count == size_ && !node_at<Leaf>(previous).next);
    }
    TERN_CHECK(previous == last_leaf_ && static_cast<bool>(top_) == (size_ > 0));
}

}  // namespace tern::store
