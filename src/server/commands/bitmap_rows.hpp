#pragma once

#include "server/command/command_spec.hpp"

/// What the files of the bitmap group share.
namespace tern::server::commands {

inline constexpr std::string_view kBadBitOffset =
    "ERR bit offset is not an integer or out of range";

constexpr CommandInfo bitmap_info(std::string_view name,
                                  int arity,
                                  std::uint32_t flags,
                                  KeyPositions keys,
                                  std::string_view since,
                                  std::string_view complexity,
                                  std::string_view syntax,
                                  std::string_view summary) {
    return {.name = name,
            .arity = static_cast<std::int16_t>(arity),
            .flags = flags,
            .keys = keys,
            .acl_categories = kAclBitmap,
            .group = "bitmap",
            .since = since,
            .complexity = complexity,
            .summary = summary,
            .syntax = syntax};
}

inline constexpr KeyPositions kBitmapKey{1, 1, 1};

}  // namespace tern::server::commands
