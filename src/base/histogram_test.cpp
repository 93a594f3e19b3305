#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <tern/base/bytes.hpp>
#include <tern/base/histogram.hpp>
#include <tern/base/histogram_log.hpp>
#include <vector>

#include "base/base64.hpp"
#include "base/random.hpp"

namespace tern {
namespace {

constexpr std::uint64_t kSeed = 20261201;

using Counts = std::vector<std::pair<std::int64_t, std::uint64_t>>;

Histogram histogram_of(const Histogram::Options& options, const Counts& counts) {
    auto histogram = Histogram::create(options);
    EXPECT_TRUE(histogram.ok());
    for (const auto& [value, count] : counts) {
        histogram->record_many(value, count);
    }
    return *std::move(histogram);
}

/// A histogram of hdr-histogram-js 3.0.1 (npm): what was recorded, what it encodes, what it
/// answers.
struct PublishedCase {
    Histogram::Options options;
    Counts counts;
    std::string_view encoded;
    std::uint64_t total_count;
    double mean;
    double standard_deviation;
    std::vector<std::int64_t> percentiles;  ///< 50, 90, 99, 99.9, 100
};

const std::vector<PublishedCase>& published_cases() {
    static const std::vector<PublishedCase> cases = {
        {{1, 3'600'000'000'000, 3},
         {{1, 1}, {10, 1}, {100, 1}, {1000, 1}, {1'000'000, 1}, {1'000'000'000, 1}},
         "HISTFAAAADd4nJNpmSzMwMAgxMDAwMjAwMDMAAGMDAzMbgY7FjDA+Uz8TBsZmVr5mN7PY2RaOJ+RCQCjGAdf",
         6,
         166846777.16666666,
         372633118.1331124,
         {100, 1'000'341'503, 1'000'341'503, 1'000'341'503, 1'000'341'503}},
        {{1, 3'600'000'000'000, 3},
         {{250, 50000}, {310, 45000}, {1200, 4900}, {52000, 99}, {3'700'000, 1}},
         "HISTFAAAADp4nJNpmSzMwMAgwsDAwMjAwMDMAAGMDAzMbgY7FjDA+J+ZF/SylU7Yz/qR94TP+bBjjM+TmADsdgxt",
         100'000,
         411.79296,
         11812.399332945633,
         {250, 310, 1200, 1200, 3'700'735}},
        {{1, 1'000'000, 2},
         {{0, 3}, {127, 1}, {128, 200}, {255, 1}, {256, 70000}, {999'999, 1}},
         "HISTFAAAADF4nJNpmSzMwMDAz8DAwMjAwMDEAAGMYJLfyQHGZ/vNyDSB+Tcj04OjHE/FmQB/Wgcs",
         70206,
         270.8807509329687,
         3778.66220690872,
         {257, 257, 257, 257, 1'003'519}},
        {{1000, 100'000'000, 5},
         {{5000, 1}, {123'456, 2}, {99'999'999, 3}},
         "HISTFAAAAC94nJNpmSzMwMDAxcDAwMjAwMDKAAbML0Ak69eHDFDAKMh0lpnl93NxNgYAj5YHBA==",
         6,
         50042026.666666664,
         49957989.02389559,
         {123'903, 100'000'255, 100'000'255, 100'000'255, 100'000'255}},
        {{1, 3'600'000'000'000, 3},
         {},
         "HISTFAAAACB4nJNpmSzMwMDACMXMDBDAyMDA7GawYwEDnA8ASQ8DHw==",
         0,
         0,
         0,
         {0, 0, 0, 0, 0}},
    };
    return cases;
}

TEST(Histogram, DecodesWhatHdrHistogramJsEncodes) {
    constexpr double kPercents[] = {50, 90, 99, 99.9, 100};
    for (const PublishedCase& one : published_cases()) {
        const auto decoded = Histogram::decode(one.encoded);
        ASSERT_TRUE(decoded.ok()) << decoded.error().message;
        const Histogram recorded = histogram_of(one.options, one.counts);
        EXPECT_TRUE(decoded->has_same_counts(recorded)) << one.encoded;
        EXPECT_EQ(decoded->total_count(), one.total_count);
        EXPECT_DOUBLE_EQ(decoded->mean(), one.mean);
        EXPECT_DOUBLE_EQ(decoded->standard_deviation(), one.standard_deviation);
        for (std::size_t i = 0; i < one.percentiles.size(); ++i) {
            EXPECT_EQ(decoded->value_at_percentile(kPercents[i]), one.percentiles[i])
                << kPercents[i];
        }
    }
}

TEST(Histogram, EncodesTheSameCountsAsHdrHistogramJs) {
    const auto counts_of = [](std::string_view encoded) {
        constexpr std::size_t kHeaderBytes = 40;
        std::string bytes;
        EXPECT_TRUE(decode_base64(encoded, bytes));
        std::string plain(1 << 16, '\0');
        uLongf length = plain.size();
        EXPECT_EQ(::uncompress(reinterpret_cast<Bytef*>(plain.data()),
                               &length,
                               reinterpret_cast<const Bytef*>(bytes.data() + 8),
                               bytes.size() - 8),
                  Z_OK);
        return plain.substr(kHeaderBytes, length - kHeaderBytes);
    };
    for (const PublishedCase& one : published_cases()) {
        const std::string ours = histogram_of(one.options, one.counts).encode();
        EXPECT_TRUE(ours.starts_with("HISTF"));
        // The other one sometimes writes the zero behind the last count as well.
        const std::string theirs = counts_of(one.encoded);
        EXPECT_TRUE(theirs == counts_of(ours) || theirs == counts_of(ours) + '\0') << one.encoded;
    }
}

// hdr-histogram-js 3.0.1, lowestEquivalentValue and highestEquivalentValue, three digits.
TEST(Histogram, HasTheBucketsOfHdrHistogram) {
    const Histogram histogram;
    const Histogram::Bucket expected[] = {
        {0, 0, 0},
        {1, 1, 1},
        {2047, 2047, 2047},
        {2048, 2049, 2048},
        {2048, 2049, 2049},
        {4094, 4095, 4095},
        {4096, 4099, 4096},
        {8192, 8199, 8193},
        {9992, 9999, 9995},
        {10000, 10007, 10007},
        {10008, 10015, 10009},
        {999'936, 1'000'447, 1'000'000},
        {123'404'288, 123'469'823, 123'456'789},
        {3'599'182'594'048, 3'601'330'077'695, 3'599'999'999'999}};
    for (const auto& [lowest, highest, value] : expected) {
        EXPECT_EQ(histogram.lowest_equivalent(static_cast<std::int64_t>(value)), lowest);
        EXPECT_EQ(histogram.highest_equivalent(static_cast<std::int64_t>(value)), highest);
    }
}

TEST(Histogram, PutsEveryValueIntoABucketWithinItsDigits) {
    Random random(kSeed);
    for (int digits = 1; digits <= 5; ++digits) {
        for (const std::int64_t lowest_value : {1, 7, 1000}) {
            const Histogram histogram = histogram_of({lowest_value, 3'600'000'000'000, digits}, {});
            for (int i = 0; i < 5000; ++i) {
                const auto value = static_cast<std::int64_t>(random.next() % 3'600'000'000'000 >>
                                                             random.below(40));
                const std::int64_t lowest = histogram.lowest_equivalent(value);
                const std::int64_t highest = histogram.highest_equivalent(value);
                ASSERT_LE(lowest, value);
                ASSERT_GE(highest, value);
                ASSERT_LE(static_cast<double>(highest - lowest),
                          std::max(static_cast<double>(lowest_value) - 1,
                                   static_cast<double>(value) / std::pow(10, digits)))
                    << value << " seed " << kSeed;
                ASSERT_EQ(histogram.highest_equivalent(lowest), highest);
                ASSERT_EQ(histogram.lowest_equivalent(highest), lowest);
            }
        }
    }
}

TEST(Histogram, AgreesWithASortedListOnPercentiles) {
    Random random(kSeed);
    Histogram histogram;
    std::vector<std::int64_t> values;
    for (int i = 0; i < 20'000; ++i) {
        const auto value = static_cast<std::int64_t>(random.next() >> (24 + random.below(38)));
        values.push_back(value);
        histogram.record(value);
    }
    std::sort(values.begin(), values.end());
    for (const double percent : {0.005, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(percent * 20'000 / 100.0 - 1e-9));
        const std::int64_t exact = values[rank - 1];
        EXPECT_EQ(histogram.value_at_percentile(percent),
                  std::min(histogram.highest_equivalent(exact), histogram.max()))
            << percent << " seed " << kSeed;
    }
    EXPECT_EQ(histogram.min(), values.front());
    EXPECT_EQ(histogram.max(), values.back());
    EXPECT_EQ(histogram.value_at_percentile(0), values.front());
    EXPECT_EQ(histogram.value_at_percentile(100), values.back());
    EXPECT_EQ(histogram.total_count(), 20'000U);
}

TEST(Histogram, ClampsWhatItCannotHoldButKeepsTheExactExtremes) {
    Histogram histogram = histogram_of({1, 1000, 3}, {{-5, 1}, {10, 2}, {5'000'000, 3}});
    EXPECT_EQ(histogram.clamped_count(), 4U);
    EXPECT_EQ(histogram.total_count(), 6U);
    EXPECT_EQ(histogram.min(), -5);
    EXPECT_EQ(histogram.max(), 5'000'000);
    EXPECT_EQ(histogram.count_at(0), 1U);
    EXPECT_EQ(histogram.count_at(1000), 3U);
    EXPECT_EQ(histogram.value_at_percentile(100), 1000);
}

TEST(Histogram, AddsAnotherOfAnyShape) {
    Histogram sum = histogram_of({}, {{100, 1}});
    sum.add(histogram_of({}, {{100, 2}, {7'000'000, 1}}));
    EXPECT_EQ(sum.count_at(100), 3U);
    EXPECT_EQ(sum.max(), 7'000'000);
    sum.add(histogram_of({1, 1'000'000, 5}, {{50, 4}}));
    sum.add(Histogram());
    EXPECT_EQ(sum.count_at(50), 4U);
    EXPECT_EQ(sum.min(), 50);
    EXPECT_EQ(sum.total_count(), 8U);
    sum.reset();
    EXPECT_EQ(sum.total_count(), 0U);
    EXPECT_EQ(sum.max(), 0);
    EXPECT_EQ(sum.value_at_percentile(99), 0);
    EXPECT_EQ(sum.mean(), 0);
}

TEST(Histogram, RefusesOptionsThatMakeNoBuckets) {
    for (const Histogram::Options& options :
         {Histogram::Options{1, 1000, 0},
          Histogram::Options{1, 1000, 6},
          Histogram::Options{0, 1000, 3},
          Histogram::Options{600, 1000, 3},
          Histogram::Options{std::int64_t{1} << 60, INT64_MAX, 5}}) {
        const auto histogram = Histogram::create(options);
        ASSERT_FALSE(histogram.ok());
        EXPECT_EQ(histogram.error().code, Errc::kInvalidArgument);
    }
    EXPECT_TRUE(Histogram::create({1, INT64_MAX, 3}).ok());
}

TEST(Histogram, RoundTripsItsEncoding) {
    Random random(kSeed);
    for (int round = 0; round < 50; ++round) {
        const int digits = 1 + static_cast<int>(random.below(4));
        Histogram histogram = histogram_of({1 + static_cast<std::int64_t>(random.below(5000)),
                                            round % 2 == 0 ? INT64_MAX : 3'600'000'000'000,
                                            digits},
                                           {});
        for (std::uint64_t i = random.below(2000); i > 0; --i) {
            histogram.record_many(
                static_cast<std::int64_t>(random.next() >> (1 + random.below(62))),
                random.next() >> (20 + random.below(44)));
        }
        const auto decoded = Histogram::decode(histogram.encode());
        ASSERT_TRUE(decoded.ok()) << decoded.error().message << " seed " << kSeed;
        ASSERT_TRUE(decoded->has_same_counts(histogram)) << "seed " << kSeed << " round " << round;
    }
}

/// `plain` compressed and wrapped as an encoded histogram.
std::string wrap(const std::string& plain) {
    uLongf length = ::compressBound(plain.size());
    std::string bytes(8 + length, '\0');
    EXPECT_EQ(::compress(reinterpret_cast<Bytef*>(bytes.data() + 8),
                         &length,
                         reinterpret_cast<const Bytef*>(plain.data()),
                         plain.size()),
              Z_OK);
    bytes.resize(8 + length);
    store_value<std::endian::big>(bytes.data(), std::uint32_t{0x1c849314});
    store_value<std::endian::big>(bytes.data() + 4, static_cast<std::uint32_t>(length));
    return encode_base64(as_bytes(bytes));
}

TEST(Histogram, RefusesDamagedInputWithAReason) {
    for (const std::string_view text :
         {"", "HIST", "not base64 at all", "AAAAAAAAAAAA", "HISTFAAAADd4nJNpmSzMwMAg"}) {
        const auto decoded = Histogram::decode(text);
        ASSERT_FALSE(decoded.ok()) << text;
        EXPECT_EQ(decoded.error().code, Errc::kProtocol);
        EXPECT_TRUE(decoded.error().message.starts_with("decode histogram: "))
            << decoded.error().message;
    }
    EXPECT_FALSE(Histogram::decode(wrap("")).ok());
    EXPECT_FALSE(Histogram::decode(wrap(std::string(std::size_t{100} << 20, '\0'))).ok())
        << "a zip bomb";
    std::string huge(40, '\0');
    store_value<std::endian::big>(huge.data(), std::uint32_t{0x1c849313});
    store_value<std::endian::big>(huge.data() + 12, std::int32_t{5});
    store_value<std::endian::big>(huge.data() + 16, std::int64_t{1});
    store_value<std::endian::big>(huge.data() + 24, INT64_MAX);
    const auto decoded = Histogram::decode(wrap(huge));
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code, Errc::kTooLarge);
}

TEST(Histogram, SurvivesRandomDamage) {
    Random random(kSeed);
    std::string bytes;
    ASSERT_TRUE(decode_base64(published_cases()[1].encoded, bytes));
    std::string plain(1 << 12, '\0');
    uLongf length = plain.size();
    ASSERT_EQ(::uncompress(reinterpret_cast<Bytef*>(plain.data()),
                           &length,
                           reinterpret_cast<const Bytef*>(bytes.data() + 8),
                           bytes.size() - 8),
              Z_OK);
    plain.resize(length);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = plain;
        for (std::uint64_t i = random.below(4) + 1; i > 0; --i) {
            // Bytes 17 to 19 would only make the lowest value huge, which is refused early.
            damaged[4 + random.below(damaged.size() - 4)] = static_cast<char>(random.next());
        }
        const auto decoded = Histogram::decode(wrap(damaged));
        if (decoded.ok()) {
            const auto again = Histogram::decode(decoded->encode());
            ASSERT_TRUE(again.ok()) << "seed " << kSeed << " round " << round;
        }
    }
}

TEST(HistogramLog, RoundTripsItsIntervals) {
    const Histogram first = histogram_of({}, {{100, 1}, {41'000, 1}});
    const Histogram second = histogram_of({}, {{7, 3}});
    const std::string log = histogram_log_header(1'733'011'200'500, "tern lab\nget, ring") +
                            histogram_log_line("get", 0, 1000, first) +
                            histogram_log_line("", 1000, 1500, second);
    EXPECT_TRUE(
        log.starts_with("#tern lab\n#get, ring\n#[Histogram log format version 1.3]\n"
                        "#[StartTime: 1733011200.500 (seconds since epoch)]\n"
                        "#[BaseTime: 1733011200.500 (seconds since epoch)]\n"
                        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                        "\"Interval_Compressed_Histogram\"\nTag=get,0.000,1.000,0.041,HISTF"))
        << log;
    const auto intervals = parse_histogram_log(log);
    ASSERT_TRUE(intervals.ok()) << intervals.error().message;
    ASSERT_EQ(intervals->size(), 2U);
    EXPECT_EQ((*intervals)[0].tag, "get");
    EXPECT_EQ((*intervals)[0].length_ms, 1000);
    EXPECT_TRUE((*intervals)[0].histogram.has_same_counts(first));
    EXPECT_EQ((*intervals)[1].tag, "");
    EXPECT_EQ((*intervals)[1].start_ms, 1000);
    EXPECT_EQ((*intervals)[1].length_ms, 1500);
    EXPECT_TRUE((*intervals)[1].histogram.has_same_counts(second));
}

TEST(HistogramLog, NamesTheLineThatIsWrong) {
    const auto intervals = parse_histogram_log("#x\r\n\r\n1,x,3,HISTFAAA\n");
    ASSERT_FALSE(intervals.ok());
    EXPECT_EQ(
        intervals.error().message,
        "histogram log, line 3: expected start, length, maximum and histogram, found '1,x,3'");
    EXPECT_FALSE(parse_histogram_log("1,2,3\n").ok());
    EXPECT_FALSE(parse_histogram_log("nan,2,3,HISTFAAA\n").ok());
}

}  // namespace
}  // namespace tern
