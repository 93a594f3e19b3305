#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>

namespace tern::transport {

enum class EndpointKind : std::uint8_t { kTcp, kTls, kUnix, kRing, kAeron };

/// Where to listen or connect: the one spelling used on command lines, in files and in tables.
///
///     tcp:127.0.0.1:6379   tcp:[::1]:6379   tcp:*:6379   tls:0.0.0.0:6380
///     unix:/run/tern.sock  ring:/run/tern.sock
///     aeron:ipc?term-length=64k   aeron:udp?endpoint=host:port
struct Endpoint {
    EndpointKind kind = EndpointKind::kTcp;
    std::string host = {};         ///< kTcp, kTls: address or name without brackets; "*" for any
    std::uint16_t port = 0;        ///< kTcp, kTls: 0 lets the system choose (listen only)
    std::string path = {};         ///< kUnix, kRing
    std::string channel_uri = {};  ///< kAeron: the whole text, which is an Aeron channel URI

    bool operator==(const Endpoint&) const = default;
};

/// The longest path of a Unix socket: sockaddr_un has 108 bytes, one of them the terminator.
inline constexpr std::size_t kUnixPathBytesMax = 107;

/// Reads an endpoint.
///
/// Errors:   kInvalidArgument; one line that quotes the text, names the column (from 1) of the
///           offending part and says what would be right.
Result<Endpoint> parse_endpoint(std::string_view text);

/// The spelling that `parse_endpoint` reads back to an equal value.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

}  // namespace tern::transport
