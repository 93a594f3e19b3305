#pragma once

#include <atomic>
#include <semaphore>
#include <tern/base/result.hpp>
#include <thread>

#include "base/unique_fd.hpp"

namespace tern::server {

/// Tells a loop that must not make system calls when epoll has something for it.
///
/// A thread waits in poll(2) on the epoll descriptor whenever it is armed, raises a flag when that
/// becomes readable, and stops until it is armed again. So sockets cost a loop that is busy with
/// rings one load of a shared line a turn, and an event one wake-up of the watcher.
///
/// Threads:    `arm`, `is_raised`, `lower` by the loop; the watcher's own thread is inside.
/// Invariants: at most one poll is under way; after `arm` an event that is or becomes ready raises
/// the
///             flag exactly once.
class Watcher {
public:
    Watcher() = default;
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    /// Starts the thread. `epoll_fd` stays open until `stop`.
    Result<void> start(int epoll_fd);
    void stop() noexcept;

    /// Watches until the next event. Does nothing while it is watching already. One futex call.
    void arm() noexcept;
    [[nodiscard]] bool is_raised() const noexcept {
        // relaxed: only a hint to call epoll_wait, which orders everything itself. The watcher
        // writes it.
        return raised_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool is_armed() const noexcept { return is_armed_; }
    /// Takes the flag back before epoll is asked.
    void lower() noexcept {
        is_armed_ = false;
        // relaxed: the watcher writes it again only after the next arm, whose semaphore orders the
        // two.
        raised_.store(false, std::memory_order_relaxed);
    }

private:
    void watch();

    std::thread thread_;
    std::counting_semaphore<4> armed_{0};  // at most one arm and one stop are outstanding
    UniqueFd stop_fd_;
    int epoll_fd_ = -1;
    bool is_armed_ = false;  // the loop's
    alignas(64) std::atomic<bool> raised_{
        false};  // own line: the loop polls it, the watcher writes it
    std::atomic<bool> is_stopping_{false};
};

}  // namespace tern::server
