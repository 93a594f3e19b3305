#include "aeron/protocol/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <tern/base/bytes.hpp>

namespace tern::aeron {

namespace {

const sockaddr_in& as_v4(const sockaddr_storage& storage) noexcept {
    return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& as_v6(const sockaddr_storage& storage) noexcept {
    return reinterpret_cast<const sockaddr_in6&>(storage);
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, port);
    return failed == std::errc() && at == end && !text.empty() ? std::optional(port) : std::nullopt;
}

unsigned address_bits(const SocketAddress& address) noexcept {
    return static_cast<unsigned>(address.host_bytes().size()) * 8;
}

/// How many bits of a netmask are set; masks are contiguous.
unsigned mask_bits(const sockaddr* mask, int family) noexcept {
    if (mask == nullptr) {
        return 0;
    }
    // Some systems leave the mask's family 0: it is that of its address.
    sockaddr_storage storage{};
    std::memcpy(&storage, mask, family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
    storage.ss_family = static_cast<sa_family_t>(family);
    const SocketAddress address(reinterpret_cast<const sockaddr*>(&storage), sizeof storage);
    unsigned bits = 0;
    for (const char byte : address.host_bytes()) {
        bits += static_cast<unsigned>(std::popcount(static_cast<unsigned char>(byte)));
    }
    return bits;
}

}  // namespace

SocketAddress::SocketAddress() noexcept {
    storage_.ss_family = AF_INET;
}

SocketAddress::SocketAddress(const sockaddr* address, socklen_t length) noexcept : SocketAddress() {
    const std::size_t needed =
        address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if ((address->sa_family == AF_INET || address->sa_family == AF_INET6) && length >= needed) {
        std::memcpy(&storage_, address, needed);
    }
}

SocketAddress SocketAddress::any(int family, std::uint16_t port) noexcept {
    SocketAddress address;
    address.storage_.ss_family = static_cast<sa_family_t>(family);
    address.set_port(port);
    return address;
}

std::uint16_t SocketAddress::port() const noexcept {
    return ntohs(is_ipv6() ? as_v6(storage_).sin6_port : as_v4(storage_).sin_port);
}

void SocketAddress::set_port(std::uint16_t port) noexcept {
    // The port is at the same place in both families.
    reinterpret_cast<sockaddr_in&>(storage_).sin_port = htons(port);
}

std::string_view SocketAddress::host_bytes() const noexcept {
    return is_ipv6()
               ? std::string_view(reinterpret_cast<const char*>(&as_v6(storage_).sin6_addr), 16)
               : std::string_view(reinterpret_cast<const char*>(&as_v4(storage_).sin_addr), 4);
}

bool SocketAddress::is_multicast() const noexcept {
    return is_ipv6() ? IN6_IS_ADDR_MULTICAST(&as_v6(storage_).sin6_addr)
                     : IN_MULTICAST(ntohl(as_v4(storage_).sin_addr.s_addr));
}

bool SocketAddress::is_any() const noexcept {
    const std::string_view bytes = host_bytes();
    return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

bool SocketAddress::is_loopback() const noexcept {
    constexpr std::uint32_t kLoopbackNet = 127;
    return is_ipv6() ? IN6_IS_ADDR_LOOPBACK(&as_v6(storage_).sin6_addr)
                     : ntohl(as_v4(storage_).sin_addr.s_addr) >> 24 == kLoopbackNet;
}

std::string SocketAddress::to_string() const {
    char text[INET6_ADDRSTRLEN] = {};
    ::inet_ntop(family(), host_bytes().data(), text, sizeof text);
    return is_ipv6() ? fmt::format("[{}]:{}", text, port()) : fmt::format("{}:{}", text, port());
}

bool SocketAddress::operator==(const SocketAddress& other) const noexcept {
    return family() == other.family() && port() == other.port() &&
           host_bytes() == other.host_bytes() &&
           (!is_ipv6() || as_v6(storage_).sin6_scope_id == as_v6(other.storage_).sin6_scope_id);
}

Result<HostAndPort> split_host_port(std::string_view text) {
    HostAndPort name;
    std::size_t colon = 0;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) {
            return error(Errc::kInvalidArgument, "'{}': no ] behind the address", text);
        }
        name.host = text.substr(1, close - 1);
        colon = close + 1;
    } else {
        colon = text.find(':');
        if (colon != std::string_view::npos &&
            text.find(':', colon + 1) != std::string_view::npos) {
            return error(Errc::kInvalidArgument, "'{}': an IPv6 address stands in brackets", text);
        }
        name.host = text.substr(0, colon);
    }
    if (name.host.empty()) {
        return error(Errc::kInvalidArgument, "'{}': no host", text);
    }
    const auto port = colon < text.size() && text[colon] == ':' ? parse_port(text.substr(colon + 1))
                                                                : std::nullopt;
    if (!port) {
        return error(Errc::kInvalidArgument, "'{}': expected host:port", text);
    }
    name.port = *port;
    return name;
}

Result<SocketAddress> resolve(const HostAndPort& name) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    int failed = 0;
    for (const int family : {AF_INET, AF_INET6}) {
        hints.ai_family = family;
        addrinfo* list = nullptr;
        failed = ::getaddrinfo(name.host.c_str(), nullptr, &hints, &list);
        if (failed == 0) {
            const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
            SocketAddress address(list->ai_addr, list->ai_addrlen);
            address.set_port(name.port);
            return address;
        }
    }
    return error(Errc::kNotFound, "{}: {}", name.host, ::gai_strerror(failed));
}

Result<SocketAddress> control_group_of(const SocketAddress& data_group) {
    if (!data_group.is_multicast()) {
        return error(Errc::kInvalidArgument, "{} is no multicast group", data_group.to_string());
    }
    const std::string_view host = data_group.host_bytes();
    if ((static_cast<unsigned char>(host.back()) & 1U) == 0) {
        return error(Errc::kInvalidArgument,
                     "{}: a data group ends in an odd byte; the even one after it is its control "
                     "group",
                     data_group.to_string());
    }
    // 255 becomes 0 of the next: the whole address counts on.
    sockaddr_storage storage{};
    std::memcpy(&storage, data_group.data(), data_group.size());
    auto* const bytes =
        data_group.is_ipv6()
            ? reinterpret_cast<sockaddr_in6&>(storage).sin6_addr.s6_addr
            : reinterpret_cast<unsigned char*>(&reinterpret_cast<sockaddr_in&>(storage).sin_addr);
    for (std::size_t i = host.size(); i-- > 0 && ++bytes[i] == 0;) {}
    return SocketAddress(reinterpret_cast<const sockaddr*>(&storage), data_group.size());
}

Result<InterfaceSpec> InterfaceSpec::parse(std::string_view text) {
    InterfaceSpec spec;
    std::string_view rest = text;
    if (rest.starts_with('{')) {
        const std::size_t close = rest.find('}');
        if (close == std::string_view::npos || close == 1) {
            return error(Errc::kInvalidArgument, "interface={}: expected {{name}}", text);
        }
        spec.name = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        const auto port = rest.starts_with(':') ? parse_port(rest.substr(1)) : std::nullopt;
        if (!rest.empty() && !port) {
            return error(Errc::kInvalidArgument, "interface={}: expected {{name}}:port", text);
        }
        spec.port = port.value_or(0);
        return spec;
    }
    const std::size_t slash = rest.find('/');
    const std::string_view prefix = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    const bool has_port = rest.starts_with('[') ? rest.find("]:") != std::string_view::npos
                                                : rest.find(':') != std::string_view::npos;
    Result<HostAndPort> name = split_host_port(std::string(rest) + (has_port ? "" : ":0"));
    if (!name) {
        return std::move(name).error().add_context("interface");
    }
    Result<SocketAddress> address = resolve(*name);
    if (!address) {
        return std::move(address).error().add_context("interface");
    }
    spec.address = *address;
    spec.port = name->port;
    spec.prefix_bits = address_bits(spec.address);
    if (slash != std::string_view::npos) {
        const auto bits = parse_port(prefix);
        if (!bits || *bits > spec.prefix_bits) {
            return error(Errc::kInvalidArgument,
                         "interface={}: a prefix has 0 to {} bits",
                         text,
                         spec.prefix_bits);
        }
        spec.prefix_bits = *bits;
    }
    return spec;
}

Result<std::vector<LocalInterface>> local_interfaces() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return os_error(errno, "getifaddrs");
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
    std::vector<LocalInterface> found;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0 ||
            (one->ifa_addr->sa_family != AF_INET && one->ifa_addr->sa_family != AF_INET6)) {
            continue;
        }
        LocalInterface local;
        local.name = one->ifa_name;
        local.index = ::if_nametoindex(one->ifa_name);
        local.address = SocketAddress(one->ifa_addr, sizeof(sockaddr_in6));
        local.prefix_bits = mask_bits(one->ifa_netmask, local.address.family());
        local.is_loopback = (one->ifa_flags & IFF_LOOPBACK) != 0;
        local.has_multicast = (one->ifa_flags & IFF_MULTICAST) != 0;
        found.push_back(std::move(local));
    }
    return found;
}

Result<LocalInterface> find_interface(const InterfaceSpec& spec,
                                      int family,
                                      const std::vector<LocalInterface>& candidates) {
    const LocalInterface* best = nullptr;
    for (const LocalInterface& one : candidates) {
        const bool is_meant =
            one.address.family() == family &&
            (spec.name.empty() ? spec.address.family() == family &&
                                     share_prefix(spec.address, one.address, spec.prefix_bits)
                               : spec.name == one.name);
        const bool is_better =
            best == nullptr || (best->is_loopback && !one.is_loopback) ||
            (best->is_loopback == one.is_loopback && one.prefix_bits > best->prefix_bits);
        if (is_meant && is_better) {
            best = &one;
        }
    }
    if (best == nullptr) {
        return error(Errc::kNotFound,
                     "no interface of this machine is {}",
                     spec.name.empty()
                         ? fmt::format("in {}/{}", spec.address.to_string(), spec.prefix_bits)
                         : spec.name);
    }
    return *best;
}

bool share_prefix(const SocketAddress& one,
                  const SocketAddress& other,
                  unsigned prefix_bits) noexcept {
    const std::string_view a = one.host_bytes();
    const std::string_view b = other.host_bytes();
    const std::size_t whole = prefix_bits / 8;
    if (a.size() != b.size() || prefix_bits > a.size() * 8 ||
        a.substr(0, whole) != b.substr(0, whole)) {
        return false;
    }
    const unsigned rest = prefix_bits % 8;
    return rest == 0 ||
           ((static_cast<unsigned char>(a[whole]) ^ static_cast<unsigned char>(b[whole])) >>
            (8 - rest)) == 0;
}

}  // namespace tern::aeron
