#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/server.hpp"

namespace tern::server {

/// What CLIENT LIST and KILL call the kind of a client.
enum class ClientType : std::uint8_t { kNormal, kMaster, kReplica, kPubsub };

/// Empty when there is no such type.
[[nodiscard]] std::optional<ClientType> parse_client_type(std::string_view text) noexcept;
[[nodiscard]] ClientType client_type(const Session& session) noexcept;

/// Appends one client as CLIENT LIST and CLIENT INFO show it, with a line feed.
void append_client(std::string& text, const Server& server, const Session& session);

}  // namespace tern::server
