#pragma once

#include "server/executor.hpp"
#include "server/observe/lookup_counts.hpp"

namespace tern::server {

/// Calls `handle`, counted and, as the meter says, timed. `words` is the whole command as text,
/// empty when it came as an SBE message.
template <typename Handle>
void Executor::invoke(const Command& command,
                      Call& call,
                      std::span<const std::string_view> words,
                      Handle& handle) {
    CommandStats& stats = command.stats;
    CommandMeter& meter = server_.meter();
    const std::uint32_t flags = command.spec->info.flags;
    const LookupCounts lookups(call.keyspace, flags);
    const bool was_no_touch = call.session.no_touch;
    if (was_no_touch) [[unlikely]] {
        call.keyspace.note_uses(command.full_name == "touch");
    }
    // The call is counted when it is over: CONFIG RESETSTAT counts itself, as in Redis.
    if (meter.is_timed(command)) {
        const std::uint64_t start = meter.start();
        handle(call);
        ++stats.calls;
        meter.finish(command, call.session, words, start, server_.now_ms());
    } else {
        handle(call);
        ++stats.calls;
    }
    lookups.settle();
    if (was_no_touch) [[unlikely]] {
        call.keyspace.note_uses(true);
    }
}

template <typename Handle>
Outcome Executor::execute(const Command& command,
                          Session& session,
                          std::span<const std::string_view> words,
                          Reply& reply,
                          Handle handle) {
    Call call = server_.make_call(session, reply, command.spec);
    invoke(command, call, words, handle);
    reply.finish();
    server_.scratch().reset();
    if (server_.nesting_depth() == 0) {
        server_.blocked_clients().serve_ready();
    }
    if (!command.is_brief) {
        server_.note_slow_command();
    }
    return session.blocked ? Outcome::kBlocked : Outcome::kDone;
}

}  // namespace tern::server
