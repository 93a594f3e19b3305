#include "server/key_events.hpp"

#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

void KeyEvents::update() {
    const bool is_wanted = server_.blocked_clients().size() != 0 || !server_.watches().is_empty();
    server_.keyspace().set_observer(is_wanted ? this : nullptr);
}

void KeyEvents::on_key_event(store::KeyEvent event, std::size_t database, std::string_view key) {
    server_.blocked_clients().on_key_event(event, database, key);
    server_.watches().on_key(database, key);
}

void KeyEvents::on_database_replaced(std::size_t database) {
    server_.blocked_clients().on_database_replaced(database);
    server_.watches().on_database_replaced(database);
}

}  // namespace tern::server
