#include "server/watches.hpp"

#include <algorithm>

#include "store/keyspace/keyspace.hpp"

namespace tern::server {

void Watches::add(Session& session, std::string_view name) {
    Key key{session.database_index, std::string(name)};
    // Looked up before anybody listens: a key whose time is over goes now and counts as absent.
    const bool exists = static_cast<bool>(keyspace_.database(key.first).peek(name));
    std::vector<Watcher>& watchers = by_key_[key];
    const bool is_known = std::any_of(watchers.begin(), watchers.end(), [&](const Watcher& one) {
        return one.session == &session;
    });
    if (!is_known) {
        watchers.push_back({&session, exists});
        by_session_[&session].keys.push_back(std::move(key));
    }
}

void Watches::forget(Session& session) {
    const auto found = by_session_.find(&session);
    if (found == by_session_.end()) {
        return;
    }
    for (const Key& key : found->second.keys) {
        const auto watchers = by_key_.find(key);
        std::erase_if(watchers->second,
                      [&](const Watcher& one) { return one.session == &session; });
        if (watchers->second.empty()) {
            by_key_.erase(watchers);
        }
    }
    by_session_.erase(found);
}

bool Watches::is_dirty(Session& session) {
    const auto found = by_session_.find(&session);
    if (found == by_session_.end()) {
        return false;
    }
    for (const Key& key : found->second.keys) {
        if (found->second.is_dirty) {
            break;
        }
        // Removes a key whose time is over, which calls on_key.
        static_cast<void>(keyspace_.database(key.first).peek(key.second));
    }
    return found->second.is_dirty;
}

void Watches::touch(const Watcher& watcher) {
    by_session_.find(watcher.session)->second.is_dirty = true;
}

void Watches::on_key(std::size_t database, std::string_view key) {
    if (by_key_.empty()) {
        return;
    }
    const auto watchers = by_key_.find({static_cast<std::uint32_t>(database), std::string(key)});
    if (watchers != by_key_.end()) {
        std::for_each(watchers->second.begin(), watchers->second.end(), [this](const Watcher& one) {
            touch(one);
        });
    }
}

void Watches::on_database_replaced(std::size_t database) {
    for (const auto& [key, watchers] : by_key_) {
        if (key.first != database) {
            continue;
        }
        const bool exists = static_cast<bool>(keyspace_.database(database).peek(key.second));
        for (const Watcher& one : watchers) {
            if (one.existed || exists) {
                touch(one);
            }
        }
    }
}

std::size_t Watches::count(const Session& session) const noexcept {
    const auto found = by_session_.find(&session);
    return found == by_session_.end() ? 0 : found->second.keys.size();
}

}  // namespace tern::server
