#include "base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace tern {
namespace {

TEST(Random, RepeatsItselfForEqualSeeds) {
    Random one(17);
    Random two(17);
    Random other(18);
    bool differs = false;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t value = one.next();
        EXPECT_EQ(value, two.next());
        differs = differs || value != other.next();
    }
    EXPECT_TRUE(differs);
}

// splitmix64 from state 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f,
// f88bb8a8724c81ec (the authors' published sequence); the first draw follows by hand from these.
TEST(Random, StartsFromThePublishedSeeding) {
    const std::uint64_t first =
        std::rotl(0xe220a8397b1dcdafULL + 0xf88bb8a8724c81ecULL, 23) + 0xe220a8397b1dcdafULL;
    EXPECT_EQ(Random(0).next(), first);
}

TEST(Random, StaysBelowItsBoundAndReachesEveryValue) {
    Random random(1);
    std::array<int, 7> counts{};
    constexpr int kDraws = 70'000;
    for (int i = 0; i < kDraws; ++i) {
        const std::uint64_t value = random.below(7);
        ASSERT_LT(value, 7U);
        ++counts[value];
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, kDraws / 7, 500);
    }
    EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, CoversRangesThatCrossZero) {
    Random random(2);
    std::set<std::int64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(random.between(-2, 2));
    }
    EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
    const std::int64_t any = random.between(std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::int64_t>::max());
    static_cast<void>(any);
    EXPECT_EQ(random.between(5, 5), 5);
    for (int i = 0; i < 1000; ++i) {
        const double unit = random.unit();
        EXPECT_GE(unit, 0.0);
        EXPECT_LT(unit, 1.0);
    }
}

TEST(Entropy, DoesNotRepeat) {
    EXPECT_NE(entropy_u64(), entropy_u64());
}

}  // namespace
}  // namespace tern
