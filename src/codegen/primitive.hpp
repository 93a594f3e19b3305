#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern::codegen {

/// The scalar encodings of SBE.
enum class Primitive : std::uint8_t {
    kChar,
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUint8,
    kUint16,
    kUint32,
    kUint64,
    kFloat,
    kDouble,
};

__extension__ typedef __int128 WideInteger;  // holds every int64 and uint64

/// A number of a schema: a null, a bound, a constant, an enum's value.
struct Literal {
    bool is_real = false;
    WideInteger integer = 0;
    double real = 0;

    static Literal of(WideInteger value) { return {false, value, 0}; }
    static Literal of_real(double value) { return {true, 0, value}; }
    /// Equal as numbers; two NaN are equal.
    [[nodiscard]] bool same_as(const Literal& other) const noexcept;
    [[nodiscard]] bool less_than(const Literal& other) const noexcept;
    /// Decimal text: an integer, or the shortest real.
    [[nodiscard]] std::string text() const;
};

/// What is fixed about a primitive: reference/sbe.md §3.
struct PrimitiveInfo {
    std::string_view schema_name;
    std::string_view cpp_name;
    std::uint32_t size_bytes;
    bool is_signed;
    bool is_real;
};

[[nodiscard]] const PrimitiveInfo& info(Primitive primitive) noexcept;
[[nodiscard]] std::optional<Primitive> primitive_named(std::string_view name) noexcept;
[[nodiscard]] inline bool is_integer(Primitive primitive) noexcept {
    return primitive != Primitive::kChar && !info(primitive).is_real;
}
[[nodiscard]] inline bool is_unsigned(Primitive primitive) noexcept {
    return is_integer(primitive) && !info(primitive).is_signed;
}

[[nodiscard]] Literal default_null(Primitive primitive) noexcept;
[[nodiscard]] Literal default_min(Primitive primitive) noexcept;
[[nodiscard]] Literal default_max(Primitive primitive) noexcept;
/// Smallest and largest value that the encoding can hold, null included.
[[nodiscard]] Literal smallest(Primitive primitive) noexcept;
[[nodiscard]] Literal largest(Primitive primitive) noexcept;

/// Reads a number as a schema writes it: decimal, or for `char` a single character.
///
/// Errors:   nullopt when the text is no number or does not fit the encoding.
[[nodiscard]] std::optional<Literal> parse_literal(Primitive primitive, std::string_view text);
/// Reads a decimal integer of any size up to 64 bits; nullopt otherwise.
[[nodiscard]] std::optional<WideInteger> parse_integer(std::string_view text) noexcept;

}  // namespace tern::codegen
