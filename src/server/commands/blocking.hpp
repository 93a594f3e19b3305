#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "server/command/arguments.hpp"
#include "server/command/call.hpp"

/// What commands that wait share.
namespace tern::server {

/// Reads a timeout in seconds; answers with Redis's error and returns false when it is none.
[[nodiscard]] bool read_timeout(std::string_view text, double& timeout_s, Reply& reply);

/// Whether a timeout that came as a number is one.
[[nodiscard]] bool timeout_is_sane(double timeout_s) noexcept;

/// The moment at which a wait of `timeout_s` that begins now ends; 0, never, for 0.
[[nodiscard]] std::int64_t deadline_ms(const Call& call, double timeout_s) noexcept;

/// The number of keys that follow, and those keys, of LMPOP and ZMPOP; at least one argument stays.
/// Answers with Redis's error and returns false when they are not there.
[[nodiscard]] bool read_counted_keys(Arguments& in,
                                     std::span<const std::string_view>& keys,
                                     Reply& reply);

/// The COUNT option at their end.
[[nodiscard]] bool read_pop_count(Arguments& in, std::int64_t& count, Reply& reply);

}  // namespace tern::server
