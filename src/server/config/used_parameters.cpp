#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/number_text.hpp"
#include "server/config/parameter_rows.hpp"

/// The parameters that tern reads: Redis's, and its own at the end. Each row says where.
namespace tern::server {

namespace {

using namespace rows;
using Value = ParameterValue;

constexpr std::uint64_t kMemoryMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kBulkBytesMin = 1024 * 1024;
constexpr std::uint64_t kModeMax = 0777;

/// In the order of store::EvictionPolicy.
constexpr std::array<std::string_view, 8> kMaxmemoryPolicy = {"volatile-lru",
                                                              "volatile-lfu",
                                                              "volatile-random",
                                                              "volatile-ttl",
                                                              "allkeys-lru",
                                                              "allkeys-lfu",
                                                              "allkeys-random",
                                                              "noeviction"};
constexpr std::array<std::string_view, 3> kGuards = {"no", "yes", "local"};
constexpr std::array<std::string_view, 5> kLogLevels = {
    "debug", "verbose", "notice", "warning", "nothing"};
constexpr std::array<std::string_view, 2> kBusyPolls = {"adaptive", "always"};

/// An Apply that copies the number into a member.
template <auto Member>
std::string to_number(Config& config, const Value& value) {
    using Field = std::remove_reference_t<decltype(config.*Member)>;
    config.*Member = static_cast<Field>(value.number);
    return {};
}

template <auto Member>
std::string to_switch(Config& config, const Value& value) {
    config.*Member = value.number != 0;
    return {};
}

template <auto Member>
std::string to_text(Config& config, const Value& value) {
    config.*Member = value.text;
    return {};
}

template <auto Member>
std::string to_words(Config& config, const Value& value) {
    config.*Member = split_words(value.text);
    return {};
}

template <auto Field>
std::string to_lfu(Config& config, const Value& value) {
    config.lfu.*Field = static_cast<std::uint32_t>(value.number);
    return {};
}

template <auto Field>
std::string to_defrag(Config& config, const Value& value) {
    using Type = std::remove_reference_t<decltype(config.defrag.*Field)>;
    config.defrag.*Field = static_cast<Type>(value.number);
    return {};
}

/// Into one of the two limits of a compact collection.
template <auto Limits, auto Limit>
std::string to_limit(Config& config, const Value& value) {
    (config.*Limits).*Limit = static_cast<std::size_t>(value.number);
    return {};
}

std::string to_integer_limit(Config& config, const Value& value) {
    config.set_limits.integer_count_max = static_cast<std::size_t>(value.number);
    return {};
}

template <auto Limit>
std::string to_packed_limit(Config& config, const Value& value) {
    config.set_limits.packed.*Limit = static_cast<std::size_t>(value.number);
    return {};
}

std::string to_output_limit(Config& config, const Value& value) {
    config.output_limits = output_limits_of(value.text);
    return {};
}

std::string to_percentiles(Config& config, const Value& value) {
    config.latency_percentiles.clear();
    for (const std::string& word : split_words(value.text)) {
        double percent = 0;
        static_cast<void>(parse_double(word, percent));  // the row's parser took it
        config.latency_percentiles.push_back(percent);
    }
    return {};
}

std::string to_busy_poll(Config& config, const Value& value) {
    config.busy_poll_always = value.number == 1;
    return {};
}

std::string to_working_directory(Config& /*config*/, const Value& value) {
    return ::chdir(value.text.c_str()) == 0 ? std::string() : std::string(std::strerror(errno));
}

using Limits = store::CompactLimits;
using NodeLimits = store::streams::NodeLimits;

constexpr std::array kRows = {
    number("active-defrag-cycle-max", "25", 1, 99)
        .does("effort of defragmentation at the upper threshold, about percent of a core",
              to_defrag<&store::DefragOptions::cycle_max>),
    number("active-defrag-cycle-min", "1", 1, 99)
        .does("the same at the lower one", to_defrag<&store::DefragOptions::cycle_min>),
    size("active-defrag-ignore-bytes", "104857600", 1)
        .does("waste that defragmentation leaves alone",
              to_defrag<&store::DefragOptions::ignore_bytes>),
    number("active-defrag-threshold-lower", "10", 0, 1000)
        .does("percent of waste from which on it works",
              to_defrag<&store::DefragOptions::threshold_lower>),
    number("active-defrag-threshold-upper", "100", 0, 1000)
        .does("percent of waste from which on it works hardest",
              to_defrag<&store::DefragOptions::threshold_upper>),
    on_off("activedefrag", "no")
        .does("move keys together when memory is used sparsely",
              to_defrag<&store::DefragOptions::is_on>),
    words("bind", "127.0.0.1")
        .fixed()
        .does("addresses that the port listens on; '-' in front: skipped when the host lacks it; "
              "'*': any",
              to_words<&Config::bind>),
    own("client-output-buffer-limit",
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
        parse_output_limits)
        .does(
            "output waiting for a client above which it is closed (tern uses normal's hard limit)",
            to_output_limit),
    size("client-query-buffer-limit", "1073741824", 1048576)
        .does("input and queued commands held for a client above which it is closed",
              to_number<&Config::query_buffer_limit_bytes>),
    on_off("daemonize", "no").fixed().does("go into the background", to_switch<&Config::daemonize>),
    number("databases", "16", 1, kIntMax)
        .fixed()
        .does("numbered databases", to_number<&Config::databases>),
    own_word("dir", ".", parse_directory)
        .guarded()
        .does("working directory; relative paths begin there", to_working_directory),
    choice("enable-debug-command", "no", kGuards)
        .fixed()
        .does("who may use DEBUG; local: clients of this host",
              to_number<&Config::enable_debug_command>),
    choice("enable-protected-configs", "no", kGuards)
        .fixed()
        .does("who may CONFIG SET dir and the like", to_number<&Config::enable_protected_configs>),
    number("hash-max-listpack-entries", "512", 0, kLongMax)
        .also("hash-max-ziplist-entries")
        .does("fields up to which a hash stays compact",
              to_limit<&Config::hash_limits, &Limits::entry_count_max>),
    size("hash-max-listpack-value", "64", 0)
        .also("hash-max-ziplist-value")
        .does("longest field or value of a compact hash",
              to_limit<&Config::hash_limits, &Limits::text_bytes_max>),
    size("hll-sparse-max-bytes", "3000", 0)
        .does("bytes up to which a HyperLogLog stays sparse",
              to_number<&Config::hll_sparse_bytes_max>),
    number("latency-monitor-threshold", "0", 0, kLongMax)
        .does("milliseconds from which on LATENCY notes an event; 0: never",
              to_number<&Config::latency_monitor_threshold_ms>),
    on_off("latency-tracking", "yes")
        .does("keep how long the calls of each command take", to_switch<&Config::latency_tracking>),
    own("latency-tracking-info-percentiles", "50 99 99.9", parse_percentiles)
        .does("percentiles that INFO latencystats shows", to_percentiles),
    number("list-max-listpack-size", "-2", kIntMin, kIntMax)
        .also("list-max-ziplist-size")
        .does("how much one packed run of a list holds: elements, or -1 to -5 for 4 to 64 KiB",
              to_number<&Config::list_max_listpack_size>),
    text("logfile", "")
        .fixed()
        .does("file to log to; empty: standard output", to_text<&Config::logfile>),
    choice("loglevel", "notice", kLogLevels)
        .does("least important lines that are logged", to_number<&Config::loglevel>),
    number("lfu-decay-time", "1", 0, kIntMax)
        .does("minutes after which the use count of a key fades by one; 0: never",
              to_lfu<&store::LfuOptions::decay_minutes>),
    number("lfu-log-factor", "10", 0, kIntMax)
        .does("how slowly use counts grow", to_lfu<&store::LfuOptions::log_factor>),
    number("maxclients", "10000", 1, kUnsignedMax)
        .does("clients at a time", to_number<&Config::maxclients>),
    size("maxmemory", "0", 0, kMemoryMax)
        .does("bytes from which on keys go by maxmemory-policy, or commands that add are refused; "
              "0: no limit",
              to_number<&Config::maxmemory>),
    number("maxmemory-eviction-tenacity", "10", 0, 100)
        .does("how many keys go before one command at most; 100: as many as it takes",
              to_number<&Config::maxmemory_eviction_tenacity>),
    choice("maxmemory-policy", "noeviction", kMaxmemoryPolicy)
        .does("which keys go when memory is short", to_number<&Config::maxmemory_policy>),
    number("maxmemory-samples", "5", 1, kIntMax)
        .does("keys that LRU and LFU look at for each that goes",
              to_number<&Config::maxmemory_samples>),
    text("pidfile", "").fixed().does("file with the process id", to_text<&Config::pidfile>),
    number("port", "6379", 0, kPortMax).fixed().does("TCP port; 0: none", to_number<&Config::port>),
    on_off("protected-mode", "yes")
        .does("without a password, only clients of this host are served",
              to_switch<&Config::protected_mode>),
    size("proto-max-bulk-len", "536870912", kBulkBytesMin)
        .does("longest argument", to_number<&Config::proto_max_bulk_len>),
    text("requirepass", "").does("password of the default user", to_text<&Config::requirepass>),
    number("slowlog-log-slower-than", "10000", -1, kLongMax)
        .does("microseconds from which on SLOWLOG notes a command; -1: never",
              to_number<&Config::slowlog_log_slower_than_us>),
    number("slowlog-max-len", "128", 0, kLongMax)
        .does("commands that SLOWLOG keeps", to_number<&Config::slowlog_max_len>),
    number("set-max-intset-entries", "512", 0, kLongMax)
        .does("integers up to which a set of nothing else stays compact", to_integer_limit),
    number("set-max-listpack-entries", "128", 0, kLongMax)
        .does("members up to which a set stays compact", to_packed_limit<&Limits::entry_count_max>),
    number("set-max-listpack-value", "64", 0, kLongMax)
        .does("longest member of a compact set", to_packed_limit<&Limits::text_bytes_max>),
    size("stream-node-max-bytes", "4096", 0)
        .does("bytes that one node of a stream holds; 0: as many as fit",
              to_limit<&Config::stream_limits, &NodeLimits::bytes_max>),
    number("stream-node-max-entries", "100", 0, kLongMax)
        .does("entries that one node of a stream holds; 0: as many as fit",
              to_limit<&Config::stream_limits, &NodeLimits::entry_count_max>),
    number("tcp-backlog", "511", 0, kIntMax)
        .fixed()
        .does("connections that wait to be accepted", to_number<&Config::tcp_backlog>),
    number("busy-reply-threshold", "5000", 0, kLongMax)
        .also("lua-time-limit")
        .does("milliseconds after which others are told of a script that it is busy; 0: never",
              to_number<&Config::busy_reply_threshold_ms>),
    number("timeout", "0", 0, kIntMax)
        .does("seconds after which an idle client is closed; 0: never",
              to_number<&Config::timeout_s>),
    text("unixsocket", "")
        .fixed()
        .does("path of a Unix socket, which serves rings as well", to_text<&Config::unixsocket>),
    make("unixsocketperm", "0", Parameter::Kind::kOctal)
        .fixed()
        .up_to(kModeMax)
        .does("permissions of the Unix socket, in octal; 0: its owner only",
              to_number<&Config::unixsocketperm>),
    number("zset-max-listpack-entries", "128", 0, kLongMax)
        .also("zset-max-ziplist-entries")
        .does("members up to which a sorted set stays compact",
              to_limit<&Config::zset_limits, &Limits::entry_count_max>),
    size("zset-max-listpack-value", "64", 0)
        .also("zset-max-ziplist-value")
        .does("longest member of a compact sorted set",
              to_limit<&Config::zset_limits, &Limits::text_bytes_max>),

    choice("busy-poll", "adaptive", kBusyPolls)
        .fixed()
        .ours()
        .does("always: the loop never sleeps and takes a core for itself", to_busy_poll),
    own("listen", "", parse_listen)
        .fixed()
        .repeatable()
        .ours()
        .does("endpoint to listen on (tcp:HOST:PORT, unix:PATH); may be given several times",
              to_words<&Config::listen>),
    number("server-core", "-1", -1, kIntMax)
        .fixed()
        .ours()
        .does("core that the loop is pinned to; -1: none", to_number<&Config::server_core>),
    number("spin-us-max", "200", 0, 1'000'000)
        .fixed()
        .ours()
        .does("most microseconds that the loop polls after a message before it sleeps",
              to_number<&Config::spin_us_max>),
};

}  // namespace

std::span<const Parameter> used_parameters() {
    static const std::vector<Parameter> table(kRows.begin(), kRows.end());
    return table;
}

}  // namespace tern::server
