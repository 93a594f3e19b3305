#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/info_text.hpp"
#include "server/commands/tables.hpp"
#include "server/reactor/reactor.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr double kNsPerUs = 1000;

void zero_fields(InfoText& info, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        info.field(name, 0);
    }
}

/// tern neither saves nor loads in this version: the fields say so in Redis's terms.
void info_persistence(InfoText& info) {
    info.section("Persistence");
    zero_fields(info,
                {"loading",
                 "async_loading",
                 "current_cow_peak",
                 "current_cow_size",
                 "current_cow_size_age"});
    info.field("current_fork_perc", "0.00");
    zero_fields(info, {"current_save_keys_processed", "current_save_keys_total"});
    info.field("rdb_changes_since_last_save", info.server.keyspace().stats().dirty);
    info.field("rdb_bgsave_in_progress", 0);
    info.field("rdb_last_save_time", info.server.started_ms() / kMsPerSecond);
    info.field("rdb_last_bgsave_status", "ok");
    info.field("rdb_last_bgsave_time_sec", -1);
    info.field("rdb_current_bgsave_time_sec", -1);
    zero_fields(info,
                {"rdb_saves",
                 "rdb_last_cow_size",
                 "rdb_last_load_keys_expired",
                 "rdb_last_load_keys_loaded",
                 "aof_enabled",
                 "aof_rewrite_in_progress",
                 "aof_rewrite_scheduled"});
    info.field("aof_last_rewrite_time_sec", -1);
    info.field("aof_current_rewrite_time_sec", -1);
    info.field("aof_last_bgrewrite_status", "ok");
    zero_fields(info, {"aof_rewrites", "aof_rewrites_consecutive_failures"});
    info.field("aof_last_write_status", "ok");
    zero_fields(info,
                {"aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"});
}

void info_traffic(InfoText& info) {
    Server& server = info.server;
    const ServerStats& stats = server.stats();
    constexpr double kBytesPerKilobyte = 1024;
    info.field("total_connections_received",
               server.clients().total_count() - stats.connections_before);
    info.field("total_commands_processed", stats.commands_processed);
    info.field("instantaneous_ops_per_sec",
               static_cast<std::uint64_t>(server.rates().commands.per_second()));
    info.field("total_net_input_bytes", stats.input_bytes);
    info.field("total_net_output_bytes", stats.output_bytes);
    zero_fields(info, {"total_net_repl_input_bytes", "total_net_repl_output_bytes"});
    info.ratio("instantaneous_input_kbps",
               server.rates().input_bytes.per_second() / kBytesPerKilobyte);
    info.ratio("instantaneous_output_kbps",
               server.rates().output_bytes.per_second() / kBytesPerKilobyte);
    info.ratio("instantaneous_input_repl_kbps", 0);
    info.ratio("instantaneous_output_repl_kbps", 0);
    info.field("rejected_connections", stats.connections_rejected);
}

void info_stats(InfoText& info) {
    Server& server = info.server;
    const ServerStats& stats = server.stats();
    const std::uint64_t turns = server.loop() == nullptr ? 0 : server.loop()->stats().turns;
    info.section("Stats");
    info_traffic(info);
    zero_fields(info, {"sync_full", "sync_partial_ok", "sync_partial_err"});
    info.field("expired_keys", server.keyspace().stats().expired_keys);
    info.field("expired_stale_perc", "0.00");
    zero_fields(info, {"expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds"});
    info.field("evicted_keys", server.keyspace().stats().evicted_keys);
    zero_fields(
        info,
        {"evicted_clients", "total_eviction_exceeded_time", "current_eviction_exceeded_time"});
    info.field("keyspace_hits", server.keyspace().lookups().hits);
    info.field("keyspace_misses", server.keyspace().lookups().misses);
    info.field("pubsub_channels", server.pubsub().name_count(Topic::kChannel));
    info.field("pubsub_patterns", server.pubsub().name_count(Topic::kPattern));
    info.field("pubsubshard_channels", server.pubsub().name_count(Topic::kShardChannel));
    zero_fields(info,
                {"latest_fork_usec",
                 "total_forks",
                 "migrate_cached_sockets",
                 "slave_expires_tracked_keys"});
    const store::DefragStats& defrag = server.defragmenter().stats();
    for (const std::string_view prefix : {"active_defrag", "active_defrag_key"}) {
        info.field(fmt::format("{}_hits", prefix), defrag.hits);
        info.field(fmt::format("{}_misses", prefix), defrag.misses);
    }
    zero_fields(info,
                {"total_active_defrag_time",
                 "current_active_defrag_time",
                 "tracking_total_keys",
                 "tracking_total_items",
                 "tracking_total_prefixes",
                 "unexpected_error_replies"});
    info.field("total_error_replies", stats.error_replies);
    zero_fields(info,
                {"dump_payload_sanitizations",
                 "total_reads_processed",
                 "total_writes_processed",
                 "io_threaded_reads_processed",
                 "io_threaded_writes_processed",
                 "reply_buffer_shrinks",
                 "reply_buffer_expands"});
    info.field("eventloop_cycles", turns);
    zero_fields(info, {"eventloop_duration_sum", "eventloop_duration_cmd_sum"});
    zero_fields(info,
                {"instantaneous_eventloop_cycles_per_sec",
                 "instantaneous_eventloop_duration_usec",
                 "acl_access_denied_auth",
                 "acl_access_denied_cmd",
                 "acl_access_denied_key",
                 "acl_access_denied_channel"});
}

void info_replication(InfoText& info) {
    info.section("Replication");
    info.field("role", "master");
    info.field("connected_slaves", 0);
    info.field("master_failover_state", "no-failover");
    info.field("master_replid", info.server.run_id());
    info.field("master_replid2", std::string(info.server.run_id().size(), '0'));
    info.field("master_repl_offset", 0);
    info.field("second_repl_offset", -1);
    info.field("repl_backlog_active", 0);
    info.field("repl_backlog_size", info.server.settings().text("repl-backlog-size"));
    zero_fields(info, {"repl_backlog_first_byte_offset", "repl_backlog_histlen"});
}

void info_modules(InfoText& info) {
    info.section("Modules");
}

/// One line of Commandstats. What was timed stands for all (CommandMeter).
void command_line(InfoText& info, const Command& command) {
    const CommandStats& stats = command.stats;
    if (stats.calls == 0 && stats.rejected_calls == 0 && stats.failed_calls == 0) {
        return;
    }
    const double us_per_call = stats.timed_calls == 0
                                   ? 0
                                   : static_cast<double>(stats.total_ns) / kNsPerUs /
                                         static_cast<double>(stats.timed_calls);
    info.field(
        fmt::format("cmdstat_{}", command.full_name),
        fmt::format("calls={},usec={},usec_per_call={:.2f},rejected_calls={},failed_calls={}",
                    stats.calls,
                    static_cast<std::uint64_t>(us_per_call * static_cast<double>(stats.calls)),
                    us_per_call,
                    stats.rejected_calls,
                    stats.failed_calls));
}

void info_commandstats(InfoText& info) {
    info.section("Commandstats");
    for (const Command& command : info.server.registry().commands()) {
        command_line(info, command);
        for (const Command& sub : command.subcommands) {
            command_line(info, sub);
        }
    }
}

void info_errorstats(InfoText& info) {
    info.section("Errorstats");
    for (const auto& [code, count] : info.server.stats().errors_by_code) {
        info.field(fmt::format("errorstat_{}", code), fmt::format("count={}", count));
    }
}

void latency_line(InfoText& info, const Command& command) {
    if (command.stats.latency == nullptr) {
        return;
    }
    std::string text;
    for (const double percent : info.server.config().latency_percentiles) {
        char number[kDoubleTextBytes];
        const std::string_view name(number, format_double(number, percent));
        fmt::format_to(
            std::back_inserter(text),
            "{}p{}={:.3f}",
            text.empty() ? "" : ",",
            name,
            static_cast<double>(command.stats.latency->percentile_ns(percent)) / kNsPerUs);
    }
    info.field(fmt::format("latency_percentiles_usec_{}", command.full_name), text);
}

void info_latencystats(InfoText& info) {
    info.section("Latencystats");
    for (const Command& command : info.server.registry().commands()) {
        latency_line(info, command);
        for (const Command& sub : command.subcommands) {
            latency_line(info, sub);
        }
    }
}

void info_cluster(InfoText& info) {
    info.section("Cluster");
    info.field("cluster_enabled", 0);
}

void info_keyspace(InfoText& info) {
    store::Keyspace& keyspace = info.server.keyspace();
    info.section("Keyspace");
    for (std::size_t i = 0; i < keyspace.database_count(); ++i) {
        const store::Database& database = keyspace.database(i);
        if (database.size() != 0) {
            info.field(fmt::format("db{}", i),
                       fmt::format("keys={},expires={},avg_ttl={}",
                                   database.size(),
                                   database.volatile_count(),
                                   database.average_ttl_ms()));
        }
    }
}

struct Section {
    std::string_view name;  ///< in capitals
    void (*write)(InfoText& info);
    bool is_default = true;
};

constexpr std::array kSections = {
    Section{"SERVER", info_server},
    Section{"CLIENTS", info_clients},
    Section{"MEMORY", info_memory},
    Section{"PERSISTENCE", info_persistence},
    Section{"STATS", info_stats},
    Section{"REPLICATION", info_replication},
    Section{"CPU", info_cpu},
    Section{"MODULES", info_modules},
    Section{"COMMANDSTATS", info_commandstats, false},
    Section{"ERRORSTATS", info_errorstats},
    Section{"LATENCYSTATS", info_latencystats, false},
    Section{"CLUSTER", info_cluster},
    Section{"KEYSPACE", info_keyspace},
    Section{"TERN", info_tern},
};

bool is_wanted(const Section& section, std::span<const std::string_view> words) {
    if (words.empty()) {
        return section.is_default;
    }
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        const bool is_all = equals_word(word, "ALL") || equals_word(word, "EVERYTHING");
        return is_all || (section.is_default && equals_word(word, "DEFAULT")) ||
               equals_word(word, section.name);
    });
}

}  // namespace

namespace commands {

namespace {

void info(Call& call, const WordsArguments& args) {
    InfoText text(call.server);
    for (const Section& section : kSections) {
        if (is_wanted(section, args.words)) {
            section.write(text);
        }
    }
    call.reply.verbatim("txt", text.text());
}

}  // namespace

std::span<const CommandSpec> info_table() {
    static constexpr std::array kTable = {
        row<info>(admin_info("server",
                             kAclDangerous,
                             "info",
                             -1,
                             kAnyTime,
                             "1.0.0",
                             "O(1)",
                             "[section [section ...]]",
                             "Describes the server and its counters.")),
    };
    return kTable;
}

}  // namespace commands

}  // namespace tern::server
