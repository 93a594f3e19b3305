#include "store/zset/score_code.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace tern::store {
namespace {

void expect_round_trip(double score) {
    std::array<std::byte, score_code::kBytesMax> bytes{};
    std::byte* const end = score_code::write(bytes.data(), score);
    ASSERT_EQ(static_cast<std::size_t>(end - bytes.data()), score_code::size_of(score)) << score;
    const std::byte* from = bytes.data();
    const double back = score_code::read(from);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(score)) << score;
    EXPECT_EQ(from, end) << score;
}

TEST(ScoreCode, KeepsEveryIntegerAroundTheBorders) {
    for (const double border : {0.0,
                                191.0,
                                192.0,
                                8383.0,
                                8384.0,
                                524287.0,
                                -524288.0,
                                8388607.0,
                                -8388608.0,
                                2147483647.0,
                                -2147483648.0,
                                9007199254740992.0}) {
        for (double offset = -3; offset <= 3; ++offset) {
            expect_round_trip(border + offset);
            expect_round_trip(0 - (border + offset));  // never -0, which becomes 0
        }
    }
}

TEST(ScoreCode, KeepsInfinitiesAndExtremes) {
    using Limits = std::numeric_limits<double>;
    for (const double score : {0.0,
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::max(),
                               Limits::lowest(),
                               Limits::min(),
                               Limits::denorm_min(),
                               0.5,
                               -0.1,
                               1e300,
                               3.4e38,
                               3.5e38}) {
        expect_round_trip(score);
    }
}

TEST(ScoreCode, KeepsRandomBitPatterns) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 100'000; ++i) {
        const double score = std::bit_cast<double>(std::uint64_t{random()});
        if (!std::isnan(score)) {
            expect_round_trip(score);
        }
        expect_round_trip(
            static_cast<double>(static_cast<std::int32_t>(random()) >> (random() % 32)));
    }
}

TEST(ScoreCode, SmallIntegersAreShort) {
    EXPECT_EQ(score_code::size_of(0), 1U);
    EXPECT_EQ(score_code::size_of(191), 1U);
    EXPECT_EQ(score_code::size_of(8383), 2U);
    EXPECT_EQ(score_code::size_of(-1), 3U);
    EXPECT_EQ(score_code::size_of(1e6), 4U);
    EXPECT_EQ(score_code::size_of(0.5), 5U);
    EXPECT_EQ(score_code::size_of(0.1), 9U);
}

}  // namespace
}  // namespace tern::store
