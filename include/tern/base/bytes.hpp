#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace tern {

/// The unit that two cores hand to each other. Apple silicon moves 128 bytes (design.md, Mechanism
/// 2).
#if defined(__APPLE__) && defined(__aarch64__)
inline constexpr std::size_t kCacheLineBytes = 128;
#else
inline constexpr std::size_t kCacheLineBytes = 64;
#endif

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

[[nodiscard]] inline std::string_view as_text(Bytes bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline Bytes as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Rounds `value` up to a multiple of `alignment`, which is a power of two.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T align_up(T value, std::type_identity_t<T> alignment) noexcept {
    return static_cast<T>((value + (alignment - 1)) & ~(alignment - 1));
}

namespace detail {
template <std::size_t Size>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
    using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
    using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
    using type = std::uint64_t;
};
}  // namespace detail

template <std::unsigned_integral T>
[[nodiscard]] constexpr T byte_swap(T value) noexcept {
    if constexpr (sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        return __builtin_bswap64(value);
    }
}

/// Reads a number of byte order `Order` from unaligned memory.
template <typename T, std::endian Order = std::endian::little>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
[[nodiscard]] inline T load(const void* from) noexcept {
    typename detail::UnsignedOf<sizeof(T)>::type raw;
    std::memcpy(&raw, from, sizeof raw);
    if constexpr (Order != std::endian::native) {
        raw = byte_swap(raw);
    }
    return std::bit_cast<T>(raw);
}

/// Writes a number in byte order `Order` to unaligned memory.
template <std::endian Order = std::endian::little, typename T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
inline void store_value(void* to, T value) noexcept {
    auto raw = std::bit_cast<typename detail::UnsignedOf<sizeof(T)>::type>(value);
    if constexpr (Order != std::endian::native) {
        raw = byte_swap(raw);
    }
    std::memcpy(to, &raw, sizeof raw);
}

}  // namespace tern
