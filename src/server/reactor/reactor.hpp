#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tern/base/result.hpp>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/unique_fd.hpp"
#include "server/executor.hpp"
#include "server/reactor/watcher.hpp"
#include "transport/endpoint.hpp"
#include "transport/poller.hpp"
#include "transport/spin_budget.hpp"

namespace tern::server {

class RingConnection;
class SocketConnection;

/// Something that epoll reports on.
class EventTarget {
public:
    virtual ~EventTarget() = default;
    virtual void on_event(const transport::PollEvent& event) = 0;
};

/// A connection whose turn comes outside of its own events: output to flush, input to go on with.
class Connection : public EventTarget {
public:
    /// Sends late output and executes input that was held back. Called once per `schedule`.
    virtual void resume() = 0;
    bool is_scheduled = false;
    bool is_closed = false;
    bool is_executing = false;  ///< its batch runs: leave it alone while a script of it is busy
};

struct ReactorOptions {
    std::vector<transport::Endpoint> listen;  ///< tcp:, unix: (which serves ring: as well)
    std::uint32_t unix_socket_mode = 0700;
    bool spin_always = false;        ///< never sleep: the lab's mode for both ends polling
    std::int64_t spin_us_max = 200;  ///< the most that the loop polls after the last message
    int tcp_backlog = 511;
};

/// What the loop does, for INFO.
struct ReactorStats {
    std::uint64_t turns = 0;
    std::uint64_t sleeps = 0;
    std::uint64_t direct_reads = 0;  ///< reads of the hot socket without asking epoll first
    std::size_t active_rings = 0;
    std::size_t rings = 0;
};

/// The server's loop: rings, sockets, timers, sleep. One thread, everything in turns.
///
/// A turn polls each active ring for at most kRingCommandsPerTurn commands, then the sockets that
/// epoll reports for one read (64 KiB) and kSocketCommandsPerTurn commands each, then timers. So
/// the wait of any ready peer is bounded by one turn of all the others. What is left of a longer
/// pipeline goes on in the next turn.
///
/// A ring that stays quiet leaves the active set and comes back by its doorbell, so idle rings cost
/// nothing. While only rings are busy the loop makes no system call: a watcher thread sits in
/// poll(2) on the epoll descriptor and raises a flag. With nothing to do the loop polls for a
/// learned budget (transport/spin_budget.hpp), then announces its sleep in every active ring and
/// waits in epoll.
///
/// Threads: `run` on one thread; `stop` from any thread or a signal handler.
class Reactor {
public:
    static constexpr std::size_t kRingCommandsPerTurn = 16;
    /// Above what one read of a usual pipeline holds, so that its replies leave in one write.
    static constexpr std::size_t kSocketCommandsPerTurn = 4096;
    static constexpr std::size_t kReadBufferBytes = 64 * 1024;
    /// From so many requests a read on, of late and on average, sockets count as pipelined.
    static constexpr std::size_t kPipelineRequests = 8;

    Reactor(Server& server, ReactorOptions options);
    ~Reactor();
    Reactor(const Reactor&) = delete;
    Reactor& operator=(const Reactor&) = delete;

    /// Binds and listens on every endpoint. Errors name the endpoint and what to change.
    Result<void> listen();
    /// The endpoints as bound (a port 0 replaced by the real one).
    [[nodiscard]] const std::vector<transport::Endpoint>& bound() const noexcept { return bound_; }

    /// Serves until the server is asked to stop.
    void run();
    /// One turn of the loop: what is there, then a sleep when there was nothing for long. `run` is
    /// a loop of these; tests take them one by one.
    void run_turn();
    /// True when the next turn asks epoll: the watcher saw an event, or sockets are busy anyhow.
    [[nodiscard]] bool will_ask_sockets() const noexcept {
        return watcher_.is_raised() || sockets_are_hot_ || active_rings_.empty();
    }
    /// Asks `run` to return soon. Async-signal-safe.
    void stop() noexcept;

    // What connections use.
    [[nodiscard]] const ReactorOptions& options() const noexcept { return options_; }
    [[nodiscard]] Server& server() noexcept { return server_; }
    [[nodiscard]] Executor& executor() noexcept { return executor_; }
    /// Tells `target` of what happens to `fd`. False when epoll refuses (fs.epoll.max_user_watches,
    /// memory): the caller gives up that peer.
    [[nodiscard]] bool watch(int fd, transport::Interest interest, EventTarget& target);
    /// Changes what it is told.
    void rewatch(int fd, transport::Interest interest, EventTarget& target);
    /// Before `fd` is closed.
    void unwatch(int fd) noexcept { poller_->remove(fd); }
    /// What a socket is read into and answered from; while a script is over its time and others are
    /// served, another pair than that of the script's own client.
    [[nodiscard]] MutableBytes read_buffer() noexcept {
        return {(busy_ == nullptr ? read_buffer_ : busy_->read_buffer).get(), kReadBufferBytes};
    }
    [[nodiscard]] BufferSink& output() noexcept {
        return busy_ == nullptr ? output_ : busy_->output;
    }
    [[nodiscard]] const ReactorStats& stats() const noexcept { return stats_; }
    /// A descriptor to give up when there are no others, so that a client that cannot be served is
    /// taken from the queue and told so. Empty once it could not be had again.
    [[nodiscard]] UniqueFd& reserve_fd() noexcept { return reserve_fd_; }
    void schedule(Connection& connection);
    void hold_until_unpaused(Connection& connection);
    void activate(RingConnection& ring);
    /// The connection is destroyed at the end of the turn.
    void retire(Connection& connection);
    void adopt(std::unique_ptr<Connection> connection);
    void count_ring(int change) noexcept { stats_.rings += static_cast<std::size_t>(change); }
    /// Something was read from `socket`.
    void note_socket_activity(SocketConnection* socket) noexcept { last_active_socket_ = socket; }
    /// What was read from a socket held `request_count` complete requests.
    void note_socket_requests(std::size_t request_count) noexcept {
        requests_a_read_x8_ += request_count - requests_a_read_x8_ / 8;
    }
    /// Sockets alone are at work, and what they send comes in long pipelines: their peers wait for
    /// throughput, not for one reply, so the loop does not poll on their account.
    [[nodiscard]] bool serves_pipelines() const noexcept {
        return active_rings_.empty() && requests_a_read_x8_ >= 8 * kPipelineRequests;
    }

private:
    class Acceptor;

    std::size_t poll_rings();
    std::size_t poll_sockets();
    /// True when polling is not worth it now: this turn sleeps unless something is scheduled.
    [[nodiscard]] bool sleeps_at_once() const noexcept;
    std::size_t poll_events(int timeout_ms);
    std::size_t run_scheduled();
    void tick(std::uint64_t now_ticks);
    void retire_quiet_rings(std::uint64_t now_ticks);
    void wake_acceptors();
    void refresh_clock();
    void idle(std::uint64_t now_ticks, bool has_worked);
    void sleep();
    [[nodiscard]] int sleep_timeout_ms() const;
    void bury();
    void serve_while_busy();

    Server& server_;
    ReactorOptions options_;
    Executor executor_;
    std::optional<transport::Poller> poller_;
    UniqueFd wake_fd_;
    UniqueFd reserve_fd_;
    std::unique_ptr<EventTarget> wake_target_;
    std::vector<std::unique_ptr<Acceptor>> acceptors_;
    std::vector<transport::Endpoint> bound_;
    std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
    std::vector<RingConnection*> active_rings_;
    std::vector<Connection*> scheduled_;
    std::vector<Connection*> held_;
    std::vector<Connection*> retired_;
    std::unique_ptr<std::byte[]> read_buffer_;
    BufferSink output_;
    /// For the clients that are served while a script runs.
    struct Busy {
        std::unique_ptr<std::byte[]> read_buffer;
        BufferSink output;
        transport::Poller::Events events{};
    };
    Busy* busy_ = nullptr;  // null: no script is over its time
    Watcher watcher_;
    transport::SpinBudget spin_budget_;
    ReactorStats stats_;
    SocketConnection* last_active_socket_ = nullptr;
    SocketConnection* hot_socket_ = nullptr;
    std::uint64_t last_socket_ticks_ = 0;
    std::uint64_t next_tick_ticks_ = 0;
    std::int64_t next_maintenance_ms_ = 0;
    std::size_t requests_a_read_x8_ = 0;  ///< eight times the mean of the last reads
    std::uint32_t turns_since_poll_ = 0;
    std::uint32_t turns_to_clock_ = 0;
    bool maintenance_is_behind_ = false;
    bool sockets_are_hot_ = false;
    bool has_new_work_ = false;
    // Written by stop(), read by run().
    std::atomic<bool> stop_requested_{false};
};

}  // namespace tern::server
