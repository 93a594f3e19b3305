#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
    #include <x86intrin.h>
#endif

namespace tern {

/// Nanoseconds of CLOCK_MONOTONIC. About 35 ns a call through the vDSO.
[[nodiscard]] std::int64_t monotonic_ns() noexcept;

/// Nanoseconds of CLOCK_REALTIME since 1970, for stamps that people or other hosts read.
[[nodiscard]] std::int64_t wall_ns() noexcept;

/// Milliseconds of CLOCK_REALTIME since 1970, the unit of Redis's expiry times.
[[nodiscard]] std::int64_t wall_ms() noexcept;

/// What a component that needs elapsed time asks of its clock, so that a test can pass its own.
template <typename T>
concept Clock = requires(const T& clock) {
    { clock.now_ns() } -> std::same_as<std::int64_t>;
};

/// CLOCK_MONOTONIC as a Clock.
class MonotonicClock {
public:
    [[nodiscard]] std::int64_t now_ns() const noexcept { return monotonic_ns(); }
};

/// A clock that stands until a test moves it.
class ManualClock {
public:
    explicit ManualClock(std::int64_t start_ns = 0) noexcept : now_ns_(start_ns) {}
    [[nodiscard]] std::int64_t now_ns() const noexcept { return now_ns_; }
    void advance_ns(std::int64_t by_ns) noexcept { now_ns_ += by_ns; }
    void set_ns(std::int64_t now_ns) noexcept { now_ns_ = now_ns; }

private:
    std::int64_t now_ns_;
};

/// The processor's time-stamp counter, calibrated against CLOCK_MONOTONIC; or CLOCK_MONOTONIC
/// itself where the counter is not invariant (constant rate in every power state, as cpuid tells).
///
/// A stamp is a third of the price of clock_gettime. It does not wait for earlier instructions:
/// what is measured should depend on memory or take longer than the few ns that may overlap.
///
/// Threads:  a value; copies may be used from any thread.
class TickClock {
public:
    /// Measures the counter's rate over `duration_ns`, asleep. The longer, the more exact: the
    /// error of the rate is about 50 ns over the duration (5 ppm at the default).
    [[nodiscard]] static TickClock calibrate(std::int64_t duration_ns = 10'000'000) noexcept;

    /// The fallback: a tick is a nanosecond of CLOCK_MONOTONIC.
    [[nodiscard]] static TickClock without_counter() noexcept { return {}; }

    /// True when cpuid promises a counter of constant rate.
    [[nodiscard]] static bool has_invariant_counter() noexcept;

    [[nodiscard]] std::uint64_t ticks() const noexcept {
#if defined(__x86_64__)
        if (__builtin_expect(uses_counter_, 1)) {
            return __rdtsc();
        }
#endif
        return static_cast<std::uint64_t>(monotonic_ns());
    }

    /// A difference of two `ticks()` in nanoseconds.
    [[nodiscard]] std::int64_t to_ns(std::uint64_t tick_count) const noexcept {
        return static_cast<std::int64_t>(
            (static_cast<unsigned __int128>(tick_count) * ns_per_tick_q32_) >> 32);
    }

    /// The ticks that pass in `duration_ns`, for deadlines compared without conversion.
    [[nodiscard]] std::uint64_t to_ticks(std::int64_t duration_ns) const noexcept;

    /// Now on CLOCK_MONOTONIC's scale, by way of the counter.
    [[nodiscard]] std::int64_t now_ns() const noexcept {
        return origin_ns_ + to_ns(ticks() - origin_ticks_);
    }

    /// "tsc" or "clock_gettime", for the environment record of a measurement.
    [[nodiscard]] std::string_view source() const noexcept {
        return uses_counter_ ? "tsc" : "clock_gettime";
    }
    [[nodiscard]] double ticks_per_ns() const noexcept;

private:
    TickClock() = default;

    bool uses_counter_ = false;
    std::uint64_t ns_per_tick_q32_ = std::uint64_t{1} << 32;  ///< nanoseconds × 2^32 of one tick
    std::uint64_t origin_ticks_ = 0;
    std::int64_t origin_ns_ = 0;
};

static_assert(Clock<MonotonicClock> && Clock<ManualClock> && Clock<TickClock>);

}  // namespace tern
