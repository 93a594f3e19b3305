#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tern/base/bytes.hpp>
#include <tern/base/result.hpp>

#include "base/unique_fd.hpp"
#include "transport/endpoint.hpp"

namespace tern::transport {

struct ListenOptions {
    int backlog = 511;        ///< Redis's default of tcp-backlog
    mode_t unix_mode = 0700;  ///< of a Unix socket's file: who may connect
};

/// A listening, non-blocking socket. A Unix socket's file is removed by the destructor, if it is
/// still the one that was made here.
class Listener {
public:
    /// Listens on a tcp, tls (the socket only), unix or ring endpoint. A Unix socket's file that
    /// nobody listens on any more is replaced.
    ///
    /// Errors:   one line with the endpoint, the cause and the option to change.
    static Result<Listener> open(const Endpoint& endpoint, const ListenOptions& options = {});

    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&& other) noexcept;
    ~Listener();

    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    /// As opened, with the real port where 0 was given.
    [[nodiscard]] const Endpoint& endpoint() const noexcept { return endpoint_; }

private:
    Listener() = default;

    UniqueFd fd_;
    Endpoint endpoint_;
    dev_t file_device_ = 0;
    ino_t file_inode_ = 0;  ///< 0: no file of ours
};

/// Connects to a tcp, tls (the socket only), unix or ring endpoint. Tries each address of a name.
/// The socket is non-blocking and has TCP_NODELAY.
///
/// Errors:   one line with the endpoint and the cause; kTimedOut after `timeout_ms`.
Result<UniqueFd> connect_to(const Endpoint& endpoint, int timeout_ms);

/// How one call on a socket ended.
enum class IoStatus : std::uint8_t {
    kDone,        ///< some bytes moved, or a connection was taken
    kWouldBlock,  ///< not ready: wait for it
    kClosed,      ///< the peer ended the stream or reset it
    kFailed,      ///< anything else; see os_errno
};

struct [[nodiscard]] IoResult {
    IoStatus status = IoStatus::kWouldBlock;
    std::size_t transferred_bytes = 0;
    int os_errno = 0;
};

struct [[nodiscard]] Accepted {
    IoStatus status = IoStatus::kWouldBlock;
    UniqueFd fd;  ///< non-blocking; with TCP_NODELAY when it is a TCP socket
    int os_errno = 0;
};

/// One call each; never blocks, never raises SIGPIPE.
IoResult receive(int fd, MutableBytes into) noexcept;
IoResult send(int fd, Bytes from) noexcept;
IoResult send(int fd, std::span<const iovec> parts) noexcept;
/// `kind`: of the listener. Running out of descriptors is kFailed: stop accepting for a while.
Accepted accept_from(int listener_fd, EndpointKind kind) noexcept;

/// Who is at the other end of a Unix socket, as the kernel knows it.
struct PeerCredentials {
    pid_t pid = 0;
    uid_t uid = 0;
    gid_t gid = 0;
};
Result<PeerCredentials> peer_credentials(int unix_socket_fd);

/// The other end as "127.0.0.1:43210", "[::1]:43210", or "path:0" for a Unix socket.
[[nodiscard]] std::string peer_name(int fd);
/// This end, likewise.
[[nodiscard]] std::string local_name(int fd);

}  // namespace tern::transport
