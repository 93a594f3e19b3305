#include "codegen/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tern::codegen {

std::string Diagnostic::to_string() const {
    const char* kind = severity == Severity::kError ? "error" : "warning";
    const std::string place = line == 0 ? file : fmt::format("{}:{}:{}", file, line, column);
    const std::string element = element_path.empty() ? "" : element_path + ": ";
    return fmt::format("{}: {}: {}{} [{}]", place, kind, element, message, rule);
}

bool has_errors(const Diagnostics& diagnostics) noexcept {
    return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity == Severity::kError;
    });
}

}  // namespace tern::codegen
