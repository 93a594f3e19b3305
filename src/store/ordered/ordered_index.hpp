#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "store/memory/arena.hpp"
#include "store/ordered/ordered_nodes.hpp"

namespace tern::store {

/// How an OrderedIndex sees the sort key of an element.
///
/// `prefix_of` maps the key to a number that sorts as the key does, ties allowed: an inner node
/// keeps it, so that most steps of a descent do not touch elements.
template <typename T>
concept ElementOrder = requires(const T& order, Handle element) {
    { order.prefix_of(element) }
    noexcept->std::same_as<std::uint64_t>;
};

/// A question about an element that is true for all elements up to some place and false behind it.
template <typename T>
concept MonotonePredicate = requires(const T& is_below, std::uint64_t prefix, Handle element) {
    { is_below(prefix, element) } -> std::convertible_to<bool>;
};

/// A place on an element of an OrderedIndex, or nowhere.
///
/// Lifetime: any change of the index ends it.
class OrderedCursor {
public:
    OrderedCursor() = default;
    OrderedCursor(const Arena& arena, Handle leaf, std::uint32_t index) noexcept;

    /// Whether the cursor is on an element.
    [[nodiscard]] explicit operator bool() const noexcept { return leaf_ != nullptr; }
    [[nodiscard]] Handle get() const noexcept { return leaf_->entries[index_]; }
    /// Goes to the next element; nowhere behind the last.
    void next() noexcept;
    /// Goes to the previous element; nowhere before the first.
    void previous() noexcept;

private:
    void settle(Handle leaf) noexcept;

    const Arena* arena_ = nullptr;
    const ordered::Leaf* leaf_ = nullptr;
    std::uint32_t index_ = 0;
};

/// A B+tree with order statistics over elements that lie elsewhere in the arena.
///
/// Leaves hold handles alone, so an element costs 4 bytes at best and about 5 at random insertion:
/// a full leaf first shares with a neighbour, then two full leaves become three. The index does not
/// know how keys compare: searches take a predicate, which must be monotone over the elements.
/// Elements are unique. Every change touches O(log n) nodes and moves at most one leaf's worth of
/// handles per level.
///
/// Threads:  one thread at a time.
/// Lifetime: `arena` outlives the index. The index never frees elements.
template <ElementOrder Order>
class OrderedIndex {
public:
    explicit OrderedIndex(Arena& arena, Order order = Order{}) noexcept
        : arena_(&arena), order_(std::move(order)) {}
    OrderedIndex(const OrderedIndex&) = delete;
    OrderedIndex& operator=(const OrderedIndex&) = delete;
    ~OrderedIndex() {
        drain(size_, [](Handle) {});
    }

    /// An element's place: how many elements lie before it, and the cursor.
    struct Place {
        std::uint64_t rank = 0;
        OrderedCursor cursor;  ///< nowhere when `rank` is `size()`
    };

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    /// What the nodes take in the arena.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return leaf_count_ * sizeof(ordered::Leaf) + inner_count_ * sizeof(ordered::Inner);
    }

    /// Adds `element` behind all elements for which `is_below` is true.
    ///
    /// Errors:   false when the arena cannot give a node; the elements are as before.
    [[nodiscard]] bool insert(Handle element, const MonotonePredicate auto& is_below);
    /// Removes `element`, which must be the last one for which `is_at_or_below` is true.
    void erase(Handle element, const MonotonePredicate auto& is_at_or_below);
    /// Removes the element with `rank` (less than `size()`) and returns it.
    Handle erase_at(std::uint64_t rank);
    /// Puts `replacement` where `element` is.
    void replace(Handle element, Handle replacement, const MonotonePredicate auto& is_at_or_below);
    /// Changes the key of `element` by `change()` if `can_stay(previous, next)` says that the new
    /// key fits between the neighbours, which are null at the ends. Returns whether it did.
    template <typename CanStay, typename Change>
    [[nodiscard]] bool change_key(Handle element,
                                  const MonotonePredicate auto& is_at_or_below,
                                  const CanStay& can_stay,
                                  const Change& change);

    /// The first element for which `is_below` is false.
    [[nodiscard]] Place partition_point(const MonotonePredicate auto& is_below) const;
    /// The element with `rank`; nowhere when there is none.
    [[nodiscard]] OrderedCursor at_rank(std::uint64_t rank) const;
    [[nodiscard]] OrderedCursor first() const noexcept;
    [[nodiscard]] OrderedCursor last() const noexcept;

    /// Exchanges the elements with those of an index over the same arena.
    void swap(OrderedIndex& other) noexcept {
        TERN_CHECK(arena_ == other.arena_);
        std::swap(top_, other.top_);
        std::swap(first_leaf_, other.first_leaf_);
        std::swap(last_leaf_, other.last_leaf_);
        std::swap(height_, other.height_);
        std::swap(size_, other.size_);
        std::swap(leaf_count_, other.leaf_count_);
        std::swap(inner_count_, other.inner_count_);
    }

    /// Removes elements from the front, whole leaves at a time, until at least `budget` are gone or
    /// none is left; calls `visit(Handle)` for each. Returns how many it removed.
    template <typename Visit>
    std::uint64_t drain(std::uint64_t budget, Visit&& visit);

    /// Aborts when an invariant does not hold; reads everything. For tests.
    void check_invariants() const;

private:
    using Leaf = ordered::Leaf;
    using Inner = ordered::Inner;
    using InnerEntry = ordered::InnerEntry;
    struct Step {
        Inner* node;
        std::uint32_t index;
    };
    /// Steps of a descent by level: 1 is just above the leaves.
    using Path = std::array<Step, ordered::kMaxHeight + 1>;
    template <typename Predicate>
    struct BySearch;
    struct ByRank;

    template <typename Node>
    [[nodiscard]] Node& node_at(Handle handle) const noexcept {
        return *reinterpret_cast<Node*>(arena_->at(handle));
    }
    template <typename Node>
    [[nodiscard]] Handle make_node() noexcept;
    template <typename Node>
    void free_node(Handle handle) noexcept;
    void link_after(Handle left, Handle fresh) noexcept;
    void link_front(Handle fresh) noexcept;
    void unlink(Handle leaf) noexcept;

    template <typename Node>
    void refresh(InnerEntry& entry) const noexcept;
    template <typename Node>
    [[nodiscard]] bool add_sibling(Inner& parent, std::uint32_t index);
    template <typename Node>
    [[nodiscard]] bool make_room(Inner& parent, std::uint32_t index);
    template <typename Node>
    void refill(Inner& parent, std::uint32_t index);
    [[nodiscard]] bool add_edge_leaf(Inner& parent, std::uint32_t at, Handle element);
    [[nodiscard]] bool grow_top();
    template <typename Steering>
    [[nodiscard]] std::uint32_t pick_with_room(Inner& inner,
                                               std::uint32_t level,
                                               Steering& steering,
                                               Handle element);
    void collapse_top() noexcept;

    [[nodiscard]] std::uint32_t find_element(Handle element,
                                             const MonotonePredicate auto& is_at_or_below,
                                             Path& path,
                                             Leaf*& leaf);
    template <typename Steering>
    [[nodiscard]] Handle descend_to_erase(Steering& steering, Path& path);
    void remove_from_leaf(Handle leaf, std::uint32_t index, Path& path);
    void remove_empty_leaf(Handle leaf, Path& path, std::uint32_t removed);
    void count_change(Path& path, std::uint32_t level, std::int32_t change, bool first_changed);
    template <typename Node>
    std::uint64_t check_node(Handle handle, std::uint32_t level, Handle& previous) const;

    Arena* arena_;
    [[no_unique_address]] Order order_;
    Handle top_;
    Handle first_leaf_;
    Handle last_leaf_;
    std::uint32_t height_ = 0;  ///< inner levels; 0 when `top_` is a leaf
    std::uint64_t size_ = 0;
    std::size_t leaf_count_ = 0;
    std::size_t inner_count_ = 0;
};

}  // namespace tern::store

#include "store/ordered/ordered_balance_inl.hpp"
#include "store/ordered/ordered_index_inl.hpp"
