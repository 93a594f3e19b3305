#pragma once

#include "tern/cli_session.hpp"

namespace tern::tool {

/// The interactive prompt: line editing, history in ~/.tern_history (or $TERN_HISTFILE), names
/// completed by Tab, and the syntax of the command at the right edge. Returns the exit status.
///
/// Lines that carry a password are not kept.
int run_prompt(CliSession& session);

/// True for a line that has a password in it.
[[nodiscard]] bool is_secret_line(std::string_view line);

}  // namespace tern::tool
