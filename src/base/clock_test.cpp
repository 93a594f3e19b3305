#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tern {
namespace {

TEST(TickClock, FollowsTheMonotonicClock) {
    const TickClock clock = TickClock::calibrate();
    // Between two readings of the other clock, give or take the error of the rate.
    const std::int64_t before_ns = monotonic_ns();
    const std::int64_t now_ns = clock.now_ns();
    const std::int64_t after_ns = monotonic_ns();
    constexpr std::int64_t kToleranceNs = 100'000;
    EXPECT_GE(now_ns, before_ns - kToleranceNs);
    EXPECT_LE(now_ns, after_ns + kToleranceNs);
}

TEST(TickClock, ConvertsBothWays) {
    const TickClock clock = TickClock::calibrate(1'000'000);
    EXPECT_EQ(clock.to_ns(0), 0);
    for (const std::int64_t duration_ns : {1'000LL, 1'000'000'000LL, 86'400'000'000'000LL}) {
        const std::int64_t back_ns = clock.to_ns(clock.to_ticks(duration_ns));
        EXPECT_LE(std::llabs(back_ns - duration_ns), 1 + duration_ns / 1'000'000'000)
            << duration_ns;
    }
    EXPECT_GT(clock.ticks_per_ns(), 0.0);
}

TEST(TickClock, CountsNanosecondsWithoutCounter) {
    const TickClock clock = TickClock::without_counter();
    EXPECT_EQ(clock.source(), "clock_gettime");
    EXPECT_EQ(clock.to_ns(12345), 12345);
    EXPECT_EQ(clock.to_ticks(12345), 12345U);
    const std::int64_t before_ns = monotonic_ns();
    const std::int64_t now_ns = clock.now_ns();
    EXPECT_GE(now_ns, before_ns);
    EXPECT_LE(now_ns, monotonic_ns());
}

TEST(TickClock, UsesTheCounterWhereItIsInvariant) {
    const TickClock clock = TickClock::calibrate(1'000'000);
    EXPECT_EQ(clock.source(), TickClock::has_invariant_counter() ? "tsc" : "clock_gettime");
}

TEST(WallClock, IsLaterThanThisTestAndInTheRightUnit) {
    constexpr std::int64_t kStartOf2024Ms = 1'704'067'200'000;
    const std::int64_t before_ms = wall_ns() / 1'000'000;
    const std::int64_t now_ms = wall_ms();
    EXPECT_GT(now_ms, kStartOf2024Ms);
    EXPECT_GE(now_ms, before_ms);
}

TEST(ManualClock, StandsUntilMoved) {
    ManualClock clock(5);
    EXPECT_EQ(clock.now_ns(), 5);
    clock.advance_ns(10);
    EXPECT_EQ(clock.now_ns(), 15);
    clock.set_ns(3);
    EXPECT_EQ(clock.now_ns(), 3);
}

}  // namespace
}  // namespace tern
