#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::store::lists {

/// What a listpack takes besides its entries; Redis's limits count it.
inline constexpr std::size_t kListpackFrameBytes = 7;

/// How much one packed run of a list may hold: list-max-listpack-size.
struct ListLimits {
    std::size_t bytes_max = 8192;  ///< with the frame
    std::size_t count_max = SIZE_MAX;

    /// Units:    positive: elements; negative: -1 to -5, 4 KiB to 64 KiB; 0 is 1 (redis.conf).
    [[nodiscard]] static constexpr ListLimits of_parameter(std::int64_t parameter) noexcept {
        constexpr std::array<std::size_t, 5> kBytes = {4096, 8192, 16384, 32768, 65536};
        constexpr auto kCountMax = std::int64_t{INT16_MAX};
        if (parameter >= 0) {
            const std::int64_t count = parameter == 0 ? 1 : parameter;
            return {.count_max = static_cast<std::size_t>(count < kCountMax ? count : kCountMax)};
        }
        const auto step = static_cast<std::size_t>(parameter < -5 ? 5 : -parameter);
        return {.bytes_max = kBytes[step - 1]};
    }

    /// Whether so many entries of so many bytes are too much for one run.
    [[nodiscard]] constexpr bool exceeds(std::size_t entry_bytes,
                                         std::size_t count) const noexcept {
        return count > count_max || entry_bytes + kListpackFrameBytes > bytes_max;
    }
    /// What a list must come down to before it is compact again, so that it does not change its
    /// form with every element.
    [[nodiscard]] constexpr ListLimits half() const noexcept {
        return {bytes_max / 2, count_max == SIZE_MAX ? SIZE_MAX : count_max / 2};
    }
};

}  // namespace tern::store::lists
