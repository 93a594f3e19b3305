#pragma once

#include <string_view>

#include "server/config/config.hpp"
#include "server/session.hpp"

namespace tern::server {

/// Whether an address, as transport::peer_name writes it, is of the loopback network.
[[nodiscard]] inline bool is_loopback(std::string_view address) noexcept {
    constexpr std::string_view kMappedPrefix = "[::ffff:127.";  // IPv4 on an IPv6 socket
    return address.substr(0, 4) == "127." || address.substr(0, 6) == "[::1]:" ||
           address.substr(0, kMappedPrefix.size()) == kMappedPrefix;
}

/// Whether a client is on this host: a Unix socket, a ring, or an address of the loopback network.
[[nodiscard]] inline bool is_local(const Session& session) noexcept {
    return session.transport != Session::Transport::kTcp || is_loopback(session.address);
}

/// Whether a guarded command is open to this client.
[[nodiscard]] inline bool is_allowed(Config::Guard guard, const Session& session) noexcept {
    return guard == Config::Guard::kYes || (guard == Config::Guard::kLocal && is_local(session));
}

}  // namespace tern::server
