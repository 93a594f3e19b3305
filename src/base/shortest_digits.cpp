#include "base/shortest_digits.hpp"

#include <charconv>
#include <cstring>

namespace tern {

std::size_t shortest_digits(double value, char* digits, int& exponent) noexcept {
    char text[32];
    const auto [end, status] =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
    (void)status;
    const char* e =
        static_cast<const char*>(std::memchr(text, 'e', static_cast<std::size_t>(end - text)));
    std::size_t count = 1;
    digits[0] = text[0];
    if (e - text > 1) {
        count = static_cast<std::size_t>(e - text - 1);
        std::memcpy(digits + 1, text + 2, count - 1);
    }
    int x = 0;
    const char* from = e + (e[1] == '+' ? 2 : 1);
    std::from_chars(from, end, x);
    exponent = x - static_cast<int>(count) + 1;
    return count;
}

}  // namespace tern
