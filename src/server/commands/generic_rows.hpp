#pragma once

#include "server/command/command_spec.hpp"

/// What the files of the generic group share.
namespace tern::server::commands {

inline constexpr GroupInfo generic_info{"generic", kAclKeyspace};

}  // namespace tern::server::commands
