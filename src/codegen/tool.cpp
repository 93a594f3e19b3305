#include "codegen/tool.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "codegen/compatibility.hpp"
#include "codegen/cpp_generator.hpp"
#include "codegen/naming.hpp"
#include "codegen/schema_parser.hpp"

namespace tern::codegen {
namespace {

constexpr int kFailed = 1;

/// Reports what a comparison with the version before finds; false when a peer would break.
bool compare(const Schema& schema, const ToolOptions& options, std::ostream& err) {
    const ParseOutcome before = parse_schema(options.check_against);
    if (!before.ok()) {
        err << before.report();
        return false;
    }
    const Diagnostics changes = check_compatible(*before.schema, schema);
    for (const Diagnostic& change : changes) {
        err << change.to_string() << '\n';
    }
    return !has_errors(changes);
}

bool generate(const Schema& schema, const ToolOptions& options, std::ostream& err) {
    const std::vector<std::string> renamed = claimed_names(schema);
    if (!renamed.empty()) {
        fmt::print(err,
                   "{}: warning: C++ claims {} names, which get an underscore: {}\n",
                   options.schema_path,
                   renamed.size(),
                   fmt::join(renamed, ", "));
    }
    const Result<std::vector<GeneratedFile>> files = generate_cpp(schema, {options.name_space});
    if (!files) {
        fmt::print(err, "tern codegen: {}\n", files.error().message);
        return false;
    }
    const Result<void> written = write_files(*files, options.output_folder);
    if (!written) {
        fmt::print(err, "tern codegen: {}\n", written.error().message);
        return false;
    }
    return true;
}

}  // namespace

void add_tool_options(CLI::App& app, ToolOptions& options) {
    app.add_option("schema", options.schema_path, "The SBE schema, an XML file")->required();
    app.add_option("-o,--output",
                   options.output_folder,
                   "Folder for the C++ headers; without it the schema is only checked");
    app.add_option("--namespace",
                   options.name_space,
                   "C++ namespace, such as acme::orders; from the schema's package by default");
    app.add_option("--check-against",
                   options.check_against,
                   "The schema's version before: refuse changes that break its users");
    app.add_option("--stamp", options.stamp_path, "File to touch after success")->group("Build");
}

int run_tool(const ToolOptions& options, std::ostream& out, std::ostream& err) {
    const ParseOutcome outcome = parse_schema(options.schema_path);
    err << outcome.report();
    if (!outcome.ok()) {
        return kFailed;
    }
    const Schema& schema = *outcome.schema;
    if (!options.check_against.empty() && !compare(schema, options, err)) {
        return kFailed;
    }
    if (options.output_folder.empty()) {
        fmt::print(out,
                   "{}: schema {} version {}, {} messages\n",
                   options.schema_path,
                   schema.id,
                   schema.version,
                   schema.messages.size());
    } else if (!generate(schema, options, err)) {
        return kFailed;
    }
    if (!options.stamp_path.empty() && !std::ofstream(options.stamp_path, std::ios::trunc)) {
        fmt::print(err, "tern codegen: write {}\n", options.stamp_path);
        return kFailed;
    }
    return 0;
}

int run_tool(int argc, const char* const* argv) {
    CLI::App app("Checks an SBE schema and makes C++ codecs from it", "tern codegen");
    ToolOptions options;
    add_tool_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& parse_error) {
        return app.exit(parse_error);
    }
    return run_tool(options, std::cout, std::cerr);
}

}  // namespace tern::codegen
