#pragma once

#include <algorithm>
#include <cstdint>

namespace tern::store {

/// How fast the counters of LFU policies grow and fade: lfu-log-factor and lfu-decay-time.
struct LfuOptions {
    std::uint32_t log_factor = 10;
    std::uint32_t decay_minutes = 1;  ///< minutes after which a counter loses one; 0: it never does
};

/// A key's use as LFU policies keep it in the 24 bits of an entry's stamp: how often, on a
/// logarithmic scale, and when that was last brought up to date.
///
///     +--------------------+------------+
///     | minute, 16 bits    | counter, 8 |
///     +--------------------+------------+
///
/// A counter at c goes up with probability 1 / ((c - 5) * log_factor + 1), so that 255 stands for a
/// million uses at the default; new keys begin at 5, which gives them time to be used again.
class UseCounter {
public:
    static constexpr std::uint32_t kInitial = 5;
    static constexpr std::uint32_t kMax = 255;

    [[nodiscard]] static constexpr std::uint32_t minute_of(std::int64_t now_ms) noexcept {
        return static_cast<std::uint32_t>(now_ms / 60'000) & 0xFFFF;
    }
    [[nodiscard]] static constexpr std::uint32_t stamp(std::uint32_t minute,
                                                       std::uint32_t count) noexcept {
        return minute << 8 | count;
    }
    /// The counter after the time since it was brought up to date.
    [[nodiscard]] static constexpr std::uint32_t count(std::uint32_t stamp,
                                                       std::uint32_t minute,
                                                       const LfuOptions& options) noexcept {
        const std::uint32_t counter = stamp & 0xFF;
        if (options.decay_minutes == 0) {
            return counter;
        }
        const std::uint32_t periods = ((minute - (stamp >> 8)) & 0xFFFF) / options.decay_minutes;
        return counter - std::min(counter, periods);
    }
    /// The counter after one more use; `random` is 64 random bits.
    [[nodiscard]] static constexpr std::uint32_t count_up(std::uint32_t counter,
                                                          std::uint64_t random,
                                                          const LfuOptions& options) noexcept {
        if (counter >= kMax) {
            return kMax;
        }
        const std::uint64_t above = counter > kInitial ? counter - kInitial : 0;
        const std::uint64_t odds = above * options.log_factor + 1;
        return random < UINT64_MAX / odds ? counter + 1 : counter;
    }
};

}  // namespace tern::store
