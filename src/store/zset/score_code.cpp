#include "store/zset/score_code.hpp"

#include <cmath>
#include <tern/base/check.hpp>

namespace tern::store::score_code {

namespace {

constexpr std::uint32_t kOneByteLimit = 0xC0;
constexpr std::uint32_t kTwoBytesTag = 0xC0;
constexpr std::uint32_t kTwoBytesLimit = kOneByteLimit + (0x20U << 8);
constexpr std::uint32_t kThreeBytesTag = 0xE0;
constexpr std::int32_t kThreeBytesBias = 1 << 19;
constexpr std::uint32_t kFourBytesTag = 0xF0;
constexpr std::int32_t kFourBytesBias = 1 << 23;
constexpr std::uint32_t kInt32Tag = 0xF1;
constexpr std::uint32_t kFloatTag = 0xF2;
constexpr std::uint32_t kDoubleTag = 0xF3;

[[nodiscard]] std::byte byte_of(std::uint32_t value) noexcept {
    return static_cast<std::byte>(value & 0xFF);
}

/// Whether `score` is an integer of 32 bits, and which. -0 is 0: a compact set loses the sign, as
/// Redis's does; a large one keeps it.
[[nodiscard]] bool is_int32(double score, std::int32_t& value) noexcept {
    if (!(score >= -2147483648.0 && score <= 2147483647.0)) {
        return false;
    }
    value = static_cast<std::int32_t>(score);
    return static_cast<double>(value) == score;
}

[[nodiscard]] bool is_float(double score) noexcept {
    return std::isinf(score) ||
           (std::fabs(score) <= 3.0e38 && static_cast<double>(static_cast<float>(score)) == score);
}

[[nodiscard]] std::size_t size_of_int(std::int32_t value) noexcept {
    if (value >= 0 && value < static_cast<std::int32_t>(kTwoBytesLimit)) {
        return value < static_cast<std::int32_t>(kOneByteLimit) ? 1 : 2;
    }
    if (value >= -kThreeBytesBias && value < kThreeBytesBias) {
        return 3;
    }
    return value >= -kFourBytesBias && value < kFourBytesBias ? 4 : 5;
}

std::byte* write_int(std::byte* to, std::int32_t value) noexcept {
    const std::size_t size = size_of_int(value);
    switch (size) {
        case 1:
            to[0] = byte_of(static_cast<std::uint32_t>(value));
            break;
        case 2: {
            const std::uint32_t rest = static_cast<std::uint32_t>(value) - kOneByteLimit;
            to[0] = byte_of(kTwoBytesTag | (rest >> 8));
            to[1] = byte_of(rest);
            break;
        }
        case 3: {
            const auto rest = static_cast<std::uint32_t>(value + kThreeBytesBias);
            to[0] = byte_of(kThreeBytesTag | (rest >> 16));
            store_value(to + 1, static_cast<std::uint16_t>(rest));
            break;
        }
        case 4: {
            const auto rest = static_cast<std::uint32_t>(value + kFourBytesBias);
            to[0] = byte_of(kFourBytesTag);
            to[1] = byte_of(rest >> 16);
            store_value(to + 2, static_cast<std::uint16_t>(rest));
            break;
        }
        default:
            to[0] = byte_of(kInt32Tag);
            store_value(to + 1, value);
            break;
    }
    return to + size;
}

}  // namespace

std::size_t size_of(double score) noexcept {
    std::int32_t value = 0;
    if (is_int32(score, value)) {
        return size_of_int(value);
    }
    return is_float(score) ? 5 : 9;
}

std::byte* write(std::byte* to, double score) noexcept {
    TERN_DCHECK(!std::isnan(score));
    std::int32_t value = 0;
    if (is_int32(score, value)) {
        return write_int(to, value);
    }
    if (is_float(score)) {
        to[0] = byte_of(kFloatTag);
        store_value(to + 1, static_cast<float>(score));
        return to + 5;
    }
    to[0] = byte_of(kDoubleTag);
    store_value(to + 1, score);
    return to + 9;
}

double read(const std::byte*& from) noexcept {
    const auto tag = std::to_integer<std::uint32_t>(from[0]);
    if (tag < kOneByteLimit) {
        from += 1;
        return static_cast<double>(tag);
    }
    const std::byte* const at = from;
    if (tag < kThreeBytesTag) {
        from += 2;
        return static_cast<double>(
            (((tag - kTwoBytesTag) << 8) | std::to_integer<std::uint32_t>(at[1])) + kOneByteLimit);
    }
    if (tag < kFourBytesTag) {
        from += 3;
        const std::uint32_t rest = ((tag - kThreeBytesTag) << 16) | load<std::uint16_t>(at + 1);
        return static_cast<double>(static_cast<std::int32_t>(rest) - kThreeBytesBias);
    }
    if (tag == kFourBytesTag) {
        from += 4;
        const std::uint32_t rest =
            (std::to_integer<std::uint32_t>(at[1]) << 16) | load<std::uint16_t>(at + 2);
        return static_cast<double>(static_cast<std::int32_t>(rest) - kFourBytesBias);
    }
    if (tag == kInt32Tag) {
        from += 5;
        return load<std::int32_t>(at + 1);
    }
    if (tag == kFloatTag) {
        from += 5;
        return static_cast<double>(load<float>(at + 1));
    }
    TERN_CHECK(tag == kDoubleTag);
    from += 9;
    return load<double>(at + 1);
}

}  // namespace tern::store::score_code
