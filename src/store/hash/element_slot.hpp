#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>

#include "store/hash/length_code.hpp"
#include "store/memory/arena.hpp"

/// One element of a large collection: a slot with a prefix of fixed size and a body that begins
/// with a length code. A body too large for a slot lies in an extent, and the slot has a marker
/// instead:
///
///     +--------+------------------+      +--------+------+----------+      +--------------+
///     | prefix | body             |  or  | prefix | 0xFF | extent 4 |  ->  | body         |
///     +--------+------------------+      +--------+------+----------+      +--------------+
namespace tern::store::element_slot {

/// A slot and where to write its body; a null handle when the arena is exhausted.
struct Allocation {
    Handle handle;
    std::byte* body = nullptr;
};

[[nodiscard]] inline Allocation allocate(Arena& arena,
                                         std::size_t prefix_bytes,
                                         std::size_t body_bytes) noexcept {
    if (prefix_bytes + body_bytes <= kSlotBytesMax) {
        const Handle handle = arena.allocate(prefix_bytes + body_bytes);
        return {handle, handle ? arena.at(handle) + prefix_bytes : nullptr};
    }
    const Handle handle = arena.allocate(prefix_bytes + 1 + sizeof(ExtentId));
    if (!handle) {
        return {};
    }
    const ExtentId extent = arena.allocate_extent(body_bytes);
    if (!extent) {
        arena.free(handle);
        return {};
    }
    std::byte* const marker = arena.at(handle) + prefix_bytes;
    *marker = length_code::kElsewhere;
    store_value(marker + 1, extent.value);
    return {handle, arena.at(extent)};
}

[[nodiscard]] inline bool is_elsewhere(const std::byte* body) noexcept {
    return *body == length_code::kElsewhere;
}

/// The body of a slot, wherever it lies.
[[nodiscard]] inline std::byte* body(const Arena& arena,
                                     Handle handle,
                                     std::size_t prefix_bytes) noexcept {
    std::byte* const at = arena.at(handle) + prefix_bytes;
    return is_elsewhere(at) ? arena.at(ExtentId{load<std::uint32_t>(at + 1)}) : at;
}

inline void free(Arena& arena, Handle handle, std::size_t prefix_bytes) noexcept {
    const std::byte* const at = arena.at(handle) + prefix_bytes;
    if (is_elsewhere(at)) {
        arena.free(ExtentId{load<std::uint32_t>(at + 1)});
    }
    arena.free(handle);
}

/// What the element takes in the arena.
[[nodiscard]] inline std::size_t memory_bytes(const Arena& arena,
                                              Handle handle,
                                              std::size_t prefix_bytes) noexcept {
    const std::byte* const at = arena.at(handle) + prefix_bytes;
    const std::size_t extent_bytes =
        is_elsewhere(at) ? arena.extent_bytes(ExtentId{load<std::uint32_t>(at + 1)}) : 0;
    return arena.slot_bytes(handle) + extent_bytes;
}

/// Whether a body of `body_bytes` may be written over the present one without waste.
[[nodiscard]] inline bool fits(const Arena& arena,
                               Handle handle,
                               std::size_t prefix_bytes,
                               std::size_t body_bytes) noexcept {
    const std::byte* const at = arena.at(handle) + prefix_bytes;
    const std::size_t total_bytes = prefix_bytes + body_bytes;
    if (is_elsewhere(at)) {
        const std::size_t room_bytes = arena.extent_bytes(ExtentId{load<std::uint32_t>(at + 1)});
        return total_bytes > kSlotBytesMax && body_bytes <= room_bytes &&
               body_bytes > room_bytes / 2;
    }
    return total_bytes <= kSlotBytesMax &&
           Arena::class_bytes(total_bytes) == arena.slot_bytes(handle);
}

}  // namespace tern::store::element_slot
