#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>

/// Scores in compact sorted sets: integers take 1 to 4 bytes, what a float holds exactly 5, else 9.
///
///     0x00 – 0xBF                  0 to 191
///     0xC0 – 0xDF  + 1 byte        192 to 8,383
///     0xE0 – 0xEF  + 2 bytes       -524,288 to 524,287
///     0xF0         + 3 bytes       -2^23 to 2^23 - 1
///     0xF1         + 4 bytes       -2^31 to 2^31 - 1
///     0xF2         + 4 bytes       a float
///     0xF3         + 8 bytes       a double
namespace tern::store::score_code {

inline constexpr std::size_t kBytesMax = 9;

/// How many bytes the code of `score` takes.
[[nodiscard]] std::size_t size_of(double score) noexcept;

/// Writes the code of `score`, which is not NaN, and returns the first byte behind it. -0 stays -0.
std::byte* write(std::byte* to, double score) noexcept;

/// Reads a code and moves `from` behind it.
[[nodiscard]] double read(const std::byte*& from) noexcept;

}  // namespace tern::store::score_code
