#include "lab/floor.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <tern/base/bytes.hpp>
#include <thread>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/idle_strategy.hpp"
#include "base/unique_fd.hpp"

namespace tern::lab {

namespace {

constexpr std::size_t kMessageBytes = 16;

struct alignas(kCacheLineBytes) Line {
    std::atomic<std::uint64_t> word{0};
};

/// Runs `round_trip` for the warm-up and the samples and keeps the time of each.
template <typename RoundTrip>
Samples sample(const FloorOptions& options, RoundTrip round_trip) {
    const TickClock clock = TickClock::calibrate();
    for (std::size_t i = 0; i < options.warmup_count; ++i) {
        round_trip();
    }
    Samples samples;
    samples.ns.resize(options.sample_count);
    for (std::uint32_t& value : samples.ns) {
        const std::uint64_t start = clock.ticks();
        round_trip();
        value = static_cast<std::uint32_t>(clock.to_ns(clock.ticks() - start));
    }
    return samples;
}

Samples bounce_line(const FloorOptions& options) {
    auto lines = std::make_unique<std::array<Line, 2>>();
    std::atomic<std::uint64_t>& request = (*lines)[0].word;
    std::atomic<std::uint64_t>& reply = (*lines)[1].word;
    const std::uint64_t round_count = options.warmup_count + options.sample_count;
    std::thread echo([&] {
        static_cast<void>(pin_thread_to_core(options.far_core));
        for (std::uint64_t round = 1; round <= round_count; ++round) {
            // acquire, release: the hand-over that a message would need; partner is the loop below.
            while (request.load(std::memory_order_acquire) != round) {}
            reply.store(round, std::memory_order_release);
        }
    });
    std::uint64_t round = 0;
    Samples samples = sample(options, [&] {
        ++round;
        // release, acquire: see the echoing thread.
        request.store(round, std::memory_order_release);
        while (reply.load(std::memory_order_acquire) != round) {}
    });
    echo.join();
    return samples;
}

Result<std::array<UniqueFd, 2>> tcp_pair() {
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.get(), generic, length) != 0 || ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), generic, &length) != 0) {
        return os_error(errno, "listen on a free port of 127.0.0.1");
    }
    UniqueFd near_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(near_fd.get(), generic, length) != 0) {
        return os_error(errno, "connect to 127.0.0.1");
    }
    UniqueFd far_fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const int on = 1;
    for (const int fd : {near_fd.get(), far_fd.get()}) {
        if (::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
            return os_error(errno, "set TCP_NODELAY");
        }
    }
    return std::array<UniqueFd, 2>{std::move(near_fd), std::move(far_fd)};
}

Result<std::array<UniqueFd, 2>> unix_pair() {
    int fds[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
        return os_error(errno, "make a pair of Unix sockets");
    }
    return std::array<UniqueFd, 2>{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// Receives one whole message. False when the peer has gone.
bool receive_message(int fd, char* message, bool polls) {
    std::size_t have_bytes = 0;
    while (have_bytes < kMessageBytes) {
        const ssize_t got =
            ::recv(fd, message + have_bytes, kMessageBytes - have_bytes, polls ? MSG_DONTWAIT : 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        have_bytes += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    return true;
}

Samples bounce_socket(const FloorOptions& options, const std::array<UniqueFd, 2>& pair) {
    std::thread echo([&options, fd = pair[1].get()] {
        static_cast<void>(pin_thread_to_core(options.far_core));
        char message[kMessageBytes];
        while (receive_message(fd, message, options.polls) &&
               ::send(fd, message, sizeof message, MSG_NOSIGNAL) > 0) {}
    });
    char message[kMessageBytes] = {};
    Samples samples = sample(options, [&] {
        static_cast<void>(::send(pair[0].get(), message, sizeof message, MSG_NOSIGNAL));
        static_cast<void>(receive_message(pair[0].get(), message, options.polls));
    });
    ::shutdown(pair[0].get(), SHUT_RDWR);
    echo.join();
    return samples;
}

}  // namespace

Result<Samples> measure_floor(const FloorOptions& options) {
    if (Result<void> pinned = pin_thread_to_core(options.near_core); !pinned) {
        return std::move(pinned).error();
    }
    if (options.kind == FloorKind::kCacheLine) {
        return bounce_line(options);
    }
    auto pair = options.kind == FloorKind::kTcpSocket ? tcp_pair() : unix_pair();
    if (!pair) {
        return std::move(pair).error();
    }
    return bounce_socket(options, *pair);
}

const char* to_string(FloorKind kind) noexcept {
    switch (kind) {
        case FloorKind::kCacheLine:
            return "cache line";
        case FloorKind::kUnixSocket:
            return "unix socket";
        case FloorKind::kTcpSocket:
            return "tcp socket";
    }
    return "";
}

}  // namespace tern::lab
