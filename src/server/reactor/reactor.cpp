#include "server/reactor/reactor.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "server/reactor/acceptor.hpp"
#include "server/reactor/ring_connection.hpp"
#include "server/reactor/socket_connection.hpp"
#include "store/keyspace/keyspace.hpp"
#include "transport/socket.hpp"

namespace tern::server {

namespace {

constexpr std::int64_t kNanosecondsPerMicrosecond = 1000;

/// How long a ring may be quiet before it leaves the active set. Longer than any spin budget, so
/// that a ring at work never pays a doorbell.
constexpr std::int64_t kRingQuietNs = 2'000'000;
/// How long after the last socket event the loop asks epoll in every turn although rings are busy.
constexpr std::int64_t kSocketHotNs = 50'000;
/// How often the clock, deadlines and maintenance are looked at while the loop spins.
constexpr std::int64_t kTickNs = 1'000'000;
/// With one socket at work the loop reads it directly; every so many turns epoll is asked for the
/// others.
constexpr std::uint32_t kDirectReadsPerPoll = 16;
/// Expiry and lazy freeing run this often when they have nothing urgent (Redis: hz 10).
constexpr std::int64_t kMaintenanceMs = 100;
/// The longest sleep: INFO's clock and idle times stay this fresh.
constexpr int kSleepMsMax = 1000;

/// Takes the bytes of the eventfd that `stop` and signal handlers write.
class WakeTarget final : public EventTarget {
public:
    explicit WakeTarget(int fd) noexcept : fd_(fd) {}
    void on_event(const transport::PollEvent& /*event*/) override {
        eventfd_t value = 0;
        static_cast<void>(::eventfd_read(fd_, &value));
    }

private:
    int fd_;
};

}  // namespace

Reactor::Reactor(Server& server, ReactorOptions options)
    : server_(server),
      options_(std::move(options)),
      executor_(server),
      read_buffer_(std::make_unique_for_overwrite<std::byte[]>(kReadBufferBytes)),
      spin_budget_(server.clock().to_ticks(options_.spin_us_max * kNanosecondsPerMicrosecond)) {
    server_.set_serve_while_busy([this] { serve_while_busy(); });
}

Reactor::~Reactor() {
    server_.set_serve_while_busy({});
    watcher_.stop();
    scheduled_.clear();
    active_rings_.clear();
    connections_.clear();
}

Result<void> Reactor::listen() {
    Result<transport::Poller> poller = transport::Poller::open();
    if (!poller) {
        return std::move(poller).error();
    }
    poller_.emplace(std::move(*poller));
    wake_fd_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_fd_.is_open()) {
        return os_error(errno, "create the reactor's eventfd");
    }
    reserve_fd_ = Acceptor::spare_descriptor();
    wake_target_ = std::make_unique<WakeTarget>(wake_fd_.get());
    if (!watch(wake_fd_.get(), transport::Interest::kRead, *wake_target_)) {
        return error(Errc::kUnavailable, "watch the reactor's eventfd: epoll refuses");
    }
    for (const transport::Endpoint& endpoint : options_.listen) {
        Result<transport::Listener> listener = transport::Listener::open(
            endpoint, {.backlog = options_.tcp_backlog, .unix_mode = options_.unix_socket_mode});
        if (!listener) {
            return std::move(listener).error();
        }
        bound_.push_back(listener->endpoint());
        acceptors_.push_back(std::make_unique<Acceptor>(*this, std::move(*listener)));
        if (!watch(acceptors_.back()->listener().fd(),
                   transport::Interest::kRead,
                   *acceptors_.back())) {
            return error(
                Errc::kUnavailable, "watch {}: epoll refuses", transport::to_string(bound_.back()));
        }
    }
    refresh_clock();
    server_.set_started(server_.now_ms());
    return watcher_.start(poller_->fd());
}

void Reactor::stop() noexcept {
    // release: whoever stops us has done what run() should see afterwards.
    stop_requested_.store(true, std::memory_order_release);
    static_cast<void>(::eventfd_write(wake_fd_.get(), 1));
}

void Reactor::run() {
    // relaxed: a wake-up through the eventfd follows the store, so it is seen soon enough.
    while (!stop_requested_.load(std::memory_order_relaxed) && !server_.is_stopping()) {
        run_turn();
    }
}

void Reactor::run_turn() {
    constexpr std::uint32_t kTurnsPerClockRead = 32;
    ++stats_.turns;
    std::size_t work = poll_rings();
    work += poll_sockets();
    if (__builtin_expect(!scheduled_.empty(), 0)) {
        work += run_scheduled();
    }
    if (__builtin_expect(!retired_.empty(), 0)) {
        bury();
    }
    if (__builtin_expect(server_.take_clock_is_stale(), 0)) {
        refresh_clock();
    }
    has_new_work_ |= work != 0;
    if (work == 0 || ++turns_to_clock_ >= kTurnsPerClockRead) {
        turns_to_clock_ = 0;
        idle(server_.clock().ticks(), work != 0);
    }
}

std::size_t Reactor::poll_rings() {
    std::size_t message_count = 0;
    for (std::size_t i = 0; i < active_rings_.size(); ++i) {
        RingConnection& ring = *active_rings_[i];
        const std::size_t count = ring.poll(kRingCommandsPerTurn);
        ring.has_worked |= count != 0;
        message_count += count;
    }
    return message_count;
}

bool Reactor::sleeps_at_once() const noexcept {
    return active_rings_.empty() && scheduled_.empty() && !options_.spin_always &&
           (spin_budget_.budget_ticks() == 0 || serves_pipelines());
}

std::size_t Reactor::poll_sockets() {
    if (sleeps_at_once()) {
        return 0;  // the sleep asks epoll; to ask before it would be one more call a request
    }
    if (hot_socket_ != nullptr) {
        if (++turns_since_poll_ < kDirectReadsPerPoll) {
            ++stats_.direct_reads;
            return hot_socket_->poll_directly() ? 1 : 0;
        }
        turns_since_poll_ = 0;
        return poll_events(0);
    }
    if (active_rings_.empty() || sockets_are_hot_) {
        return poll_events(0);
    }
    if (__builtin_expect(watcher_.is_raised(), 0)) {
        watcher_.lower();
        sockets_are_hot_ = true;
        return poll_events(0);
    }
    if (!watcher_.is_armed()) {
        watcher_.arm();
    }
    return 0;
}

std::size_t Reactor::poll_events(int timeout_ms) {
    const std::span<const transport::PollEvent> events = poller_->wait(timeout_ms);
    if (events.empty()) {
        return 0;
    }
    if (timeout_ms != 0) {
        refresh_clock();
    }
    last_active_socket_ = nullptr;
    for (const transport::PollEvent& event : events) {
        reinterpret_cast<EventTarget*>(event.token)->on_event(event);
    }
    last_socket_ticks_ = server_.clock().ticks();
    // One socket and nothing else: read it without asking from now on.
    hot_socket_ = events.size() == 1 ? last_active_socket_ : nullptr;
    turns_since_poll_ = 0;
    sockets_are_hot_ = true;
    return events.size();
}

/// In the middle of a turn, from the script of a client whose batch is running: looks once at all
/// the others. They are answered BUSY or end the script.
void Reactor::serve_while_busy() {
    if (stop_requested_.load(std::memory_order_relaxed)) {  // relaxed: as in run()
        server_.request_stop();
        return;
    }
    const Server::Nesting nesting(server_);
    const auto busy = std::make_unique<Busy>();
    busy->read_buffer = std::make_unique_for_overwrite<std::byte[]>(kReadBufferBytes);
    busy_ = busy.get();
    refresh_clock();
    for (std::size_t i = 0; i < active_rings_.size(); ++i) {
        if (!active_rings_[i]->is_executing) {
            static_cast<void>(active_rings_[i]->poll(kRingCommandsPerTurn));
        }
    }
    for (const transport::PollEvent& event : poller_->wait(0, busy->events)) {
        reinterpret_cast<EventTarget*>(event.token)->on_event(event);
    }
    busy_ = nullptr;
}

std::size_t Reactor::run_scheduled() {
    // What is scheduled meanwhile runs in the next turn, so that two sessions that wake each other
    // cannot keep the loop here.
    std::vector<Connection*> now;
    now.swap(scheduled_);
    for (Connection* connection : now) {
        connection->is_scheduled = false;
        if (!connection->is_closed) {
            connection->resume();
        }
    }
    return now.size();
}

void Reactor::idle(std::uint64_t now_ticks, bool has_worked) {
    const TickClock& clock = server_.clock();
    if (std::exchange(has_new_work_, false)) {
        spin_budget_.on_message(now_ticks);
    }
    if (now_ticks >= next_tick_ticks_) {
        next_tick_ticks_ = now_ticks + clock.to_ticks(kTickNs);
        tick(now_ticks);
    }
    if (sockets_are_hot_ && now_ticks - last_socket_ticks_ > clock.to_ticks(kSocketHotNs)) {
        sockets_are_hot_ = !active_rings_.empty() ? false : sockets_are_hot_;
        hot_socket_ = active_rings_.empty() ? hot_socket_ : nullptr;
    }
    if (!has_worked && !options_.spin_always &&
        (serves_pipelines() || !spin_budget_.should_spin(now_ticks))) {
        sleep();
    }
}

void Reactor::tick(std::uint64_t now_ticks) {
    refresh_clock();
    const std::int64_t now_ms = server_.now_ms();
    server_.blocked_clients().expire(now_ms);
    server_.close_idle_clients();
    wake_acceptors();
    if (server_.has_pause() && server_.pause().until_ms <= now_ms) {
        server_.pause() = {};
        for (Connection* connection : held_) {
            schedule(*connection);
        }
        held_.clear();
    }
    if (now_ms >= next_maintenance_ms_ || maintenance_is_behind_) {
        next_maintenance_ms_ = now_ms + kMaintenanceMs;
        const std::uint64_t start = server_.meter().start();
        maintenance_is_behind_ = server_.keyspace().maintain(now_ms);
        maintenance_is_behind_ |= server_.make_room();
        server_.meter().note_upkeep(start, maintenance_is_behind_, now_ms);
        server_.defragment();
        maintenance_is_behind_ |= server_.defragmenter().is_running();
    }
    retire_quiet_rings(now_ticks);
}

void Reactor::wake_acceptors() {
    for (const auto& acceptor : acceptors_) {
        acceptor->wake();
    }
}

void Reactor::retire_quiet_rings(std::uint64_t now_ticks) {
    const std::uint64_t quiet_ticks = server_.clock().to_ticks(kRingQuietNs);
    std::erase_if(active_rings_, [&](RingConnection* ring) {
        if (std::exchange(ring->has_worked, false)) {
            ring->last_message_ticks = now_ticks;
            ring->note_interaction(server_.now_ms());
        }
        const bool is_quiet =
            !options_.spin_always && now_ticks - ring->last_message_ticks > quiet_ticks;
        if (ring->is_closed || (is_quiet && ring->prepare_sleep())) {
            ring->is_active = false;
            return true;
        }
        return false;
    });
    stats_.active_rings = active_rings_.size();
}

void Reactor::sleep() {
    const bool all_asleep = std::all_of(active_rings_.begin(),
                                        active_rings_.end(),
                                        [](RingConnection* ring) { return ring->prepare_sleep(); });
    if (all_asleep && scheduled_.empty()) {
        ++stats_.sleeps;
        hot_socket_ = nullptr;
        has_new_work_ = poll_events(sleep_timeout_ms()) != 0;
        refresh_clock();
    }
    for (RingConnection* ring : active_rings_) {
        ring->cancel_sleep();
    }
}

int Reactor::sleep_timeout_ms() const {
    std::int64_t until_ms = server_.now_ms() + kSleepMsMax;
    const auto sooner = [&until_ms](std::int64_t at_ms) {
        if (at_ms != 0) {
            until_ms = std::min(until_ms, at_ms);
        }
    };
    sooner(server_.blocked_clients().next_deadline_ms());
    sooner(server_.pause().until_ms);
    const std::int64_t expiry_ms = server_.keyspace().next_deadline_ms();
    if (maintenance_is_behind_) {
        until_ms = server_.now_ms();
    } else if (expiry_ms != store::kNeverExpires) {
        sooner(std::max(expiry_ms + 1, next_maintenance_ms_));
    }
    return static_cast<int>(std::clamp<std::int64_t>(until_ms - server_.now_ms(), 0, kSleepMsMax));
}

void Reactor::refresh_clock() {
    const std::int64_t now_ms = wall_ms();
    server_.set_now(now_ms);
    server_.keyspace().set_now_ms(now_ms);
}

bool Reactor::watch(int fd, transport::Interest interest, EventTarget& target) {
    return poller_->add(fd, interest, reinterpret_cast<std::uintptr_t>(&target)).ok();
}

void Reactor::rewatch(int fd, transport::Interest interest, EventTarget& target) {
    // Needs no memory, so there is nothing that it could be refused for.
    TERN_CHECK(poller_->modify(fd, interest, reinterpret_cast<std::uintptr_t>(&target)).ok());
}

void Reactor::schedule(Connection& connection) {
    if (!connection.is_scheduled && !connection.is_closed) {
        connection.is_scheduled = true;
        scheduled_.push_back(&connection);
    }
}

void Reactor::hold_until_unpaused(Connection& connection) {
    held_.push_back(&connection);
}

void Reactor::activate(RingConnection& ring) {
    ring.has_worked = true;
    if (!ring.is_active && !ring.is_closed) {
        ring.is_active = true;
        ring.cancel_sleep();
        ring.last_message_ticks = server_.clock().ticks();
        active_rings_.push_back(&ring);
        stats_.active_rings = active_rings_.size();
    }
}

void Reactor::adopt(std::unique_ptr<Connection> connection) {
    Connection* key = connection.get();
    connections_.emplace(key, std::move(connection));
}

void Reactor::retire(Connection& connection) {
    retired_.push_back(&connection);
}

void Reactor::bury() {
    for (Connection* connection : retired_) {
        std::erase(scheduled_, connection);
        std::erase(held_, connection);
        std::erase_if(active_rings_, [&](RingConnection* ring) { return ring == connection; });
        if (static_cast<Connection*>(hot_socket_) == connection) {
            hot_socket_ = nullptr;
        }
        connections_.erase(connection);
    }
    retired_.clear();
}

}  // namespace tern::server
