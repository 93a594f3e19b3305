#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "server/command/registry.hpp"
#include "server/config/config.hpp"
#include "server/observe/latency_monitor.hpp"
#include "server/observe/slow_log.hpp"

namespace tern::server {

struct Session;

/// Takes the time of commands: for INFO, SLOWLOG and LATENCY.
///
/// Reading the clock twice costs 22 ns, a tenth of a GET on a ring. So brief commands are timed at
/// their first 256 calls and at each 16th from then on; the timed call stands for those since the
/// one before. All others are always timed; everything is while somebody asks for times under 10 ms
/// (slowlog-log-slower-than) or watches (latency-monitor-threshold).
///
/// Threads: one.
class CommandMeter {
public:
    CommandMeter(const Config& config, const TickClock& clock) noexcept
        : config_(config), clock_(clock) {}

    static constexpr std::uint64_t kTimedCalls = 256;
    static constexpr std::uint64_t kSamplePeriod = 16;
    static constexpr std::int64_t kExactBelowUs = 10'000;

    /// Whether the next call of `command` is timed.
    [[nodiscard]] bool is_timed(const Command& command) const noexcept {
        const std::uint64_t number = command.stats.calls;
        return !command.is_brief || number % kSamplePeriod == 0 || number < kTimedCalls ||
               is_exact();
    }
    [[nodiscard]] std::uint64_t start() const noexcept { return clock_.ticks(); }
    /// A timed call is over. `words` is the whole command, empty when it came as an SBE message.
    void finish(const Command& command,
                const Session& session,
                std::span<const std::string_view> words,
                std::uint64_t started_ticks,
                std::int64_t now_ms);

    /// An event of upkeep that took `duration_ns`: noted if it is as long as
    /// latency-monitor-threshold says.
    void note_event(std::string_view event, std::int64_t duration_ns, std::int64_t now_ms);

    /// The same for what began at `started_ticks`.
    void note_since(std::string_view event, std::uint64_t started_ticks, std::int64_t now_ms) {
        if (config_.latency_monitor_threshold_ms != 0) {
            note_event(event, clock_.to_ns(clock_.ticks() - started_ticks), now_ms);
        }
    }

    /// One step of expiry and freeing is over. Steps are short by design; what LATENCY notes as
    /// expire-cycle is the time of all steps from the first to the one that leaves nothing to do.
    void note_upkeep(std::uint64_t started_ticks, bool is_behind, std::int64_t now_ms);

    [[nodiscard]] SlowLog& slow_log() noexcept { return slow_log_; }
    [[nodiscard]] LatencyMonitor& latency() noexcept { return latency_; }

private:
    [[nodiscard]] bool is_exact() const noexcept {
        return config_.latency_monitor_threshold_ms != 0 ||
               static_cast<std::uint64_t>(config_.slowlog_log_slower_than_us) <
                   static_cast<std::uint64_t>(kExactBelowUs);  // -1, off, is huge here
    }

    const Config& config_;
    TickClock clock_;
    SlowLog slow_log_;
    LatencyMonitor latency_;
    std::int64_t upkeep_ns_ = 0;  ///< of the steps since there was nothing to do
};

}  // namespace tern::server
