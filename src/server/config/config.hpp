#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/output_limits.hpp"
#include "store/eviction/evictor.hpp"
#include "store/hash/collection.hpp"
#include "store/keyspace/defragmenter.hpp"
#include "store/set/set.hpp"
#include "store/stream/node.hpp"

namespace tern::server {

/// The settings that tern reads, by Redis's names where Redis has them. Settings (settings.hpp)
/// writes them from the table of parameters; their defaults are the table's.
struct Config {
    std::uint64_t maxmemory = 0;  ///< bytes; 0: no limit
    store::EvictionPolicy maxmemory_policy = store::EvictionPolicy::kNoEviction;
    std::int64_t maxmemory_samples = 5;
    std::int64_t maxmemory_eviction_tenacity = 10;  ///< 0 to 100: how much one command may evict
    store::LfuOptions lfu;
    store::DefragOptions defrag;
    std::string requirepass;
    std::int64_t proto_max_bulk_len = 512LL * 1024 * 1024;
    std::int64_t maxclients = 10000;
    std::int64_t busy_reply_threshold_ms = 5000;  ///< of a script; 0: none is ever busy
    std::int64_t timeout_s = 0;                   ///< idle clients are closed after it; 0: never
    std::int64_t databases = 16;
    OutputLimits output_limits;                                      ///< client-output-buffer-limit
    std::uint64_t query_buffer_limit_bytes = 1024ULL * 1024 * 1024;  ///< input held for a client
    store::CompactLimits hash_limits{.entry_count_max = 512, .text_bytes_max = 64};
    std::int64_t list_max_listpack_size = -2;
    store::sets::SetLimits set_limits;
    store::streams::NodeLimits stream_limits;
    store::CompactLimits zset_limits{.entry_count_max = 128, .text_bytes_max = 64};

    std::size_t hll_sparse_bytes_max = 3000;  ///< longest sparse HyperLogLog

    std::vector<std::string> bind;  ///< addresses as written, a leading '-' allowed
    std::int64_t port = 6379;       ///< 0: no TCP
    std::string unixsocket;
    std::uint32_t unixsocketperm = 0;  ///< 0: the socket's own default
    std::vector<std::string> listen;   ///< endpoints besides bind, port and unixsocket
    std::int64_t tcp_backlog = 511;
    bool protected_mode = true;

    /// DEBUG: for nobody, for everybody, or for clients of this host.
    enum class Guard : std::uint8_t { kNo, kYes, kLocal };
    Guard enable_debug_command = Guard::kNo;
    Guard enable_protected_configs = Guard::kNo;

    std::int64_t slowlog_log_slower_than_us = 10000;  ///< negative: nothing is logged
    std::int64_t slowlog_max_len = 128;
    std::int64_t latency_monitor_threshold_ms = 0;  ///< 0: events are not noted
    bool latency_tracking = true;
    std::vector<double> latency_percentiles;  ///< that INFO latencystats shows

    bool daemonize = false;
    std::string pidfile;
    std::string logfile;        ///< empty: stdout
    std::int64_t loglevel = 2;  ///< 0 debug, 1 verbose, 2 notice, 3 warning, 4 nothing

    std::int64_t server_core = -1;  ///< the loop's thread is pinned to it; negative: not
    bool busy_poll_always = false;  ///< the loop never sleeps
    std::int64_t spin_us_max = 200;
};

}  // namespace tern::server
