#include "server/reactor/ring_connection.hpp"

#include "base/random.hpp"
#include "transport/ring/doorbell.hpp"
#include "transport/ring/handshake.hpp"

namespace tern::server {

namespace {

/// The least that a reply is given in the ring; it takes more when the ring has it.
constexpr std::size_t kReplyBytesMin = 56;
/// Buffers above this are given back after use, as the message reader's is.
constexpr std::size_t kKeptBufferBytes = transport::MessageReader::kKeptBufferBytes;
/// The longest message of a client that has not logged on; sockets have the same bound.
constexpr std::size_t kStrangerMessageBytesMax = std::size_t{64} << 10;

}  // namespace

void RingSink::grow(std::size_t length_bytes) {
    const std::size_t used_bytes = size();
    if (!is_spilled_) {
        // In place of the stage, or of a claim at the end of the ring's data, comes a claim of the
        // ring. What the first one holds stays readable until the commit.
        const transport::RingClaim claim = producer_.try_claim(used_bytes + length_bytes);
        if (claim) {
            std::memmove(claim.data, view().data(), used_bytes);
            reset_window(reinterpret_cast<char*>(claim.data), used_bytes, claim.capacity_bytes);
            return;
        }
        spill_.clear();
        spill_.append(view());
        is_spilled_ = true;
    } else {
        spill_.truncate(0);
        spill_.advance(used_bytes);
    }
    static_cast<void>(spill_.reserve(std::max(length_bytes, used_bytes)));
    reset_window(spill_.begin(), used_bytes, spill_.capacity());
}

std::unique_ptr<RingConnection> RingConnection::accept(Reactor& reactor,
                                                       int socket_fd,
                                                       const transport::RingRequestBytes& request,
                                                       const std::string& local_address) {
    transport::RingLimits limits;
    if (reactor.options().spin_always) {
        limits.server_policy = transport::WaitPolicy::kSpin;
    }
    transport::RingGate::Outcome outcome =
        transport::RingGate().answer(request, limits, entropy_u64());
    if (!transport::send_ring_answer(socket_fd, outcome) || !outcome.mapping) {
        return nullptr;
    }
    return std::make_unique<RingConnection>(reactor, std::move(*outcome.mapping), local_address);
}

RingConnection::RingConnection(Reactor& reactor,
                               transport::RingMapping mapping,
                               std::string local_address)
    : reactor_(reactor),
      mapping_(std::move(mapping)),
      end_(mapping_.end(transport::RingSide::kServer)),
      pump_(reactor.executor()),
      private_copy_(std::make_unique_for_overwrite<std::byte[]>(
          transport::max_record_bytes(mapping_.spec().geometry.request_capacity_bytes))) {
    Server& server = reactor.server();
    const bool is_sbe = mapping_.spec().protocol == transport::RingProtocol::kSbe;
    session_.peer = this;
    session_.transport = Session::Transport::kRing;
    session_.protocol = is_sbe ? Protocol::kSbe : Protocol::kResp2;
    session_.authenticated = server.config().requirepass.empty();
    session_.created_ms = server.now_ms();
    session_.last_interaction_ms = server.now_ms();
    session_.local_address = std::move(local_address);
    server.clients().add(session_);
    session_.address = fmt::format("{}:ring{}", session_.local_address, session_.id);
    reactor_.count_ring(1);
}

RingConnection::~RingConnection() {
    close();
}

void RingConnection::take_over(UniqueFd socket) {
    fd_ = std::move(socket);
    if (!reactor_.watch(fd_.get(), transport::Interest::kRead, *this)) {
        close();
        return;
    }
    reactor_.activate(*this);
}

std::size_t RingConnection::poll(std::size_t command_count_max) {
    commands_left_ = command_count_max;
    if (__builtin_expect(wants_reply_space_ || has_text_left_ || has_left_ || has_queued(), 0)) {
        catch_up();
    }
    take_records();
    const std::size_t command_count = command_count_max - commands_left_;
    if (command_count != 0 && !is_closed) {
        wake_peer();
        if (__builtin_expect(is_closing_ || session_.close_requested, 0)) {
            is_closing_ = true;
            reactor_.schedule(*this);
        }
    } else if (__builtin_expect(has_left_, 0)) {
        close();  // nothing more can be done for it
    }
    return command_count;
}

void RingConnection::take_records() {
    std::size_t record_count = 0;
    // A reply that is queued goes first: none may be written between its fragments.
    while (commands_left_ != 0 && !session_.blocked && !session_.is_paused && !is_closing_ &&
           !is_closed && !has_queued()) {
        const transport::RingRecord record = end_.consumer.peek();
        if (!record) {
            if (record.status == transport::PeekStatus::kCorrupt) {
                close();
            }
            break;
        }
        if (!handle(record)) {
            break;
        }
        ++record_count;
    }
    reactor_.server().stats().ring_messages += record_count;
}

/// Goes on with what the last poll could not finish.
void RingConnection::catch_up() {
    if (has_left_ && end_.consumer.position() - left_at_ >= end_.consumer.capacity_bytes()) {
        close();  // it writes on although it hung up
        return;
    }
    wants_reply_space_ = false;
    if (drain_output() && has_text_left_ && !session_.blocked && !session_.is_paused) {
        run_text();
    }
    if (!is_closed) {
        wake_peer();
    }
}

/// Rings once for everything that was committed or freed since the last time.
void RingConnection::wake_peer() {
    const bool has_data = end_.producer.needs_wakeup();
    const bool has_space = end_.consumer.take_space_wakeup();
    if (__builtin_expect(has_data || has_space, 0)) {
        ring_doorbell();
    }
}

bool RingConnection::handle(const transport::RingRecord& record) {
    const std::size_t commands_before = commands_left_;
    bool is_done = false;
    if (session_.protocol != Protocol::kSbe) {
        is_done = take_text(record.payload());  // copies it into the input buffer first
    } else if (__builtin_expect(record.flags == transport::kRecordWhole, 1)) {
        is_done = run_wire(private_copy(record));
    } else {
        is_done = handle_fragment(record);
    }
    if (is_done && !is_closed) {
        end_.consumer.consume();
        spend(commands_left_ == commands_before ? 1 : 0);
    }
    return is_done;
}

Bytes RingConnection::private_copy(const transport::RingRecord& record) noexcept {
    transport::copy_payload(private_copy_.get(), record.data, record.length_bytes);
    return {private_copy_.get(), record.length_bytes};
}

bool RingConnection::handle_fragment(const transport::RingRecord& record) {
    if (!has_assembled_) {
        switch (reader_.add(record)) {
            case transport::MessageReader::Outcome::kIncomplete:
                if (!session_.authenticated && reader_.pending_bytes() > kStrangerMessageBytesMax) {
                    close();
                    return false;
                }
                return true;
            case transport::MessageReader::Outcome::kMessage:
                has_assembled_ = true;
                break;
            case transport::MessageReader::Outcome::kTooLarge:
            case transport::MessageReader::Outcome::kBadFragment:
                close();
                return false;
        }
    }
    // The fragments lie in the reader's own buffer, which the peer cannot reach.
    if (!run_wire(reader_.message())) {
        return false;
    }
    has_assembled_ = false;
    return true;
}

bool RingConnection::run_wire(Bytes message) {
    const transport::RingClaim claim = end_.producer.try_stage(kReplyBytesMin);
    if (!claim) {
        note_refusal(claim.status);
        return false;
    }
    sink_.begin(claim);
    is_executing = true;
    const Outcome outcome = reactor_.executor().run_wire(session_, message, sink_);
    is_executing = false;
    if (__builtin_expect(outcome == Outcome::kDeferred, 0)) {
        end_.producer.abort();
        session_.is_paused = true;
        reactor_.hold_until_unpaused(*this);
        return false;
    }
    publish_reply();
    return true;
}

/// What to do when the reply ring has no room: wait for it, or drop who lies about it.
void RingConnection::note_refusal(transport::ClaimStatus status) {
    if (status == transport::ClaimStatus::kCorrupt) {
        close();
    } else {
        wants_reply_space_ = true;
    }
}

bool RingConnection::take_text(Bytes fresh) {
    if (has_text_left_) {
        return false;  // executed first; meanwhile the ring holds the peer back
    }
    if (input_done_bytes_ != 0 && input_.room() < fresh.size()) {
        input_.drop_front(input_done_bytes_);
        input_done_bytes_ = 0;
    }
    input_.append(as_text(fresh));
    run_text();
    return true;
}

void RingConnection::run_text() {
    bool goes_on = true;
    has_text_left_ = false;
    while (goes_on && input_done_bytes_ < input_.size() && !is_closed) {
        if (session_.blocked || session_.is_paused || has_queued()) {
            has_text_left_ = true;
            break;
        }
        const transport::RingClaim claim = end_.producer.try_stage(kReplyBytesMin);
        if (!claim) {
            note_refusal(claim.status);
            has_text_left_ = true;
            break;
        }
        sink_.begin(claim);
        is_executing = true;
        const RequestPump::Progress progress =
            pump_.run(session_,
                      as_bytes(input_.view().substr(input_done_bytes_)),
                      sink_,
                      {.output_bytes_max = kOutputPauseBytes, .request_count_max = commands_left_});
        is_executing = false;
        input_done_bytes_ += progress.consumed_bytes;
        spend(progress.request_count);
        publish_reply();
        goes_on = progress.stop == RequestPump::Stop::kOutputFull;
        if (progress.stop == RequestPump::Stop::kDeferred) {
            session_.is_paused = true;
            reactor_.hold_until_unpaused(*this);
        }
        has_text_left_ |= session_.blocked || session_.is_paused ||
                          progress.stop == RequestPump::Stop::kTurnIsOver;
        is_closing_ |= progress.stop == RequestPump::Stop::kClose;
    }
    forget_done_input();
}

void RingConnection::forget_done_input() {
    if (input_done_bytes_ == input_.size()) {
        has_text_left_ = false;
        input_.clear();
        input_done_bytes_ = 0;
        if (__builtin_expect(input_.capacity() > kKeptBufferBytes, 0)) {
            input_.release();
        }
    } else if (input_done_bytes_ > input_.size() / 2) {
        // Half by half, so that a long pipeline is moved once and not once a turn.
        input_.drop_front(input_done_bytes_);
        input_done_bytes_ = 0;
    }
}

void RingConnection::publish_reply() {
    if (sink_.is_spilled()) {
        end_.producer.abort();
        enqueue(sink_.view());
        if (spill_.capacity() > kKeptBufferBytes) {
            spill_.release();
        }
    } else if (sink_.size() != 0) {
        reactor_.server().stats().output_bytes += sink_.size();
        end_.producer.commit(sink_.size());
    } else {
        end_.producer.abort();
    }
}

void RingConnection::enqueue(std::string_view message) {
    queued_bytes_ += message.size();
    if (has_queued()) {
        queued_.emplace_back(message);
    } else {
        sending_.assign(message);
        writer_ = transport::MessageWriter(as_bytes(sending_));
    }
    Server& server = reactor_.server();
    if (server.exceeds_output_limit(session_, pending_output_bytes())) {
        ++server.stats().output_limit_disconnections;
        is_closing_ = true;
        writer_ = {};
        queued_.clear();
        queued_bytes_ = 0;
    }
    static_cast<void>(drain_output());
}

bool RingConnection::drain_output() {
    while (has_queued()) {
        switch (writer_.pump(end_.producer)) {
            case transport::ClaimStatus::kClaimed:
                break;
            case transport::ClaimStatus::kBackPressured:
            case transport::ClaimStatus::kTooLong:
                if (end_.producer.needs_wakeup()) {
                    ring_doorbell();
                }
                return false;
            case transport::ClaimStatus::kCorrupt:
                close();
                return false;
        }
        send_next();
    }
    if (end_.producer.needs_wakeup()) {
        ring_doorbell();
    }
    return true;
}

/// The message in sending_ is in the ring: takes the next one.
void RingConnection::send_next() {
    reactor_.server().stats().output_bytes += sending_.size();
    queued_bytes_ -= sending_.size();
    writer_ = {};
    if (!queued_.empty()) {
        sending_ = std::move(queued_.front());
        queued_.pop_front();
        writer_ = transport::MessageWriter(as_bytes(sending_));
    } else if (sending_.capacity() > kKeptBufferBytes) {
        sending_ = {};
        sending_.shrink_to_fit();
    }
}

std::size_t RingConnection::pending_output_bytes() const {
    return queued_bytes_ - writer_.written_bytes();
}

bool RingConnection::prepare_sleep() noexcept {
    if (has_left_) {
        return false;  // the next poll ends it
    }
    if (has_queued()) {
        return end_.producer.prepare_wait_for_space(writer_.next_claim_bytes(end_.producer));
    }
    if (wants_reply_space_) {
        return end_.producer.prepare_wait_for_space(kReplyBytesMin);
    }
    if (session_.blocked || session_.is_paused) {
        return true;  // resumed by whoever unblocks it; its requests wait
    }
    if (has_text_left_) {
        return false;
    }
    return end_.consumer.prepare_wait();
}

void RingConnection::cancel_sleep() noexcept {
    end_.consumer.cancel_wait();
    end_.producer.cancel_wait();
}

void RingConnection::on_event(const transport::PollEvent& event) {
    if (is_executing) {
        return;
    }
    if (is_closed) {
        return;
    }
    const transport::LinkState link = transport::drain_doorbells(fd_.get());
    if (link == transport::LinkState::kHungUp || event.is_hung_up) {
        leave();
        return;
    }
    if (link == transport::LinkState::kAsksAgain) {
        // A socket that is full of bells unread takes no answer; its client asks in vain.
        static_cast<void>(transport::send_ring_answer(fd_.get(), transport::RingGate::has_ring()));
    }
    reactor_.activate(*this);
}

void RingConnection::resume() {
    if (is_closed) {
        return;
    }
    session_.is_paused = false;
    if (late_.size() != 0) {
        // RESP pushes outside of a message are a piece of the stream.
        enqueue(late_.view());
        late_.clear();
    }
    const bool is_drained = drain_output();
    if (!is_closed && !session_.blocked && input_.size() != 0) {
        run_text();
    }
    if (is_closed) {
        return;
    }
    if ((is_closing_ || session_.close_requested) && is_drained) {
        close();
        return;
    }
    wake_peer();
    reactor_.activate(*this);
}

void RingConnection::begin_message() {
    late_start_ = late_.size();
}

void RingConnection::end_message() {
    // At once in RESP too: commands that were sent behind the blocking one may run before `resume`.
    enqueue(late_.view().substr(late_start_));
    late_.truncate(late_start_);
}

ByteSink& RingConnection::late_output() {
    return late_;
}

void RingConnection::close_after_output() {
    session_.close_requested = true;
    schedule();
}

void RingConnection::close_now() {
    close();
}

void RingConnection::ring_doorbell() {
    if (has_left_) {
        return;
    }
    ++reactor_.server().stats().doorbells_rung;
    if (transport::ring_doorbell(fd_.get()) == transport::LinkState::kHungUp) {
        leave();
    }
}

/// The peer hung up. What it sent before is executed, as from a socket; then the ring is closed.
void RingConnection::leave() {
    if (has_left_ || is_closed) {
        return;
    }
    has_left_ = true;
    left_at_ = end_.consumer.position();
    reactor_.unwatch(fd_.get());  // its end stays readable
    reactor_.activate(*this);
}

void RingConnection::close() {
    if (is_closed) {
        return;
    }
    is_closed = true;
    end_.close();
    reactor_.server().forget(session_);
    reactor_.count_ring(-1);
    if (fd_.is_open()) {
        if (!has_left_) {
            reactor_.unwatch(fd_.get());
        }
        fd_.reset();
    }
    reactor_.retire(*this);
}

}  // namespace tern::server
