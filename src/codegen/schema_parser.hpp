#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "codegen/diagnostics.hpp"
#include "codegen/model.hpp"

namespace tern::codegen {

/// What reading a schema gave: the schema when it has no errors, and everything found on the way.
struct ParseOutcome {
    std::unique_ptr<Schema> schema;  ///< null when there is an error among the diagnostics
    Diagnostics diagnostics;

    [[nodiscard]] bool ok() const noexcept { return schema != nullptr; }
    /// The diagnostics as text, one a line.
    [[nodiscard]] std::string report() const;
};

/// Reads and checks an SBE schema file; xi:include reaches files in its folder and below.
[[nodiscard]] ParseOutcome parse_schema(const std::string& path);
/// Reads and checks an SBE schema in memory, which messages call `name`; it cannot include files.
[[nodiscard]] ParseOutcome parse_schema_text(std::string name, std::string_view text);

}  // namespace tern::codegen
