#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/session.hpp"

namespace tern::store {
class Keyspace;
}

namespace tern::server {

/// The keys that sessions WATCH.
///
/// A watched key that is added, changed, removed or expires makes the EXEC of everyone who watches
/// it a null. A key that did not exist when it was watched and does not exist at EXEC is unchanged.
///
/// Threads: the server's one thread.
class Watches {
public:
    explicit Watches(store::Keyspace& keyspace) noexcept : keyspace_(keyspace) {}

    /// Watches `key` of the session's database; a key that it watches already is left as it is.
    void add(Session& session, std::string_view key);
    /// UNWATCH, EXEC, DISCARD, the end of the session.
    void forget(Session& session);
    /// Whether a watched key changed, those whose time is over by now included.
    [[nodiscard]] bool is_dirty(Session& session);

    // What the keyspace says.
    void on_key(std::size_t database, std::string_view key);
    void on_database_replaced(std::size_t database);

    [[nodiscard]] bool is_empty() const noexcept { return by_session_.empty(); }
    [[nodiscard]] std::size_t count(const Session& session) const noexcept;

private:
    using Key = std::pair<std::uint32_t, std::string>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<std::string>{}(key.second) ^ key.first;
        }
    };
    struct Watcher {
        Session* session;
        bool existed;  ///< when it was watched, and so until it is dirty
    };
    struct Watched {
        std::vector<Key> keys;
        bool is_dirty = false;
    };

    void touch(const Watcher& watcher);

    store::Keyspace& keyspace_;
    std::unordered_map<const Session*, Watched> by_session_;
    std::unordered_map<Key, std::vector<Watcher>, KeyHash> by_key_;
};

}  // namespace tern::server
