#include "base/clock.hpp"

#include <time.h>

#if defined(__x86_64__)
    #include <cpuid.h>
#endif

namespace tern {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kNsPerMs = 1'000'000;

std::int64_t read_clock(clockid_t id) noexcept {
    timespec time{};
    ::clock_gettime(id, &time);
    return std::int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec;
}

#if defined(__x86_64__)
/// One moment on both scales.
struct Moment {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
};

/// The tightest of a few readings, so that an interrupt between the two clocks does not count.
Moment read_both_clocks() noexcept {
    constexpr int kReadings = 16;
    Moment best;
    std::uint64_t width_min = ~std::uint64_t{0};
    for (int i = 0; i < kReadings; ++i) {
        const std::uint64_t before = __rdtsc();
        const std::int64_t ns = monotonic_ns();
        const std::uint64_t after = __rdtsc();
        if (after - before < width_min) {
            width_min = after - before;
            best = {before + (after - before) / 2, ns};
        }
    }
    return best;
}
#endif

}  // namespace

std::int64_t monotonic_ns() noexcept {
    return read_clock(CLOCK_MONOTONIC);
}
std::int64_t wall_ns() noexcept {
    return read_clock(CLOCK_REALTIME);
}
std::int64_t wall_ms() noexcept {
    return wall_ns() / kNsPerMs;
}

bool TickClock::has_invariant_counter() noexcept {
#if defined(__x86_64__)
    constexpr unsigned kPowerManagementLeaf = 0x80000007;  // EDX bit 8: invariant TSC
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(kPowerManagementLeaf, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
#else
    return false;
#endif
}

TickClock TickClock::calibrate(std::int64_t duration_ns) noexcept {
    TickClock clock;
#if defined(__x86_64__)
    if (!has_invariant_counter()) {
        return clock;
    }
    const Moment start = read_both_clocks();
    const timespec pause{.tv_sec = static_cast<time_t>(duration_ns / kNsPerSecond),
                         .tv_nsec = static_cast<long>(duration_ns % kNsPerSecond)};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
    const Moment end = read_both_clocks();
    if (end.ticks <= start.ticks || end.ns <= start.ns) {
        return clock;  // the counter stood still or ran backwards, whatever cpuid promised
    }
    clock.uses_counter_ = true;
    clock.ns_per_tick_q32_ = static_cast<std::uint64_t>(
        (static_cast<unsigned __int128>(end.ns - start.ns) << 32) / (end.ticks - start.ticks));
    clock.origin_ticks_ = end.ticks;
    clock.origin_ns_ = end.ns;
#else
    static_cast<void>(duration_ns);
#endif
    return clock;
}

std::uint64_t TickClock::to_ticks(std::int64_t duration_ns) const noexcept {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(duration_ns) << 32) /
                                      ns_per_tick_q32_);
}

double TickClock::ticks_per_ns() const noexcept {
    return 4294967296.0 / static_cast<double>(ns_per_tick_q32_);
}

}  // namespace tern
