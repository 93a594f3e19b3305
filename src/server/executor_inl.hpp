#pragma once

#include "server/executor.hpp"

namespace tern::server {

/// Every how many calls of a command its time is taken. 16 keeps two clock reads (22 ns) off most
/// calls and gives a dashboard thousands of samples a second.
inline constexpr std::uint64_t kSamplePeriod = 16;

/// Calls `handle`, counted and sometimes timed.
template <typename Handle>
void Executor::invoke(const Command& command, Call& call, Handle& handle) {
    CommandStats& stats = command.stats;
    if (stats.calls++ % kSamplePeriod == 0) {
        const std::uint64_t start = server_.clock().ticks();
        handle(call);
        stats.sampled_ticks += server_.clock().ticks() - start;
        ++stats.sampled_calls;
    } else {
        handle(call);
    }
}

template <typename Handle>
Outcome Executor::execute(const Command& command, Session& session, Reply& reply, Handle handle) {
    Call call = server_.make_call(session, reply, command.spec);
    server_.set_current_client(&session);
    invoke(command, call, handle);
    server_.set_current_client(nullptr);
    reply.finish();
    server_.scratch().reset();
    server_.blocked_clients().serve_ready();
    if ((command.spec->info.flags & kFast) == 0) {
        server_.note_slow_command();
    }
    return session.blocked ? Outcome::kBlocked : Outcome::kDone;
}

}  // namespace tern::server
