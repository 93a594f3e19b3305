#include "server/commands/tables.hpp"

#include <array>

#include "server/commands/geo.hpp"

namespace tern::server::commands {

std::span<const std::span<const CommandSpec>> all_tables() {
    static const std::array tables = {
        // clang-format off: one a line, so that two additions do not collide
        acl_table(),
        bitfield_table(),
        bitmap_table(),
        client_table(),
        cluster_table(),
        command_table(),
        config_table(),
        connection_table(),
        counter_table(),
        debug_table(),
        expiry_table(),
        generic_table(),
        geo_search_table(),
        geo_table(),
        hash_table(),
        hyperloglog_table(),
        info_table(),
        latency_table(),
        lcs_table(),
        list_edit_table(),
        list_move_table(),
        list_pop_table(),
        list_table(),
        many_string_table(),
        memory_table(),
        object_table(),
        payload_table(),
        pubsub_table(),
        replication_table(),
        scripting_table(),
        server_table(),
        set_combine_table(),
        set_table(),
        sort_table(),
        sorted_set_combine_table(),
        sorted_set_pop_table(),
        sorted_set_range_table(),
        sorted_set_table(),
        stream_claim_table(),
        stream_group_table(),
        stream_info_table(),
        stream_pending_table(),
        stream_range_table(),
        stream_read_table(),
        stream_table(),
        string_table(),
        transaction_table(),
        // clang-format on
    };
    return tables;
}

}  // namespace tern::server::commands
