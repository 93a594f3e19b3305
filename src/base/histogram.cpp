#include <algorithm>
#include <cmath>
#include <limits>
#include <tern/base/check.hpp>
#include <tern/base/histogram.hpp>

namespace tern {

Result<Histogram::Shape> Histogram::shape_of(const Options& options) {
    if (options.significant_digits < 1 || options.significant_digits > 5) {
        return error(Errc::kInvalidArgument,
                     "histogram of {} significant digits; choose 1 to 5",
                     options.significant_digits);
    }
    if (options.lowest_value < 1 || options.highest_value / 2 < options.lowest_value) {
        return error(
            Errc::kInvalidArgument,
            "histogram from {} to {}; the lowest value is at least 1, the highest at least "
            "twice the lowest",
            options.lowest_value,
            options.highest_value);
    }
    // The first bucket counts in single units up to 2 × 10^digits, so that the unit above it is
    // still within the digits; each further one covers twice the range in as many steps, of which
    // only the upper half is new.
    std::uint64_t single_unit_max = 2;
    for (int i = 0; i < options.significant_digits; ++i) {
        single_unit_max *= 10;
    }
    const int step_magnitude = static_cast<int>(std::bit_width(single_unit_max - 1));
    Shape shape;
    shape.half_magnitude = step_magnitude - 1;
    shape.unit_magnitude =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(options.lowest_value))) - 1;
    if (shape.unit_magnitude + step_magnitude > 62) {
        return error(Errc::kInvalidArgument,
                     "histogram from {} with {} digits does not fit 63 bits",
                     options.lowest_value,
                     options.significant_digits);
    }
    const std::uint64_t step_count = std::uint64_t{1} << step_magnitude;
    shape.first_bucket_mask = (step_count - 1) << shape.unit_magnitude;
    shape.leading_zeros_base = 64 - shape.unit_magnitude - step_magnitude;
    std::size_t range_count = 1;
    for (std::uint64_t end = step_count << shape.unit_magnitude;
         end <= static_cast<std::uint64_t>(options.highest_value);
         end *= 2) {
        ++range_count;
    }
    shape.bucket_count = (range_count + 1) << shape.half_magnitude;
    return shape;
}

Histogram::Histogram() : Histogram(Options{}, shape_of(Options{}).value()) {}

Histogram::Histogram(const Options& options, const Shape& shape)
    : shape_(shape), counts_(shape.bucket_count), options_(options) {}

Result<Histogram> Histogram::create(const Options& options) {
    auto shape = shape_of(options);
    if (!shape.ok()) {
        return std::move(shape).error();
    }
    return Histogram(options, *shape);
}

std::int64_t Histogram::lowest_of(std::size_t index) const noexcept {
    const std::size_t half_count = std::size_t{1} << shape_.half_magnitude;
    if (index < half_count) {
        return static_cast<std::int64_t>(index << shape_.unit_magnitude);
    }
    const int power = static_cast<int>(index >> shape_.half_magnitude) - 1;
    const std::uint64_t step = (index & (half_count - 1)) + half_count;
    return static_cast<std::int64_t>(step << (power + shape_.unit_magnitude));
}

std::int64_t Histogram::highest_of(std::size_t index) const noexcept {
    const int power = static_cast<int>(index >> shape_.half_magnitude) - 1;
    const std::uint64_t width = std::uint64_t{1}
                                << ((power < 0 ? 0 : power) + shape_.unit_magnitude);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(lowest_of(index)) + (width - 1));
}

void Histogram::add(const Histogram& other) noexcept {
    if (other.total_count_ == 0) {
        return;
    }
    const std::int64_t min = std::min(min_, other.min_);
    const std::int64_t max = std::max(max_, other.max_);
    const bool has_same_shape = counts_.size() == other.counts_.size() &&
                                shape_.half_magnitude == other.shape_.half_magnitude &&
                                shape_.unit_magnitude == other.shape_.unit_magnitude;
    if (has_same_shape) {
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            counts_[i] += other.counts_[i];
        }
        total_count_ += other.total_count_;
    } else {
        other.for_each_bucket(
            [this](const Bucket& bucket) { record_many(bucket.lowest, bucket.count); });
    }
    clamped_count_ += other.clamped_count_;
    min_ = min;
    max_ = max;
}

void Histogram::reset() noexcept {
    std::fill(counts_.begin(), counts_.end(), 0);
    total_count_ = 0;
    clamped_count_ = 0;
    min_ = std::numeric_limits<std::int64_t>::max();
    max_ = std::numeric_limits<std::int64_t>::min();
}

namespace {

/// The middle of a bucket, rounded up, as HdrHistogram has it.
double middle_of(const Histogram::Bucket& bucket) noexcept {
    const std::int64_t width = bucket.highest - bucket.lowest + 1;
    return static_cast<double>(bucket.lowest + width / 2);
}

}  // namespace

double Histogram::mean() const noexcept {
    if (total_count_ == 0) {
        return 0;
    }
    double sum = 0;
    for_each_bucket([&sum](const Bucket& bucket) {
        sum += middle_of(bucket) * static_cast<double>(bucket.count);
    });
    return sum / static_cast<double>(total_count_);
}

double Histogram::standard_deviation() const noexcept {
    if (total_count_ == 0) {
        return 0;
    }
    const double middle = mean();
    double sum = 0;
    for_each_bucket([&](const Bucket& bucket) {
        const double deviation = middle_of(bucket) - middle;
        sum += deviation * deviation * static_cast<double>(bucket.count);
    });
    return std::sqrt(sum / static_cast<double>(total_count_));
}

std::int64_t Histogram::value_at_percentile(double percent) const noexcept {
    if (total_count_ == 0 || percent <= 0) {
        return min();
    }
    // One step down first, so that 99.9 of 1000, which is a little above 99.9 in binary, is the
    // 999th.
    const double bounded = std::clamp(std::nextafter(percent, 0.0), 0.0, 100.0);
    const auto wanted = std::max<std::uint64_t>(
        1,
        static_cast<std::uint64_t>(std::ceil(bounded / 100.0 * static_cast<double>(total_count_))));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        sum += counts_[i];
        if (sum >= wanted) {
            return std::min(highest_of(i), max_);
        }
    }
    return max_;
}

std::uint64_t Histogram::count_at(std::int64_t value) const noexcept {
    return counts_[index_of(clamp(value))];
}

bool Histogram::has_same_counts(const Histogram& other) const noexcept {
    return shape_.half_magnitude == other.shape_.half_magnitude &&
           shape_.unit_magnitude == other.shape_.unit_magnitude && counts_ == other.counts_;
}

}  // namespace tern
