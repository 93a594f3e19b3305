#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tern/base/check.hpp>

namespace tern::store {

/// A slab is the unit of the arena: the slots of one slab have one size.
inline constexpr std::size_t kSlabBytes = 64 * 1024;
/// A handle has 12 bits for the slot, so no slab has more slots than this.
inline constexpr std::size_t kSlotsPerSlabMax = 4096;
/// Slots hold a free-list link when they are free, and small steps start to pay from here.
inline constexpr std::size_t kSlotBytesMin = 8;
/// Two slots a slab; what is larger takes an extent of whole slabs.
inline constexpr std::size_t kSlotBytesMax = kSlabBytes / 2;

namespace detail {

inline constexpr std::size_t kFinestStepBytes = 2;
inline constexpr std::size_t kFinestBytesMax = 64;
inline constexpr std::size_t kFineStepBytes = 4;
inline constexpr std::size_t kFineBytesMax = 256;
inline constexpr std::size_t kMiddleStepBytes = 8;
inline constexpr std::size_t kMiddleBytesMax = 512;
inline constexpr std::size_t kClassCapacity = 192;

struct SizeClassTable {
    std::array<std::uint16_t, kClassCapacity> slot_bytes{};
    /// Smallest class whose slots hold n units of 2 bytes.
    std::array<std::uint8_t, kSlotBytesMax / kFinestStepBytes + 1> class_of_units{};
    std::size_t class_count = 0;
};

/// The size after `bytes` above 512: at most an eighth larger, a whole number of slots a slab with
/// the least rest, a multiple of 8, and never past a power of two (which therefore is always a
/// class).
constexpr std::size_t next_coarse_bytes(std::size_t bytes) {
    std::size_t power = kFineBytesMax;
    while (power <= bytes) {
        power *= 2;
    }
    const std::size_t bytes_max = bytes + bytes / 8 < power ? bytes + bytes / 8 : power;
    std::size_t best = 0;
    for (std::size_t slots = kSlabBytes / bytes; slots >= 2; --slots) {
        const std::size_t candidate = (kSlabBytes / slots) & ~std::size_t{7};
        if (candidate > power) {
            break;
        }
        if (candidate > bytes) {
            if (candidate > bytes_max && best != 0) {
                break;
            }
            best = candidate;
        }
    }
    return best;
}

constexpr SizeClassTable make_size_classes() {
    SizeClassTable table{};
    std::size_t bytes = kSlotBytesMin;
    while (bytes != 0 && bytes <= kSlotBytesMax) {
        table.slot_bytes[table.class_count++] = static_cast<std::uint16_t>(bytes);
        if (bytes == kSlotBytesMax) {
            break;
        }
        if (bytes < kMiddleBytesMax) {
            bytes += bytes < kFinestBytesMax ? kFinestStepBytes
                     : bytes < kFineBytesMax ? kFineStepBytes
                                             : kMiddleStepBytes;
        } else {
            bytes = next_coarse_bytes(bytes);
        }
    }
    std::size_t size_class = 0;
    for (std::size_t units = 0; units < table.class_of_units.size(); ++units) {
        while (table.slot_bytes[size_class] < units * kFinestStepBytes) {
            ++size_class;
        }
        table.class_of_units[units] = static_cast<std::uint8_t>(size_class);
    }
    return table;
}

inline constexpr SizeClassTable kSizeClasses = make_size_classes();

}  // namespace detail

inline constexpr std::size_t kSizeClassCount = detail::kSizeClasses.class_count;

/// The class whose slots hold `bytes`.
///
/// Units:    `bytes` at most kSlotBytesMax.
[[nodiscard]] constexpr std::size_t size_class_of(std::size_t bytes) noexcept {
    TERN_DCHECK(bytes <= kSlotBytesMax);
    return detail::kSizeClasses.class_of_units[(bytes + 1) / detail::kFinestStepBytes];
}

/// The slot size of a class.
[[nodiscard]] constexpr std::size_t class_slot_bytes(std::size_t size_class) noexcept {
    return detail::kSizeClasses.slot_bytes[size_class];
}

/// How many slots a slab of this class has.
[[nodiscard]] constexpr std::size_t class_slot_count(std::size_t size_class) noexcept {
    const std::size_t fit = kSlabBytes / class_slot_bytes(size_class);
    return fit < kSlotsPerSlabMax ? fit : kSlotsPerSlabMax;
}

static_assert(detail::kSizeClasses.slot_bytes[kSizeClassCount - 1] == kSlotBytesMax);
static_assert(class_slot_bytes(size_class_of(1)) == 8 &&
              class_slot_bytes(size_class_of(37)) == 38 &&
              class_slot_bytes(size_class_of(65)) == 68);
static_assert(class_slot_bytes(size_class_of(512)) == 512 &&
              class_slot_bytes(size_class_of(4096)) == 4096);

}  // namespace tern::store
