#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tern/base/bytes.hpp>

/// Bits of a string, numbered from the highest bit of the first byte, as SETBIT numbers them.
///
/// Threads:  any; nothing is kept.
namespace tern::store::bits {

/// `count` bits from bit `first` on.
struct BitSpan {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// How many bits of the span are 1. The span lies in `bytes`.
[[nodiscard]] std::uint64_t count_ones(Bytes bytes, BitSpan span) noexcept;

/// The first bit of the span that is `value`. The span lies in `bytes`.
[[nodiscard]] std::optional<std::uint64_t> find(Bytes bytes, BitSpan span, bool value) noexcept;

/// A bit; one behind the end is 0.
[[nodiscard]] inline bool get(Bytes bytes, std::uint64_t at) noexcept {
    return at / 8 < bytes.size() &&
           ((std::to_integer<unsigned>(bytes[at / 8]) >> (7 - at % 8)) & 1);
}
/// Sets a bit that lies in `bytes`.
inline void set(MutableBytes bytes, std::uint64_t at, bool value) noexcept {
    const std::byte mask{static_cast<unsigned char>(0x80U >> at % 8)};
    std::byte& place = bytes[at / 8];
    place = value ? place | mask : place & ~mask;
}

/// `width` bits (1 to 64) as a number, the first bit highest; those behind the end are 0.
[[nodiscard]] std::uint64_t read_field(Bytes bytes, std::uint64_t at, unsigned width) noexcept;
/// Writes the `width` lowest bits of `value`. The field lies in `bytes`.
void write_field(MutableBytes bytes,
                 std::uint64_t at,
                 unsigned width,
                 std::uint64_t value) noexcept;

enum class Operation : std::uint8_t { kAnd, kOr, kXor, kNot };

/// Writes the bitwise combination of `sources` to `to`, which is as long as the longest of them;
/// shorter ones go on with zero bytes. kNot takes one source. `to` may be one of the sources.
void combine(Operation operation, std::span<const Bytes> sources, MutableBytes to) noexcept;

}  // namespace tern::store::bits
