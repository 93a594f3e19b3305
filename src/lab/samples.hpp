#pragma once

#include <cstdint>
#include <tern/base/histogram.hpp>
#include <vector>

namespace tern::lab {

/// What one case measured: individual latencies, in the order in which they happened.
///
/// Units:    nanoseconds, one clock reading (11 ns here) included in each, floors and cases alike.
struct Samples {
    std::vector<std::uint32_t> ns;

    /// The value at `percent`, by rank in the sorted samples.
    [[nodiscard]] double percentile(double percent) const;
    [[nodiscard]] double maximum() const;
    /// The same samples as an HDR histogram with 3 significant digits.
    [[nodiscard]] Histogram histogram() const;
};

/// The percentiles that every table of the lab shows.
struct Summary {
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p99_9 = 0;
    double p99_99 = 0;
    double max = 0;

    [[nodiscard]] static Summary of(const Samples& samples);
};

/// The median; of an even count the mean of the middle two. 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace tern::lab
