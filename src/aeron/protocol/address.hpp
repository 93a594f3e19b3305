#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <vector>

/// Addresses of channels: hosts and ports, multicast groups, local interfaces.
namespace tern::aeron {

/// An IPv4 or IPv6 address with a port.
class SocketAddress {
public:
    /// 0.0.0.0:0
    SocketAddress() noexcept;
    /// `length` bytes of a system's address; other families than IP become 0.0.0.0:0.
    SocketAddress(const sockaddr* address, socklen_t length) noexcept;
    /// The address of no interface in particular, with this port.
    [[nodiscard]] static SocketAddress any(int family, std::uint16_t port) noexcept;

    [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
    [[nodiscard]] bool is_ipv6() const noexcept { return family() == AF_INET6; }
    [[nodiscard]] std::uint16_t port() const noexcept;
    void set_port(std::uint16_t port) noexcept;
    [[nodiscard]] bool is_multicast() const noexcept;
    [[nodiscard]] bool is_any() const noexcept;
    [[nodiscard]] bool is_loopback() const noexcept;
    /// The 4 or 16 bytes of the address, network order.
    [[nodiscard]] std::string_view host_bytes() const noexcept;

    [[nodiscard]] const sockaddr* data() const noexcept {
        return reinterpret_cast<const sockaddr*>(&storage_);
    }
    [[nodiscard]] socklen_t size() const noexcept {
        return is_ipv6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    }

    /// "127.0.0.1:20123", "[::1]:20123".
    [[nodiscard]] std::string to_string() const;
    [[nodiscard]] bool operator==(const SocketAddress& other) const noexcept;

private:
    sockaddr_storage storage_{};
};

/// The two parts of "host:port" or "[v6]:port"; the brackets are gone from the host.
struct HostAndPort {
    std::string host;
    std::uint16_t port = 0;
};

/// Errors: kInvalidArgument: no port, a port beyond 65535, an IPv6 address without brackets.
[[nodiscard]] Result<HostAndPort> split_host_port(std::string_view text);

/// The address of a name: numbers as they are, else what the system's resolver says, IPv4 first.
/// May block for as long as the resolver does: call it where that is allowed, and again to see
/// whether a name has moved.
///
/// Errors: kNotFound with the resolver's words.
[[nodiscard]] Result<SocketAddress> resolve(const HostAndPort& name);

/// The group on which a multicast channel's receivers answer: the data group's address plus one.
///
/// Errors: kInvalidArgument: not multicast, or a data group with an even last byte.
[[nodiscard]] Result<SocketAddress> control_group_of(const SocketAddress& data_group);

/// A channel's `interface`: "addr[:port][/prefix]" or "{name}[:port]".
struct InterfaceSpec {
    std::string name;       ///< of the interface; else empty
    SocketAddress address;  ///< where the prefix is taken from
    std::uint16_t port = 0;
    unsigned prefix_bits = 0;  ///< of the address; all of them when none was given

    /// Errors: kInvalidArgument; kNotFound for a host that does not resolve.
    [[nodiscard]] static Result<InterfaceSpec> parse(std::string_view text);
};

/// One address of an interface of this machine.
struct LocalInterface {
    std::string name;
    unsigned index = 0;
    SocketAddress address;
    unsigned prefix_bits = 0;
    bool is_loopback = false;
    bool has_multicast = false;
};

/// The addresses of interfaces that are up.
///
/// Errors: kOs.
[[nodiscard]] Result<std::vector<LocalInterface>> local_interfaces();

/// The interface of `candidates` that a specification means: of its name and family, or with an
/// address in its prefix. Among several the one with the longest prefix, loopback last.
///
/// Errors: kNotFound.
[[nodiscard]] Result<LocalInterface> find_interface(const InterfaceSpec& spec,
                                                    int family,
                                                    const std::vector<LocalInterface>& candidates);

/// Whether the first `prefix_bits` bits of two addresses of one family are the same.
[[nodiscard]] bool share_prefix(const SocketAddress& one,
                                const SocketAddress& other,
                                unsigned prefix_bits) noexcept;

}  // namespace tern::aeron
