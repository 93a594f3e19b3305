#pragma once

#include "server/reactor/reactor.hpp"
#include "transport/socket.hpp"

namespace tern::server {

/// One listening socket. Accepts when epoll says that somebody is there, never speculatively.
///
/// Out of descriptors, it gives up the reactor's spare one, accepts with it, hangs up and makes a
/// spare one again: the client learns at once that it is not served, and epoll does not report it
/// for ever. When even that fails it looks away until the next tick.
///
/// Threads: the reactor's.
class Reactor::Acceptor final : public EventTarget {
public:
    Acceptor(Reactor& reactor, transport::Listener listener) noexcept
        : reactor_(reactor), listener_(std::move(listener)) {}

    void on_event(const transport::PollEvent& event) override;
    /// Ends a rest.
    void wake();
    /// Any descriptor that costs nothing.
    [[nodiscard]] static UniqueFd spare_descriptor() noexcept;
    [[nodiscard]] const transport::Listener& listener() const noexcept { return listener_; }

private:
    void turn_away(int os_errno);
    void rest();

    Reactor& reactor_;
    transport::Listener listener_;
    bool is_resting_ = false;
};

}  // namespace tern::server
