#include "transport/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace tern::transport {
namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> resolve(const Endpoint& endpoint, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    const bool is_any = endpoint.host == "*";
    addrinfo* list = nullptr;
    const int status = ::getaddrinfo(is_any ? nullptr : endpoint.host.c_str(),
                                     std::to_string(endpoint.port).c_str(),
                                     &hints,
                                     &list);
    if (status != 0) {
        return error(Errc::kNotFound,
                     "{}: host \"{}\": {}",
                     to_string(endpoint),
                     endpoint.host,
                     ::gai_strerror(status));
    }
    return Addresses(list);
}

void set_option(int fd, int level, int option, int value) noexcept {
    ::setsockopt(fd, level, option, &value, sizeof value);
}

UniqueFd open_socket(int family) {
    return UniqueFd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

sockaddr_un unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), kUnixPathBytesMax));
    return address;
}

Error unsupported(const Endpoint& endpoint) {
    return error(Errc::kInvalidArgument,
                 "{}: not an endpoint of sockets; write tcp:, tls:, unix: or ring:",
                 to_string(endpoint));
}

/// What to change, for the causes that a user meets when listening.
std::string_view listen_remedy(const Endpoint& endpoint, int os_errno) {
    const bool is_path =
        endpoint.kind == EndpointKind::kUnix || endpoint.kind == EndpointKind::kRing;
    switch (os_errno) {
        case EADDRINUSE:
            return is_path ? "; choose another path with --unixsocket or --listen"
                           : "; stop the server that has it, or choose another with --port or "
                             "--listen";
        case EACCES:
        case EPERM:
            return is_path ? "; choose a folder you may write to with --unixsocket or --listen"
                           : "; ports below 1024 need rights: choose another with --port or "
                             "--listen";
        case EADDRNOTAVAIL:
            return "; the address is not one of this machine: choose one with --bind or --listen";
        case ENOENT:
        case ENOTDIR:
            return "; create the folder, or choose another with --unixsocket or --listen";
        default:
            return "";
    }
}

Error listen_error(const Endpoint& endpoint, int os_errno) {
    Error failure = os_error(os_errno, "listen on {}", to_string(endpoint));
    failure.message += listen_remedy(endpoint, os_errno);
    return failure;
}

std::uint16_t bound_port(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        return 0;
    }
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                     : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Result<UniqueFd> listen_tcp(const Endpoint& endpoint, int backlog) {
    Result<Addresses> addresses = resolve(endpoint, AI_PASSIVE);
    if (!addresses) {
        return std::move(addresses).error().add_context("listen");
    }
    int first_errno = 0;
    for (const addrinfo* at = addresses->get(); at != nullptr; at = at->ai_next) {
        UniqueFd fd = open_socket(at->ai_family);
        if (fd.is_open()) {
            set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
            if (at->ai_family == AF_INET6 && endpoint.host != "*") {
                set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
            }
            if (::bind(fd.get(), at->ai_addr, at->ai_addrlen) == 0 &&
                ::listen(fd.get(), backlog) == 0) {
                return fd;
            }
        }
        first_errno = first_errno == 0 ? errno : first_errno;
    }
    return listen_error(endpoint, first_errno);
}

/// Removes a socket file that nobody listens on. Refuses everything else that is in the way.
Result<void> clear_stale_socket(const Endpoint& endpoint) {
    struct stat status {};
    if (::lstat(endpoint.path.c_str(), &status) != 0) {
        return errno == ENOENT ? Result<void>() : listen_error(endpoint, errno);
    }
    if (!S_ISSOCK(status.st_mode)) {
        return error(Errc::kAlreadyExists,
                     "listen on {}: the path exists and is not a socket; remove it, or choose "
                     "another with --unixsocket or --listen",
                     to_string(endpoint));
    }
    const UniqueFd probe = open_socket(AF_UNIX);
    const sockaddr_un address = unix_address(endpoint.path);
    if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
        errno == EAGAIN) {  // EAGAIN: its backlog is full
        return listen_error(endpoint, EADDRINUSE);
    }
    if (errno != ECONNREFUSED) {
        return listen_error(endpoint, errno);
    }
    if (::unlink(endpoint.path.c_str()) != 0 && errno != ENOENT) {
        return listen_error(endpoint, errno);
    }
    return {};
}

Result<UniqueFd> listen_unix(const Endpoint& endpoint, const ListenOptions& options) {
    if (auto cleared = clear_stale_socket(endpoint); !cleared) {
        return std::move(cleared).error();
    }
    UniqueFd fd = open_socket(AF_UNIX);
    const sockaddr_un address = unix_address(endpoint.path);
    // Linux gives the file the socket's own mode (less the umask), so it is never wider than asked,
    // not even for a moment; the chmod afterwards undoes the umask.
    if (!fd.is_open() || ::fchmod(fd.get(), options.unix_mode) != 0 ||
        ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::chmod(endpoint.path.c_str(), options.unix_mode) != 0 ||
        ::listen(fd.get(), options.backlog) != 0) {
        return listen_error(endpoint, errno);
    }
    return fd;
}

/// Completes a non-blocking connect. 0 or an errno value.
int finish_connect(int fd, int timeout_ms) {
    pollfd waiting{fd, POLLOUT, 0};
    int ready = 0;
    do {
        ready = ::poll(&waiting, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        return ETIMEDOUT;
    }
    int cause = 0;
    socklen_t length = sizeof cause;
    if (ready < 0 || ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &cause, &length) != 0) {
        return errno;
    }
    return cause;
}

/// 0 or an errno value.
int connect_socket(int fd, const sockaddr* address, socklen_t length, int timeout_ms) {
    if (::connect(fd, address, length) == 0) {
        return 0;
    }
    return errno == EINPROGRESS ? finish_connect(fd, timeout_ms) : errno;
}

Error connect_error(const Endpoint& endpoint, int os_errno) {
    Error failure = os_error(os_errno, "connect to {}", to_string(endpoint));
    if (os_errno == ECONNREFUSED || os_errno == ENOENT) {
        failure.code = Errc::kUnavailable;
        failure.message += "; is a server listening there?";
    } else if (os_errno == ETIMEDOUT) {
        failure.code = Errc::kTimedOut;
    }
    return failure;
}

Result<UniqueFd> connect_tcp(const Endpoint& endpoint, int timeout_ms) {
    Result<Addresses> addresses = resolve(endpoint, 0);
    if (!addresses) {
        return std::move(addresses).error().add_context("connect");
    }
    int first_errno = 0;
    for (const addrinfo* at = addresses->get(); at != nullptr; at = at->ai_next) {
        UniqueFd fd = open_socket(at->ai_family);
        const int cause = fd.is_open()
                              ? connect_socket(fd.get(), at->ai_addr, at->ai_addrlen, timeout_ms)
                              : errno;
        if (cause == 0) {
            set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
            return fd;
        }
        first_errno = first_errno == 0 ? cause : first_errno;
    }
    return connect_error(endpoint, first_errno);
}

Result<UniqueFd> connect_unix(const Endpoint& endpoint, int timeout_ms) {
    UniqueFd fd = open_socket(AF_UNIX);
    const sockaddr_un address = unix_address(endpoint.path);
    const int cause =
        fd.is_open()
            ? connect_socket(
                  fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address, timeout_ms)
            : errno;
    if (cause != 0) {
        return connect_error(endpoint, cause);
    }
    return fd;
}

IoStatus status_of_failure(int os_errno) noexcept {
    switch (os_errno) {
        case EAGAIN:
        case EINTR:
            return IoStatus::kWouldBlock;
        case ECONNRESET:
        case EPIPE:
        case ENOTCONN:
            return IoStatus::kClosed;
        default:
            return IoStatus::kFailed;
    }
}

IoResult result_of(ssize_t transferred) noexcept {
    if (transferred >= 0) {
        return {IoStatus::kDone, static_cast<std::size_t>(transferred), 0};
    }
    return {status_of_failure(errno), 0, errno};
}

std::string name_of(const sockaddr_storage& address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.ss_family == AF_INET) {
        const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
        ::inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text);
        return fmt::format("{}:{}", text, ntohs(ipv4.sin_port));
    }
    if (address.ss_family == AF_INET6) {
        const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
        ::inet_ntop(AF_INET6, &ipv6.sin6_addr, text, sizeof text);
        return fmt::format("[{}]:{}", text, ntohs(ipv6.sin6_port));
    }
    const auto& local = reinterpret_cast<const sockaddr_un&>(address);
    return fmt::format("{}:0",
                       std::string(local.sun_path, ::strnlen(local.sun_path, kUnixPathBytesMax)));
}

}  // namespace

Listener::Listener(Listener&& other) noexcept {
    *this = std::move(other);
}

Listener& Listener::operator=(Listener&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(endpoint_, other.endpoint_);
    std::swap(file_device_, other.file_device_);
    std::swap(file_inode_, other.file_inode_);
    return *this;
}

Listener::~Listener() {
    struct stat status {};
    if (file_inode_ != 0 && ::lstat(endpoint_.path.c_str(), &status) == 0 &&
        status.st_dev == file_device_ && status.st_ino == file_inode_) {
        ::unlink(endpoint_.path.c_str());
    }
}

Result<Listener> Listener::open(const Endpoint& endpoint, const ListenOptions& options) {
    const bool is_tcp = endpoint.kind == EndpointKind::kTcp || endpoint.kind == EndpointKind::kTls;
    if (endpoint.kind == EndpointKind::kAeron) {
        return unsupported(endpoint);
    }
    Result<UniqueFd> fd =
        is_tcp ? listen_tcp(endpoint, options.backlog) : listen_unix(endpoint, options);
    if (!fd) {
        return std::move(fd).error();
    }
    Listener listener;
    listener.fd_ = std::move(*fd);
    listener.endpoint_ = endpoint;
    if (is_tcp) {
        listener.endpoint_.port = bound_port(listener.fd());
        return listener;
    }
    struct stat status {};
    if (::lstat(endpoint.path.c_str(), &status) == 0) {
        listener.file_device_ = status.st_dev;
        listener.file_inode_ = status.st_ino;
    }
    return listener;
}

Result<UniqueFd> connect_to(const Endpoint& endpoint, int timeout_ms) {
    switch (endpoint.kind) {
        case EndpointKind::kTcp:
        case EndpointKind::kTls:
            return connect_tcp(endpoint, timeout_ms);
        case EndpointKind::kUnix:
        case EndpointKind::kRing:
            return connect_unix(endpoint, timeout_ms);
        case EndpointKind::kAeron:
            break;
    }
    return unsupported(endpoint);
}

IoResult receive(int fd, MutableBytes into) noexcept {
    IoResult result = result_of(::recv(fd, into.data(), into.size(), MSG_DONTWAIT));
    if (result.status == IoStatus::kDone && result.transferred_bytes == 0 && !into.empty()) {
        result.status = IoStatus::kClosed;
    }
    return result;
}

IoResult send(int fd, Bytes from) noexcept {
    return result_of(::send(fd, from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

IoResult send(int fd, std::span<const iovec> parts) noexcept {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts.data());  // the call does not write to it
    message.msg_iovlen = parts.size();
    return result_of(::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

Accepted accept_from(int listener_fd, EndpointKind kind) noexcept {
    UniqueFd fd(::accept4(listener_fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.is_open()) {
        // A peer that gave up while it waited is nothing to tell.
        const int cause = errno == ECONNABORTED ? EAGAIN : errno;
        return {status_of_failure(cause), UniqueFd(), cause};
    }
    if (kind == EndpointKind::kTcp || kind == EndpointKind::kTls) {
        set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    }
    return {IoStatus::kDone, std::move(fd), 0};
}

Result<PeerCredentials> peer_credentials(int unix_socket_fd) {
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (::getsockopt(unix_socket_fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
        return os_error(errno, "ask who the peer is");
    }
    return PeerCredentials{credentials.pid, credentials.uid, credentials.gid};
}

std::string peer_name(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    return ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0
               ? name_of(address)
               : std::string("?:0");
}

std::string local_name(int fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    return ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0
               ? name_of(address)
               : std::string("?:0");
}

}  // namespace tern::transport
