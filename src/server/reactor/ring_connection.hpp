#pragma once

#include <algorithm>
#include <deque>
#include <string>

#include "server/reactor/reactor.hpp"
#include "server/reactor/request_pump.hpp"
#include "transport/ring/handshake.hpp"
#include "transport/ring/message.hpp"
#include "transport/ring/ring.hpp"

namespace tern::server {

/// A sink whose memory is a claim in the reply ring, and ordinary memory once a reply outgrows
/// every claim.
class RingSink final : public ByteSink {
public:
    RingSink(transport::RingProducer& producer, BufferSink& spill) noexcept
        : producer_(producer), spill_(spill) {}

    /// Begins a message in `claim`.
    void begin(const transport::RingClaim& claim) noexcept {
        is_spilled_ = false;
        reset_window(reinterpret_cast<char*>(claim.data), 0, claim.capacity_bytes);
    }
    /// True when the message is in the spill and not in the ring.
    [[nodiscard]] bool is_spilled() const noexcept { return is_spilled_; }

private:
    void grow(std::size_t length_bytes) override;

    transport::RingProducer& producer_;
    BufferSink& spill_;
    bool is_spilled_ = false;
};

/// A client on a shared-memory ring. The Unix socket that created the ring stays open: it carries
/// the doorbells and its end is the end of the client.
///
/// Each record is copied into private memory before it is looked at, because a hostile client can
/// change a ring while we read it; a record of one line costs one line's copy
/// (docs/decisions/ring-copy.md).
/// Replies are encoded in place in the reply ring. A full reply ring stops the reading of requests.
///
/// Threads: the reactor's.
class RingConnection final : public Connection, public Peer {
public:
    /// Output waiting for a peer, above which its requests are no longer executed.
    static constexpr std::size_t kOutputPauseBytes = 1024 * 1024;

    /// Answers `request`, which came on the Unix socket `socket_fd`, and sends the answer. Null
    /// when the ring was refused; the peer has then been told why.
    static std::unique_ptr<RingConnection> accept(Reactor& reactor,
                                                  int socket_fd,
                                                  const transport::RingRequestBytes& request,
                                                  const std::string& local_address);
    RingConnection(Reactor& reactor, transport::RingMapping mapping, std::string local_address);
    ~RingConnection() override;

    /// Takes the socket that created the ring and starts to watch it and the ring.
    void take_over(UniqueFd socket);

    /// Executes at most `command_count_max` commands, of as many records as that takes; a record
    /// that completes none counts as one. Returns how many there were.
    std::size_t poll(std::size_t command_count_max);

    /// Announces that the ring will not be polled until its doorbell rings. False: there is
    /// something.
    [[nodiscard]] bool prepare_sleep() noexcept;
    void cancel_sleep() noexcept;

    void on_event(const transport::PollEvent& event) override;
    void resume() override;

    /// There were messages at about `now_ms`: for CLIENT LIST's idle time and `timeout`.
    void note_interaction(std::int64_t now_ms) noexcept { session_.last_interaction_ms = now_ms; }

    bool is_active = false;
    /// Set by a turn that found messages, taken by the loop's tick.
    bool has_worked = false;
    /// Ticks of the last message, for leaving the active set.
    std::uint64_t last_message_ticks = 0;

    ByteSink& late_output() override;
    void begin_message() override;
    void end_message() override;
    void schedule() override { reactor_.schedule(*this); }
    void close_after_output() override;
    void close_now() override;
    std::size_t pending_output_bytes() const override;
    std::size_t pending_input_bytes() const override { return input_.size() - input_done_bytes_; }
    std::size_t input_capacity_bytes() const override { return input_.capacity(); }
    int descriptor() const override { return fd_.get(); }

private:
    void take_records();
    bool handle(const transport::RingRecord& record);
    Bytes private_copy(const transport::RingRecord& record) noexcept;
    bool handle_fragment(const transport::RingRecord& record);
    bool run_wire(Bytes message);
    bool take_text(Bytes fresh);
    void run_text();
    void forget_done_input();
    void catch_up();
    void spend(std::size_t command_count) noexcept {
        commands_left_ -= std::min(commands_left_, command_count);
    }
    void wake_peer();
    void note_refusal(transport::ClaimStatus status);
    void publish_reply();
    void enqueue(std::string_view message);
    void send_next();
    [[nodiscard]] bool has_queued() const noexcept { return !writer_.is_done(); }
    bool drain_output();
    void ring_doorbell();
    void leave();
    void close();

    Reactor& reactor_;
    UniqueFd fd_;
    transport::RingMapping mapping_;
    transport::RingEnd end_;
    Session session_;
    RequestPump pump_;
    transport::MessageReader reader_;
    transport::MessageWriter writer_;  // of sending_
    std::unique_ptr<std::byte[]> private_copy_;
    BufferSink spill_;
    RingSink sink_{end_.producer, spill_};
    BufferSink input_;                  // RESP: requests that were not executed yet
    std::size_t input_done_bytes_ = 0;  // of input_, executed; the rest moves down now and then
    std::size_t commands_left_ = 0;     // of this turn
    std::string sending_;               // the message that found no room, perhaps half sent
    std::deque<std::string> queued_;    // whole messages behind it
    std::size_t queued_bytes_ = 0;
    std::size_t late_start_ = 0;
    BufferSink late_;
    bool has_assembled_ = false;  // a message of fragments is complete and not executed yet
    bool is_closing_ = false;
    bool wants_reply_space_ = false;  // a request waits because the reply ring is full
    bool has_text_left_ = false;  // input_ holds what waits for room, a key or the end of a pause
    bool has_left_ = false;       // the peer hung up; what it sent is executed
    std::uint64_t left_at_ = 0;   // the position in the request ring when it did
};

}  // namespace tern::server
