#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

/// HyperLogLog as Redis keeps it in a string: the parts that know no database.
///
///     0      4          5        8                  16
///     +------+----------+--------+------------------+------------------------------------+
///     | HYLL | encoding | unused | cardinality, i64 | registers                          |
///     +------+----------+--------+------------------+------------------------------------+
///     encoding: 0 dense, 1 sparse. Cardinality: the last count; its highest bit says that it is
///     old.
///     dense:    16384 registers of 6 bits, the first in the lowest bits: 12288 bytes
///     sparse:   a sequence of runs that covers all registers (sparse.hpp)
namespace tern::store::hll {

inline constexpr std::size_t kRegisterCount = 16384;
inline constexpr unsigned kRegisterMax = 63;
inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kDenseBytes = kHeaderBytes + kRegisterCount * 6 / 8;

enum class Encoding : std::uint8_t { kDense, kSparse };

/// Whether a string says of itself that it is one; a sparse one may still be broken inside.
[[nodiscard]] bool has_valid_header(Bytes bytes) noexcept;
[[nodiscard]] inline Encoding encoding_of(Bytes bytes) noexcept {
    return static_cast<Encoding>(bytes[4]);
}
/// Writes everything in front of the registers; the cardinality is 0 and not old.
void write_header(std::byte* to, Encoding encoding) noexcept;
inline void set_encoding(MutableBytes bytes, Encoding encoding) noexcept {
    bytes[4] = static_cast<std::byte>(encoding);
}

[[nodiscard]] inline bool has_cached_count(Bytes bytes) noexcept {
    return (bytes[kHeaderBytes - 1] & std::byte{0x80}) == std::byte{0};
}
[[nodiscard]] inline std::uint64_t cached_count(Bytes bytes) noexcept {
    return load<std::uint64_t>(bytes.data() + 8);
}
inline void set_cached_count(MutableBytes bytes, std::uint64_t count) noexcept {
    store_value(bytes.data() + 8, count);
}
inline void invalidate_cached_count(MutableBytes bytes) noexcept {
    bytes[kHeaderBytes - 1] |= std::byte{0x80};
}

/// Which register an element belongs to, and what it wants there at least.
struct Mark {
    std::size_t index = 0;
    std::uint8_t value = 0;
};
[[nodiscard]] Mark mark_of(std::string_view element) noexcept;

/// All registers, a byte each: what is merged, counted and converted.
using Registers = std::array<std::uint8_t, kRegisterCount>;

/// Registers of a dense string.
[[nodiscard]] std::uint8_t dense_get(Bytes bytes, std::size_t index) noexcept;
void dense_set(MutableBytes bytes, std::size_t index, std::uint8_t value) noexcept;

/// Raises `registers` to those of a string with a valid header. False when it is broken.
[[nodiscard]] bool merge_into(Registers& registers, Bytes bytes) noexcept;

/// How often each value occurs among the registers.
using Histogram = std::array<std::uint32_t, 64>;
[[nodiscard]] Histogram histogram_of(const Registers& registers) noexcept;

/// How many different elements made registers of this histogram, about: Ertl, "New cardinality
/// estimation algorithms for HyperLogLog sketches" (2017), the improved raw estimator.
[[nodiscard]] std::uint64_t estimate(const Histogram& histogram) noexcept;

}  // namespace tern::store::hll
