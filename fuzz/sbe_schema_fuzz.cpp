#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/check.hpp>

#include "codegen/compatibility.hpp"
#include "codegen/cpp_generator.hpp"
#include "codegen/schema_parser.hpp"

/// Any text as a schema: reading it ends with a schema or errors that have a place; a schema is
/// compatible with itself and code can be made from it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tern::codegen;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ParseOutcome outcome = parse_schema_text("fuzz.xml", text);
    TERN_CHECK(outcome.ok() != has_errors(outcome.diagnostics));
    for (const Diagnostic& diagnostic : outcome.diagnostics) {
        TERN_CHECK(!diagnostic.rule.empty() && !diagnostic.message.empty());
    }
    if (outcome.ok()) {
        TERN_CHECK(check_compatible(*outcome.schema, *outcome.schema).empty());
        TERN_CHECK(generate_cpp(*outcome.schema, {}).ok());
    }
    return 0;
}
