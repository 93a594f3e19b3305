#include "store/string/bitfield.hpp"

namespace tern::store::bits {
namespace {

/// Wide enough for the sum of any two values.
using Wide = __int128;

std::optional<std::int64_t> fit_wide(Wide value, FieldType type, Overflow overflow) noexcept {
    const unsigned magnitude_bits = type.is_signed ? type.width - 1U : type.width;
    const Wide max = (Wide{1} << magnitude_bits) - 1;
    const Wide min = type.is_signed ? -max - 1 : 0;
    if (value >= min && value <= max) {
        return static_cast<std::int64_t>(value);
    }
    switch (overflow) {
        case Overflow::kWrap:
            break;
        case Overflow::kSaturate:
            return static_cast<std::int64_t>(value > max ? max : min);
        case Overflow::kFail:
            return std::nullopt;
    }
    return value_of(static_cast<std::uint64_t>(value), type);
}

}  // namespace

std::int64_t value_of(std::uint64_t field, FieldType type) noexcept {
    const unsigned unused = 64U - type.width;
    field <<= unused;
    return type.is_signed ? static_cast<std::int64_t>(field) >> unused
                          : static_cast<std::int64_t>(field >> unused);
}

std::optional<std::int64_t> fit(std::int64_t value, FieldType type, Overflow overflow) noexcept {
    if (!type.is_signed) {
        return fit_wide(Wide{static_cast<std::uint64_t>(value)}, type, overflow);
    }
    // Redis takes a number that lies more than 2^63 below the type's largest for one above it.
    const Wide max = (Wide{1} << (type.width - 1U)) - 1;
    const bool is_far_below = type.width != 64 && max - value > INT64_MAX;
    if (is_far_below && overflow == Overflow::kSaturate) {
        return static_cast<std::int64_t>(max);
    }
    return fit_wide(value, type, overflow);
}

std::optional<std::int64_t> fit_sum(std::int64_t value,
                                    std::int64_t by,
                                    FieldType type,
                                    Overflow overflow) noexcept {
    return fit_wide(Wide{value} + by, type, overflow);
}

}  // namespace tern::store::bits
