#pragma once

#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace tern::codegen {

struct ToolOptions {
    std::string schema_path;
    std::string output_folder;  ///< empty: only check
    std::string name_space;     ///< empty: from the schema's package
    std::string check_against;  ///< a schema's version before this one; empty: no comparison
    std::string stamp_path;     ///< a file to touch after success, for build systems
};

/// Declares the tool's options on a command line, a program's or a subcommand's.
void add_tool_options(CLI::App& app, ToolOptions& options);

/// Checks a schema, compares it, generates from it; says on `out` and `err` what a user should
/// know.
/// Returns an exit code: 0, or 1 when the schema, the comparison or a file is at fault.
[[nodiscard]] int run_tool(const ToolOptions& options, std::ostream& out, std::ostream& err);

/// The same from a command line, which --help explains.
[[nodiscard]] int run_tool(int argc, const char* const* argv);

}  // namespace tern::codegen
