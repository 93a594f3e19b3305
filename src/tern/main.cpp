#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

int run_version(ArgumentList /*arguments*/) {
    std::puts("tern " TERN_VERSION " (Redis 7.2 commands, RESP2, RESP3, SBE)");
    return 0;
}

}  // namespace

std::span<const Subcommand> subcommands() {
    static constexpr std::array kTable = {
        Subcommand{
            "serve", "Run the server on TCP, Unix sockets and rings.", run_serve, help_serve},
        Subcommand{"cli", "Talk to a server: a prompt, or one command.", run_cli, help_cli},
        Subcommand{"lab", "Measure tern beside the floors of this machine.", run_lab, help_lab},
        Subcommand{"codegen", "Make C++ codecs from an SBE schema.", run_codegen, help_codegen},
        Subcommand{"commands",
                   "List the commands; --markdown: as docs/commands.md has them.",
                   run_commands,
                   nullptr},
        Subcommand{"help", "Explain tern, or one subcommand.", run_help, nullptr},
        Subcommand{"version", "Print the version.", run_version, nullptr},
    };
    return kTable;
}

void print_error(std::string_view text) {
    std::fprintf(stderr, "tern: %.*s\n", static_cast<int>(text.size()), text.data());
}

namespace {

int run(ArgumentList arguments) {
    if (arguments.empty()) {
        return run_help({});
    }
    std::string_view name = arguments.front();
    if (name == "--help" || name == "-h") {
        name = "help";
    } else if (name == "--version" || name == "-v") {
        name = "version";
    }
    const auto table = subcommands();
    const auto found = std::find_if(
        table.begin(), table.end(), [name](const Subcommand& one) { return one.name == name; });
    if (found == table.end()) {
        print_error("no subcommand '" + std::string(name) + "'; `tern help` lists them");
        return kExitUsage;
    }
    const ArgumentList rest = arguments.subspan(1);
    if (found->help != nullptr && !rest.empty() && (rest[0] == "--help" || rest[0] == "-h")) {
        found->help();
        return 0;
    }
    return found->run(rest);
}

}  // namespace

}  // namespace tern::tool

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    return tern::tool::run(arguments);
}
