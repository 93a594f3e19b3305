#include "server/server.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "server/commands/tables.hpp"
#include "server/observe/heap.hpp"
#include "store/hash/hash.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/list/list.hpp"
#include "store/set/set.hpp"
#include "store/stream/stream.hpp"
#include "store/zset/zset.hpp"

namespace tern::server {

Server::Server(Settings& settings,
               store::Keyspace& keyspace,
               const TickClock& clock,
               std::uint64_t instance_id)
    : settings_(settings),
      config_(settings.config()),
      keyspace_(keyspace),
      clock_(clock),
      registry_(commands::all_tables()),
      instance_id_(instance_id) {
    store::hashes::register_type(keyspace);
    store::lists::register_type(keyspace);
    store::sets::register_type(keyspace);
    store::streams::register_type(keyspace);
    store::zsets::register_type(keyspace);
    // 40 hex digits as Redis prints them; the first sixteen are the ring's instance id.
    std::uint64_t more[2] = {instance_id * 0x9E3779B97F4A7C15ULL,
                             ~instance_id * 0xD1B54A32D192ED03ULL};
    run_id_ = fmt::format("{:016x}{:016x}{:08x}", instance_id, more[0], more[1] >> 32);
    apply_settings();
}

Call Server::make_call(Session& session, Reply& reply, const CommandSpec* spec) {
    return Call{*this,
                session,
                keyspace_,
                keyspace_.database(session.database_index),
                reply,
                *scratch_,
                now_ms_,
                spec};
}

Server::Nesting::Nesting(Server& server) : server_(server) {
    if (++server_.nesting_depth_ == server_.scratches_.size()) {
        server_.scratches_.emplace_back();
    }
    server_.scratch_ = &server_.scratches_[server_.nesting_depth_];
}

Server::Nesting::~Nesting() {
    server_.scratch_->reset();
    server_.scratch_ = &server_.scratches_[--server_.nesting_depth_];
}

void Server::forget(Session& session) {
    blocked_clients_.forget(session);
    watches_.forget(session);
    pubsub_.forget(session);
    key_events_.update();
    clients_.remove(session);
}

bool Server::authenticate(std::string_view user, std::string_view password) const noexcept {
    if (user != "default") {
        return false;
    }
    const std::string& expected = config_.requirepass;
    if (expected.empty()) {
        return true;  // the default user has no password: any is right, as in Redis
    }
    // Every byte is compared whatever the others say, so that the time does not tell how many are
    // right.
    unsigned difference = expected.size() == password.size() ? 0 : 1;
    for (std::size_t i = 0; i < password.size(); ++i) {
        difference |= static_cast<unsigned char>(password[i] ^ expected[i % expected.size()]);
    }
    return difference == 0;
}

Result<void> Server::rename_commands() {
    for (const Settings::Rename& one : settings_.renames()) {
        Result<void> renamed = registry_.rename(one.from, one.to);
        if (!renamed) {
            return Error(renamed.error()).add_context(one.place);
        }
    }
    return {};
}

void Server::sample_rates() noexcept {
    constexpr std::int64_t kSampleMs = 100;
    next_sample_ms_ = now_ms_ + kSampleMs;
    rates_.commands.sample(now_ms_, stats_.commands_processed);
    rates_.input_bytes.sample(now_ms_, stats_.input_bytes);
    rates_.output_bytes.sample(now_ms_, stats_.output_bytes);
    if (config_.maxmemory != 0) {
        heap_bytes_ = heap_bytes_in_use();
    }
}

void Server::close_idle_clients() {
    constexpr std::int64_t kMsPerSecond = 1000;
    if ((config_.timeout_s == 0 && !has_slow_readers_) || now_ms_ < next_idle_check_ms_) {
        return;
    }
    next_idle_check_ms_ = now_ms_ + kMsPerSecond;
    has_slow_readers_ = false;
    const std::int64_t silent_since_ms = now_ms_ - config_.timeout_s * kMsPerSecond;
    std::vector<Session*> leaving;
    for (const auto& [id, session] : clients_) {
        if (session->soft_limit_since_ms != 0 &&
            exceeds_output_limit(*session, session->peer->pending_output_bytes())) {
            ++stats_.output_limit_disconnections;
            leaving.push_back(session);
        } else if (config_.timeout_s != 0 && session->last_interaction_ms < silent_since_ms &&
                   !session->blocked && !session->is_subscribed()) {
            leaving.push_back(session);
        }
    }
    for (Session* session : leaving) {
        session->peer->close_now();
    }
}

void Server::reset_stats() {
    stats_ = ServerStats{};
    stats_.connections_before = clients_.total_count();
    rates_ = Rates{};
    keyspace_.reset_stats();
    defragmenter_.reset_stats();
    for (const Command& command : registry_.commands()) {
        command.stats.clear();
        for (const Command& sub : command.subcommands) {
            sub.stats.clear();
        }
    }
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
