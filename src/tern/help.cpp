#include <fmt/core.h>

#include <algorithm>

#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

void print_overview() {
    fmt::print(
        "tern: an in-memory store that Redis clients and programs beside it can use\n\n"
        "usage: tern SUBCOMMAND [ARGUMENTS]\n\n");
    for (const Subcommand& one : subcommands()) {
        fmt::print("  {:<10} {}\n", one.name, one.summary);
    }
    fmt::print("\n`tern help SUBCOMMAND` says more.\n");
}

}  // namespace

int run_help(ArgumentList arguments) {
    if (arguments.empty()) {
        print_overview();
        return 0;
    }
    const auto table = subcommands();
    const auto found = std::find_if(table.begin(), table.end(), [&](const Subcommand& one) {
        return one.name == arguments.front();
    });
    if (found == table.end()) {
        print_error(fmt::format("no subcommand '{}'; `tern help` lists them", arguments.front()));
        return kExitUsage;
    }
    if (found->help != nullptr) {
        found->help();
    } else {
        fmt::print("tern {}: {}\n", found->name, found->summary);
    }
    return 0;
}

}  // namespace tern::tool
