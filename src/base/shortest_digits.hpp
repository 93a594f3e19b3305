#pragma once

#include <cstddef>

namespace tern {

/// The most significant digits that a double needs.
inline constexpr std::size_t kShortestDigitsMax = 18;

/// Finds few decimal digits that read back as `value`: value = digits × 10^exponent.
///
/// `value` is finite and above zero. Writes to `digits`, which has kShortestDigitsMax, without
/// trailing zeros, and returns their count.
std::size_t shortest_digits(double value, char* digits, int& exponent) noexcept;

}  // namespace tern
