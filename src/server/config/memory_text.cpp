#include "server/config/memory_text.hpp"

#include <array>
#include <limits>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"

namespace tern::server {

bool parse_memory(std::string_view text, std::uint64_t& bytes) noexcept {
    struct Unit {
        std::string_view name;
        std::uint64_t bytes;
    };
    static constexpr std::array kUnits = {
        Unit{"", 1},
        Unit{"B", 1},
        Unit{"K", 1000},
        Unit{"KB", 1024},
        Unit{"M", 1000 * 1000},
        Unit{"MB", 1024 * 1024},
        Unit{"G", 1000 * 1000 * 1000},
        Unit{"GB", 1024 * 1024 * 1024},
    };
    if (text.empty()) {
        bytes = 0;
        return true;
    }
    std::size_t digit_count = 0;
    while (digit_count < text.size() && text[digit_count] >= '0' && text[digit_count] <= '9') {
        ++digit_count;
    }
    // "007" is a size as well: the digits are read by value, not as a canonical number.
    std::string_view digits = text.substr(0, digit_count);
    while (digits.size() > 1 && digits.front() == '0') {
        digits.remove_prefix(1);
    }
    std::uint64_t count = 0;
    if (digits.empty()) {
        return false;
    }
    if (!parse_uint64(digits, count)) {
        count = std::numeric_limits<std::uint64_t>::max();  // as strtoull saturates
    }
    for (const Unit& unit : kUnits) {
        if (equals_word(text.substr(digit_count), unit.name)) {
            std::uint64_t product = 0;
            if (__builtin_mul_overflow(count, unit.bytes, &product)) {
                return false;
            }
            bytes = product;
            return true;
        }
    }
    return false;
}

}  // namespace tern::server
