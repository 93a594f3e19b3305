#include "lab/samples.hpp"

#include <algorithm>
#include <cmath>

namespace tern::lab {

namespace {

double at_rank(const std::vector<std::uint32_t>& sorted, double percent) {
    if (sorted.empty()) {
        return 0;
    }
    const double rank = std::ceil(percent / 100.0 * static_cast<double>(sorted.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

double Samples::percentile(double percent) const {
    std::vector<std::uint32_t> sorted = ns;
    std::sort(sorted.begin(), sorted.end());
    return at_rank(sorted, percent);
}

double Samples::maximum() const {
    return ns.empty() ? 0 : *std::max_element(ns.begin(), ns.end());
}

Histogram Samples::histogram() const {
    constexpr std::int64_t kHighestNs = 60'000'000'000;
    Histogram histogram = Histogram::create({.highest_value = kHighestNs}).value();
    for (const std::uint32_t value : ns) {
        histogram.record(value);
    }
    return histogram;
}

Summary Summary::of(const Samples& samples) {
    std::vector<std::uint32_t> sorted = samples.ns;
    std::sort(sorted.begin(), sorted.end());
    return {.p50 = at_rank(sorted, 50),
            .p90 = at_rank(sorted, 90),
            .p99 = at_rank(sorted, 99),
            .p99_9 = at_rank(sorted, 99.9),
            .p99_99 = at_rank(sorted, 99.99),
            .max = sorted.empty() ? 0.0 : sorted.back()};
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace tern::lab
