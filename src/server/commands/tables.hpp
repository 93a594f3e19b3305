#pragma once

#include <span>

#include "server/command/command_spec.hpp"

/// The command groups, one file each: a table of rows and the functions that they name.
namespace tern::server::commands {

[[nodiscard]] std::span<const CommandSpec> acl_table();
[[nodiscard]] std::span<const CommandSpec> bitfield_table();
[[nodiscard]] std::span<const CommandSpec> bitmap_table();
[[nodiscard]] std::span<const CommandSpec> client_table();
[[nodiscard]] std::span<const CommandSpec> cluster_table();
[[nodiscard]] std::span<const CommandSpec> command_table();
[[nodiscard]] std::span<const CommandSpec> config_table();
[[nodiscard]] std::span<const CommandSpec> connection_table();
[[nodiscard]] std::span<const CommandSpec> counter_table();
[[nodiscard]] std::span<const CommandSpec> debug_table();
[[nodiscard]] std::span<const CommandSpec> expiry_table();
[[nodiscard]] std::span<const CommandSpec> generic_table();
[[nodiscard]] std::span<const CommandSpec> hash_table();
[[nodiscard]] std::span<const CommandSpec> hyperloglog_table();
[[nodiscard]] std::span<const CommandSpec> info_table();
[[nodiscard]] std::span<const CommandSpec> latency_table();
[[nodiscard]] std::span<const CommandSpec> lcs_table();
[[nodiscard]] std::span<const CommandSpec> list_edit_table();
[[nodiscard]] std::span<const CommandSpec> list_move_table();
[[nodiscard]] std::span<const CommandSpec> list_pop_table();
[[nodiscard]] std::span<const CommandSpec> list_table();
[[nodiscard]] std::span<const CommandSpec> many_string_table();
[[nodiscard]] std::span<const CommandSpec> memory_table();
[[nodiscard]] std::span<const CommandSpec> object_table();
[[nodiscard]] std::span<const CommandSpec> payload_table();
[[nodiscard]] std::span<const CommandSpec> pubsub_table();
[[nodiscard]] std::span<const CommandSpec> replication_table();
[[nodiscard]] std::span<const CommandSpec> scripting_table();
[[nodiscard]] std::span<const CommandSpec> server_table();
[[nodiscard]] std::span<const CommandSpec> set_combine_table();
[[nodiscard]] std::span<const CommandSpec> set_table();
[[nodiscard]] std::span<const CommandSpec> sort_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_combine_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_pop_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_range_table();
[[nodiscard]] std::span<const CommandSpec> sorted_set_table();
[[nodiscard]] std::span<const CommandSpec> stream_claim_table();
[[nodiscard]] std::span<const CommandSpec> stream_group_table();
[[nodiscard]] std::span<const CommandSpec> stream_info_table();
[[nodiscard]] std::span<const CommandSpec> stream_pending_table();
[[nodiscard]] std::span<const CommandSpec> stream_range_table();
[[nodiscard]] std::span<const CommandSpec> stream_read_table();
[[nodiscard]] std::span<const CommandSpec> stream_table();
[[nodiscard]] std::span<const CommandSpec> string_table();
[[nodiscard]] std::span<const CommandSpec> transaction_table();

/// All of them, for the registry.
[[nodiscard]] std::span<const std::span<const CommandSpec>> all_tables();

}  // namespace tern::server::commands
