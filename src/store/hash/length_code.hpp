#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

/// Lengths in front of fields, values and members: one byte below 252, else a tag and 2 or 4 bytes,
/// little-endian. The tag 255 is left to users who mark something else with it.
namespace tern::store::length_code {

inline constexpr std::size_t kOneByteMax = 251;
inline constexpr std::byte kTwoBytes{252};
inline constexpr std::byte kFourBytes{253};
/// Not a length: the owner keeps the bytes elsewhere.
inline constexpr std::byte kElsewhere{255};

/// How many bytes the code of `length` takes: 1, 3 or 5.
[[nodiscard]] constexpr std::size_t size_of(std::size_t length) noexcept {
    return length <= kOneByteMax ? 1 : length <= UINT16_MAX ? 3 : 5;
}

/// Writes the code of `length` and returns the first byte behind it.
inline std::byte* write(std::byte* to, std::size_t length) noexcept {
    TERN_DCHECK(length <= UINT32_MAX);
    if (length <= kOneByteMax) {
        *to = static_cast<std::byte>(length);
        return to + 1;
    }
    if (length <= UINT16_MAX) {
        *to = kTwoBytes;
        store_value(to + 1, static_cast<std::uint16_t>(length));
        return to + 3;
    }
    *to = kFourBytes;
    store_value(to + 1, static_cast<std::uint32_t>(length));
    return to + 5;
}

/// Reads a code and moves `from` behind it.
[[nodiscard]] inline std::size_t read(const std::byte*& from) noexcept {
    const std::byte tag = *from;
    if (std::to_integer<std::size_t>(tag) <= kOneByteMax) {
        from += 1;
        return std::to_integer<std::size_t>(tag);
    }
    if (tag == kTwoBytes) {
        const std::size_t length = load<std::uint16_t>(from + 1);
        from += 3;
        return length;
    }
    TERN_CHECK(tag == kFourBytes);
    const std::size_t length = load<std::uint32_t>(from + 1);
    from += 5;
    return length;
}

}  // namespace tern::store::length_code
