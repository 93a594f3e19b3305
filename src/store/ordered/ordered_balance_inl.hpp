#pragma once

#include "store/ordered/ordered_index.hpp"

/// Bodies of OrderedIndex, part two: nodes, and how they share entries.
namespace tern::store {

// Nodes.

template <ElementOrder Order>
template <typename Node>
Handle OrderedIndex<Order>::make_node() noexcept {
    const Handle handle = arena_->allocate(sizeof(Node));
    if (handle) {
        Node& node = node_at<Node>(handle);
        node.count = 0;
        if constexpr (std::is_same_v<Node, Leaf>) {
            node.next = Handle{};
            node.previous = Handle{};
            ++leaf_count_;
        } else {
            ++inner_count_;
        }
    }
    return handle;
}

template <ElementOrder Order>
template <typename Node>
void OrderedIndex<Order>::free_node(Handle handle) noexcept {
    arena_->free(handle);
    if constexpr (std::is_same_v<Node, Leaf>) {
        --leaf_count_;
    } else {
        --inner_count_;
    }
}

template <ElementOrder Order>
void OrderedIndex<Order>::link_after(Handle left, Handle fresh) noexcept {
    Leaf& before = node_at<Leaf>(left);
    Leaf& leaf = node_at<Leaf>(fresh);
    leaf.previous = left;
    leaf.next = before.next;
    before.next = fresh;
    if (leaf.next) {
        node_at<Leaf>(leaf.next).previous = fresh;
    } else {
        last_leaf_ = fresh;
    }
}

template <ElementOrder Order>
void OrderedIndex<Order>::link_front(Handle fresh) noexcept {
    node_at<Leaf>(fresh).next = first_leaf_;
    node_at<Leaf>(first_leaf_).previous = fresh;
    first_leaf_ = fresh;
}

template <ElementOrder Order>
void OrderedIndex<Order>::unlink(Handle handle) noexcept {
    const Leaf& leaf = node_at<Leaf>(handle);
    (leaf.previous ? node_at<Leaf>(leaf.previous).next : first_leaf_) = leaf.next;
    (leaf.next ? node_at<Leaf>(leaf.next).previous : last_leaf_) = leaf.previous;
}

/// Recomputes what a parent says about a child whose entries have moved.
template <ElementOrder Order>
template <typename Node>
void OrderedIndex<Order>::refresh(InnerEntry& entry) const noexcept {
    const Node& node = node_at<Node>(entry.child);
    if constexpr (std::is_same_v<Node, Leaf>) {
        entry.count = node.count;
        entry.set_first(order_.prefix_of(node.entries[0]), node.entries[0]);
    } else {
        entry.count = 0;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            entry.count += node.entries[i].count;
        }
        entry.set_first(node.entries[0].prefix(), node.entries[0].first);
    }
}

// Room for one more.

/// Puts a new node behind child `index` and spreads the entries: of one child over two, or of the
/// child and its left neighbour over three.
template <ElementOrder Order>
template <typename Node>
bool OrderedIndex<Order>::add_sibling(Inner& parent, std::uint32_t index) {
    const Handle fresh = make_node<Node>();
    if (!fresh) {
        return false;
    }
    const bool has_left = index > 0;
    const std::uint32_t left = has_left ? index - 1 : index;
    const Handle left_handle = parent.entries[left].child;
    if constexpr (std::is_same_v<Node, Leaf>) {
        link_after(left_handle, fresh);
    }
    if (has_left) {
        ordered::split_in_three(node_at<Node>(left_handle),
                                node_at<Node>(fresh),
                                node_at<Node>(parent.entries[index].child));
        refresh<Node>(parent.entries[index]);
    } else {
        ordered::share_evenly(node_at<Node>(left_handle), node_at<Node>(fresh));
    }
    InnerEntry entry{};
    entry.child = fresh;
    refresh<Node>(entry);
    refresh<Node>(parent.entries[left]);
    ordered::insert_entry(parent, left + 1, entry);
    return true;
}

/// Makes room in the full child `index`: from a neighbour, else with a new node.
template <ElementOrder Order>
template <typename Node>
bool OrderedIndex<Order>::make_room(Inner& parent, std::uint32_t index) {
    const auto share = [&](std::uint32_t left) {
        Node& left_node = node_at<Node>(parent.entries[left].child);
        Node& right_node = node_at<Node>(parent.entries[left + 1].child);
        if (left_node.count + right_node.count > 2 * Node::kCapacity - Node::kShareRoom) {
            return false;
        }
        ordered::share_evenly(left_node, right_node);
        refresh<Node>(parent.entries[left]);
        refresh<Node>(parent.entries[left + 1]);
        return true;
    };
    if ((index > 0 && share(index - 1)) || (index + 1 < parent.count && share(index))) {
        return true;
    }
    return add_sibling<Node>(parent, index);
}

/// A leaf of its own, at entry `at`, for an element before the first leaf or behind the last: input
/// in order fills leaves completely. It is empty until the insertion goes on.
template <ElementOrder Order>
bool OrderedIndex<Order>::add_edge_leaf(Inner& parent, std::uint32_t at, Handle element) {
    const Handle fresh = make_node<Leaf>();
    if (!fresh) {
        return false;
    }
    InnerEntry entry{};
    entry.child = fresh;
    entry.set_first(order_.prefix_of(element), element);
    if (at == 0) {
        link_front(fresh);
    } else {
        link_after(last_leaf_, fresh);
    }
    ordered::insert_entry(parent, at, entry);
    return true;
}

/// Puts an inner node above the top, which is full.
template <ElementOrder Order>
bool OrderedIndex<Order>::grow_top() {
    TERN_CHECK(height_ < ordered::kMaxHeight);
    const Handle fresh = make_node<Inner>();
    if (!fresh) {
        return false;
    }
    InnerEntry entry{};
    entry.child = top_;
    if (height_ == 0) {
        refresh<Leaf>(entry);
    } else {
        refresh<Inner>(entry);
    }
    ordered::insert_entry(node_at<Inner>(fresh), 0, entry);
    top_ = fresh;
    ++height_;
    return true;
}

/// Fills the child `index`, which has few entries, from a neighbour, or merges the two.
template <ElementOrder Order>
template <typename Node>
void OrderedIndex<Order>::refill(Inner& parent, std::uint32_t index) {
    const std::uint32_t left = index > 0 ? index - 1 : index;
    Node& left_node = node_at<Node>(parent.entries[left].child);
    Node& right_node = node_at<Node>(parent.entries[left + 1].child);
    if (left_node.count + right_node.count > Node::kMergeLimit) {
        ordered::share_evenly(left_node, right_node);
        refresh<Node>(parent.entries[left + 1]);
    } else {
        const Handle right = parent.entries[left + 1].child;
        ordered::shift_to_left(left_node, right_node, right_node.count);
        if constexpr (std::is_same_v<Node, Leaf>) {
            unlink(right);
        }
        free_node<Node>(right);
        ordered::erase_entry(parent, left + 1);
    }
    refresh<Node>(parent.entries[left]);
}

/// Takes away tops with a single child.
template <ElementOrder Order>
void OrderedIndex<Order>::collapse_top() noexcept {
    while (height_ > 0 && node_at<Inner>(top_).count == 1) {
        const Handle child = node_at<Inner>(top_).entries[0].child;
        free_node<Inner>(top_);
        top_ = child;
        --height_;
    }
}

}  // namespace tern::store
