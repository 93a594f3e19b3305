#pragma once

#include "server/reactor/reactor.hpp"
#include "server/reactor/request_pump.hpp"

namespace tern::server {

/// A client on TCP or a Unix socket, from its first byte: RESP, SBE, or a request for a ring.
///
/// One read, all commands executed, one write. Complete requests are parsed in the reactor's read
/// buffer and answered from its output buffer; only what is left over goes into memory of the
/// connection's own, so a quiet connection holds none. While more than kOutputPauseBytes wait for
/// the peer, nothing more of it is executed or read; beyond client-output-buffer-limit it is
/// closed.
///
/// Threads: the reactor's.
class SocketConnection final : public Connection, public Peer {
public:
    /// Output waiting for a peer, above which its requests are no longer executed.
    static constexpr std::size_t kOutputPauseBytes = 1024 * 1024;

    SocketConnection(Reactor& reactor, UniqueFd fd, Session::Transport transport);
    ~SocketConnection() override;

    void on_event(const transport::PollEvent& event) override;
    void resume() override;
    /// Reads without having been told that there is something. True: there was.
    bool poll_directly();

    Session& session() noexcept { return session_; }

    ByteSink& late_output() override { return pending_; }
    void begin_message() override;
    void end_message() override;
    void schedule() override { reactor_.schedule(*this); }
    void close_after_output() override;
    void close_now() override;
    std::size_t pending_output_bytes() const override { return pending_.size() - pending_sent_; }
    std::size_t pending_input_bytes() const override { return input_.size(); }
    std::size_t input_capacity_bytes() const override { return input_.capacity(); }
    int descriptor() const override { return fd_.get(); }

private:
    enum class Read : std::uint8_t { kNothing, kSome, kEnd };

    Read read_some();
    void take(Bytes fresh);
    /// Returns how much of `unread` is done with.
    std::size_t process(Bytes unread);
    bool sniff(Bytes unread, std::size_t& consumed);
    bool hand_over_to_ring(Bytes unread);
    void send_output(const ByteSink& output, std::size_t late_at);
    void insert_pending(std::size_t at, std::string_view bytes);
    void send_pending();
    void flush_pending();
    void after_output();
    [[nodiscard]] bool may_read() const noexcept;
    void watch();
    void close();

    Reactor& reactor_;
    UniqueFd fd_;
    Session session_;
    RequestPump pump_;
    BufferSink input_;    // the front of a request whose end has not come
    BufferSink pending_;  // output that the kernel did not take
    std::size_t pending_sent_ = 0;
    std::size_t message_start_ = 0;
    std::size_t wanted_bytes_ = 0;
    std::optional<transport::Interest> interest_;
    bool is_sniffing_ = true;
    bool is_closing_ = false;  // nothing more is read; closed when the output is out
};

}  // namespace tern::server
