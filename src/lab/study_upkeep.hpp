#pragma once

#include <cstdint>
#include <string>
#include <tern/base/result.hpp>

/// `tern lab upkeep`: what a client notices while the store does the work that other stores stop
/// for.
///
/// One thread sends GETs of one small key over a ring, one at a time, and in turn with them gives
/// the server something to do: a keyspace that grows, keys whose time is over all at once, a large
/// collection that is deleted. In the end it overwrites one key a million times, and keys among
/// many, with a GET beside each SET. Each phase stands beside the same GETs in quiet with the same
/// data, and beside the bare cache line of that moment.
namespace tern::lab {

struct UpkeepOptions {
    std::string tern_program;  ///< what `serve` is run from
    std::string out_directory;
    std::uint64_t key_count = 10'000'000;         ///< the keyspace grows from nothing to this
    std::uint64_t expiry_count = 1'000'000;       ///< keys whose time is over in the same second
    std::uint64_t member_count = 10'000'000;      ///< of the collection that goes
    std::string collection = "set";               ///< "set", "hash", "zset" or "list"
    std::uint64_t overwritten_count = 1'000'000;  ///< keys of 64 B that are overwritten at random
    int server_core = 0;
    int client_core = 1;
};

/// Runs the study, writes the run directory (table, HDR logs, environment, command) and returns
/// what it wrote to table.txt.
///
/// Errors:   a server that does not start, a call that fails, a file that cannot be written.
[[nodiscard]] Result<std::string> run_upkeep_study(const UpkeepOptions& options,
                                                   const std::string& command_line);

}  // namespace tern::lab
