#include "server/reactor/acceptor.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "server/commands/client_locality.hpp"
#include "server/reactor/socket_connection.hpp"

namespace tern::server {

namespace {

constexpr std::string_view kProtectedText =
    "-DENIED tern runs in protected mode: there is no password and your address is not of this "
    "host. "
    "Set requirepass, connect from the host itself, or turn protected-mode off.\r\n";

/// Without a password, protected-mode serves only clients of this host.
bool is_refused_by_protection(const Config& config, const transport::Accepted& accepted) {
    return config.protected_mode && config.requirepass.empty() &&
           !is_loopback(transport::peer_name(accepted.fd.get()));
}

}  // namespace

void Reactor::Acceptor::on_event(const transport::PollEvent& /*event*/) {
    const transport::EndpointKind kind = listener_.endpoint().kind;
    transport::Accepted accepted = transport::accept_from(listener_.fd(), kind);
    Server& server = reactor_.server();
    if (accepted.status == transport::IoStatus::kFailed) {
        turn_away(accepted.os_errno);
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
    if (kind == transport::EndpointKind::kTcp &&
        is_refused_by_protection(server.config(), accepted)) {
        ++server.stats().connections_rejected;
        static_cast<void>(transport::send(accepted.fd.get(), as_bytes(kProtectedText)));
        return;
    }
    reactor_.adopt(std::make_unique<SocketConnection>(reactor_,
                                                      std::move(accepted.fd),
                                                      kind == transport::EndpointKind::kTcp
                                                          ? Session::Transport::kTcp
                                                          : Session::Transport::kUnix));
}

void Reactor::Acceptor::turn_away(int os_errno) {
    ++reactor_.server().stats().connections_rejected;
    UniqueFd& spare = reactor_.reserve_fd();
    if ((os_errno == EMFILE || os_errno == ENFILE) && spare.is_open()) {
        spare.reset();
        // Closed at the end of this line, which is all that its client is told.
        const bool is_gone =
            transport::accept_from(listener_.fd(), listener_.endpoint().kind).fd.is_open();
        spare = spare_descriptor();
        if (is_gone) {
            return;
        }
    }
    rest();
}

void Reactor::Acceptor::rest() {
    is_resting_ = true;
    reactor_.rewatch(listener_.fd(), transport::Interest::kNone, *this);
}

void Reactor::Acceptor::wake() {
    if (is_resting_) {
        is_resting_ = false;
        reactor_.rewatch(listener_.fd(), transport::Interest::kRead, *this);
    }
    if (!reactor_.reserve_fd().is_open()) {
        reactor_.reserve_fd() = spare_descriptor();
    }
}

UniqueFd Reactor::Acceptor::spare_descriptor() noexcept {
    return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace tern::server
