#include <array>

#include "server/commands/admin_rows.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"

/// CLUSTER and its relatives, as a server answers that is in no cluster, and MODULE, as one that
/// loads none.
namespace tern::server::commands {

namespace {

void cluster_off(Call& call, const WordsArguments&) {
    call.reply.error("ERR This instance has cluster support disabled");
}

constexpr CommandSpec cluster_row(std::string_view name,
                                  int arity,
                                  std::uint32_t flags,
                                  std::string_view since,
                                  std::string_view complexity,
                                  std::string_view syntax) {
    return row<cluster_off>(admin_info("cluster",
                                       0,
                                       name,
                                       arity,
                                       flags | kStale,
                                       since,
                                       complexity,
                                       syntax,
                                       "Of a cluster; this server is in none."));
}

constexpr std::uint32_t kChange = kAdmin | kNoAsyncLoading;

constexpr std::array kClusterSubcommands = {
    cluster_row("addslots", -3, kChange, "3.0.0", "O(N)", "slot [slot ...]"),
    cluster_row("addslotsrange",
                -4,
                kChange,
                "7.0.0",
                "O(N)",
                "start-slot end-slot [start-slot end-slot ...]"),
    cluster_row("bumpepoch", 2, kChange, "3.0.0", "O(1)", ""),
    cluster_row("count-failure-reports", 3, kAdmin, "3.0.0", "O(N)", "node-id"),
    cluster_row("countkeysinslot", 3, 0, "3.0.0", "O(1)", "slot"),
    cluster_row("delslots", -3, kChange, "3.0.0", "O(N)", "slot [slot ...]"),
    cluster_row("delslotsrange",
                -4,
                kChange,
                "7.0.0",
                "O(N)",
                "start-slot end-slot [start-slot end-slot ...]"),
    cluster_row("failover", -2, kChange, "3.0.0", "O(1)", "[FORCE | TAKEOVER]"),
    cluster_row("flushslots", 2, kChange, "3.0.0", "O(1)", ""),
    cluster_row("forget", 3, kChange, "3.0.0", "O(1)", "node-id"),
    cluster_row("getkeysinslot", 4, 0, "3.0.0", "O(N)", "slot count"),
    cluster_row("help", 2, kLoading, "5.0.0", "O(1)", ""),
    cluster_row("info", 2, 0, "3.0.0", "O(1)", ""),
    cluster_row("keyslot", 3, 0, "3.0.0", "O(N)", "key"),
    cluster_row("links", 2, 0, "7.0.0", "O(N)", ""),
    cluster_row("meet", -4, kChange, "3.0.0", "O(1)", "ip port [cluster-bus-port]"),
    cluster_row("myid", 2, 0, "3.0.0", "O(1)", ""),
    cluster_row("myshardid", 2, 0, "7.2.0", "O(1)", ""),
    cluster_row("nodes", 2, 0, "3.0.0", "O(N)", ""),
    cluster_row("replicas", 3, kAdmin, "5.0.0", "O(N)", "node-id"),
    cluster_row("replicate", 3, kChange, "3.0.0", "O(1)", "node-id"),
    cluster_row("reset", -2, kAdmin | kNoScript, "3.0.0", "O(N)", "[HARD | SOFT]"),
    cluster_row("saveconfig", 2, kChange, "3.0.0", "O(1)", ""),
    cluster_row("set-config-epoch", 3, kChange, "3.0.0", "O(1)", "config-epoch"),
    cluster_row("setslot",
                -4,
                kChange,
                "3.0.0",
                "O(1)",
                "slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>"),
    cluster_row("shards", 2, kLoading, "7.0.0", "O(N)", ""),
    cluster_row("slaves", 3, kAdmin, "3.0.0", "O(N)", "node-id"),
    cluster_row("slots", 2, kLoading, "3.0.0", "O(N)", ""),
};

constexpr CommandSpec connection_row(std::string_view name, std::uint32_t flags) {
    return row<cluster_off>(admin_info("cluster",
                                       kAclConnection,
                                       name,
                                       1,
                                       kFast | flags,
                                       "3.0.0",
                                       "O(1)",
                                       "",
                                       "Of a cluster; this server is in none."));
}

// MODULE

void module_list(Call& call, const NoArguments&) {
    call.reply.array(0);
}

void module_off(Call& call, const WordsArguments&) {
    call.reply.error(
        "ERR MODULE command not allowed. If the enable-module-command option is set to \"local\", "
        "you can run it from a local connection, otherwise you need to set this option in the "
        "configuration file, and then restart the server.");
}

constexpr CommandInfo module_info(std::string_view name,
                                  int arity,
                                  std::uint32_t flags,
                                  std::string_view since,
                                  std::string_view syntax,
                                  std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, since, "O(1)", syntax, summary);
}

constexpr std::uint32_t kModuleChange = kAdmin | kNoScript | kNoAsyncLoading;

constexpr std::array kModuleSubcommands = {
    row<container_help>(module_info("help", 2, kAnyTime, "5.0.0", "", "Lists the subcommands.")),
    row<module_list>(module_info(
        "list", 2, kAdmin | kNoScript, "4.0.0", "", "Lists the modules; tern has none.")),
    row<module_off>(module_info("load",
                                -3,
                                kModuleChange,
                                "4.0.0",
                                "path [arg [arg ...]]",
                                "Loads a module; tern loads none.")),
    row<module_off>(module_info("loadex",
                                -3,
                                kModuleChange,
                                "7.0.0",
                                "path [CONFIG name value [CONFIG name value ...]] "
                                "[ARGS args [args ...]]",
                                "Loads a module; tern loads none.")),
    row<module_off>(module_info(
        "unload", 3, kModuleChange, "4.0.0", "name", "Unloads a module; tern has none.")),
};

}  // namespace

std::span<const CommandSpec> cluster_table() {
    static constexpr std::array kTable = {
        connection_row("asking", 0),
        container_row(admin_info("cluster",
                                 0,
                                 "cluster",
                                 -2,
                                 0,
                                 "3.0.0",
                                 "Depends on subcommand.",
                                 "",
                                 "Tells about the cluster."),
                      kClusterSubcommands),
        container_row(module_info("module", -2, 0, "4.0.0", "", "Tells about modules."),
                      kModuleSubcommands),
        connection_row("readonly", kAnyTime),
        connection_row("readwrite", kAnyTime),
    };
    return kTable;
}

}  // namespace tern::server::commands
