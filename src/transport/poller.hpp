#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tern/base/result.hpp>

#include "base/unique_fd.hpp"

namespace tern::transport {

/// What to be told about a descriptor. Hang-ups are always told.
enum class Interest : std::uint32_t {
    kNone = 0,
    kRead = EPOLLIN | EPOLLRDHUP,
    kWrite = EPOLLOUT,
    kReadWrite = EPOLLIN | EPOLLRDHUP | EPOLLOUT,
};

/// Something happened to a descriptor.
struct PollEvent {
    std::uint64_t token;  ///< given to `add`
    bool is_readable;     ///< includes an end of stream: read to see it
    bool is_writable;
    bool is_hung_up;  ///< error or both directions closed
};

/// A level-triggered epoll set.
///
/// Threads:  one.
class Poller {
public:
    static Result<Poller> open();

    Result<void> add(int fd, Interest interest, std::uint64_t token);
    Result<void> modify(int fd, Interest interest, std::uint64_t token);
    /// The epoll descriptor itself, which becomes readable when `wait` has something.
    [[nodiscard]] int fd() const noexcept { return epoll_fd_.get(); }
    /// Call before closing the descriptor.
    void remove(int fd) noexcept;

    /// Waits for at least one event, at most `timeout_ms` (0: looks only, -1: for ever).
    ///
    /// Errors:   none: an interrupted wait is an empty one.
    /// Lifetime: the events are valid until the next `wait`.
    [[nodiscard]] std::span<const PollEvent> wait(int timeout_ms) noexcept {
        return wait(timeout_ms, events_);
    }

    /// As many as one call returns; the rest come with the next one.
    static constexpr std::size_t kEventsMax = 128;
    using Events = std::array<PollEvent, kEventsMax>;
    /// The same with the caller's memory, for who looks while the events of another `wait` are
    /// being dealt with.
    [[nodiscard]] std::span<const PollEvent> wait(int timeout_ms, Events& events) noexcept;

private:
    explicit Poller(UniqueFd epoll_fd) noexcept : epoll_fd_(std::move(epoll_fd)) {}

    UniqueFd epoll_fd_;
    Events events_{};
};

}  // namespace tern::transport
