#include "server/reactor/acceptor.hpp"

#include <string_view>

#include "server/reactor/socket_connection.hpp"

namespace tern::server {

void Reactor::Acceptor::on_event(const transport::PollEvent& /*event*/) {
    const transport::EndpointKind kind = listener_.endpoint().kind;
    transport::Accepted accepted = transport::accept_from(listener_.fd(), kind);
    Server& server = reactor_.server();
    if (accepted.status == transport::IoStatus::kFailed) {
        // Out of descriptors, most likely: epoll reports again as soon as one is free.
        ++server.stats().connections_rejected;
        return;
    }
    if (accepted.status != transport::IoStatus::kDone) {
        return;
    }
    if (server.clients().size() >= static_cast<std::size_t>(server.config().maxclients)) {
        ++server.stats().connections_rejected;
        static_cast<void>(
            transport::send(accepted.fd.get(), as_bytes("-ERR max number of clients reached\r\n")));
        return;
    }
    reactor_.adopt(std::make_unique<SocketConnection>(reactor_,
                                                      std::move(accepted.fd),
                                                      kind == transport::EndpointKind::kTcp
                                                          ? Session::Transport::kTcp
                                                          : Session::Transport::kUnix));
}

}  // namespace tern::server
