#include <array>
#include <string>

#include "server/command/acl_categories.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"

/// ACL, CLUSTER, LATENCY, MODULE and SLOWLOG as far as a server has them that knows one user, is
/// alone, and records neither slow commands nor latency spikes: what is asked is answered, what
/// cannot be set is not there.
namespace tern::server::commands {

namespace {

// ACL

void acl_whoami(Call& call, const NoArguments&) {
    call.reply.bulk(call.session.user);
}

void acl_users(Call& call, const NoArguments&) {
    call.reply.array(1);
    call.reply.bulk("default");
}

void acl_list(Call& call, const NoArguments&) {
    const bool has_password = !call.server.config().requirepass.empty();
    call.reply.array(1);
    call.reply.bulk(fmt::format("user default on {} sanitize-payload ~* &* +@all",
                                has_password ? "#<hidden>" : "nopass"));
}

void acl_cat(Call& call, const WordsArguments& args) {
    const auto names = acl_category_names();
    if (args.words.empty()) {
        call.reply.array(names.size());
        for (const std::string_view name : names) {
            call.reply.bulk(name);
        }
        return;
    }
    const std::size_t category = find_acl_category(args.words[0]);
    if (args.words.size() > 1) {
        call.reply.error("ERR wrong number of arguments for 'acl|cat' command");
        return;
    }
    if (category == names.size()) {
        call.reply.error(fmt::format("ERR Unknown category '{}'", args.words[0]));
        return;
    }
    const Reply::Open list = call.reply.open_array();
    std::size_t count = 0;
    const auto consider = [&](const Command& command) {
        if (is_in_category(command.spec->info, category)) {
            call.reply.bulk(command.full_name);
            ++count;
        }
    };
    for (const Command& command : call.server.registry().commands()) {
        consider(command);
        for (const Command& sub : command.subcommands) {
            consider(sub);
        }
    }
    call.reply.close_array(list, count);
}

constexpr CommandInfo acl_info(std::string_view name,
                               int arity,
                               std::uint32_t flags,
                               std::string_view syntax,
                               std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, "6.0.0", "O(1)", syntax, summary);
}

constexpr std::array kAclSubcommands = {
    row<acl_cat>(acl_info("cat",
                          -2,
                          kNoScript | kAnyTime,
                          "[category]",
                          "Names the categories, or the commands of one.")),
    row<container_help>(acl_info("help", 2, kAnyTime, "", "Lists the subcommands.")),
    row<acl_list>(acl_info("list", 2, kAdminOnly, "", "Shows the users with their rights.")),
    row<acl_users>(acl_info("users", 2, kAdminOnly, "", "Names the users.")),
    row<acl_whoami>(
        acl_info("whoami", 2, kNoScript | kAnyTime, "", "Names this connection's user.")),
};

// CLUSTER

/// What every CLUSTER subcommand of a server alone says.
void cluster_off(Call& call, const WordsArguments&) {
    call.reply.error("ERR This instance has cluster support disabled");
}

constexpr CommandInfo cluster_info(std::string_view name,
                                   int arity,
                                   std::string_view syntax,
                                   std::string_view summary) {
    return admin_info("cluster", 0, name, arity, kStale, "3.0.0", "O(1)", syntax, summary);
}

constexpr std::array kClusterSubcommands = {
    row<container_help>(cluster_info("help", 2, "", "Lists the subcommands.")),
    row<cluster_off>(cluster_info("info", 2, "", "Describes the cluster; there is none.")),
    row<cluster_off>(cluster_info("keyslot", 3, "key", "Tells a key's slot; there is no cluster.")),
    row<cluster_off>(cluster_info("myid", 2, "", "Tells the node's id; there is no cluster.")),
    row<cluster_off>(cluster_info("nodes", 2, "", "Lists the nodes; there is no cluster.")),
    row<cluster_off>(cluster_info("shards", 2, "", "Lists the shards; there is no cluster.")),
    row<cluster_off>(cluster_info("slots", 2, "", "Lists the slots; there is no cluster.")),
};

// LATENCY

void empty_list(Call& call, const WordsArguments&) {
    call.reply.array(0);
}

void empty_map(Call& call, const WordsArguments&) {
    call.reply.map(0);
}

void zero(Call& call, const WordsArguments&) {
    call.reply.integer(0);
}

void latency_doctor(Call& call, const NoArguments&) {
    call.reply.verbatim("txt", "This version of tern records no latency events.\n");
}

constexpr CommandInfo latency_info(std::string_view name,
                                   int arity,
                                   std::string_view syntax,
                                   std::string_view summary) {
    return admin_info("server", 0, name, arity, kAdminOnly, "2.8.13", "O(1)", syntax, summary);
}

constexpr std::array kLatencySubcommands = {
    row<latency_doctor>(latency_info("doctor", 2, "", "Says what latency events tell.")),
    row<container_help>(admin_info(
        "server", 0, "help", 2, kAnyTime, "2.8.13", "O(1)", "", "Lists the subcommands.")),
    row<empty_map>(latency_info("histogram",
                                -2,
                                "[command [command ...]]",
                                "Shows how long commands took; none is recorded.")),
    row<empty_list>(
        latency_info("history", 3, "event", "Shows an event's times; none is recorded.")),
    row<empty_list>(latency_info("latest", 2, "", "Shows the latest events; none is recorded.")),
    row<zero>(latency_info("reset", -2, "[event [event ...]]", "Forgets events.")),
};

// MODULE

constexpr std::array kModuleSubcommands = {
    row<container_help>(admin_info(
        "server", 0, "help", 2, kAnyTime, "5.0.0", "O(1)", "", "Lists the subcommands.")),
    row<empty_list>(admin_info("server",
                               0,
                               "list",
                               2,
                               kAdmin | kNoScript,
                               "4.0.0",
                               "O(1)",
                               "",
                               "Lists the modules; tern has none.")),
};

// SLOWLOG

struct CountArguments {
    std::int64_t count = 10;
};

bool parse_text(Arguments& in, CountArguments& out, Reply& reply) {
    constexpr std::string_view kError = "ERR count should be greater than or equal to -1";
    if (in.is_empty()) {
        return true;
    }
    if (in.left() > 1) {
        reply.error("ERR wrong number of arguments for 'slowlog|get' command");
        return false;
    }
    if (!in.read_integer(out.count, reply, kError)) {
        return false;
    }
    if (out.count < -1) {
        reply.error(kError);
        return false;
    }
    return true;
}

void slowlog_get(Call& call, const CountArguments&) {
    call.reply.array(0);
}

void slowlog_reset(Call& call, const NoArguments&) {
    call.reply.ok();
}

constexpr CommandInfo slowlog_info(std::string_view name,
                                   int arity,
                                   std::uint32_t flags,
                                   std::string_view syntax,
                                   std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, "2.2.12", "O(1)", syntax, summary);
}

constexpr std::uint32_t kSlowlogFlags = kAdmin | kAnyTime;

constexpr std::array kSlowlogSubcommands = {
    row<slowlog_get>(slowlog_info(
        "get", -2, kSlowlogFlags, "[count]", "Lists slow commands; this version records none.")),
    row<container_help>(slowlog_info("help", 2, kAnyTime, "", "Lists the subcommands.")),
    row<zero>(slowlog_info(
        "len", 2, kSlowlogFlags, "", "Counts slow commands; this version records none.")),
    row<slowlog_reset>(slowlog_info("reset", 2, kSlowlogFlags, "", "Forgets slow commands.")),
};

constexpr CommandSpec container(std::string_view group,
                                std::string_view name,
                                std::string_view since,
                                std::string_view summary,
                                std::span<const CommandSpec> subcommands) {
    return container_row(
        admin_info(group, 0, name, -2, 0, since, "Depends on subcommand.", "", summary),
        subcommands);
}

}  // namespace

std::span<const CommandSpec> observe_table() {
    static constexpr std::array kTable = {
        container("server", "acl", "6.0.0", "Tells about users and their rights.", kAclSubcommands),
        container("cluster", "cluster", "3.0.0", "Tells about the cluster.", kClusterSubcommands),
        container("server", "latency", "2.8.13", "Tells about latency.", kLatencySubcommands),
        container("server", "module", "4.0.0", "Tells about modules.", kModuleSubcommands),
        container("server", "slowlog", "2.2.12", "Tells about slow commands.", kSlowlogSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
