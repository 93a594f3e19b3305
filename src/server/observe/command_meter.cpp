#include "server/observe/command_meter.hpp"

#include <memory>
#include <utility>

#include "server/session.hpp"

namespace tern::server {

namespace {

constexpr std::int64_t kNsPerUs = 1000;
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kMsPerSecond = 1000;

}  // namespace

void CommandMeter::finish(const Command& command,
                          const Session& session,
                          std::span<const std::string_view> words,
                          std::uint64_t started_ticks,
                          std::int64_t now_ms) {
    const std::int64_t duration_ns = clock_.to_ns(clock_.ticks() - started_ticks);
    CommandStats& stats = command.stats;
    if (stats.calls > stats.timed_calls) {  // not when the call itself was CONFIG RESETSTAT
        const std::uint64_t stands_for = stats.calls - stats.timed_calls;
        stats.timed_calls = stats.calls;
        stats.total_ns += static_cast<std::uint64_t>(duration_ns) * stands_for;
        if (config_.latency_tracking) {
            if (stats.latency == nullptr) {
                stats.latency = std::make_unique<LatencyHistogram>();
            }
            stats.latency->record(static_cast<std::uint64_t>(duration_ns), stands_for);
        }
    }
    const bool is_fast = (command.spec->info.flags & kFast) != 0;
    note_event(is_fast ? "fast-command" : "command", duration_ns, now_ms);
    const std::int64_t limit_us = config_.slowlog_log_slower_than_us;
    if (limit_us < 0 || duration_ns / kNsPerUs < limit_us || session.blocked ||
        (command.spec->info.flags & kSkipSlowlog) != 0) {
        return;
    }
    const std::string_view name[1] = {command.full_name};
    SlowLog::Entry entry;
    entry.time_s = now_ms / kMsPerSecond;
    entry.duration_us = duration_ns / kNsPerUs;
    entry.address = session.address;
    entry.client_name = session.name;
    slow_log_.add(std::move(entry),
                  words.empty() ? std::span<const std::string_view>(name) : words,
                  static_cast<std::size_t>(config_.slowlog_max_len));
}

void CommandMeter::note_event(std::string_view event,
                              std::int64_t duration_ns,
                              std::int64_t now_ms) {
    const std::int64_t limit_ms = config_.latency_monitor_threshold_ms;
    if (limit_ms != 0 && duration_ns / kNsPerMs >= limit_ms) {
        latency_.add(event, now_ms / kMsPerSecond, duration_ns / kNsPerMs);
    }
}

void CommandMeter::note_upkeep(std::uint64_t started_ticks, bool is_behind, std::int64_t now_ms) {
    upkeep_ns_ += clock_.to_ns(clock_.ticks() - started_ticks);
    note_event("expire-cycle", upkeep_ns_, now_ms);
    if (!is_behind) {
        upkeep_ns_ = 0;
    }
}

}  // namespace tern::server
