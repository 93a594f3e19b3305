#pragma once

#include "server/command/command_spec.hpp"

/// What the files of the bitmap group share.
namespace tern::server::commands {

inline constexpr std::string_view kBadBitOffset =
    "ERR bit offset is not an integer or out of range";

inline constexpr GroupInfo bitmap_info{"bitmap", kAclBitmap};

}  // namespace tern::server::commands
