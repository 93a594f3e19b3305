#include "server/server.hpp"

#include <fmt/format.h>

#include <array>

#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

Server::Server(Config& config,
               store::Keyspace& keyspace,
               const TickClock& clock,
               std::uint64_t instance_id)
    : config_(config),
      keyspace_(keyspace),
      clock_(clock),
      registry_(commands::all_tables()),
      instance_id_(instance_id) {
    // 40 hex digits as Redis prints them; the first sixteen are the ring's instance id.
    std::uint64_t more[2] = {instance_id * 0x9E3779B97F4A7C15ULL,
                             ~instance_id * 0xD1B54A32D192ED03ULL};
    run_id_ = fmt::format("{:016x}{:016x}{:08x}", instance_id, more[0], more[1] >> 32);
}

Call Server::make_call(Session& session, Reply& reply, const CommandSpec* spec) {
    return Call{*this,
                session,
                keyspace_,
                keyspace_.database(session.database_index),
                reply,
                scratch_,
                now_ms_,
                spec};
}

bool Server::is_out_of_memory() const noexcept {
    return config_.maxmemory != 0 && keyspace_.arena().stats().used_bytes >= config_.maxmemory;
}

void Server::count_error(std::string_view code) {
    ++stats_.error_replies;
    // A bound: error texts from scripts (a later layer) choose their own first word.
    constexpr std::size_t kCodeCountMax = 128;
    const auto found = stats_.errors_by_code.find(code);
    if (found != stats_.errors_by_code.end()) {
        ++found->second;
    } else if (stats_.errors_by_code.size() < kCodeCountMax) {
        stats_.errors_by_code.emplace(std::string(code), 1);
    }
}

}  // namespace tern::server
