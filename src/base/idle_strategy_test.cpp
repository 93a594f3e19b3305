#include "base/idle_strategy.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

TEST(IdleStrategy, IsMadeFromEachName) {
    for (const std::string_view name : {"noop", "spin", "yield", "backoff", "sleep-ns"}) {
        auto strategy = IdleStrategy::from_name(name);
        ASSERT_TRUE(strategy.ok()) << name;
        EXPECT_EQ(strategy->name(), name);
        strategy->idle(1);
        strategy->idle(0);
        strategy->idle();
        strategy->reset();
    }
}

TEST(IdleStrategy, NamesTheChoicesWhenTheNameIsUnknown) {
    const auto strategy = IdleStrategy::from_name("busy");
    ASSERT_FALSE(strategy.ok());
    EXPECT_EQ(strategy.error().code, Errc::kInvalidArgument);
    EXPECT_EQ(strategy.error().message,
              "unknown idle strategy 'busy'; the choices are noop, spin, yield, backoff, sleep-ns");
}

TEST(IdleStrategy, GivesItsConcreteTypeToAHotLoop) {
    IdleStrategy strategy(SpinIdle{});
    const bool is_spin = strategy.visit([](auto& idle) {
        return std::is_same_v<std::remove_reference_t<decltype(idle)>, SpinIdle>;
    });
    EXPECT_TRUE(is_spin);
}

TEST(BackoffIdle, DoublesItsSleepUpToTheLimitAndStartsOverAfterWork) {
    BackoffIdle idle(
        {.spin_count_max = 1, .yield_count_max = 1, .park_ns_min = 100, .park_ns_max = 350});
    idle.idle(0);  // spins
    idle.idle(0);  // yields
    EXPECT_EQ(idle.next_park_ns(), 100);
    idle.idle(0);
    EXPECT_EQ(idle.next_park_ns(), 200);
    idle.idle(0);
    EXPECT_EQ(idle.next_park_ns(), 350);
    idle.idle(0);
    EXPECT_EQ(idle.next_park_ns(), 350);
    idle.idle(1);
    EXPECT_EQ(idle.next_park_ns(), 100);
    idle.idle(0);
    EXPECT_EQ(idle.next_park_ns(), 100) << "the first idle round after work spins";
}

}  // namespace
}  // namespace tern
