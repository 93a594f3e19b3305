#include "server/blocked_clients.hpp"

#include <algorithm>
#include <tern/base/check.hpp>
#include <utility>

#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

void BlockedClients::block(Call& call,
                           std::span<const std::string_view> keys,
                           std::int64_t deadline_ms,
                           std::unique_ptr<Operation> operation) {
    Session& session = call.session;
    if (session.denies_blocking) {
        operation->time_out(call.reply);
        return;
    }
    auto waiting = std::make_unique<Waiting>();
    waiting->session = &session;
    waiting->correlation_id = call.reply.correlation_id();
    waiting->deadline_ms = deadline_ms;
    waiting->operation = std::move(operation);
    waiting->spec = call.spec;
    for (const std::string_view name : keys) {
        Key key{session.database_index, std::string(name)};
        if (std::find(waiting->keys.begin(), waiting->keys.end(), key) == waiting->keys.end()) {
            waiters_[key].push_back(waiting.get());
            waiting->keys.push_back(std::move(key));
        }
    }
    if (deadline_ms != 0) {
        deadlines_.emplace(deadline_ms, &session);
    }
    session.blocked = true;
    without_key_count_ += waiting->operation->serves_without_key() ? 1 : 0;
    waiting_.emplace(&session, std::move(waiting));
    observe();
}

std::unique_ptr<BlockedClients::Waiting> BlockedClients::release(Session& session) {
    const auto found = waiting_.find(&session);
    if (found == waiting_.end()) {
        return nullptr;
    }
    std::unique_ptr<Waiting> waiting = std::move(found->second);
    waiting_.erase(found);
    for (const Key& key : waiting->keys) {
        const auto queue = waiters_.find(key);
        // Mostly the first: who came first is served first.
        queue->second.erase(std::find(queue->second.begin(), queue->second.end(), waiting.get()));
        if (queue->second.empty()) {
            waiters_.erase(queue);
        }
    }
    deadlines_.erase({waiting->deadline_ms, &session});
    without_key_count_ -= waiting->operation->serves_without_key() ? 1 : 0;
    session.blocked = false;
    observe();
    return waiting;
}

void BlockedClients::forget(Session& session) {
    static_cast<void>(release(session));
}

/// Counts a command that fails although it was called long ago.
void BlockedClients::count_error(const Waiting& waiting, const Reply& reply) {
    if (reply.has_error()) {
        const Command* const command = server_.registry().find_full(waiting.spec->info.name);
        TERN_CHECK(command != nullptr);
        ++command->stats.failed_calls;
        server_.count_error(reply.error_code());
    }
}

template <typename Write>
void BlockedClients::reply_late(Waiting& waiting, Write write) {
    Session& session = *waiting.session;
    session.peer->begin_message();
    Reply reply(session.peer->late_output(), session.protocol, waiting.correlation_id);
    write(reply);
    count_error(waiting, reply);
    reply.finish();
    session.peer->end_message();
    session.peer->schedule();
}

bool BlockedClients::unblock(Session& session, bool with_error) {
    const std::unique_ptr<Waiting> waiting = release(session);
    if (waiting == nullptr) {
        return false;
    }
    reply_late(*waiting, [&](Reply& reply) {
        if (with_error) {
            reply.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
        } else {
            waiting->operation->time_out(reply);
        }
    });
    return true;
}

void BlockedClients::on_key_event(store::KeyEvent event,
                                  std::size_t database,
                                  std::string_view key) {
    const bool is_there = event == store::KeyEvent::kAdded || event == store::KeyEvent::kModified;
    if (is_there || without_key_count_ != 0) {
        note_touched({static_cast<std::uint32_t>(database), std::string(key)});
    }
}

void BlockedClients::on_database_replaced(std::size_t database) {
    // SWAPDB may have brought keys that somebody waits for.
    for (const auto& [key, queue] : waiters_) {
        if (key.first == database) {
            note_touched(key);
        }
    }
}

void BlockedClients::note_touched(const Key& key) {
    if (waiters_.contains(key) &&
        std::find(touched_.begin(), touched_.end(), key) == touched_.end()) {
        touched_.push_back(key);
    }
}

void BlockedClients::observe() {
    server_.key_events().update();
}

void BlockedClients::serve_touched() {
    // Serving may touch further keys, also those that had their turn (a waiter that moves
    // elements): they are served behind the ones that wait already.
    while (!touched_.empty()) {
        for (const Key& key : std::exchange(touched_, {})) {
            serve_key(key);
        }
    }
}

void BlockedClients::serve_key(const Key& key) {
    const auto queue = waiters_.find(key);
    if (queue == waiters_.end()) {
        return;
    }
    const std::vector<Waiting*> in_order(queue->second.begin(), queue->second.end());
    for (Waiting* waiting : in_order) {
        if (!server_.keyspace().database(key.first).peek(key.second) &&
            !waiting->operation->serves_without_key()) {
            if (without_key_count_ == 0) {
                return;  // nothing is left, however many wait
            }
            continue;
        }
        Session& session = *waiting->session;
        BufferSink output;
        Reply reply(output, session.protocol, waiting->correlation_id);
        Call call = server_.make_call(session, reply, waiting->spec);
        if (!waiting->operation->try_serve(call, key.second)) {
            continue;
        }
        count_error(*waiting, reply);
        reply.finish();
        const std::unique_ptr<Waiting> served = release(session);
        session.peer->begin_message();
        session.peer->late_output().append(output.view());
        session.peer->end_message();
        session.peer->schedule();
    }
}

std::size_t BlockedClients::key_count_without_key() const {
    const auto serves_without_key = [](const Waiting* waiting) {
        return waiting->operation->serves_without_key();
    };
    return static_cast<std::size_t>(
        std::count_if(waiters_.begin(), waiters_.end(), [&](const auto& item) {
            return std::any_of(item.second.begin(), item.second.end(), serves_without_key);
        }));
}

void BlockedClients::expire(std::int64_t now_ms) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now_ms) {
        static_cast<void>(unblock(*deadlines_.begin()->second, false));
    }
}

}  // namespace tern::server
