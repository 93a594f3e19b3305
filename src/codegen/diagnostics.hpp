#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern::codegen {

enum class Severity : std::uint8_t { kWarning, kError };

/// One finding about a schema: where, which element, which rule, and what would be right.
struct Diagnostic {
    Severity severity = Severity::kError;
    std::string file;
    std::uint32_t line = 0;    ///< from 1; 0 when the finding is about the file as a whole
    std::uint32_t column = 0;  ///< from 1, in bytes
    std::string element_path;  ///< for example messageSchema/message[Car]/field[code]
    std::string rule;          ///< short and stable, for example unknown-type
    std::string message;

    /// "file:line:column: error: element: message [rule]"
    [[nodiscard]] std::string to_string() const;
};

using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] bool has_errors(const Diagnostics& diagnostics) noexcept;

}  // namespace tern::codegen
