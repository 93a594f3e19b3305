#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tern {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kSeed = 20261201;

std::string human(long double value) {
    std::string text(kLongDoubleTextBytes, '?');
    text.resize(format_long_double_human(text.data(), value));
    return text;
}

std::string seventeen(double value) {
    char text[kDoubleTextBytes];
    return {text, format_double_17g(text, value)};
}

TEST(ParseInt64, AcceptsCanonicalDecimals) {
    for (const std::int64_t expected : {std::int64_t{0},
                                        std::int64_t{7},
                                        std::int64_t{-1},
                                        std::int64_t{10},
                                        std::int64_t{-9876543210},
                                        std::numeric_limits<std::int64_t>::max(),
                                        std::numeric_limits<std::int64_t>::min()}) {
        std::int64_t value = 42;
        EXPECT_TRUE(parse_int64(std::to_string(expected), value)) << expected;
        EXPECT_EQ(value, expected);
    }
}

TEST(ParseInt64, RefusesWhatRedisRefuses) {
    for (const std::string_view text : {"",
                                        "-",
                                        "+1",
                                        "01",
                                        "-01",
                                        "-0",
                                        "00",
                                        " 1",
                                        "1 ",
                                        "1.0",
                                        "1e3",
                                        "0x10",
                                        "--1",
                                        "1-",
                                        "a",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551616",
                                        "99999999999999999999",
                                        "999999999999999999999",
                                        "-99999999999999999999",
                                        "/1",
                                        "1:"}) {
        std::int64_t value = 42;
        EXPECT_FALSE(parse_int64(text, value)) << text;
        EXPECT_EQ(value, 42) << text;
    }
}

TEST(ParseUint64, TakesTheWholeRange) {
    std::uint64_t value = 0;
    EXPECT_TRUE(parse_uint64("18446744073709551615", value));
    EXPECT_EQ(value, std::numeric_limits<std::uint64_t>::max());
    EXPECT_TRUE(parse_uint64("10000000000000000000", value));
    EXPECT_EQ(value, 10000000000000000000U);
    for (const std::string_view text : {"18446744073709551616",
                                        "20000000000000000000",
                                        "-1",
                                        "1844674407370955161x",
                                        "184467440737095516150"}) {
        EXPECT_FALSE(parse_uint64(text, value)) << text;
    }
}

TEST(FormatInt64, RoundTripsRandomValuesOfEveryLength) {
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 200'000; ++i) {
        const auto value = static_cast<std::int64_t>(random()) >> (random() % 64);
        const std::string text = int64_text(value);
        ASSERT_EQ(text, std::to_string(value)) << "seed " << kSeed;
        std::int64_t back = 0;
        ASSERT_TRUE(parse_int64(text, back)) << text;
        ASSERT_EQ(back, value);
    }
}

TEST(FormatInt64, IsRightAtEveryPowerOfTen) {
    std::uint64_t power = 1;
    for (unsigned digits = 1; digits <= 20; ++digits, power *= 10) {
        for (const std::uint64_t value : {power - 1, power, power + 1}) {
            char text[kInt64TextBytes];
            EXPECT_EQ(std::string(text, format_uint64(text, value)), std::to_string(value));
            EXPECT_EQ(count_digits(value), std::to_string(value).size());
        }
    }
    EXPECT_EQ(int64_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    char text[kInt64TextBytes];
    EXPECT_EQ(std::string(text, format_uint64(text, ~std::uint64_t{0})), "18446744073709551615");
}

struct DoubleCase {
    std::string_view text;
    double value;
};

// Each spelling was given to ZADD of redis-server 7.0.15; the value is what ZSCORE answered.
TEST(ParseDouble, AcceptsEverySpellingThatRedisAccepts) {
    const std::vector<DoubleCase> cases = {{"1", 1},
                                           {"+1", 1},
                                           {"inf", kInfinity},
                                           {"+inf", kInfinity},
                                           {"-inf", -kInfinity},
                                           {"INF", kInfinity},
                                           {"Infinity", kInfinity},
                                           {"+INFINITY", kInfinity},
                                           {"-infinity", -kInfinity},
                                           {"0x10", 16},
                                           {"0x1p3", 8},
                                           {"-0x1.8p-1", -0.75},
                                           {"0X1P+3", 8},
                                           {"1e-310", 1e-310},
                                           {"4.9e-324", 4.9e-324},
                                           {"1e5", 100000},
                                           {"1E+5", 100000},
                                           {".5", 0.5},
                                           {"5.", 5},
                                           {"-0", -0.0},
                                           {"0", 0},
                                           {"1e308", 1e308},
                                           {"0e0", 0},
                                           {"0e999999", 0},
                                           {"0.0000e-999", 0},
                                           {"1.7976931348623158e308", 1.7976931348623157e308},
                                           {"0x0.0000000000001p-1022", 4.9e-324},
                                           {"3.3", 3.3},
                                           {"-17.25", -17.25}};
    for (const DoubleCase& one : cases) {
        double value = 42;
        EXPECT_TRUE(parse_double(one.text, value)) << one.text;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(one.value))
            << one.text;
    }
}

TEST(ParseDouble, RefusesEverySpellingThatRedisRefuses) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv,
                                        "++1"sv,
                                        " 1"sv,
                                        "\t1"sv,
                                        "1 "sv,
                                        "infinit"sv,
                                        "nan"sv,
                                        "NAN"sv,
                                        "nan(1)"sv,
                                        "-nan"sv,
                                        "0x"sv,
                                        "1e400"sv,
                                        "-1e400"sv,
                                        "1e-400"sv,
                                        "2e-324"sv,
                                        "1e"sv,
                                        "."sv,
                                        "-"sv,
                                        "+"sv,
                                        "1_000"sv,
                                        "1,5"sv,
                                        "1d3"sv,
                                        "0b1"sv,
                                        "1.7976931348623159e308"sv,
                                        "1e-99999999999999"sv,
                                        "0x1p-1075"sv,
                                        "1\0"sv,
                                        "1\0002"sv}) {
        double value = 42;
        EXPECT_FALSE(parse_double(text, value)) << text;
        EXPECT_EQ(value, 42) << text;
    }
}

TEST(ParseDouble, ReadsTextLongerThanItsSmallBuffer) {
    const std::string zeros(300, '0');
    double value = 0;
    EXPECT_TRUE(parse_double("+" + zeros + "1.5", value));
    EXPECT_EQ(value, 1.5);
    EXPECT_FALSE(parse_double("+" + zeros + "1.5x", value));
}

TEST(ParseLongDouble, FollowsIncrbyfloat) {
    long double value = 0;
    EXPECT_TRUE(parse_long_double("3.0e3", value));
    EXPECT_EQ(value, 3000.0L);
    EXPECT_TRUE(parse_long_double("1e4932", value));
    EXPECT_TRUE(parse_long_double("1e-400", value));
    EXPECT_GT(value, 0.0L);
    EXPECT_TRUE(parse_long_double("0x10", value));
    EXPECT_EQ(value, 16.0L);
    EXPECT_TRUE(parse_long_double("-inf", value));
    EXPECT_EQ(value, -std::numeric_limits<long double>::infinity());
    for (const std::string_view text : {"", " 1", "1 ", "nan", "1e5000", "1e-5000", "abc"}) {
        EXPECT_FALSE(parse_long_double(text, value)) << text;
    }
    EXPECT_TRUE(parse_long_double(std::string(5118, '0') + "7", value));
    EXPECT_FALSE(parse_long_double(std::string(5119, '0') + "7", value));
}

TEST(FormatDouble, WritesTheFormsOfRedis72) {
    const std::vector<DoubleCase> cases = {{"inf", kInfinity},
                                           {"-inf", -kInfinity},
                                           {"nan", kNan},
                                           {"nan", -kNan},
                                           {"0", 0.0},
                                           {"-0", -0.0},
                                           {"3", 3},
                                           {"-3", -3},
                                           {"3.3", 3.3},
                                           {"0.1", 0.1},
                                           {"100000", 1e5},
                                           {"1000000000000000", 1e15},
                                           {"4611686018427387904", 0x1p62},
                                           {"-4503599627370497", -0x1p52 - 1},
                                           {"9007199254740992", 0x1p53},
                                           {"9007199254740994", 0x1p53 + 2},
                                           {"5000000000000000", 5e15},
                                           {"1000000000000000000", 1e18},
                                           {"9223372036854776000", 0x1p63},
                                           {"5e+18", 5e18},
                                           {"1e+20", 1e20},
                                           {"1e+100", 1e100},
                                           {"-1e+100", -1e100},
                                           {"1.5e+300", 1.5e300},
                                           {"0.00001", 1e-5},
                                           {"0.000001", 1e-6},
                                           {"1e-7", 1e-7},
                                           {"1.5e-7", 1.5e-7},
                                           {"1.2e-6", 1.2e-6},
                                           {"1.234567890123e+5", 123456.7890123},
                                           {"1234.567890123", 1234.567890123},
                                           {"123456.789012", 123456.789012},
                                           {"5e-324", 4.9e-324},
                                           {"1.7976931348623157e+308", 1.7976931348623157e308},
                                           {"2.2250738585072014e-308", 2.2250738585072014e-308},
                                           {"1e-8", 1e-8}};
    for (const DoubleCase& one : cases) {
        EXPECT_EQ(double_text(one.value), one.text);
    }
}

// Values whose digits are not the shortest, as redis-server 7.2.6 answers ZSCORE.
TEST(FormatDouble, HasTheLastDigitsOfRedis72) {
    const std::vector<DoubleCase> cases = {{"5.519999999999999e+269", 5.52e269},
                                           {"62000000000000004000000", 6.2e22},
                                           {"14899999999999999000000", 1.49e22},
                                           {"-107452836021599530000000", -1.0745283602159953e23},
                                           {"-456789012345670000000", -4.5678901234567e20},
                                           {"1125899906842624.3", 0x1p50 + 0.25},
                                           {"2251799813685247.7", 0x1p51 - 0.25},
                                           {"3.5221018286841346e-133", 3.522101828684135e-133},
                                           {"2.9802322387695313e-8", 0x1p-25},
                                           {"0.32922382771648673", 0.3292238277164867},
                                           {"2.9545531576914355e-126", 2.9545531576914354e-126},
                                           {"0.38776216083251003", 0.38776216083251}};
    for (const DoubleCase& one : cases) {
        EXPECT_EQ(double_text(one.value), one.text);
    }
}

TEST(FormatDouble, ReadsBackAsTheSameBits) {
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 200'000; ++i) {
        double value = std::bit_cast<double>(random());
        if (i % 2 == 0) {
            value =
                static_cast<double>(static_cast<std::int64_t>(random() >> (random() % 60))) / 1000;
        }
        if (std::isnan(value)) {
            continue;
        }
        char text[kDoubleTextBytes];
        const std::size_t length = format_double(text, value);
        ASSERT_LE(length, 25U);
        double back = 0;
        ASSERT_TRUE(parse_double({text, length}, back)) << std::string(text, length);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value))
            << std::string(text, length) << " seed " << kSeed;
    }
}

TEST(FormatDouble17g, WritesSeventeenDigits) {
    EXPECT_EQ(seventeen(3.3), "3.2999999999999998");
    EXPECT_EQ(seventeen(3), "3");
    EXPECT_EQ(seventeen(1e20), "1e+20");
    EXPECT_EQ(seventeen(-kInfinity), "-inf");
    EXPECT_EQ(seventeen(-kNan), "nan");
}

// Each pair is what INCRBYFLOAT of redis-server 7.0.15 answers on a key that holds 0.
TEST(FormatLongDoubleHuman, WritesWhatIncrbyfloatStores) {
    EXPECT_EQ(human(0), "0");
    EXPECT_EQ(human(-0.0L), "0");
    EXPECT_EQ(human(3.0e3L), "3000");
    EXPECT_EQ(human(10.5L), "10.5");
    EXPECT_EQ(human(100), "100");
    EXPECT_EQ(human(1e-17L), "0.00000000000000001");
    EXPECT_EQ(human(4e-18L), "0");
    EXPECT_EQ(human(6e-18L), "0.00000000000000001");
    EXPECT_EQ(human(-4e-18L), "0");
    EXPECT_EQ(human(-6e-18L), "-0.00000000000000001");
    EXPECT_EQ(human(3.3L), "3.3");
    EXPECT_EQ(human(1e20L), "100000000000000000000");
    EXPECT_EQ(human(std::numeric_limits<long double>::infinity()), "inf");
    EXPECT_EQ(human(-std::numeric_limits<long double>::infinity()), "-inf");
    EXPECT_EQ(human(std::numeric_limits<long double>::max()).size(), 4933U);
    EXPECT_EQ(human(-std::numeric_limits<long double>::max()).size(), 4934U);
}

}  // namespace
}  // namespace tern
