#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "server/command/registry.hpp"
#include "server/commands/tables.hpp"
#include "tern/subcommands.hpp"

/// `tern commands`: the command table for people. docs/commands.md is its output; a test compares
/// the two.
namespace tern::tool {

namespace {

/// Where a command does not do what redis-server 7.2 does.
struct Difference {
    std::string_view command;  ///< full name; a container's stands for all its subcommands
    std::string_view text;
};

constexpr std::string_view kNoCluster = "answers as a server outside a cluster";
constexpr std::string_view kNoReplicas = "there are no replicas";
constexpr std::string_view kNoFiles = "there are no files yet";

constexpr std::array kDifferences = {
    Difference{"acl", "one user, default; SETUSER is refused"},
    Difference{"bgrewriteaof", kNoFiles},
    Difference{"bgsave", kNoFiles},
    Difference{"cluster", kNoCluster},
    Difference{"debug", "the subcommands that tests need"},
    Difference{"failover", kNoReplicas},
    Difference{"flushall", "memory is freed in steps unless SYNC is given"},
    Difference{"flushdb", "memory is freed in steps unless SYNC is given"},
    Difference{"info", "a section more, tern"},
    Difference{"lastsave", "the time of the start: there are no files yet"},
    Difference{"latency", "expire-cycle sums the steps of one run of upkeep"},
    Difference{"lolwut", "one line"},
    Difference{"memory|doctor", "texts of its own"},
    Difference{"memory|malloc-stats", "figures of tern's arena"},
    Difference{"module", "no modules"},
    Difference{"psync", kNoReplicas},
    Difference{"replconf", kNoReplicas},
    Difference{"replicaof", "NO ONE only"},
    Difference{"save", kNoFiles},
    Difference{"shutdown", "SAVE is refused"},
    Difference{"slaveof", "NO ONE only"},
    Difference{"sync", kNoReplicas},
    Difference{"wait", "0 at once: there are no replicas"},
    Difference{"waitaof", "0 at once: there are no replicas and no files yet"},
};

std::string_view difference_of(std::string_view full_name) {
    const std::string_view container = full_name.substr(0, full_name.find('|'));
    for (const Difference& one : kDifferences) {
        if (one.command == full_name || one.command == container) {
            return one.text;
        }
    }
    return {};
}

/// A cell of a table: a bar would end it.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '|' ? "\\|" : std::string(1, c);
    }
    return out;
}

void add_row(std::string& text, const server::Command& command) {
    const server::CommandInfo& info = command.spec->info;
    std::string name(command.full_name);
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c == '|' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    });
    const bool has_template = command.spec->template_id != 0;
    fmt::format_to(std::back_inserter(text),
                   "| {} | {} | {} | {} | {} |\n",
                   name,
                   info.since,
                   has_template ? std::to_string(command.spec->template_id) : "text",
                   cell(info.complexity),
                   cell(difference_of(command.full_name)));
}

std::string markdown() {
    const server::Registry registry(server::commands::all_tables());
    std::map<std::string_view, std::vector<const server::Command*>> groups;
    std::size_t count = 0;
    for (const server::Command& command : registry.commands()) {
        auto& group = groups[command.spec->info.group];
        group.push_back(&command);
        for (const server::Command& sub : command.subcommands) {
            group.push_back(&sub);
        }
    }
    std::string rows;
    for (auto& [name, commands] : groups) {
        std::sort(commands.begin(), commands.end(), [](const auto* a, const auto* b) {
            return a->full_name < b->full_name;
        });
        fmt::format_to(std::back_inserter(rows),
                       "\n## {}\n\n| command | since | SBE | complexity | differences |\n"
                       "|---|---|---|---|---|\n",
                       name);
        for (const server::Command* command : commands) {
            add_row(rows, *command);
            ++count;
        }
    }
    return fmt::format(
        "# Commands\n\n"
        "Made by `tern commands --markdown` from the table that the server runs; a test compares "
        "the two.\n"
        "{} commands and subcommands, by group. \"Since\" is the version of Redis that brought the "
        "command,\n\"SBE\" the template of its request (text: reached through CommandRequest with "
        "arguments as text),\n\"differences\" what is not as redis-server 7.2 does it.\n{}",
        count,
        rows);
}

}  // namespace

int run_commands(ArgumentList arguments) {
    if (arguments.size() > 1 || (arguments.size() == 1 && arguments[0] != "--markdown")) {
        print_error("`tern commands` takes --markdown or nothing");
        return kExitUsage;
    }
    if (arguments.size() == 1) {
        fmt::print("{}", markdown());
        return 0;
    }
    const server::Registry registry(server::commands::all_tables());
    for (const server::Command& command : registry.commands()) {
        const server::CommandInfo& info = command.spec->info;
        fmt::print("{:<22} {}\n", command.full_name, info.summary);
    }
    return 0;
}

}  // namespace tern::tool
