#pragma once

#include <sched.h>
#include <time.h>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <tern/base/result.hpp>
#include <variant>

namespace tern {

/// Tells the core that this is a spin loop, so that its sibling and its power budget gain.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

/// Sleeps for `duration_ns`, as long as the kernel's timer allows; signals may end it early.
inline void park_ns(std::int64_t duration_ns) noexcept {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    const timespec pause{.tv_sec = static_cast<time_t>(duration_ns / kNsPerSecond),
                         .tv_nsec = static_cast<long>(duration_ns % kNsPerSecond)};
    ::nanosleep(&pause, nullptr);
}

/// What a duty cycle does when a round of it found no work. Names and meaning are Aeron's.
///
/// `idle(work_count)` once per round: with work it forgets, without it waits a little. `reset()`
/// forgets; the next idle round is the first again.
///
/// Threads:  one; each thread has its own.
template <typename T>
concept IdleStrategyLike = requires(T strategy, int work_count) {
    { strategy.idle(work_count) }
    noexcept;
    { strategy.idle() }
    noexcept;
    { strategy.reset() }
    noexcept;
};

/// Does nothing: the loop runs as fast as it can.
struct NoOpIdle {
    void idle(int) noexcept {}
    void idle() noexcept {}
    void reset() noexcept {}
};

/// Spins politely: one pause instruction a round.
struct SpinIdle {
    void idle(int work_count) noexcept {
        if (work_count <= 0) {
            cpu_relax();
        }
    }
    void idle() noexcept { cpu_relax(); }
    void reset() noexcept {}
};

/// Gives the core to whoever is waiting for it.
struct YieldIdle {
    void idle(int work_count) noexcept {
        if (work_count <= 0) {
            ::sched_yield();
        }
    }
    void idle() noexcept { ::sched_yield(); }
    void reset() noexcept {}
};

/// Sleeps for a fixed time.
class SleepIdle {
public:
    static constexpr std::int64_t kDefaultSleepNs = 1'000;  ///< Aeron's

    explicit SleepIdle(std::int64_t sleep_ns = kDefaultSleepNs) noexcept : sleep_ns_(sleep_ns) {}
    void idle(int work_count) noexcept {
        if (work_count <= 0) {
            idle();
        }
    }
    void idle() noexcept { park_ns(sleep_ns_); }
    void reset() noexcept {}

private:
    std::int64_t sleep_ns_;
};

/// Spins, then yields, then sleeps for times that double up to a limit.
class BackoffIdle {
public:
    /// Aeron's defaults.
    struct Options {
        std::int64_t spin_count_max = 10;
        std::int64_t yield_count_max = 20;
        std::int64_t park_ns_min = 1'000;
        std::int64_t park_ns_max = 1'000'000;
    };

    BackoffIdle() noexcept : BackoffIdle(Options{}) {}
    explicit BackoffIdle(const Options& options) noexcept
        : options_(options), next_park_ns_(options.park_ns_min) {}

    void idle(int work_count) noexcept {
        if (work_count > 0) {
            reset();
        } else {
            idle();
        }
    }
    void idle() noexcept {
        if (idle_count_ < options_.spin_count_max) {
            ++idle_count_;
            cpu_relax();
        } else if (idle_count_ < options_.spin_count_max + options_.yield_count_max) {
            ++idle_count_;
            ::sched_yield();
        } else {
            park_ns(next_park_ns_);
            next_park_ns_ =
                next_park_ns_ < options_.park_ns_max / 2 ? next_park_ns_ * 2 : options_.park_ns_max;
        }
    }
    void reset() noexcept {
        idle_count_ = 0;
        next_park_ns_ = options_.park_ns_min;
    }

    /// How long the next sleep is; `park_ns_min` as long as the strategy spins or yields.
    [[nodiscard]] std::int64_t next_park_ns() const noexcept { return next_park_ns_; }

private:
    Options options_;
    std::int64_t idle_count_ = 0;
    std::int64_t next_park_ns_;
};

/// One of the strategies, chosen by name at run time. Hot loops are compiled per strategy instead:
/// `strategy.visit([](auto& idle) { while (…) { idle.idle(do_work()); } })`.
class IdleStrategy {
public:
    /// Aeron's default for a dedicated agent thread.
    IdleStrategy() noexcept : strategy_(BackoffIdle{}) {}
    template <IdleStrategyLike T>
    requires(!std::same_as<T, IdleStrategy>) explicit IdleStrategy(T strategy) noexcept
        : strategy_(strategy) {}

    /// Makes the strategy that is called "noop", "spin", "yield", "backoff" or "sleep-ns".
    ///
    /// Errors:   kInvalidArgument with the choices in its text.
    [[nodiscard]] static Result<IdleStrategy> from_name(std::string_view name);

    /// The names that `from_name` takes, for help texts.
    static constexpr std::string_view kNames = "noop, spin, yield, backoff, sleep-ns";

    [[nodiscard]] std::string_view name() const noexcept;

    void idle(int work_count) noexcept {
        std::visit([work_count](auto& strategy) { strategy.idle(work_count); }, strategy_);
    }
    void idle() noexcept {
        std::visit([](auto& strategy) { strategy.idle(); }, strategy_);
    }
    void reset() noexcept {
        std::visit([](auto& strategy) { strategy.reset(); }, strategy_);
    }

    template <typename F>
    decltype(auto) visit(F&& use) {
        return std::visit(std::forward<F>(use), strategy_);
    }

private:
    std::variant<NoOpIdle, SpinIdle, YieldIdle, BackoffIdle, SleepIdle> strategy_;
};

static_assert(IdleStrategyLike<NoOpIdle> && IdleStrategyLike<SpinIdle> &&
              IdleStrategyLike<YieldIdle> && IdleStrategyLike<SleepIdle> &&
              IdleStrategyLike<BackoffIdle> && IdleStrategyLike<IdleStrategy>);

}  // namespace tern
