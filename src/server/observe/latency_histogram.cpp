#include "server/observe/latency_histogram.hpp"

#include <bit>
#include <cmath>

namespace tern::server {

std::size_t LatencyHistogram::index_of(std::uint64_t value) noexcept {
    if (value < kLinearCount) {
        return static_cast<std::size_t>(value);
    }
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return (std::size_t{shift} << kSubBits) + static_cast<std::size_t>(value >> shift);
}

/// The largest value that index_of maps to `index`.
std::uint64_t LatencyHistogram::value_at(std::size_t index) noexcept {
    if (index < kLinearCount) {
        return index;
    }
    const std::size_t shift = (index >> kSubBits) - 1;
    const std::uint64_t first = index - (shift << kSubBits);
    return ((first + 1) << shift) - 1;
}

void LatencyHistogram::record(std::uint64_t duration_ns, std::uint64_t count) noexcept {
    counts_[index_of(duration_ns < kDurationNsMax ? duration_ns : kDurationNsMax)] += count;
    total_ += count;
}

std::uint64_t LatencyHistogram::percentile_ns(double percent) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(total_) * percent / 100.0));  // as many calls took no longer
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen != 0 && seen >= wanted) {
            return value_at(i);
        }
    }
    return 0;
}

std::uint64_t LatencyHistogram::count_below(std::uint64_t bound_ns) const noexcept {
    const std::size_t end = bound_ns > kDurationNsMax ? counts_.size() : index_of(bound_ns);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < end; ++i) {
        count += counts_[i];
    }
    return count;
}

}  // namespace tern::server
