#pragma once

#include <tern/base/result.hpp>

namespace tern::lab {

/// Whether each side of a study has a core of its own that this process may use.
///
/// Errors: kInvalidArgument, naming the core or the flags.
[[nodiscard]] Result<void> check_cores(int server_core, int client_core);

}  // namespace tern::lab
