#pragma once

#include "store/keyspace/object_ops.hpp"

namespace tern::server {

class Server;

/// Hands what the keyspace reports on to those who want it: blocked clients, WATCH, client tracking
/// and the notifications of keys that expired.
///
/// The keyspace reports only while somebody wants to hear: whoever begins or ends to says so with
/// `update`.
///
/// Threads: the server's one thread.
class KeyEvents final : private store::KeyspaceObserver {
public:
    explicit KeyEvents(Server& server) noexcept : server_(server) {}

    /// Listens, or not, as the listeners need it now.
    void update();

private:
    void on_key_event(store::KeyEvent event, std::size_t database, std::string_view key) override;
    void on_database_replaced(std::size_t database) override;

    Server& server_;
};

}  // namespace tern::server
