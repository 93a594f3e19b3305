#include "base/idle_strategy.hpp"

#include <array>

namespace tern {
namespace {

// In the order of IdleStrategy's variant.
constexpr std::array<std::string_view, 5> kStrategyNames = {
    "noop", "spin", "yield", "backoff", "sleep-ns"};

}  // namespace

Result<IdleStrategy> IdleStrategy::from_name(std::string_view name) {
    const std::array<IdleStrategy, kStrategyNames.size()> strategies = {IdleStrategy(NoOpIdle{}),
                                                                        IdleStrategy(SpinIdle{}),
                                                                        IdleStrategy(YieldIdle{}),
                                                                        IdleStrategy(BackoffIdle{}),
                                                                        IdleStrategy(SleepIdle{})};
    for (std::size_t i = 0; i < kStrategyNames.size(); ++i) {
        if (name == kStrategyNames[i]) {
            return strategies[i];
        }
    }
    return error(
        Errc::kInvalidArgument, "unknown idle strategy '{}'; the choices are {}", name, kNames);
}

std::string_view IdleStrategy::name() const noexcept {
    return kStrategyNames[strategy_.index()];
}

}  // namespace tern
