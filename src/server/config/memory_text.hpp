#pragma once

#include <cstdint>
#include <string_view>

namespace tern::server {

/// Reads a size as redis.conf writes it: digits and a unit, "64", "10k" (thousands), "10kb" (1024),
/// "1gb"; units in any case. Empty text is 0, as Redis has it.
///
/// Errors:   false for anything else and for what does not fit 64 bits.
[[nodiscard]] bool parse_memory(std::string_view text, std::uint64_t& bytes) noexcept;

}  // namespace tern::server
