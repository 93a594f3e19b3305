#pragma once

#include "server/reactor/reactor.hpp"
#include "transport/socket.hpp"

namespace tern::server {

/// One listening socket. Accepts when epoll says that somebody is there, never speculatively.
///
/// Threads: the reactor's.
class Reactor::Acceptor final : public EventTarget {
public:
    Acceptor(Reactor& reactor, transport::Listener listener) noexcept
        : reactor_(reactor), listener_(std::move(listener)) {}

    void on_event(const transport::PollEvent& event) override;
    [[nodiscard]] const transport::Listener& listener() const noexcept { return listener_; }

private:
    Reactor& reactor_;
    transport::Listener listener_;
};

}  // namespace tern::server
