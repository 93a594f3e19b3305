#include "transport/ring/doorbell.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "transport/magic.hpp"

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
    constexpr ssize_t kReadBytes = 256;
    // In front of each read lies the end of the one before, so that no magic is cut in two.
    char bells[kMagicBytes - 1 + kReadBytes] = {};
    ssize_t got = 0;
    bool asks_again = false;
    do {
        got = ::recv(socket_fd, bells + kMagicBytes - 1, kReadBytes, MSG_DONTWAIT);
        if (got > 0) {
            const std::string_view seen(bells, kMagicBytes - 1 + static_cast<std::size_t>(got));
            asks_again |= seen.find(kRingMagic) != std::string_view::npos;
            std::memmove(bells, bells + got, kMagicBytes - 1);
        }
        // A short read has emptied the socket: no second call to hear EAGAIN.
    } while (got == kReadBytes || (got < 0 && errno == EINTR));
    if (got == 0) {
        return LinkState::kHungUp;
    }
    const LinkState state = got < 0 ? state_of_failure(errno) : LinkState::kOpen;
    return state == LinkState::kOpen && asks_again ? LinkState::kAsksAgain : state;
}

LinkState check_link(int socket_fd) noexcept {
    // Not a peek: unread doorbells in front would hide the end of the stream.
    pollfd watched{socket_fd, POLLRDHUP, 0};
    const int ready = ::poll(&watched, 1, 0);
    return ready > 0 ? LinkState::kHungUp : LinkState::kOpen;
}

}  // namespace tern::transport
