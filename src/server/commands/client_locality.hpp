#pragma once

#include <string_view>

#include "server/config/config.hpp"
#include "server/session.hpp"

namespace tern::server {

/// Whether a client is on this host: a Unix socket, a ring, or an address of the loopback network.
[[nodiscard]] inline bool is_local(const Session& session) noexcept {
    const std::string_view address = session.address;
    return session.transport != Session::Transport::kTcp || address.substr(0, 4) == "127." ||
           address.substr(0, 6) == "[::1]:";
}

/// Whether a guarded command is open to this client.
[[nodiscard]] inline bool is_allowed(Config::Guard guard, const Session& session) noexcept {
    return guard == Config::Guard::kYes || (guard == Config::Guard::kLocal && is_local(session));
}

}  // namespace tern::server
