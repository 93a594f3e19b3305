#include <algorithm>
#include <array>
#include <vector>

#include "server/commands/admin_rows.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"

/// SLOWLOG and LATENCY: what CommandMeter noted.
namespace tern::server::commands {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;

// SLOWLOG

struct CountArguments {
    std::int64_t count = 10;
};

bool parse_text(Arguments& in, CountArguments& out, Reply& reply) {
    constexpr std::string_view kError = "ERR count should be greater than or equal to -1";
    if (in.is_empty()) {
        return true;
    }
    if (in.left() > 1) {
        reply.error(
            "ERR unknown subcommand or wrong number of arguments for 'get'. Try SLOWLOG HELP.");
        return false;
    }
    if (!in.read_integer(out.count, reply, kError)) {
        return false;
    }
    if (out.count < -1) {
        reply.error(kError);
        return false;
    }
    return true;
}

void write_entry(Reply& reply, const SlowLog::Entry& entry) {
    constexpr std::size_t kFieldCount = 6;
    reply.array(kFieldCount);
    reply.integer(entry.id);
    reply.integer(entry.time_s);
    reply.integer(entry.duration_us);
    reply.array(entry.arguments.size());
    for (const std::string& argument : entry.arguments) {
        reply.bulk(argument);
    }
    reply.bulk(entry.address);
    reply.bulk(entry.client_name);
}

void slowlog_get(Call& call, const CountArguments& args) {
    const auto& entries = call.server.meter().slow_log().entries();
    const std::size_t count = args.count < 0
                                  ? entries.size()
                                  : std::min(entries.size(), static_cast<std::size_t>(args.count));
    call.reply.array(count);
    for (std::size_t i = 0; i < count; ++i) {
        write_entry(call.reply, entries[i]);
    }
}

void slowlog_len(Call& call, const NoArguments&) {
    call.reply.integer(static_cast<std::int64_t>(call.server.meter().slow_log().entries().size()));
}

void slowlog_reset(Call& call, const NoArguments&) {
    call.server.meter().slow_log().clear();
    call.reply.ok();
}

constexpr CommandInfo slowlog_info(std::string_view name,
                                   int arity,
                                   std::uint32_t flags,
                                   std::string_view since,
                                   std::string_view complexity,
                                   std::string_view syntax,
                                   std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, since, complexity, syntax, summary);
}

constexpr std::uint32_t kSlowlogFlags = kAdmin | kAnyTime;

constexpr std::array kSlowlogSubcommands = {
    row<slowlog_get>(slowlog_info("get",
                                  -2,
                                  kSlowlogFlags,
                                  "2.2.12",
                                  "O(N) where N is the number of entries returned",
                                  "[count]",
                                  "Lists slow commands, the latest first.")),
    row<container_help>(
        slowlog_info("help", 2, kAnyTime, "6.2.0", "O(1)", "", "Lists the subcommands.")),
    row<slowlog_len>(
        slowlog_info("len", 2, kSlowlogFlags, "2.2.12", "O(1)", "", "Counts slow commands.")),
    row<slowlog_reset>(slowlog_info("reset",
                                    2,
                                    kSlowlogFlags,
                                    "2.2.12",
                                    "O(N) where N is the number of entries",
                                    "",
                                    "Forgets slow commands.")),
};

// LATENCY

void latency_latest(Call& call, const NoArguments&) {
    const auto& events = call.server.meter().latency().events();
    call.reply.array(events.size());
    for (const auto& [name, series] : events) {
        constexpr std::size_t kFieldCount = 4;
        call.reply.array(kFieldCount);
        call.reply.bulk(name);
        call.reply.integer(series.last().time_s);
        call.reply.integer(series.last().latency_ms);
        call.reply.integer(series.latency_ms_max);
    }
}

void latency_history(Call& call, const WordsArguments& args) {
    const LatencyMonitor::Series* series = call.server.meter().latency().find(args.words[0]);
    if (series == nullptr) {
        call.reply.array(0);
        return;
    }
    call.reply.array(series->count);
    for (std::size_t i = 0; i < series->count; ++i) {
        call.reply.array(2);
        call.reply.integer(series->at(i).time_s);
        call.reply.integer(series->at(i).latency_ms);
    }
}

void latency_graph(Call& call, const WordsArguments& args) {
    const LatencyMonitor::Series* series = call.server.meter().latency().find(args.words[0]);
    if (series == nullptr) {
        call.reply.error(fmt::format("ERR No samples available for event '{}'", args.words[0]));
        return;
    }
    call.reply.verbatim("txt",
                        LatencyMonitor::graph(args.words[0], *series, call.now_ms / kMsPerSecond));
}

void latency_reset(Call& call, const WordsArguments& args) {
    LatencyMonitor& latency = call.server.meter().latency();
    std::size_t count = args.words.empty() ? latency.reset_all() : 0;
    for (const std::string_view event : args.words) {
        count += latency.reset(event) ? 1 : 0;
    }
    call.reply.integer(static_cast<std::int64_t>(count));
}

void latency_doctor(Call& call, const NoArguments&) {
    call.reply.verbatim(
        "txt",
        call.server.meter().latency().report(call.server.config().latency_monitor_threshold_ms));
}

/// Counts of calls up to each power of two of nanoseconds, from 1,024 on. The bounds are shown in
/// microseconds as Redis rounds them: up to the end of a step of 1/128.
void write_histogram(Reply& reply, const LatencyHistogram& histogram) {
    constexpr unsigned kFirstBit = 10;
    constexpr unsigned kStepBits = 7;
    constexpr std::uint64_t kNsPerUs = 1000;
    reply.map(2);
    reply.bulk("calls");
    reply.integer(static_cast<std::int64_t>(histogram.total()));
    reply.bulk("histogram_usec");
    const Reply::Open open = reply.open_array();
    std::size_t pair_count = 0;
    std::uint64_t seen = 0;
    for (unsigned bit = kFirstBit; seen < histogram.total(); ++bit) {
        const std::uint64_t bound_ns = std::uint64_t{1} << bit;
        const std::uint64_t count = histogram.count_below(bound_ns);
        if (count > seen) {
            reply.integer(
                static_cast<std::int64_t>((bound_ns + (bound_ns >> kStepBits) - 1) / kNsPerUs));
            reply.integer(static_cast<std::int64_t>(count));
            ++pair_count;
            seen = count;
        }
    }
    reply.close_map(open, pair_count);
}

void latency_histogram(Call& call, const WordsArguments& args) {
    std::vector<const Command*> shown;
    const auto consider = [&shown](const Command& command) {
        if (command.stats.latency != nullptr) {
            shown.push_back(&command);
        }
    };
    const auto consider_all = [&](const Command& command) {
        consider(command);
        for (const Command& sub : command.subcommands) {
            consider(sub);
        }
    };
    if (args.words.empty()) {
        for (const Command& command : call.server.registry().commands()) {
            consider_all(command);
        }
    }
    for (const std::string_view name : args.words) {
        const Command* command = call.server.registry().find_full(name);
        if (command != nullptr) {
            consider_all(*command);
        }
    }
    call.reply.map(shown.size());
    for (const Command* command : shown) {
        call.reply.bulk(command->full_name);
        write_histogram(call.reply, *command->stats.latency);
    }
}

constexpr CommandInfo latency_info(std::string_view name,
                                   int arity,
                                   std::uint32_t flags,
                                   std::string_view since,
                                   std::string_view complexity,
                                   std::string_view syntax,
                                   std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, since, complexity, syntax, summary);
}

constexpr std::array kLatencySubcommands = {
    row<latency_doctor>(latency_info(
        "doctor", 2, kAdminOnly, "2.8.13", "O(1)", "", "Says what latency events tell.")),
    row<latency_graph>(latency_info(
        "graph", 3, kAdminOnly, "2.8.13", "O(1)", "event", "Draws an event's latencies.")),
    row<container_help>(
        latency_info("help", 2, kAnyTime, "2.8.13", "O(1)", "", "Lists the subcommands.")),
    row<latency_histogram>(latency_info("histogram",
                                        -2,
                                        kAdminOnly,
                                        "7.0.0",
                                        "O(N) where N is the number of commands",
                                        "[command [command ...]]",
                                        "Shows how long the calls of commands took.")),
    row<latency_history>(latency_info(
        "history", 3, kAdminOnly, "2.8.13", "O(1)", "event", "Lists an event's latencies.")),
    row<latency_latest>(latency_info(
        "latest", 2, kAdminOnly, "2.8.13", "O(1)", "", "Shows the latest latency of each event.")),
    row<latency_reset>(latency_info(
        "reset", -2, kAdminOnly, "2.8.13", "O(1)", "[event [event ...]]", "Forgets events.")),
};

constexpr CommandSpec container(std::string_view name,
                                std::string_view since,
                                std::string_view summary,
                                std::span<const CommandSpec> subcommands) {
    return container_row(
        admin_info("server", 0, name, -2, 0, since, "Depends on subcommand.", "", summary),
        subcommands);
}

}  // namespace

std::span<const CommandSpec> latency_table() {
    static constexpr std::array kTable = {
        container("latency", "2.8.13", "Tells about latency.", kLatencySubcommands),
        container("slowlog", "2.2.12", "Tells about slow commands.", kSlowlogSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
