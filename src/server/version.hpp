#pragma once

#include <string_view>

namespace tern::server {

/// The Redis version whose behaviour this is; clients switch features by it. tern's own is
/// TERN_VERSION.
inline constexpr std::string_view kRedisVersion = "7.2.6";

}  // namespace tern::server
