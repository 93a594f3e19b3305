#pragma once

#include <cstddef>

#include "server/command/command_spec.hpp"
#include "store/string/strings.hpp"

/// What the command groups that work on strings share.
namespace tern::server::commands {

inline constexpr GroupInfo string_info{"string", kAclString};
inline constexpr std::uint32_t kFastRead = kReadonly | kFast;
inline constexpr std::uint32_t kFastAdd = kWrite | kDenyOom | kFast;
inline constexpr std::uint32_t kAdd = kWrite | kDenyOom;

/// No string may become longer: proto-max-bulk-len.
[[nodiscard]] std::size_t string_limit(Call& call);

/// Answers what went wrong; false when nothing did. kMissing and kRefused are the caller's.
bool failed(Reply& reply, store::strings::Status status);

}  // namespace tern::server::commands
