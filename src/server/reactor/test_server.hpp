#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <tern/client/client.hpp>
#include <thread>
#include <utility>

#include "server/reactor/reactor.hpp"
#include "server/server.hpp"
#include "server/session.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/memory/arena.hpp"
#include "transport/ring/doorbell.hpp"
#include "transport/ring/handshake.hpp"
#include "transport/socket.hpp"

namespace tern::test {

using server::Reactor;
using server::ReactorOptions;
using server::ReactorStats;
using server::Server;
using server::Settings;

/// A whole server in this process on a Unix socket and a TCP port, with its loop on a thread or
/// turned by the test.
///
/// Threads: `on_loop` is how the test's thread looks at the server while the loop's thread runs.
class TestServer {
public:
    struct Options {
        std::int64_t spin_us_max = 200;
        std::string password = {};
        bool has_thread = true;
    };

    TestServer() : TestServer(Options{}) {}
    explicit TestServer(const Options& options) {
        char name[] = "/tmp/tern-reactor-XXXXXX";
        directory_ = ::mkdtemp(name);
        settings_.config().requirepass = options.password;
        // On a loaded machine any command may be slow, and an entry of the log takes memory.
        settings_.config().slowlog_log_slower_than_us = -1;
        auto arena = store::Arena::create({});
        EXPECT_TRUE(arena.ok());
        arena_ = std::move(*arena);
        keyspace_ = std::make_unique<store::Keyspace>(
            *arena_,
            store::KeyspaceOptions{.database_count = 16, .hash_seed = 1, .random_seed = 2});
        server_ = std::make_unique<Server>(settings_, *keyspace_, TickClock::calibrate(), 7);
        ReactorOptions reactor_options;
        reactor_options.spin_us_max = options.spin_us_max;
        reactor_options.listen = {
            {.kind = transport::EndpointKind::kUnix, .path = socket_path()},
            {.kind = transport::EndpointKind::kTcp, .host = "127.0.0.1", .port = 0}};
        reactor_ = std::make_unique<Reactor>(*server_, std::move(reactor_options));
        server_->attach_loop(reactor_.get());
        const Result<void> listening = reactor_->listen();
        EXPECT_TRUE(listening.ok()) << (listening ? "" : listening.error().message);
        if (options.has_thread) {
            thread_ = std::thread([this] { turn_until_stopped(); });
        }
    }
    ~TestServer() {
        if (thread_.joinable()) {
            on_loop([this] { is_stopping_ = true; });
            thread_.join();
        }
        reactor_.reset();
        ::rmdir(directory_.c_str());
    }
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    [[nodiscard]] std::string socket_path() const { return directory_ + "/tern.sock"; }
    [[nodiscard]] std::string endpoint(std::string_view kind) const {
        if (kind == "tcp") {
            return transport::to_string(reactor_->bound()[1]);
        }
        return std::string(kind) + ":" + socket_path();
    }
    [[nodiscard]] Reactor& reactor() noexcept { return *reactor_; }
    [[nodiscard]] Server& server() noexcept { return *server_; }

    /// Calls `task` between two turns of the loop and returns what it returns.
    template <typename Task>
    auto on_loop(Task task) -> decltype(task()) {
        if (!thread_.joinable()) {
            return task();
        }
        std::packaged_task<decltype(task())()> packaged(std::move(task));
        auto result = packaged.get_future();
        const std::function<void()> call = [&packaged] { packaged(); };
        // release: pairs with the acquire in turn_until_stopped().
        task_.store(&call, std::memory_order_release);
        reactor_->stop();  // wakes it; the loop below does not look at the request
        return result.get();
    }

    /// Waits until `condition` holds between two turns. Fails the test after half a minute.
    template <typename Condition>
    void await(std::string_view what, Condition condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!on_loop(condition)) {
            if (std::chrono::steady_clock::now() > deadline) {
                ADD_FAILURE() << "never: " << what;
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    [[nodiscard]] std::size_t client_count() {
        return on_loop([this] { return server_->clients().size(); });
    }
    [[nodiscard]] ReactorStats stats() {
        return on_loop([this] { return reactor_->stats(); });
    }

    Client client(std::string_view kind,
                  Protocol protocol = Protocol::kResp3,
                  ClientOptions options = {}) {
        options.endpoint = endpoint(kind);
        options.protocol = protocol;
        options.reply_timeout_ms = 60'000;
        Result<Client> connected = Client::connect(options);
        if (!connected) {
            ADD_FAILURE() << connected.error().message;
            std::abort();
        }
        return std::move(*connected);
    }

private:
    void turn_until_stopped() {
        while (!is_stopping_) {
            reactor_->run_turn();
            // acquire: pairs with the release in on_loop().
            if (const auto* task = task_.exchange(nullptr, std::memory_order_acquire)) {
                (*task)();
            }
        }
    }

    std::string directory_;
    Settings settings_;
    std::unique_ptr<store::Arena> arena_;
    std::unique_ptr<store::Keyspace> keyspace_;
    std::unique_ptr<Server> server_;
    std::unique_ptr<Reactor> reactor_;
    // Written by on_loop(), taken by the loop.
    std::atomic<const std::function<void()>*> task_{nullptr};
    bool is_stopping_ = false;  // the loop's
    std::thread thread_;
};

/// A socket without a protocol.
class RawSocket {
public:
    explicit RawSocket(const std::string& endpoint) {
        auto parsed = transport::parse_endpoint(endpoint);
        auto connected = transport::connect_to(*parsed, 30'000);
        EXPECT_TRUE(connected.ok());
        fd_ = std::move(*connected);
    }
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    void close() noexcept { fd_.reset(); }

    /// Sends all of it, waiting for room.
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent > 0) {
                bytes.remove_prefix(static_cast<std::size_t>(sent));
            } else if (!wait(POLLOUT)) {
                return;
            }
        }
    }
    /// Sends what is taken at once.
    [[nodiscard]] std::size_t send_some(std::string_view bytes) const {
        const ssize_t sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        return sent < 0 ? 0 : static_cast<std::size_t>(sent);
    }
    /// `length_bytes` bytes, or fewer when the stream ends or nothing comes for half a minute.
    [[nodiscard]] std::string receive(std::size_t length_bytes) {
        std::string bytes(length_bytes, '\0');
        std::size_t got = 0;
        while (got < length_bytes) {
            const ssize_t length = ::recv(fd(), bytes.data() + got, length_bytes - got, 0);
            if (length == 0 || (length < 0 && !wait(POLLIN))) {
                break;
            }
            got += length > 0 ? static_cast<std::size_t>(length) : 0;
        }
        bytes.resize(got);
        return bytes;
    }
    [[nodiscard]] bool has_input() const {
        char byte = 0;
        return ::recv(fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
    }
    /// Whether the peer ends the connection; takes what it still sends.
    [[nodiscard]] bool is_ended() {
        char bytes[4096];
        for (;;) {
            const ssize_t length = ::recv(fd(), bytes, sizeof bytes, 0);
            if (length == 0 || (length < 0 && errno == ECONNRESET)) {
                return true;
            }
            if (length < 0 && !wait(POLLIN)) {
                return false;
            }
        }
    }

private:
    [[nodiscard]] bool wait(short events) const {
        pollfd ready{fd(), events, 0};
        return ::poll(&ready, 1, 30'000) == 1;
    }

    UniqueFd fd_;
};

/// A ring without a protocol, whose memory the test may write as it likes.
class RawRing {
public:
    explicit RawRing(const std::string& endpoint,
                     transport::RingProtocol protocol = transport::RingProtocol::kResp,
                     std::uint32_t capacity_bytes = 4096)
        : socket(endpoint) {
        transport::RingRequest request;
        request.protocol = protocol;
        request.request_capacity_bytes = capacity_bytes;
        request.reply_capacity_bytes = capacity_bytes;
        auto granted = transport::request_ring(socket.fd(), request, 30'000);
        EXPECT_TRUE(granted.ok());
        mapping = std::move(*granted);
        end = mapping.end(transport::RingSide::kClient);
    }

    /// Commits `message` when there is room. Rings the doorbell when the server sleeps.
    bool send(std::string_view message, std::uint8_t flags = transport::kRecordWhole) {
        const transport::RingClaim claim = end.producer.try_claim(message.size());
        if (!claim) {
            return false;
        }
        std::memcpy(claim.data, message.data(), message.size());
        end.producer.commit(message.size(), flags);
        if (end.producer.needs_wakeup()) {
            ring_doorbell();
        }
        return true;
    }
    /// Takes the replies that are there and counts them.
    std::size_t take_replies() {
        std::size_t count = 0;
        while (end.consumer.peek()) {
            end.consumer.consume();
            ++count;
        }
        end.consumer.flush_credit();
        if (end.consumer.take_space_wakeup()) {
            ring_doorbell();
        }
        return count;
    }
    void ring_doorbell() const { static_cast<void>(transport::ring_doorbell(socket.fd())); }

    RawSocket socket;
    transport::RingMapping mapping;
    transport::RingEnd end;
};

}  // namespace tern::test
