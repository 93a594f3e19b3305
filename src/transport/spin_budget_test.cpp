#include "transport/spin_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tern::transport {
namespace {

constexpr std::uint64_t kMaxTicks = 200'000;

/// Feeds messages and keeps what the caller would have done between them.
struct Trace {
    SpinBudget budget{kMaxTicks};
    std::uint64_t now = 1'000'000;
    std::uint64_t spun_ticks = 0;
    std::uint64_t wasted_ticks = 0;  ///< spun before a sleep
    int caught_count = 0;
    int message_count = 0;

    void after(std::uint64_t gap) {
        const std::uint64_t spin = budget.budget_ticks();
        spun_ticks += std::min(spin, gap);
        wasted_ticks += gap > spin ? spin : 0;
        caught_count += gap <= spin ? 1 : 0;
        ++message_count;
        now += gap;
        budget.on_message(now);
    }
    void restart_count() {
        spun_ticks = 0;
        caught_count = 0;
        message_count = 0;
    }
};

TEST(SpinBudget, IsNothingBeforeTheFirstMessage) {
    const SpinBudget budget(kMaxTicks);
    EXPECT_EQ(budget.budget_ticks(), 0U);
    EXPECT_FALSE(budget.should_spin(12345));
}

TEST(SpinBudget, CatchesABusyStreamAfterAFewMessages) {
    Trace trace;
    for (int i = 0; i < 16; ++i) {
        trace.after(1'000);
    }
    trace.restart_count();
    for (int i = 0; i < 1'000; ++i) {
        trace.after(1'000);
    }
    EXPECT_EQ(trace.caught_count, 1'000);
    EXPECT_EQ(trace.budget.budget_ticks(), kMaxTicks / 4) << "the floor, not more";
}

TEST(SpinBudget, CatchesNearlyAllOfAJitteringStream) {
    std::mt19937_64 random(7);
    Trace trace;
    for (int i = 0; i < 20'000; ++i) {
        trace.after(2'000 + random() % 8'000);
    }
    EXPECT_GT(trace.caught_count, 19'800);
}

TEST(SpinBudget, SlowPaceUsesNoProcessor) {
    Trace trace;
    for (int i = 0; i < 100; ++i) {
        trace.after(1'000);  // was busy once
    }
    for (int i = 0; i < 20; ++i) {
        trace.after(5 * kMaxTicks);
    }
    trace.restart_count();
    for (int i = 0; i < 1'000; ++i) {
        trace.after(5 * kMaxTicks);
    }
    EXPECT_EQ(trace.spun_ticks, 0U);
}

TEST(SpinBudget, ComesBackWhenTrafficDoes) {
    Trace trace;
    for (int i = 0; i < 1'000; ++i) {
        trace.after(5 * kMaxTicks);
    }
    for (int i = 0; i < 4; ++i) {
        trace.after(1'000);
    }
    EXPECT_GT(trace.budget.budget_ticks(), 0U);
}

TEST(SpinBudget, RidesOutAHiccupOfAFastStream) {
    Trace trace;
    for (int i = 0; i < 1'000; ++i) {
        trace.after(200);
    }
    trace.restart_count();
    trace.after(kMaxTicks / 5);
    EXPECT_EQ(trace.caught_count, 1);
}

TEST(SpinBudget, BurstsWasteTheFloorAtMost) {
    Trace trace;
    for (int burst = 0; burst < 100; ++burst) {
        for (int i = 0; i < 50; ++i) {
            trace.after(1'000);
        }
        trace.after(100 * kMaxTicks);
    }
    EXPECT_LE(trace.wasted_ticks, 101U * kMaxTicks / 4);
    EXPECT_GT(trace.caught_count, 4'500);
}

TEST(SpinBudget, RareRandomArrivalsUseNoProcessor) {
    std::mt19937_64 random(11);
    std::exponential_distribution<double> gaps(1.0 / (25.0 * kMaxTicks));
    Trace trace;
    for (int i = 0; i < 5'000; ++i) {
        trace.after(static_cast<std::uint64_t>(gaps(random)));
    }
    EXPECT_LT(trace.spun_ticks, trace.now / 500);
}

TEST(SpinBudget, NeverExceedsItsMaximum) {
    std::mt19937_64 random(13);
    Trace trace;
    for (int i = 0; i < 50'000; ++i) {
        trace.after(random() % (random() % 4 == 0 ? 4 * kMaxTicks : kMaxTicks));
        ASSERT_LE(trace.budget.budget_ticks(), kMaxTicks);
    }
}

TEST(SpinBudget, SpinsUntilTheBudgetIsOver) {
    SpinBudget budget(kMaxTicks);
    std::uint64_t now = 0;
    for (int i = 0; i < 20; ++i) {
        budget.on_message(now += 1'000);
    }
    EXPECT_TRUE(budget.should_spin(now));
    EXPECT_TRUE(budget.should_spin(now + budget.budget_ticks() - 1));
    EXPECT_FALSE(budget.should_spin(now + budget.budget_ticks()));
    EXPECT_TRUE(budget.should_spin(now - 5)) << "a clock of another core, slightly behind";
}

}  // namespace
}  // namespace tern::transport
