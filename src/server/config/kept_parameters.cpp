#include <array>

#include "server/config/parameter_rows.hpp"

/// Redis 7.2's parameters that tern does not use yet: accepted, checked, kept and shown, so that a
/// redis.conf works as it is. A parameter that comes into use moves to used_parameters.cpp.
///
/// Names, defaults, ranges and choices are those that a redis-server 7.2.6 reports. One default
/// differs, since tern neither saves nor loads files: `save` is empty.
namespace tern::server {

namespace {

using namespace rows;

constexpr std::array<std::string_view, 2> kAclPubsubDefault = {"allchannels", "resetchannels"};
constexpr std::array<std::string_view, 3> kAppendfsync = {"everysec", "always", "no"};
constexpr std::array<std::string_view, 3> kClusterPreferredEndpointType = {
    "ip", "hostname", "unknown-endpoint"};
constexpr std::array<std::string_view, 4> kOomScoreAdj = {"no", "yes", "relative", "absolute"};
constexpr std::array<std::string_view, 3> kPropagationErrorBehavior = {
    "ignore", "panic", "panic-on-replicas"};
constexpr std::array<std::string_view, 3> kReplDisklessLoad = {"disabled", "on-empty-db", "swapdb"};
constexpr std::array<std::string_view, 3> kSanitizeDumpPayload = {"no", "yes", "clients"};
constexpr std::array<std::string_view, 4> kSupervised = {"upstart", "systemd", "auto", "no"};
constexpr std::array<std::string_view, 9> kSyslogFacility = {
    "user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"};
constexpr std::array<std::string_view, 3> kTlsAuthClients = {"no", "yes", "optional"};
constexpr std::array<std::string_view, 3> kEnableModuleCommand = {"no", "yes", "local"};

constexpr std::array kRows = {
    choice("acl-pubsub-default", "resetchannels", kAclPubsubDefault),
    text("aclfile", "").fixed(),
    number("acllog-max-len", "128", 0, kLongMax),
    number("active-defrag-max-scan-fields", "1000", 1, kLongMax),
    number("active-expire-effort", "1", 1, 10),
    on_off("activerehashing", "yes"),
    on_off("always-show-logo", "no").fixed(),
    on_off("aof-load-truncated", "yes"),
    on_off("aof-rewrite-incremental-fsync", "yes"),
    on_off("aof-timestamp-enabled", "no"),
    on_off("aof-use-rdb-preamble", "yes"),
    text("aof_rewrite_cpulist", "").fixed(),
    own_word("appenddirname", "appendonlydir", parse_file_name).fixed(),
    own_word("appendfilename", "appendonly.aof", parse_file_name).fixed(),
    choice("appendfsync", "everysec", kAppendfsync),
    on_off("appendonly", "no"),
    size("auto-aof-rewrite-min-size", "67108864", 0),
    number("auto-aof-rewrite-percentage", "100", 0, kIntMax),
    text("bgsave_cpulist", "").fixed(),
    text("bind-source-addr", ""),
    text("bio_cpulist", "").fixed(),
    on_off("cluster-allow-pubsubshard-when-down", "yes"),
    on_off("cluster-allow-reads-when-down", "no"),
    on_off("cluster-allow-replica-migration", "yes"),
    number("cluster-announce-bus-port", "0", 0, kPortMax),
    text("cluster-announce-hostname", ""),
    text("cluster-announce-human-nodename", ""),
    text("cluster-announce-ip", ""),
    number("cluster-announce-port", "0", 0, kPortMax),
    number("cluster-announce-tls-port", "0", 0, kPortMax),
    text("cluster-config-file", "nodes.conf").fixed(),
    on_off("cluster-enabled", "no").fixed(),
    size("cluster-link-sendbuf-limit", "0", 0),
    number("cluster-migration-barrier", "1", 0, kIntMax),
    number("cluster-node-timeout", "15000", 0, kLongMax),
    number("cluster-port", "0", 0, kPortMax).fixed(),
    choice("cluster-preferred-endpoint-type", "ip", kClusterPreferredEndpointType),
    on_off("cluster-replica-no-failover", "no").also("cluster-slave-no-failover"),
    number("cluster-replica-validity-factor", "10", 0, kIntMax)
        .also("cluster-slave-validity-factor"),
    on_off("cluster-require-full-coverage", "yes"),
    on_off("crash-log-enabled", "yes"),
    on_off("crash-memcheck-enabled", "yes"),
    own_word("dbfilename", "dump.rdb", parse_file_name).guarded(),
    on_off("disable-thp", "yes").fixed(),
    on_off("dynamic-hz", "yes"),
    choice("enable-module-command", "no", kEnableModuleCommand).fixed(),
    number("hz", "10", 0, kIntMax),
    text("ignore-warnings", ""),
    number("io-threads", "1", 1, 128).fixed(),
    on_off("io-threads-do-reads", "no").fixed(),
    on_off("jemalloc-bg-thread", "yes"),
    number("key-load-delay", "0", -kIntMax - 1, kIntMax).hidden(),
    on_off("lazyfree-lazy-eviction", "no"),
    on_off("lazyfree-lazy-expire", "no"),
    on_off("lazyfree-lazy-server-del", "no"),
    on_off("lazyfree-lazy-user-del", "no"),
    on_off("lazyfree-lazy-user-flush", "no"),
    number("list-compress-depth", "0", 0, kIntMax),
    size("loading-process-events-interval-bytes", "2097152", 1024).hidden(),
    own_word("locale-collate", "", parse_locale),
    text("masterauth", ""),
    text("masteruser", ""),
    own_word("maxmemory-clients", "0", parse_memory_or_percent),
    number("min-replicas-max-lag", "10", 0, kIntMax).also("min-slaves-max-lag"),
    number("min-replicas-to-write", "0", 0, kIntMax).also("min-slaves-to-write"),
    on_off("no-appendfsync-on-rewrite", "no"),
    own_word("notify-keyspace-events", "", parse_keyspace_events),
    choice("oom-score-adj", "no", kOomScoreAdj),
    own("oom-score-adj-values", "0 200 800", parse_oom_scores),
    text("proc-title-template", "{title} {listen-addr} {server-mode}"),
    choice("propagation-error-behavior", "ignore", kPropagationErrorBehavior),
    on_off("rdb-del-sync-files", "no"),
    number("rdb-key-save-delay", "0", -kIntMax - 1, kIntMax).hidden(),
    on_off("rdb-save-incremental-fsync", "yes"),
    on_off("rdbchecksum", "yes").fixed(),
    on_off("rdbcompression", "yes"),
    size("repl-backlog-size", "1048576", 1),
    number("repl-backlog-ttl", "3600", 0, kLongMax),
    on_off("repl-disable-tcp-nodelay", "no"),
    choice("repl-diskless-load", "disabled", kReplDisklessLoad),
    on_off("repl-diskless-sync", "yes"),
    number("repl-diskless-sync-delay", "5", 0, kIntMax),
    number("repl-diskless-sync-max-replicas", "0", 0, kIntMax),
    number("repl-ping-replica-period", "10", 1, kIntMax).also("repl-ping-slave-period"),
    number("repl-timeout", "60", 1, kIntMax),
    text("replica-announce-ip", "").also("slave-announce-ip"),
    number("replica-announce-port", "0", 0, kPortMax).also("slave-announce-port"),
    on_off("replica-announced", "yes"),
    on_off("replica-ignore-disk-write-errors", "no"),
    on_off("replica-ignore-maxmemory", "yes").also("slave-ignore-maxmemory"),
    on_off("replica-lazy-flush", "no").also("slave-lazy-flush"),
    number("replica-priority", "100", 0, kIntMax).also("slave-priority"),
    on_off("replica-read-only", "yes").also("slave-read-only"),
    on_off("replica-serve-stale-data", "yes").also("slave-serve-stale-data"),
    own("replicaof", "", parse_master).also("slaveof").fixed(),
    choice("sanitize-dump-payload", "no", kSanitizeDumpPayload),
    own("save", "", parse_save).repeatable(),
    text("server_cpulist", "").fixed(),
    on_off("set-proc-title", "yes").fixed(),
    own("shutdown-on-sigint", "default", parse_shutdown_words),
    own("shutdown-on-sigterm", "default", parse_shutdown_words),
    number("shutdown-timeout", "10", 0, kIntMax),
    number("socket-mark-id", "0", 0, kUnsignedMax).fixed(),
    on_off("stop-writes-on-bgsave-error", "yes"),
    choice("supervised", "no", kSupervised).fixed(),
    on_off("syslog-enabled", "no").fixed(),
    choice("syslog-facility", "local0", kSyslogFacility).fixed(),
    text("syslog-ident", "redis").fixed(),
    number("tcp-keepalive", "300", 0, kIntMax),
    choice("tls-auth-clients", "yes", kTlsAuthClients),
    text("tls-ca-cert-dir", ""),
    text("tls-ca-cert-file", ""),
    text("tls-cert-file", ""),
    text("tls-ciphers", ""),
    text("tls-ciphersuites", ""),
    text("tls-client-cert-file", ""),
    text("tls-client-key-file", ""),
    text("tls-client-key-file-pass", ""),
    on_off("tls-cluster", "no"),
    text("tls-dh-params-file", ""),
    text("tls-key-file", ""),
    text("tls-key-file-pass", ""),
    number("tls-port", "0", 0, kPortMax),
    on_off("tls-prefer-server-ciphers", "no"),
    text("tls-protocols", ""),
    on_off("tls-replication", "no"),
    number("tls-session-cache-size", "20480", 0, kIntMax),
    number("tls-session-cache-timeout", "300", 0, kIntMax),
    on_off("tls-session-caching", "yes"),
    number("tracking-table-max-keys", "1000000", 0, kLongMax),
    on_off("use-exit-on-panic", "no").hidden(),
    number("watchdog-period", "0", 0, kIntMax).hidden(),
};

}  // namespace

std::span<const Parameter> kept_parameters() {
    static const std::vector<Parameter> table(kRows.begin(), kRows.end());
    return table;
}

}  // namespace tern::server
