#include "base/number_text.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/shortest_digits.hpp"

namespace tern {
namespace {

/// strtod and its kin need a NUL at the end, which a view of a request does not have.
class TerminatedText {
public:
    explicit TerminatedText(std::string_view text) {
        if (text.size() < sizeof small_) {
            std::memcpy(small_, text.data(), text.size());
            small_[text.size()] = '\0';
            start_ = small_;
        } else {
            large_.assign(text);
            start_ = large_.c_str();
        }
    }
    [[nodiscard]] const char* c_str() const noexcept { return start_; }

private:
    char small_[128];
    std::string large_;
    const char* start_;
};

bool is_space(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// What Redis refuses of strtod's and strtold's answers: a rest, a leading space, nan, and a range
/// error that lost the value altogether. A denormal with ERANGE is fine.
template <typename Float>
bool is_acceptable(std::string_view text,
                   const char* begin,
                   const char* end,
                   Float value) noexcept {
    const bool has_range_error = errno == ERANGE && (std::isinf(value) || value == 0);
    return end == begin + text.size() && !is_space(text.front()) && !has_range_error &&
           !std::isnan(value);
}

bool parse_double_slow(std::string_view text, double& value) noexcept {
    const TerminatedText terminated(text);
    char* end = nullptr;
    errno = 0;
    const double parsed = std::strtod(terminated.c_str(), &end);
    if (!is_acceptable(text, terminated.c_str(), end, parsed)) {
        return false;
    }
    value = parsed;
    return true;
}

constexpr std::array<char, 200> kTwoDigits = [] {
    std::array<char, 200> table{};
    for (std::size_t i = 0; i < 100; ++i) {
        table[2 * i] = static_cast<char>('0' + i / 10);
        table[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return table;
}();

constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
    std::array<std::uint64_t, 20> table{};
    std::uint64_t power = 1;
    for (std::uint64_t& entry : table) {
        entry = power;
        power *= 10;
    }
    return table;
}();

/// Inside this range, half of int64, Redis 7.2 prints a double without fraction as an integer.
constexpr double kIntegerTextMax = 4611686018427387904.0;  // 2^62

/// Lays `digits` × 10^`exponent` out as Redis 7.2 does, which has three looks:
/// an integer when at most seven zeros are added, a plain decimal when it
/// is short, else d.ddde±x with no padding of the exponent.
std::size_t lay_out(char* to, std::string_view digits, int exponent) noexcept {
    const int digit_count = static_cast<int>(digits.size());
    const int scientific_exponent = exponent + digit_count - 1;
    const int magnitude = std::abs(scientific_exponent);
    char* at = to;
    const auto append = [&at](std::string_view text) noexcept {
        std::memcpy(at, text.data(), text.size());
        at += text.size();
    };
    if (exponent >= 0 && magnitude < digit_count + 7) {
        append(digits);
        std::memset(at, '0', static_cast<std::size_t>(exponent));
        return static_cast<std::size_t>(at - to) + static_cast<std::size_t>(exponent);
    }
    if (exponent < 0 && (exponent > -7 || magnitude < 4)) {
        const int whole_count = digit_count + exponent;
        if (whole_count <= 0) {
            append("0.");
            std::memset(at, '0', static_cast<std::size_t>(-whole_count));
            at -= whole_count;
            append(digits);
        } else {
            append(digits.substr(0, static_cast<std::size_t>(whole_count)));
            *at++ = '.';
            append(digits.substr(static_cast<std::size_t>(whole_count)));
        }
        return static_cast<std::size_t>(at - to);
    }
    *at++ = digits.front();
    if (digit_count > 1) {
        *at++ = '.';
        append(digits.substr(1));
    }
    *at++ = 'e';
    *at++ = scientific_exponent < 0 ? '-' : '+';
    at += format_uint64(at, static_cast<std::uint64_t>(magnitude));
    return static_cast<std::size_t>(at - to);
}

std::size_t copy_text(char* to, std::string_view text) noexcept {
    std::memcpy(to, text.data(), text.size());
    return text.size();
}

/// Negative nan prints as "nan" too: libc's spellings of it differ, Redis has one.
bool format_special(
    char* to, bool is_nan, bool is_infinite, bool is_negative, std::size_t& length) {
    if (is_nan) {
        length = copy_text(to, "nan");
    } else if (is_infinite) {
        length = copy_text(to, is_negative ? "-inf" : "inf");
    } else {
        return false;
    }
    return true;
}

}  // namespace

bool parse_double(std::string_view text, double& value) noexcept {
    if (text.empty()) {
        return false;
    }
    // Plain decimals need no copy. from_chars reads neither '+' nor hexadecimal, and its answers
    // for "inf", "nan", zero and the ends of the range are left to strtod, whose rules are Redis's.
    double parsed = 0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, parsed);
    if (status == std::errc{} && stop == end && std::isnormal(parsed)) {
        value = parsed;
        return true;
    }
    return parse_double_slow(text, value);
}

bool parse_long_double(std::string_view text, long double& value) noexcept {
    constexpr std::size_t kMaxTextBytes = 5119;  // Redis reads it through a buffer of 5 KiB
    if (text.empty() || text.size() > kMaxTextBytes) {
        return false;
    }
    const TerminatedText terminated(text);
    char* end = nullptr;
    errno = 0;
    const long double parsed = std::strtold(terminated.c_str(), &end);
    if (!is_acceptable(text, terminated.c_str(), end, parsed)) {
        return false;
    }
    value = parsed;
    return true;
}

unsigned count_digits(std::uint64_t value) noexcept {
    // log10(2) is 1233/4096 closely enough for 64 bits; the table corrects the guess by one.
    const auto bit_count = static_cast<unsigned>(std::bit_width(value | 1));
    const unsigned guess = (bit_count * 1233) >> 12;
    return guess + (value >= kPowersOfTen[guess] || guess == 0 ? 1 : 0);
}

std::size_t format_uint64(char* to, std::uint64_t value) noexcept {
    const std::size_t length = count_digits(value);
    char* at = to + length;
    while (value >= 100) {
        at -= 2;
        std::memcpy(at, &kTwoDigits[(value % 100) * 2], 2);
        value /= 100;
    }
    if (value >= 10) {
        std::memcpy(at - 2, &kTwoDigits[value * 2], 2);
    } else {
        at[-1] = static_cast<char>('0' + value);
    }
    return length;
}

std::size_t format_int64(char* to, std::int64_t value) noexcept {
    if (value >= 0) {
        return format_uint64(to, static_cast<std::uint64_t>(value));
    }
    *to = '-';
    return 1 + format_uint64(to + 1, 0 - static_cast<std::uint64_t>(value));
}

std::size_t format_double(char* to, double value) noexcept {
    std::size_t length = 0;
    if (format_special(to, std::isnan(value), std::isinf(value), value < 0, length)) {
        return length;
    }
    const double magnitude = std::fabs(value);
    if (std::signbit(value)) {
        to[length++] = '-';
    }
    if (magnitude <= kIntegerTextMax && magnitude == std::trunc(magnitude)) {
        return length + format_uint64(to + length, static_cast<std::uint64_t>(magnitude));
    }
    char digits[kShortestDigitsMax];
    int exponent = 0;
    const std::size_t digit_count = shortest_digits(magnitude, digits, exponent);
    return length + lay_out(to + length, {digits, digit_count}, exponent);
}

std::size_t format_double_17g(char* to, double value) noexcept {
    std::size_t length = 0;
    if (format_special(to, std::isnan(value), std::isinf(value), value < 0, length)) {
        return length;
    }
    char text[kDoubleTextBytes];
    return copy_text(
        to, {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.17g", value))});
}

std::size_t format_long_double_human(char* to, long double value) noexcept {
    std::size_t length = 0;
    if (format_special(to, std::isnan(value), std::isinf(value), value < 0, length)) {
        return length;
    }
    char text[kLongDoubleTextBytes + 1];
    std::string_view rest(
        text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.17Lf", value)));
    rest = rest.substr(0, rest.find_last_not_of('0') + 1);
    if (rest.back() == '.') {
        rest.remove_suffix(1);
    }
    return copy_text(to, rest == "-0" ? "0" : rest);
}

std::string int64_text(std::int64_t value) {
    char text[kInt64TextBytes];
    return {text, format_int64(text, value)};
}

std::string double_text(double value) {
    char text[kDoubleTextBytes];
    return {text, format_double(text, value)};
}

}  // namespace tern
