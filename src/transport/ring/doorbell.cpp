#include "transport/ring/doorbell.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>

namespace tern::transport {
namespace {

LinkState state_of_failure(int os_errno) noexcept {
    const bool is_transient = os_errno == EAGAIN || os_errno == EINTR;
    return is_transient ? LinkState::kOpen : LinkState::kHungUp;
}

}  // namespace

LinkState ring_doorbell(int socket_fd) noexcept {
    ssize_t sent = 0;
    do {
        sent = ::send(socket_fd, "!", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);  // a lost bell would be a lost wake-up
    return sent < 0 ? state_of_failure(errno) : LinkState::kOpen;
}

LinkState drain_doorbells(int socket_fd) noexcept {
    char bells[256];
    ssize_t got = 0;
    do {
        got = ::recv(socket_fd, bells, sizeof bells, MSG_DONTWAIT);
        // A short read has emptied the socket: no second call to hear EAGAIN.
    } while (got == static_cast<ssize_t>(sizeof bells) || (got < 0 && errno == EINTR));
    if (got == 0) {
        return LinkState::kHungUp;
    }
    return got < 0 ? state_of_failure(errno) : LinkState::kOpen;
}

LinkState check_link(int socket_fd) noexcept {
    // Not a peek: unread doorbells in front would hide the end of the stream.
    pollfd watched{socket_fd, POLLRDHUP, 0};
    const int ready = ::poll(&watched, 1, 0);
    return ready > 0 ? LinkState::kHungUp : LinkState::kOpen;
}

}  // namespace tern::transport
