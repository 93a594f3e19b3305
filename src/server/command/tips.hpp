#pragma once

#include <string_view>

namespace tern::server {

/// What COMMAND INFO tells proxies of a command, words with spaces between them; often empty.
///
/// Units:    `full_name` as the table has it: "get", "client|list".
[[nodiscard]] std::string_view command_tips(std::string_view full_name) noexcept;

/// What COMMAND DOCS tells of a command that has a better one, or is for machines only.
struct CommandFate {
    std::string_view command;
    std::string_view deprecated_since;  ///< empty: it is not, but clients need not know it
    std::string_view replaced_by;
};
/// Null for the others.
[[nodiscard]] const CommandFate* command_fate(std::string_view full_name) noexcept;

}  // namespace tern::server
