#pragma once

#include <string>
#include <string_view>
#include <tern/base/bytes.hpp>

namespace tern {

/// The standard alphabet with padding (RFC 4648, section 4).
[[nodiscard]] std::string encode_base64(Bytes bytes);

/// Strict: a length of a multiple of four, padding only at the end, no line breaks.
///
/// Errors:   false; `bytes` is then unspecified.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& bytes);

}  // namespace tern
