#include "server/reactor/watcher.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <cerrno>

namespace tern::server {

Watcher::~Watcher() {
    stop();
}

Result<void> Watcher::start(int epoll_fd) {
    epoll_fd_ = epoll_fd;
    stop_fd_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!stop_fd_.is_open()) {
        return os_error(errno, "create the watcher's eventfd");
    }
    // Signals belong to the loop's thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { watch(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
}

void Watcher::stop() noexcept {
    if (!thread_.joinable()) {
        return;
    }
    // release: pairs with the acquire in watch(); the thread sees it after either wake-up below.
    is_stopping_.store(true, std::memory_order_release);
    ::eventfd_write(stop_fd_.get(), 1);
    armed_.release();
    thread_.join();
}

void Watcher::arm() noexcept {
    if (is_armed_) {
        return;
    }
    is_armed_ = true;
    armed_.release();
}

void Watcher::watch() {
    for (;;) {
        armed_.acquire();
        // acquire: pairs with the release in stop().
        if (is_stopping_.load(std::memory_order_acquire)) {
            return;
        }
        pollfd fds[2] = {{epoll_fd_, POLLIN, 0}, {stop_fd_.get(), POLLIN, 0}};
        while (::poll(fds, 2, -1) < 0 && errno == EINTR) {}
        // acquire: as above.
        if (is_stopping_.load(std::memory_order_acquire)) {
            return;
        }
        // relaxed: a hint; the loop asks epoll itself, see is_raised().
        raised_.store(true, std::memory_order_relaxed);
    }
}

}  // namespace tern::server
