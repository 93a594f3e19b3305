#pragma once

#include <cstdint>
#include <tern/base/result.hpp>

#include "tern/log.hpp"

namespace tern::tool {

/// Raises the process's limit of open files to what `client_count` clients need, and says how many
/// clients it is good for: fewer when the system allows no more. Log lines as redis-server's.
///
/// Errors:   kUnavailable when it is not good for a single one.
[[nodiscard]] Result<std::int64_t> make_room_for_clients(std::int64_t client_count, Log& log);

}  // namespace tern::tool
