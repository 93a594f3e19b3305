#pragma once

#include <cstdint>

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
};

}  // namespace tern::server
