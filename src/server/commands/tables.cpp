#include "server/commands/tables.hpp"

#include <array>

namespace tern::server::commands {

std::span<const std::span<const CommandSpec>> all_tables() {
    static const std::array tables = {
        connection_table(),

    };
    return tables;
}

}  // namespace tern::server::commands
