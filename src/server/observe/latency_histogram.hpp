#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::server {

/// How long the calls of one command took: counts by duration, exact to 3 %.
///
/// Durations up to a second, in ns; what is above counts as a second, as in Redis. Below 64 ns each
/// value has a counter, above 32 counters share each power of two.
class LatencyHistogram {
public:
    /// Counts `count` calls of that duration.
    void record(std::uint64_t duration_ns, std::uint64_t count) noexcept;
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

    /// The duration that `percent` of the calls did not exceed, in ns; 0 without calls.
    [[nodiscard]] std::uint64_t percentile_ns(double percent) const noexcept;

    /// Calls that took less than `bound_ns`, a power of two.
    [[nodiscard]] std::uint64_t count_below(std::uint64_t bound_ns) const noexcept;

    static constexpr std::uint64_t kDurationNsMax = 1'000'000'000;

private:
    static constexpr unsigned kSubBits = 5;
    static constexpr std::size_t kLinearCount = std::size_t{2} << kSubBits;
    static constexpr std::size_t kWidestBits = 30;  // a second in ns
    static constexpr std::size_t kCounterCount =
        kLinearCount + ((kWidestBits - kSubBits - 1) << kSubBits);

    [[nodiscard]] static std::size_t index_of(std::uint64_t value) noexcept;
    [[nodiscard]] static std::uint64_t value_at(std::size_t index) noexcept;

    std::array<std::uint64_t, kCounterCount> counts_{};
    std::uint64_t total_ = 0;
};

}  // namespace tern::server
