#pragma once

#include <span>

#include "server/command/command_spec.hpp"

/// The command groups, one file each: a table of rows and the functions that they name.
namespace tern::server::commands {

[[nodiscard]] std::span<const CommandSpec> connection_table();
[[nodiscard]] std::span<const CommandSpec> generic_table();
[[nodiscard]] std::span<const CommandSpec> hash_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_combine_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_pop_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_range_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_table();
[[nodiscard]] std::span<const CommandSpec> string_table();

/// All of them, for the registry.
[[nodiscard]] std::span<const std::span<const CommandSpec>> all_tables();

}  // namespace tern::server::commands
