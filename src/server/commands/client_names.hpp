#pragma once

#include <algorithm>
#include <string_view>

namespace tern::server {

inline constexpr std::string_view kBadClientName =
    "ERR Client names cannot contain spaces, newlines or special characters.";

/// Whether a name or library text of a client can stand in CLIENT LIST: visible ASCII without
/// spaces.
[[nodiscard]] inline bool is_client_text(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
}

}  // namespace tern::server
