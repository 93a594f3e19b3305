#include "transport/endpoint.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <utility>

namespace tern::transport {
namespace {

/// A text being parsed, for errors that point into it.
struct Source {
    std::string_view text;

    /// `part` is a view into `text`; an empty part at its end is fine.
    [[nodiscard]] Error fault(std::string_view part, std::string_view what) const {
        return error(Errc::kInvalidArgument,
                     "endpoint \"{}\", column {}: {}",
                     text,
                     part.data() - text.data() + 1,
                     what);
    }
};

constexpr std::string_view kSpellings =
    "write tcp:HOST:PORT, tls:HOST:PORT, unix:PATH, ring:PATH, aeron:ipc?… or aeron:udp?…";

Result<void> parse_port(const Source& source, std::string_view digits, Endpoint& endpoint) {
    unsigned port = 0;
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), port, 10);
    const bool is_number =
        status != std::errc::invalid_argument && end == digits.data() + digits.size();
    if (!is_number) {
        return source.fault(
            digits, fmt::format("port \"{}\" is not a number; write one from 0 to 65535", digits));
    }
    if (status == std::errc::result_out_of_range || port > 65535) {
        return source.fault(digits,
                            fmt::format("port {} is too large; write one from 0 to 65535", digits));
    }
    endpoint.port = static_cast<std::uint16_t>(port);
    return {};
}

Result<void> parse_bracketed(const Source& source, std::string_view rest, Endpoint& endpoint) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) {
        return source.fault(rest, "\"[\" without \"]\"; write [ADDRESS]:PORT");
    }
    const std::string_view address = rest.substr(1, close - 1);
    const std::string plain(address.substr(0, address.find('%')));  // without a scope
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    if (::inet_pton(AF_INET6, plain.c_str(), ignored.data()) != 1) {
        return source.fault(
            address,
            fmt::format("\"{}\" is not an IPv6 address; write one like ::1 in the brackets",
                        address));
    }
    const std::string_view after = rest.substr(close + 1);
    if (!after.starts_with(':')) {
        return source.fault(after, "the port is missing; write [ADDRESS]:PORT");
    }
    endpoint.host = address;
    return parse_port(source, after.substr(1), endpoint);
}

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

Result<void> parse_host_and_port(const Source& source, std::string_view rest, Endpoint& endpoint) {
    if (rest.starts_with('[')) {
        return parse_bracketed(source, rest, endpoint);
    }
    const std::size_t colon = rest.find(':');
    const std::string_view host = rest.substr(0, colon);
    if (host.empty()) {
        return source.fault(rest, "the host is empty; write an address, a name or * for any");
    }
    for (std::size_t i = 0; i < host.size() && host != "*"; ++i) {
        if (!is_host_character(host[i])) {
            return source.fault(host.substr(i), fmt::format("\"{}\" cannot be in a host", host[i]));
        }
    }
    if (colon == std::string_view::npos) {
        return source.fault(rest.substr(rest.size()), "the port is missing; write HOST:PORT");
    }
    const std::string_view port = rest.substr(colon + 1);
    if (port.find(':') != std::string_view::npos) {
        return source.fault(port, "more than one \":\"; write an IPv6 address as [ADDRESS]:PORT");
    }
    endpoint.host = host;
    return parse_port(source, port, endpoint);
}

Result<void> parse_path(const Source& source, std::string_view rest, Endpoint& endpoint) {
    if (rest.empty()) {
        return source.fault(rest, "the path is empty; write the path of a Unix socket");
    }
    if (const std::size_t nul = rest.find('\0'); nul != std::string_view::npos) {
        return source.fault(rest.substr(nul), "a path cannot contain a zero byte");
    }
    if (rest.size() > kUnixPathBytesMax) {
        return source.fault(
            rest.substr(kUnixPathBytesMax),
            fmt::format("the path has {} bytes and a Unix socket takes {}; choose a shorter one",
                        rest.size(),
                        kUnixPathBytesMax));
    }
    endpoint.path = rest;
    return {};
}

Result<void> parse_channel(const Source& source, std::string_view rest, Endpoint& endpoint) {
    const std::string_view media = rest.substr(0, rest.find('?'));
    if (media != "ipc" && media != "udp") {
        return source.fault(rest,
                            fmt::format("\"{}\" is not an Aeron medium; write ipc or udp", media));
    }
    endpoint.channel_uri = source.text;
    return {};
}

struct Scheme {
    std::string_view name;
    EndpointKind kind;
    Result<void> (*parse)(const Source&, std::string_view, Endpoint&);
};

constexpr std::array<Scheme, 5> kSchemes{{
    {"tcp", EndpointKind::kTcp, parse_host_and_port},
    {"tls", EndpointKind::kTls, parse_host_and_port},
    {"unix", EndpointKind::kUnix, parse_path},
    {"ring", EndpointKind::kRing, parse_path},
    {"aeron", EndpointKind::kAeron, parse_channel},
}};

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
    const Source source{text};
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    for (const Scheme& scheme : kSchemes) {
        if (name != scheme.name) {
            continue;
        }
        if (colon == std::string_view::npos) {
            return source.fault(text.substr(text.size()),
                                fmt::format("nothing follows \"{}\"; {}", name, kSpellings));
        }
        Endpoint endpoint;
        endpoint.kind = scheme.kind;
        if (auto parsed = scheme.parse(source, text.substr(colon + 1), endpoint); !parsed) {
            return std::move(parsed).error();
        }
        return endpoint;
    }
    return source.fault(text,
                        fmt::format("\"{}\" is not a kind of endpoint; {}", name, kSpellings));
}

std::string to_string(const Endpoint& endpoint) {
    const std::string_view scheme = kSchemes[static_cast<std::size_t>(endpoint.kind)].name;
    switch (endpoint.kind) {
        case EndpointKind::kUnix:
        case EndpointKind::kRing:
            return fmt::format("{}:{}", scheme, endpoint.path);
        case EndpointKind::kAeron:
            return endpoint.channel_uri;
        case EndpointKind::kTcp:
        case EndpointKind::kTls:
            break;
    }
    const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
    return is_ipv6 ? fmt::format("{}:[{}]:{}", scheme, endpoint.host, endpoint.port)
                   : fmt::format("{}:{}:{}", scheme, endpoint.host, endpoint.port);
}

}  // namespace tern::transport
