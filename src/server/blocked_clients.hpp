#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/command/call.hpp"
#include "store/keyspace/object_ops.hpp"

namespace tern::server {

/// Sessions that wait for keys (BZPOPMIN and its kind), served in the order in which they came.
///
/// A blocking command that finds nothing calls `block`. While anybody waits this observes the
/// keyspace and notes the keys with waiters that were added or changed; after each command the
/// executor calls `serve_ready`, which lets the waiters of each such key try again, first come
/// first served.
///
/// Threads: the server's one thread.
class BlockedClients {
public:
    /// What a blocked session wants done.
    class Operation {
    public:
        virtual ~Operation() = default;
        /// Tries again for `key`. True when it has written the reply: the session is then
        /// unblocked.
        virtual bool try_serve(Call& call, std::string_view key) = 0;
        /// Writes the reply of a wait that ran out.
        virtual void time_out(Reply& reply) = 0;
        /// Whether it is to try as well when a key has gone.
        [[nodiscard]] virtual bool serves_without_key() const noexcept { return false; }
    };

    explicit BlockedClients(Server& server) noexcept : server_(server) {}

    /// Parks `call.session` until one of `keys` serves it or `deadline_ms` passes (0: never). A
    /// session that denies blocking (inside EXEC or a script) is answered as if the time were over.
    void block(Call& call,
               std::span<const std::string_view> keys,
               std::int64_t deadline_ms,
               std::unique_ptr<Operation> operation);

    /// Forgets a session that is about to end.
    void forget(Session& session);

    /// CLIENT UNBLOCK: answers as if the time were over, or with an error. False: it is not
    /// blocked.
    bool unblock(Session& session, bool with_error);

    /// Lets the waiters of a key try again although no key event tells of it.
    void touch(std::uint32_t database, std::string_view key) {
        note_touched({database, std::string(key)});
    }

    /// Lets waiters of touched keys try, until no touched key is left.
    void serve_ready() {
        if (!touched_.empty()) {
            serve_touched();
        }
    }
    /// Ends the waits whose deadline is at or before `now_ms`.
    void expire(std::int64_t now_ms);

    // What the keyspace says.
    void on_key_event(store::KeyEvent event, std::size_t database, std::string_view key);
    void on_database_replaced(std::size_t database);

    [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
    /// Those of them whose wait ends by itself, and the keys that somebody waits for.
    [[nodiscard]] std::size_t timed_count() const noexcept { return deadlines_.size(); }
    [[nodiscard]] std::size_t key_count() const noexcept { return waiters_.size(); }
    /// Keys for which somebody waits who is served without the key as well; looks at all waiters.
    [[nodiscard]] std::size_t key_count_without_key() const;
    /// The next deadline, or 0 when no wait ends by itself.
    [[nodiscard]] std::int64_t next_deadline_ms() const noexcept {
        return deadlines_.empty() ? 0 : deadlines_.begin()->first;
    }

private:
    using Key = std::pair<std::uint32_t, std::string>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<std::string>{}(key.second) ^ key.first;
        }
    };
    struct Waiting {
        Session* session = nullptr;
        std::uint64_t correlation_id = 0;
        std::int64_t deadline_ms = 0;
        std::vector<Key> keys;
        std::unique_ptr<Operation> operation;
        const CommandSpec* spec = nullptr;
    };

    void note_touched(const Key& key);
    void observe();
    void serve_touched();
    void serve_key(const Key& key);
    std::unique_ptr<Waiting> release(Session& session);
    void count_error(const Waiting& waiting, const Reply& reply);
    template <typename Write>
    void reply_late(Waiting& waiting, Write write);

    Server& server_;
    std::unordered_map<Session*, std::unique_ptr<Waiting>> waiting_;
    std::unordered_map<Key, std::list<Waiting*>, KeyHash> waiters_;
    std::vector<Key> touched_;
    std::set<std::pair<std::int64_t, Session*>> deadlines_;
    std::size_t without_key_count_ = 0;  ///< waiters that hear of keys that go
};

}  // namespace tern::server
