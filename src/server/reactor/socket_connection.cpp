#include "server/reactor/socket_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "server/reactor/ring_connection.hpp"
#include "transport/magic.hpp"
#include "transport/ring/handshake.hpp"
#include "transport/socket.hpp"

namespace tern::server {

namespace {

/// How much is asked of the kernel at once when a request is half there: no more than what is
/// missing, and never more than this, so that the buffer grows with what arrives and not with what
/// was announced.
constexpr std::size_t kReadAheadBytesMax = 1024 * 1024;
constexpr std::size_t kReadAheadBytesMin = 16 * 1024;
/// The loop's output buffer is given back above this: what a doubling leaves after a paused
/// pipeline.
constexpr std::size_t kKeptOutputBytes = 4 * SocketConnection::kOutputPauseBytes;

}  // namespace

SocketConnection::SocketConnection(Reactor& reactor, UniqueFd fd, Session::Transport transport)
    : reactor_(reactor), fd_(std::move(fd)), pump_(reactor.executor()) {
    Server& server = reactor.server();
    session_.peer = this;
    session_.transport = transport;
    session_.authenticated = server.config().requirepass.empty();
    session_.created_ms = server.now_ms();
    session_.last_interaction_ms = server.now_ms();
    session_.local_address = transport::local_name(fd_.get());
    // The other end of a Unix socket has no name; Redis shows the server's path for it.
    session_.address = transport == Session::Transport::kTcp ? transport::peer_name(fd_.get())
                                                             : session_.local_address;
    server.clients().add(session_);
    watch();  // or close: then the acceptor drops us
}

SocketConnection::~SocketConnection() {
    close();
}

void SocketConnection::on_event(const transport::PollEvent& event) {
    if (is_closed || is_executing) {
        return;
    }
    if (event.is_writable) {
        resume();
    }
    if (is_closed) {
        return;
    }
    if (may_read() && event.is_readable) {
        static_cast<void>(read_some());
    } else if (event.is_hung_up) {
        close();  // we are not reading now, and nobody is left to write to
    }
}

bool SocketConnection::poll_directly() {
    if (is_closed || !may_read()) {
        return false;
    }
    return read_some() != Read::kNothing;
}

SocketConnection::Read SocketConnection::read_some() {
    ssize_t length = 0;
    if (input_.size() == 0) {
        const MutableBytes buffer = reactor_.read_buffer();
        length = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (length > 0) {
            take({buffer.data(), static_cast<std::size_t>(length)});
        }
    } else {
        const std::size_t missing_bytes =
            wanted_bytes_ > input_.size() ? wanted_bytes_ - input_.size() : 0;
        const std::size_t room_bytes =
            std::clamp(missing_bytes, kReadAheadBytesMin, kReadAheadBytesMax);
        char* into = input_.reserve(room_bytes);
        length = ::recv(fd_.get(), into, room_bytes, MSG_DONTWAIT);
        if (length > 0) {
            input_.advance(static_cast<std::size_t>(length));
            reactor_.server().stats().input_bytes += static_cast<std::uint64_t>(length);
            if (input_.size() >= wanted_bytes_) {
                const std::size_t done_bytes = process(as_bytes(input_.view()));
                input_.drop_front(done_bytes);
                if (input_.size() == 0) {
                    input_.release();
                }
            }
        }
    }
    if (length == 0) {
        close();
        return Read::kEnd;
    }
    if (length < 0) {
        if (errno == EAGAIN || errno == EINTR) {
            return Read::kNothing;
        }
        close();
        return Read::kEnd;
    }
    reactor_.note_socket_activity(this);
    return Read::kSome;
}

void SocketConnection::take(Bytes fresh) {
    reactor_.server().stats().input_bytes += fresh.size();
    const std::size_t done_bytes = process(fresh);
    if (done_bytes < fresh.size() && !is_closed && !is_closing_) {
        input_.append(as_text(fresh.subspan(done_bytes)));
    }
}

std::size_t SocketConnection::process(Bytes unread) {
    std::size_t consumed_bytes = 0;
    session_.last_interaction_ms = reactor_.server().now_ms();
    if (is_sniffing_ && !sniff(unread, consumed_bytes)) {
        return consumed_bytes;
    }
    wanted_bytes_ = 0;
    std::size_t request_count = 0;
    for (;;) {
        if (session_.blocked || pending_output_bytes() > kOutputPauseBytes) {
            break;
        }
        BufferSink& output = reactor_.output();
        output.clear();
        const std::size_t late_at = pending_.size();
        // Up to the first byte over the pause limit, so that no more than one reply lies beyond it.
        is_executing = true;
        const RequestPump::Progress progress =
            pump_.run(session_,
                      unread.subspan(consumed_bytes),
                      output,
                      {.output_bytes_max = kOutputPauseBytes + 1 - pending_output_bytes(),
                       .request_count_max = Reactor::kSocketCommandsPerTurn - request_count});
        is_executing = false;
        consumed_bytes += progress.consumed_bytes;
        request_count += progress.request_count;
        wanted_bytes_ = progress.wanted_bytes;
        if (progress.stop == RequestPump::Stop::kClose) {
            is_closing_ = true;
        }
        send_output(output, late_at);
        if (output.capacity() > kKeptOutputBytes) {
            output.release();
        }
        if (is_closed || progress.stop == RequestPump::Stop::kClose) {
            break;
        }
        if (progress.stop == RequestPump::Stop::kDeferred) {
            session_.is_paused = true;
            reactor_.hold_until_unpaused(*this);
            break;
        }
        if (progress.stop == RequestPump::Stop::kTurnIsOver) {
            schedule();
        }
        if (progress.stop != RequestPump::Stop::kOutputFull) {
            break;
        }
    }
    reactor_.note_socket_requests(request_count);
    after_output();
    return consumed_bytes;
}

bool SocketConnection::sniff(Bytes unread, std::size_t& consumed) {
    switch (
        transport::sniff(as_text(unread.first(std::min(unread.size(), transport::kMagicBytes))))) {
        case transport::Sniffed::kUndecided:
            return false;
        case transport::Sniffed::kResp:
            break;
        case transport::Sniffed::kSbe:
            consumed = transport::kMagicBytes;
            session_.protocol = Protocol::kSbe;
            break;
        case transport::Sniffed::kRing:
            if (hand_over_to_ring(unread)) {
                consumed = unread.size();
            }
            return false;
    }
    is_sniffing_ = false;
    return true;
}

bool SocketConnection::hand_over_to_ring(Bytes unread) {
    if (session_.transport != Session::Transport::kUnix) {
        close();  // descriptors pass over Unix sockets only
        return true;
    }
    if (unread.size() < transport::kRingRequestBytes) {
        wanted_bytes_ = transport::kRingRequestBytes;
        return false;
    }
    transport::RingRequestBytes request;
    std::memcpy(request.data(), unread.data(), request.size());
    std::unique_ptr<RingConnection> ring =
        RingConnection::accept(reactor_, fd_.get(), request, session_.local_address);
    if (ring == nullptr) {
        is_closing_ = true;  // the refusal, with its reason, has been sent
        after_output();
        return true;
    }
    reactor_.unwatch(fd_.get());
    RingConnection& adopted = *ring;
    reactor_.adopt(std::move(ring));
    adopted.take_over(std::move(fd_));
    close();
    return true;
}

/// `late_at` is where in `pending_` stands what came late while the batch ran: messages to the
/// client itself, which go behind the replies.
void SocketConnection::send_output(const ByteSink& output, std::size_t late_at) {
    if (output.size() == 0) {
        return;
    }
    if (pending_.size() != 0) {
        insert_pending(late_at, output.view());
        if (late_at == 0) {
            flush_pending();  // nothing was in the way before
        }
        return;
    }
    const ssize_t sent =
        ::send(fd_.get(), output.begin(), output.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        close();
        return;
    }
    const std::size_t sent_bytes = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    reactor_.server().stats().output_bytes += sent_bytes;
    if (sent_bytes < output.size()) {
        pending_.append(output.view().substr(sent_bytes));
    }
}

void SocketConnection::insert_pending(std::size_t at, std::string_view bytes) {
    const std::size_t behind_bytes = pending_.size() - at;
    static_cast<void>(pending_.reserve(bytes.size()));
    char* place = pending_.begin() + at;
    std::memmove(place + bytes.size(), place, behind_bytes);
    std::memcpy(place, bytes.data(), bytes.size());
    pending_.advance(bytes.size());
}

void SocketConnection::send_pending() {
    if (!is_closed) {
        flush_pending();
        after_output();
    }
}

void SocketConnection::flush_pending() {
    const std::string_view rest = pending_.view().substr(pending_sent_);
    if (!rest.empty()) {
        const ssize_t sent =
            ::send(fd_.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            close();
            return;
        }
        if (sent > 0) {
            pending_sent_ += static_cast<std::size_t>(sent);
            reactor_.server().stats().output_bytes += static_cast<std::uint64_t>(sent);
        }
    }
    if (pending_sent_ == pending_.size()) {
        pending_.release();
        pending_sent_ = 0;
    } else if (pending_sent_ > pending_.size() / 2) {
        pending_.drop_front(pending_sent_);
        pending_sent_ = 0;
    }
}

void SocketConnection::after_output() {
    if (is_closed) {
        return;
    }
    Server& server = reactor_.server();
    if (server.exceeds_output_limit(session_, pending_output_bytes())) {
        ++server.stats().output_limit_disconnections;
        close();
        return;
    }
    if (is_closing_ && pending_output_bytes() == 0) {
        close();
        return;
    }
    watch();
}

bool SocketConnection::may_read() const noexcept {
    // A blocked session is still read, so that what it sends and its end are noticed, up to a
    // bound.
    constexpr std::size_t kBlockedInputBytesMax = 1024 * 1024;
    return !is_closing_ && !session_.is_paused && pending_output_bytes() <= kOutputPauseBytes &&
           !(session_.blocked && input_.size() > kBlockedInputBytesMax);
}

void SocketConnection::watch() {
    using transport::Interest;
    const bool has_output = pending_output_bytes() != 0;
    const Interest interest = may_read() ? (has_output ? Interest::kReadWrite : Interest::kRead)
                                         : (has_output ? Interest::kWrite : Interest::kNone);
    if (!interest_) {
        if (!reactor_.watch(fd_.get(), interest, *this)) {
            close();
            return;
        }
    } else if (*interest_ != interest) {
        reactor_.rewatch(fd_.get(), interest, *this);
    }
    interest_ = interest;
}

void SocketConnection::resume() {
    if (is_closed) {
        return;
    }
    session_.is_paused = false;
    send_pending();
    if (!is_closed && !session_.blocked && input_.size() != 0) {
        const std::size_t done_bytes = process(as_bytes(input_.view()));
        input_.drop_front(done_bytes);
        if (input_.size() == 0) {
            input_.release();
        }
    }
    if (session_.close_requested) {
        is_closing_ = true;
    }
    after_output();
}

void SocketConnection::begin_message() {
    message_start_ = pending_.size();
    if (session_.protocol == Protocol::kSbe) {
        static_cast<void>(pending_.reserve(kFramePrefixBytes));
        pending_.advance(kFramePrefixBytes);
    }
}

void SocketConnection::end_message() {
    if (session_.protocol == Protocol::kSbe) {
        store_value(
            pending_.begin() + message_start_,
            static_cast<std::uint32_t>(pending_.size() - message_start_ - kFramePrefixBytes));
    }
}

void SocketConnection::close_after_output() {
    session_.close_requested = true;
    schedule();
}

void SocketConnection::close_now() {
    close();
}

void SocketConnection::close() {
    if (is_closed) {
        return;
    }
    is_closed = true;
    reactor_.server().forget(session_);
    if (fd_.is_open()) {
        reactor_.unwatch(fd_.get());
        fd_.reset();
    }
    reactor_.retire(*this);
}

}  // namespace tern::server
