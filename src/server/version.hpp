#pragma once

#include <string_view>

namespace tern::server {

/// The Redis version whose behaviour this is; clients switch features by it. tern's own is
/// TERN_VERSION.
inline constexpr std::string_view kRedisVersion = "7.2.6";
/// The same as scripts compare it: a byte each for major, minor and patch.
inline constexpr int kRedisVersionNumber = 0x00070206;

}  // namespace tern::server
