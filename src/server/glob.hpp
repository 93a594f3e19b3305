#pragma once

#include <string_view>

namespace tern::server {

/// Whether `text` matches the glob-style `pattern` as Redis reads it (KEYS, SCAN MATCH, CONFIG
/// GET).
///
/// `*` any bytes, `?` one byte, `[abc]`, `[a-z]` and `[^abc]` one byte of a class, `\` takes the
/// next byte as it is. A class that is not closed ends with the pattern.
///
/// The time is bounded by the product of the two lengths: only the last star is ever tried again.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text) noexcept;

/// The same with letters of either case equal.
[[nodiscard]] bool glob_match_any_case(std::string_view pattern, std::string_view text) noexcept;

/// Whether `pattern` has a byte that is special in a pattern; otherwise it matches itself only.
[[nodiscard]] bool is_glob(std::string_view pattern) noexcept;

}  // namespace tern::server
