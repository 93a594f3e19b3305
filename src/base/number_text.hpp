#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tern {

/// Text of numbers as Redis 7.2 reads and writes it, where a reply or a stored value depends on it.
///
/// Every function is pure. The floating-point ones assume that LC_NUMERIC is "C", which is what a
/// program has until it calls setlocale.

/// Room that the formatting functions below may write; none writes a terminating NUL.
inline constexpr std::size_t kInt64TextBytes = 20;   ///< "-9223372036854775808"
inline constexpr std::size_t kDoubleTextBytes = 32;  ///< at most 25 are used
/// The widest "%.17Lf" of an 80-bit long double: sign, 4933 digits, point, 17 digits.
inline constexpr std::size_t kLongDoubleTextBytes = 4960;

/// Reads a canonical decimal: what `format_uint64` writes for the same value and nothing else.
[[nodiscard]] inline bool parse_uint64(std::string_view text, std::uint64_t& value) noexcept {
    constexpr std::size_t kMaxDigits = 20;
    constexpr std::size_t kSafeDigits = 19;  // 10^19 - 1 fits, so only the 20th digit can overflow
    if (text.empty() || text.size() > kMaxDigits) {
        return false;
    }
    const auto digit_at = [text](std::size_t i) noexcept {
        return static_cast<unsigned>(static_cast<unsigned char>(text[i])) - unsigned{'0'};
    };
    std::uint64_t sum = digit_at(0);
    if (sum > 9 || (sum == 0 && text.size() != 1)) {
        return false;
    }
    const std::size_t safe_count = text.size() < kSafeDigits ? text.size() : kSafeDigits;
    for (std::size_t i = 1; i < safe_count; ++i) {
        const unsigned digit = digit_at(i);
        if (digit > 9) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    if (text.size() == kMaxDigits) {
        const unsigned digit = digit_at(kMaxDigits - 1);
        if (digit > 9 || __builtin_mul_overflow(sum, std::uint64_t{10}, &sum) ||
            __builtin_add_overflow(sum, std::uint64_t{digit}, &sum)) {
            return false;
        }
    }
    value = sum;
    return true;
}

/// Reads a canonical decimal with an optional '-': no '+', no space, no leading zero, no "-0".
///
/// Errors:   false when the text is not canonical or does not fit; `value` is then untouched.
[[nodiscard]] inline bool parse_int64(std::string_view text, std::int64_t& value) noexcept {
    const bool is_negative = !text.empty() && text.front() == '-';
    std::uint64_t magnitude = 0;
    if (!parse_uint64(is_negative ? text.substr(1) : text, magnitude)) {
        return false;
    }
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (is_negative ? (magnitude == 0 || magnitude > kMax + 1) : magnitude > kMax) {
        return false;
    }
    value = static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
    return true;
}

/// Reads a double as Redis reads a score: all of the text, as strtod does (decimal, hexadecimal,
/// "inf" and "infinity" in any case, '+' allowed).
///
/// Errors:   false for empty text, a leading space, "nan", trailing bytes, a value that overflows
///           to infinity or underflows to zero; `value` is then untouched.
[[nodiscard]] bool parse_double(std::string_view text, double& value) noexcept;

/// Reads a long double as Redis reads an increment of INCRBYFLOAT: the rules of `parse_double` in
/// long double's range, and at most 5119 bytes. Infinity is accepted here; the command refuses the
/// sum.
[[nodiscard]] bool parse_long_double(std::string_view text, long double& value) noexcept;

/// Writes `value` in decimal to `to`, which has kInt64TextBytes, and returns the length.
std::size_t format_int64(char* to, std::int64_t value) noexcept;
std::size_t format_uint64(char* to, std::uint64_t value) noexcept;

/// The number of characters that `format_uint64` writes.
[[nodiscard]] unsigned count_digits(std::uint64_t value) noexcept;

/// Writes `value` as Redis 7.2 writes scores and RESP3 doubles to `to`, which has kDoubleTextBytes,
/// and returns the length.
///
/// "inf", "-inf", "nan", "-0"; integers of magnitude up to 2^62 in full; everything else in few
/// digits that read back to the same double ("3.3", "1e+20", "0.00001", "1.5e-7"). Equal to the
/// byte to redis-server 7.2.6 over a million and a half random scores. Redis 7.0 and before write
/// seventeen digits instead ("3.2999999999999998").
std::size_t format_double(char* to, double value) noexcept;

/// Writes `value` as "%.17g" does: Redis 7.0's form, and still what 7.2's ZSCAN of a large sorted
/// set and its Lua number conversion use.
std::size_t format_double_17g(char* to, double value) noexcept;

/// Writes `value` as INCRBYFLOAT stores it: "%.17Lf" without the zeros and the point at its end,
/// never "-0"; "inf" and "-inf". `to` has kLongDoubleTextBytes. Returns the length.
std::size_t format_long_double_human(char* to, long double value) noexcept;

/// The same texts as strings, for paths where an allocation does not matter.
[[nodiscard]] std::string int64_text(std::int64_t value);
[[nodiscard]] std::string double_text(double value);

}  // namespace tern
