#include "transport/poller.hpp"

#include <cerrno>

namespace tern::transport {
namespace {

Result<void> control(int epoll_fd, int operation, int fd, Interest interest, std::uint64_t token) {
    epoll_event event{};
    event.events = static_cast<std::uint32_t>(interest);
    event.data.u64 = token;
    if (::epoll_ctl(epoll_fd, operation, fd, &event) != 0) {
        return os_error(errno, "watch descriptor {}", fd);
    }
    return {};
}

}  // namespace

Result<Poller> Poller::open() {
    UniqueFd epoll_fd(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll_fd.is_open()) {
        return os_error(errno, "create an epoll set");
    }
    return Poller(std::move(epoll_fd));
}

Result<void> Poller::add(int fd, Interest interest, std::uint64_t token) {
    return control(epoll_fd_.get(), EPOLL_CTL_ADD, fd, interest, token);
}

Result<void> Poller::modify(int fd, Interest interest, std::uint64_t token) {
    return control(epoll_fd_.get(), EPOLL_CTL_MOD, fd, interest, token);
}

void Poller::remove(int fd) noexcept {
    ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::span<const PollEvent> Poller::wait(int timeout_ms, Events& events) noexcept {
    std::array<epoll_event, kEventsMax> ready;
    const int count =
        ::epoll_wait(epoll_fd_.get(), ready.data(), static_cast<int>(ready.size()), timeout_ms);
    const auto event_count = static_cast<std::size_t>(count > 0 ? count : 0);
    for (std::size_t i = 0; i < event_count; ++i) {
        const std::uint32_t flags = ready[i].events;
        events[i] = PollEvent{ready[i].data.u64,
                              (flags & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0,
                              (flags & EPOLLOUT) != 0,
                              (flags & (EPOLLHUP | EPOLLERR)) != 0};
    }
    return {events.data(), event_count};
}

}  // namespace tern::transport
