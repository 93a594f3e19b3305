#pragma once

#include <cstdint>
#include <optional>

/// Integers of 1 to 64 bits as BITFIELD knows them, and what happens when one overflows.
namespace tern::store::bits {

/// i1 to i64, u1 to u63.
struct FieldType {
    bool is_signed = false;
    std::uint8_t width = 0;

    [[nodiscard]] constexpr bool is_valid() const noexcept {
        return width >= 1 && width <= (is_signed ? 64 : 63);
    }
};

enum class Overflow : std::uint8_t {
    kWrap,      ///< the low bits stay
    kSaturate,  ///< the nearest value that fits
    kFail,      ///< nothing changes
};

/// The bits of a field as a number.
[[nodiscard]] std::int64_t value_of(std::uint64_t field, FieldType type) noexcept;

/// What SET stores for `value`, or nothing where the overflow fails. To an unsigned type `value` is
/// its own 64 bits, so -1 is the largest number.
[[nodiscard]] std::optional<std::int64_t> fit(std::int64_t value,
                                              FieldType type,
                                              Overflow overflow) noexcept;

/// What INCRBY stores: the sum of a field's number and `by`, or nothing.
[[nodiscard]] std::optional<std::int64_t> fit_sum(std::int64_t value,
                                                  std::int64_t by,
                                                  FieldType type,
                                                  Overflow overflow) noexcept;

}  // namespace tern::store::bits
