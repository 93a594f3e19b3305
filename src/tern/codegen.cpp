#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "codegen/tool.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

struct CodegenCommand {
    CLI::App app{"Checks an SBE schema and makes C++ codecs from it.", "tern codegen"};
    codegen::ToolOptions options;

    CodegenCommand() { codegen::add_tool_options(app, options); }
};

}  // namespace

int run_codegen(ArgumentList arguments) {
    CodegenCommand command;
    std::vector<std::string> words(arguments.rbegin(), arguments.rend());
    try {
        command.app.parse(words);
    } catch (const CLI::ParseError& failure) {
        return command.app.exit(failure) == 0 ? 0 : kExitUsage;
    }
    return codegen::run_tool(command.options, std::cout, std::cerr);
}

void help_codegen() {
    const CodegenCommand command;
    std::cout << command.app.help();
}

}  // namespace tern::tool
