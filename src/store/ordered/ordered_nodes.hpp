#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tern/base/check.hpp>
#include <type_traits>

#include "store/memory/arena.hpp"

/// The memory layout of OrderedIndex: nodes in arena slots.
///
///     leaf, 256 bytes                          inner node, 512 bytes
///     +--------+----------+-------+            +-------+----------------------------------+
///     | next 4 | previous | count | handles    | count | entries: prefix 8, first 4,      |
///     |        |    4     |   4   | 61 x 4     |   4   |   child 4, element count 4 (x25) |
///     +--------+----------+-------+            +-------+----------------------------------+
///
/// An inner entry repeats the sortable prefix and the handle of the first element below it, so that
/// a descent reads elements only where prefixes are equal.
namespace tern::store::ordered {

struct Leaf {
    static constexpr std::uint32_t kCapacity = 61;
    /// Fewer elements than this are merged with a neighbour, or filled from it.
    static constexpr std::uint32_t kLowWater = 28;
    /// A merge leaves room, so that the next insertion does not split again.
    static constexpr std::uint32_t kMergeLimit = 57;
    /// A full leaf moves elements to a neighbour with this much room before it splits.
    static constexpr std::uint32_t kShareRoom = 8;

    Handle next;
    Handle previous;
    std::uint32_t count;
    Handle entries[kCapacity];
};
static_assert(sizeof(Leaf) == 256 && std::is_trivially_copyable_v<Leaf>);

struct InnerEntry {
    std::uint32_t prefix_low;
    std::uint32_t prefix_high;
    Handle first;         ///< the first element below
    Handle child;         ///< a Leaf at level 1, else an Inner
    std::uint32_t count;  ///< the number of elements below

    [[nodiscard]] std::uint64_t prefix() const noexcept {
        return (std::uint64_t{prefix_high} << 32) | prefix_low;
    }
    void set_first(std::uint64_t prefix, Handle handle) noexcept {
        prefix_low = static_cast<std::uint32_t>(prefix);
        prefix_high = static_cast<std::uint32_t>(prefix >> 32);
        first = handle;
    }
};
static_assert(sizeof(InnerEntry) == 20);

struct Inner {
    static constexpr std::uint32_t kCapacity = 25;
    static constexpr std::uint32_t kLowWater = 9;
    static constexpr std::uint32_t kMergeLimit = 22;
    static constexpr std::uint32_t kShareRoom = 4;

    std::uint32_t count;
    std::uint32_t reserved[2];
    InnerEntry entries[kCapacity];
};
static_assert(sizeof(Inner) == 512 && std::is_trivially_copyable_v<Inner>);

/// 2^32 elements in leaves of at least 28 below inner nodes of at least 9 need 9 inner levels.
inline constexpr std::uint32_t kMaxHeight = 10;

template <typename Node>
void insert_entry(Node& node,
                  std::uint32_t index,
                  const std::remove_extent_t<decltype(Node::entries)>& entry) noexcept {
    TERN_CHECK(node.count < Node::kCapacity && index <= node.count);
    std::memmove(&node.entries[index + 1],
                 &node.entries[index],
                 (node.count - index) * sizeof node.entries[0]);
    node.entries[index] = entry;
    ++node.count;
}

template <typename Node>
void erase_entry(Node& node, std::uint32_t index) noexcept {
    TERN_CHECK(index < node.count);
    --node.count;
    std::memmove(&node.entries[index],
                 &node.entries[index + 1],
                 (node.count - index) * sizeof node.entries[0]);
}

/// Moves the first `n` entries of `right` to the end of `left`.
template <typename Node>
void shift_to_left(Node& left, Node& right, std::uint32_t n) noexcept {
    TERN_CHECK(n <= right.count && left.count + n <= Node::kCapacity);
    std::memcpy(&left.entries[left.count], &right.entries[0], n * sizeof right.entries[0]);
    left.count += n;
    right.count -= n;
    std::memmove(&right.entries[0], &right.entries[n], right.count * sizeof right.entries[0]);
}

/// Moves the last `n` entries of `left` to the front of `right`.
template <typename Node>
void shift_to_right(Node& left, Node& right, std::uint32_t n) noexcept {
    TERN_CHECK(n <= left.count && right.count + n <= Node::kCapacity);
    std::memmove(&right.entries[n], &right.entries[0], right.count * sizeof right.entries[0]);
    left.count -= n;
    std::memcpy(&right.entries[0], &left.entries[left.count], n * sizeof right.entries[0]);
    right.count += n;
}

/// Gives both neighbours half of what they hold together.
template <typename Node>
void share_evenly(Node& left, Node& right) noexcept {
    const std::uint32_t half = (left.count + right.count) / 2;
    if (left.count < half) {
        shift_to_left(left, right, half - left.count);
    } else {
        shift_to_right(left, right, left.count - half);
    }
}

/// Moves a third of what two neighbours hold into `middle`, an empty node between them.
template <typename Node>
void split_in_three(Node& left, Node& middle, Node& right) noexcept {
    const std::uint32_t third = (left.count + right.count) / 3;
    shift_to_right(left, middle, left.count - third);
    shift_to_left(middle, right, right.count - third);
}

}  // namespace tern::store::ordered
