#include "server/command/tips.hpp"

#include <algorithm>
#include <array>

namespace tern::server {

namespace {

struct Row {
    std::string_view command;
    std::string_view tips;
};

/// Sorted. As redis-server 7.2.6 reports.
constexpr std::array kRows = {
    Row{"acl|deluser", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"acl|save", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"acl|setuser", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"client|info", "nondeterministic_output"},
    Row{"client|list", "nondeterministic_output"},
    Row{"client|setinfo", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"client|setname", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"cluster|bumpepoch", "nondeterministic_output"},
    Row{"cluster|count-failure-reports", "nondeterministic_output"},
    Row{"cluster|getkeysinslot", "nondeterministic_output"},
    Row{"cluster|info", "nondeterministic_output"},
    Row{"cluster|links", "nondeterministic_output"},
    Row{"cluster|myshardid", "nondeterministic_output"},
    Row{"cluster|nodes", "nondeterministic_output"},
    Row{"cluster|replicas", "nondeterministic_output"},
    Row{"cluster|shards", "nondeterministic_output"},
    Row{"cluster|slaves", "nondeterministic_output"},
    Row{"cluster|slots", "nondeterministic_output"},
    Row{"command", "nondeterministic_output_order"},
    Row{"command|docs", "nondeterministic_output_order"},
    Row{"command|info", "nondeterministic_output_order"},
    Row{"command|list", "nondeterministic_output_order"},
    Row{"config|resetstat", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"config|rewrite", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"config|set", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"dbsize", "request_policy:all_shards response_policy:agg_sum"},
    Row{"del", "request_policy:multi_shard response_policy:agg_sum"},
    Row{"dump", "nondeterministic_output"},
    Row{"exists", "request_policy:multi_shard response_policy:agg_sum"},
    Row{"flushall", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"flushdb", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"function|delete", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"function|flush", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"function|kill", "request_policy:all_shards response_policy:one_succeeded"},
    Row{"function|list", "nondeterministic_output_order"},
    Row{"function|load", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"function|restore", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"function|stats",
        "nondeterministic_output request_policy:all_shards response_policy:special"},
    Row{"hgetall", "nondeterministic_output_order"},
    Row{"hkeys", "nondeterministic_output_order"},
    Row{"hrandfield", "nondeterministic_output"},
    Row{"hscan", "nondeterministic_output"},
    Row{"hvals", "nondeterministic_output_order"},
    Row{"info", "nondeterministic_output request_policy:all_shards response_policy:special"},
    Row{"keys", "request_policy:all_shards nondeterministic_output_order"},
    Row{"lastsave", "nondeterministic_output"},
    Row{"latency|doctor",
        "nondeterministic_output request_policy:all_nodes response_policy:special"},
    Row{"latency|graph",
        "nondeterministic_output request_policy:all_nodes response_policy:special"},
    Row{"latency|histogram",
        "nondeterministic_output request_policy:all_nodes response_policy:special"},
    Row{"latency|history",
        "nondeterministic_output request_policy:all_nodes response_policy:special"},
    Row{"latency|latest",
        "nondeterministic_output request_policy:all_nodes response_policy:special"},
    Row{"latency|reset", "request_policy:all_nodes response_policy:agg_sum"},
    Row{"memory|doctor",
        "nondeterministic_output request_policy:all_shards response_policy:special"},
    Row{"memory|malloc-stats",
        "nondeterministic_output request_policy:all_shards response_policy:special"},
    Row{"memory|purge", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"memory|stats",
        "nondeterministic_output request_policy:all_shards response_policy:special"},
    Row{"mget", "request_policy:multi_shard"},
    Row{"migrate", "nondeterministic_output"},
    Row{"module|list", "nondeterministic_output_order"},
    Row{"mset", "request_policy:multi_shard response_policy:all_succeeded"},
    Row{"object|encoding", "nondeterministic_output"},
    Row{"object|freq", "nondeterministic_output"},
    Row{"object|idletime", "nondeterministic_output"},
    Row{"object|refcount", "nondeterministic_output"},
    Row{"ping", "request_policy:all_shards response_policy:all_succeeded"},
    Row{"pttl", "nondeterministic_output"},
    Row{"randomkey", "request_policy:all_shards response_policy:special nondeterministic_output"},
    Row{"scan", "nondeterministic_output request_policy:special response_policy:special"},
    Row{"script|exists", "request_policy:all_shards response_policy:agg_logical_and"},
    Row{"script|flush", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"script|kill", "request_policy:all_shards response_policy:one_succeeded"},
    Row{"script|load", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"sdiff", "nondeterministic_output_order"},
    Row{"sinter", "nondeterministic_output_order"},
    Row{"slowlog|get", "request_policy:all_nodes nondeterministic_output"},
    Row{"slowlog|len", "request_policy:all_nodes response_policy:agg_sum nondeterministic_output"},
    Row{"slowlog|reset", "request_policy:all_nodes response_policy:all_succeeded"},
    Row{"smembers", "nondeterministic_output_order"},
    Row{"spop", "nondeterministic_output"},
    Row{"srandmember", "nondeterministic_output"},
    Row{"sscan", "nondeterministic_output"},
    Row{"sunion", "nondeterministic_output_order"},
    Row{"time", "nondeterministic_output"},
    Row{"touch", "request_policy:multi_shard response_policy:agg_sum"},
    Row{"ttl", "nondeterministic_output"},
    Row{"unlink", "request_policy:multi_shard response_policy:agg_sum"},
    Row{"wait", "request_policy:all_shards response_policy:agg_min"},
    Row{"waitaof", "request_policy:all_shards response_policy:agg_min"},
    Row{"xadd", "nondeterministic_output"},
    Row{"xautoclaim", "nondeterministic_output"},
    Row{"xclaim", "nondeterministic_output"},
    Row{"xinfo|consumers", "nondeterministic_output"},
    Row{"xpending", "nondeterministic_output"},
    Row{"xtrim", "nondeterministic_output"},
    Row{"zrandmember", "nondeterministic_output"},
    Row{"zscan", "nondeterministic_output"},
};

/// Sorted. Versions as redis-server 7.2.6 reports them.
constexpr std::array kFates = {
    CommandFate{"brpoplpush", "6.2.0", "`BLMOVE` RIGHT LEFT"},
    CommandFate{"cluster|slaves", "5.0.0", "`CLUSTER REPLICAS`"},
    CommandFate{"cluster|slots", "7.0.0", "`CLUSTER SHARDS`"},
    CommandFate{"debug", "", ""},
    CommandFate{"georadius", "6.2.0", "`GEOSEARCH` and `GEOSEARCHSTORE` BYRADIUS"},
    CommandFate{"georadius_ro", "6.2.0", "`GEOSEARCH` BYRADIUS"},
    CommandFate{
        "georadiusbymember", "6.2.0", "`GEOSEARCH` and `GEOSEARCHSTORE` FROMMEMBER BYRADIUS"},
    CommandFate{"georadiusbymember_ro", "6.2.0", "`GEOSEARCH` FROMMEMBER BYRADIUS"},
    CommandFate{"getset", "6.2.0", "`SET` GET"},
    CommandFate{"hmset", "4.0.0", "`HSET`"},
    CommandFate{"pfdebug", "", ""},
    CommandFate{"pfselftest", "", ""},
    CommandFate{"psetex", "2.6.12", "`SET` PX"},
    CommandFate{"quit", "7.2.0", "closing the connection"},
    CommandFate{"replconf", "", ""},
    CommandFate{"restore-asking", "", ""},
    CommandFate{"rpoplpush", "6.2.0", "`LMOVE` RIGHT LEFT"},
    CommandFate{"setex", "2.6.12", "`SET` EX"},
    CommandFate{"setnx", "2.6.12", "`SET` NX"},
    CommandFate{"slaveof", "5.0.0", "`REPLICAOF`"},
    CommandFate{"substr", "2.0.0", "`GETRANGE`"},
    CommandFate{"zrangebylex", "6.2.0", "`ZRANGE` BYLEX"},
    CommandFate{"zrangebyscore", "6.2.0", "`ZRANGE` BYSCORE"},
    CommandFate{"zrevrange", "6.2.0", "`ZRANGE` REV"},
    CommandFate{"zrevrangebylex", "6.2.0", "`ZRANGE` REV BYLEX"},
    CommandFate{"zrevrangebyscore", "6.2.0", "`ZRANGE` REV BYSCORE"},
};

/// The row of a sorted table, or its end.
template <typename Table>
auto find_row(const Table& table, std::string_view full_name) noexcept {
    const auto found = std::lower_bound(
        table.begin(), table.end(), full_name, [](const auto& row, std::string_view name) {
            return row.command < name;
        });
    return found != table.end() && found->command == full_name ? found : table.end();
}

}  // namespace

const CommandFate* command_fate(std::string_view full_name) noexcept {
    const auto found = find_row(kFates, full_name);
    return found == kFates.end() ? nullptr : &*found;
}

std::string_view command_tips(std::string_view full_name) noexcept {
    const auto found = find_row(kRows, full_name);
    return found == kRows.end() ? std::string_view() : found->tips;
}

}  // namespace tern::server
