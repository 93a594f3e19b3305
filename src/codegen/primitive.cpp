#include "codegen/primitive.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tern::codegen {
namespace {

constexpr std::array<PrimitiveInfo, 11> kPrimitives = {{
    {"char", "char", 1, false, false},
    {"int8", "std::int8_t", 1, true, false},
    {"int16", "std::int16_t", 2, true, false},
    {"int32", "std::int32_t", 4, true, false},
    {"int64", "std::int64_t", 8, true, false},
    {"uint8", "std::uint8_t", 1, false, false},
    {"uint16", "std::uint16_t", 2, false, false},
    {"uint32", "std::uint32_t", 4, false, false},
    {"uint64", "std::uint64_t", 8, false, false},
    {"float", "float", 4, true, true},
    {"double", "double", 8, true, true},
}};

constexpr WideInteger kPrintableMin = 0x20;
constexpr WideInteger kPrintableMax = 0x7e;

WideInteger signed_min(Primitive primitive) {
    return -(WideInteger{1} << (8 * info(primitive).size_bytes - 1));
}

}  // namespace

bool Literal::same_as(const Literal& other) const noexcept {
    if (is_real != other.is_real) {
        return false;
    }
    if (!is_real) {
        return integer == other.integer;
    }
    return real == other.real || (std::isnan(real) && std::isnan(other.real));
}

bool Literal::less_than(const Literal& other) const noexcept {
    return is_real ? real < other.real : integer < other.integer;
}

std::string Literal::text() const {
    if (is_real) {
        std::array<char, 40> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), real);
        return {digits.data(), end.ptr};
    }
    if (integer < 0) {
        return std::to_string(static_cast<std::int64_t>(integer));
    }
    return std::to_string(static_cast<std::uint64_t>(integer));
}

const PrimitiveInfo& info(Primitive primitive) noexcept {
    return kPrimitives[static_cast<std::size_t>(primitive)];
}

std::optional<Primitive> primitive_named(std::string_view name) noexcept {
    for (std::size_t index = 0; index < kPrimitives.size(); ++index) {
        if (kPrimitives[index].schema_name == name) {
            return static_cast<Primitive>(index);
        }
    }
    return std::nullopt;
}

Literal smallest(Primitive primitive) noexcept {
    if (primitive == Primitive::kFloat) {
        return Literal::of_real(std::numeric_limits<float>::lowest());
    }
    if (primitive == Primitive::kDouble) {
        return Literal::of_real(std::numeric_limits<double>::lowest());
    }
    return Literal::of(info(primitive).is_signed ? signed_min(primitive) : 0);
}

Literal largest(Primitive primitive) noexcept {
    if (primitive == Primitive::kFloat) {
        return Literal::of_real(std::numeric_limits<float>::max());
    }
    if (primitive == Primitive::kDouble) {
        return Literal::of_real(std::numeric_limits<double>::max());
    }
    const std::uint32_t bits = 8 * info(primitive).size_bytes;
    return Literal::of((WideInteger{1} << (info(primitive).is_signed ? bits - 1 : bits)) - 1);
}

Literal default_null(Primitive primitive) noexcept {
    if (info(primitive).is_real) {
        return Literal::of_real(std::numeric_limits<double>::quiet_NaN());
    }
    if (primitive == Primitive::kChar) {
        return Literal::of(0);
    }
    return info(primitive).is_signed ? smallest(primitive) : largest(primitive);
}

Literal default_min(Primitive primitive) noexcept {
    if (info(primitive).is_real) {
        return smallest(primitive);
    }
    if (primitive == Primitive::kChar) {
        return Literal::of(kPrintableMin);
    }
    return Literal::of(info(primitive).is_signed ? signed_min(primitive) + 1 : 0);
}

Literal default_max(Primitive primitive) noexcept {
    if (info(primitive).is_real) {
        return largest(primitive);
    }
    if (primitive == Primitive::kChar) {
        return Literal::of(kPrintableMax);
    }
    const Literal most = largest(primitive);
    return Literal::of(info(primitive).is_signed ? most.integer : most.integer - 1);
}

std::optional<WideInteger> parse_integer(std::string_view text) noexcept {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) {
            return std::nullopt;
        }
    }
    const char* end = text.data() + text.size();
    if (text.starts_with('-')) {
        std::int64_t value = 0;
        const auto result = std::from_chars(text.data(), end, value);
        return result.ec == std::errc{} && result.ptr == end ? std::optional<WideInteger>(value)
                                                             : std::nullopt;
    }
    std::uint64_t value = 0;
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc{} && result.ptr == end ? std::optional<WideInteger>(value)
                                                         : std::nullopt;
}

std::optional<Literal> parse_literal(Primitive primitive, std::string_view text) {
    if (info(primitive).is_real) {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
            return std::nullopt;
        }
        const bool is_finite = std::isfinite(value);
        if (primitive == Primitive::kFloat && is_finite &&
            std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
            return std::nullopt;
        }
        return Literal::of_real(value);
    }
    if (primitive == Primitive::kChar && text.size() == 1) {  // '1' is the character
        return Literal::of(static_cast<unsigned char>(text[0]));
    }
    const std::optional<WideInteger> value = parse_integer(text);
    if (!value) {
        return std::nullopt;
    }
    if (*value < smallest(primitive).integer || *value > largest(primitive).integer) {
        return std::nullopt;
    }
    return Literal::of(*value);
}

}  // namespace tern::codegen
