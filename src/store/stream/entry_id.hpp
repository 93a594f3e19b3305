#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace tern::store::streams {

/// The name of an entry: a time in milliseconds and a number within it. Ids sort as pairs.
struct EntryId {
    std::uint64_t ms = 0;
    std::uint64_t sequence = 0;

    [[nodiscard]] constexpr auto operator<=>(const EntryId&) const noexcept = default;
    [[nodiscard]] constexpr bool is_zero() const noexcept { return ms == 0 && sequence == 0; }
};

inline constexpr EntryId kIdMax{std::numeric_limits<std::uint64_t>::max(),
                                std::numeric_limits<std::uint64_t>::max()};

/// Makes `id` the next one; false at the last of all.
[[nodiscard]] constexpr bool increment(EntryId& id) noexcept {
    if (id == kIdMax) {
        return false;
    }
    if (++id.sequence == 0) {
        ++id.ms;
    }
    return true;
}

/// Makes `id` the one before; false at 0-0.
[[nodiscard]] constexpr bool decrement(EntryId& id) noexcept {
    if (id.is_zero()) {
        return false;
    }
    if (id.sequence-- == 0) {
        --id.ms;
    }
    return true;
}

}  // namespace tern::store::streams
