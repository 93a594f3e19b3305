#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <vector>

namespace tern {

/// Counts values in buckets whose width grows with the value, so that each is known to a fixed
/// number of significant digits: the structure, the bucket limits and the encoding are
/// HdrHistogram's, and so its plotters and readers take what `encode` and the log of
/// histogram_log.hpp write.
///
/// Recording is a handful of instructions and touches one counter; nothing allocates after
/// creation. Values below zero count as zero, values above the highest as the highest
/// (`clamped_count` tells how many); `min` and `max` stay exact all the same.
///
/// Units:    the caller's; nanoseconds in tern.
/// Threads:  one at a time. Threads record into their own and one of them adds all up.
class Histogram {
public:
    struct Options {
        std::int64_t lowest_value = 1;  ///< smallest difference that matters; a unit, not a limit
        std::int64_t highest_value = 3'600'000'000'000;  ///< an hour in nanoseconds
        int significant_digits = 3;                      ///< 1 to 5
    };

    /// One bucket: `count` values from `lowest` to `highest`, both included.
    struct Bucket {
        std::int64_t lowest;
        std::int64_t highest;
        std::uint64_t count;
    };

    /// The default options: an hour in nanoseconds to three digits, in 270 KiB.
    Histogram();

    /// Errors:   kInvalidArgument for digits outside 1 to 5, a lowest value below 1, a highest
    ///           below twice the lowest, or a pair whose unit leaves no room for the digits in 63
    ///           bits.
    [[nodiscard]] static Result<Histogram> create(const Options& options);

    void record(std::int64_t value) noexcept { record_many(value, 1); }

    void record_many(std::int64_t value, std::uint64_t count) noexcept {
        min_ = value < min_ ? value : min_;
        max_ = value > max_ ? value : max_;
        if (__builtin_expect(static_cast<std::uint64_t>(value) >
                                 static_cast<std::uint64_t>(options_.highest_value),
                             0)) {
            clamped_count_ += count;
            value = value < 0 ? 0 : options_.highest_value;
        }
        counts_[index_of(value)] += count;
        total_count_ += count;
    }

    /// Adds what `other` counted. Buckets of another shape are added by their lowest value.
    void add(const Histogram& other) noexcept;

    /// Forgets every value; keeps the memory.
    void reset() noexcept;

    [[nodiscard]] const Options& options() const noexcept { return options_; }
    [[nodiscard]] std::uint64_t total_count() const noexcept { return total_count_; }
    [[nodiscard]] std::uint64_t clamped_count() const noexcept { return clamped_count_; }

    /// The exact extremes, 0 when nothing was recorded; of a decoded histogram, those of its
    /// buckets.
    [[nodiscard]] std::int64_t min() const noexcept { return total_count_ == 0 ? 0 : min_; }
    [[nodiscard]] std::int64_t max() const noexcept { return total_count_ == 0 ? 0 : max_; }

    /// Mean and standard deviation with every value in the middle of its bucket.
    [[nodiscard]] double mean() const noexcept;
    [[nodiscard]] double standard_deviation() const noexcept;

    /// The value that `percent` of all values do not exceed: the upper end of its bucket, and never
    /// above `max()`; `min()` for 0 percent. 0 when nothing was recorded.
    [[nodiscard]] std::int64_t value_at_percentile(double percent) const noexcept;

    /// How many values are in the bucket of `value`.
    [[nodiscard]] std::uint64_t count_at(std::int64_t value) const noexcept;

    /// The ends of the bucket of `value`: all values between them are one to the histogram.
    [[nodiscard]] std::int64_t lowest_equivalent(std::int64_t value) const noexcept {
        return lowest_of(index_of(clamp(value)));
    }
    [[nodiscard]] std::int64_t highest_equivalent(std::int64_t value) const noexcept {
        return highest_of(index_of(clamp(value)));
    }

    /// Calls `use(const Bucket&)` for each bucket that is not empty, in ascending order.
    template <typename F>
    void for_each_bucket(F&& use) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (counts_[i] != 0) {
                use(Bucket{lowest_of(i), highest_of(i), counts_[i]});
            }
        }
    }

    /// HdrHistogram's V2 compressed encoding in base64: "HISTFAAA…".
    [[nodiscard]] std::string encode() const;

    /// Reads what `encode` or another HdrHistogram wrote.
    ///
    /// Errors:   kProtocol with what is wrong; kTooLarge above `kDecodedBucketsMax`. Input of any
    ///           kind is safe: it costs at most the memory of that many buckets.
    [[nodiscard]] static Result<Histogram> decode(std::string_view base64);

    /// Bounds what a decoded histogram may allocate (32 MiB of counters): 5 digits over an hour in
    /// ns.
    static constexpr std::size_t kDecodedBucketsMax = std::size_t{4} << 20;

    /// Equal when shape and counts are; the exact extremes do not take part.
    [[nodiscard]] bool has_same_counts(const Histogram& other) const noexcept;

private:
    friend class HistogramCodec;

    /// How values map to buckets, all derived from the options.
    struct Shape {
        int unit_magnitude = 0;               ///< log2 of the unit, rounded down
        int half_magnitude = 0;               ///< log2 of half the sub-buckets of a bucket
        int leading_zeros_base = 0;           ///< leading zeros of a value in the first bucket
        std::uint64_t first_bucket_mask = 0;  ///< all values of the first bucket
        std::size_t bucket_count = 0;         ///< counters in all
    };

    Histogram(const Options& options, const Shape& shape);
    [[nodiscard]] static Result<Shape> shape_of(const Options& options);

    [[nodiscard]] std::size_t index_of(std::int64_t value) const noexcept {
        const auto bits = static_cast<std::uint64_t>(value);
        const int power =
            shape_.leading_zeros_base - std::countl_zero(bits | shape_.first_bucket_mask);
        return (static_cast<std::size_t>(power) << shape_.half_magnitude) +
               static_cast<std::size_t>(bits >> (power + shape_.unit_magnitude));
    }
    [[nodiscard]] std::int64_t lowest_of(std::size_t index) const noexcept;
    [[nodiscard]] std::int64_t highest_of(std::size_t index) const noexcept;
    [[nodiscard]] std::int64_t clamp(std::int64_t value) const noexcept {
        return value < 0 ? 0 : (value > options_.highest_value ? options_.highest_value : value);
    }

    Shape shape_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t total_count_ = 0;
    std::int64_t min_ = INT64_MAX;
    std::int64_t max_ = INT64_MIN;
    std::uint64_t clamped_count_ = 0;
    Options options_;
};

}  // namespace tern
