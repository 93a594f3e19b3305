#pragma once

#include <cstdint>
#include <string_view>

#include "server/command/scratch.hpp"
#include "server/reply.hpp"
#include "server/session.hpp"

namespace tern::store {
class Database;
class Keyspace;
}  // namespace tern::store

namespace tern::server {

class Server;
struct CommandSpec;

/// The classes of keyspace notifications, as notify-keyspace-events names them.
enum NotifyClass : std::uint32_t {
    kNotifyGeneric = 1U << 0,    ///< g: del, expire, rename, …
    kNotifyString = 1U << 1,     ///< $
    kNotifyList = 1U << 2,       ///< l
    kNotifySet = 1U << 3,        ///< s
    kNotifyHash = 1U << 4,       ///< h
    kNotifyZset = 1U << 5,       ///< z
    kNotifyExpired = 1U << 6,    ///< x
    kNotifyEvicted = 1U << 7,    ///< e
    kNotifyStream = 1U << 8,     ///< t
    kNotifyModule = 1U << 9,     ///< d
    kNotifyNew = 1U << 10,       ///< n: a key that was not there
    kNotifyMiss = 1U << 11,      ///< m: a read of a key that is not there
    kNotifyKeyspace = 1U << 12,  ///< K: on __keyspace@<db>__:<key>
    kNotifyKeyevent = 1U << 13,  ///< E: on __keyevent@<db>__:<event>
};

/// One execution of one command: who asks, on what, and where the answer goes.
struct Call {
    Server& server;
    Session& session;
    store::Keyspace& keyspace;
    store::Database& database;  ///< the one that the session has selected
    Reply& reply;
    Scratch& scratch;
    std::int64_t
        now_ms;  ///< wall clock of this turn of the loop; every command of the turn sees the same
    const CommandSpec* spec = nullptr;
    std::uint32_t notify_classes = 0;  ///< NotifyClass bits that somebody asked for

    /// Tells the keyspace's subscribers that `event` happened to `key` of the call's database.
    /// Every command that changes a key says so with Redis's name for it, after the change; it
    /// costs one test of a bit while notify-keyspace-events is off.
    void notify(NotifyClass of_class, std::string_view event, std::string_view key) const {
        if ((notify_classes & of_class) != 0) [[unlikely]] {
            notify_subscribers(of_class, event, key, database);
        }
    }
    /// The same for a key of another database (MOVE, COPY).
    void notify(NotifyClass of_class,
                std::string_view event,
                std::string_view key,
                const store::Database& where) const {
        if ((notify_classes & of_class) != 0) [[unlikely]] {
            notify_subscribers(of_class, event, key, where);
        }
    }

private:
    void notify_subscribers(NotifyClass of_class,
                            std::string_view event,
                            std::string_view key,
                            const store::Database& where) const;
};

}  // namespace tern::server
