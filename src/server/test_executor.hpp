#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <tern/base/check.hpp>
#include <vector>

#include "server/executor.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/memory/arena.hpp"

namespace tern::test {

/// A peer that keeps what it is told.
class FakePeer final : public server::Peer {
public:
    ByteSink& late_output() override { return late; }
    void begin_message() override {}
    void end_message() override {}
    void schedule() override { ++schedule_count; }
    void close_after_output() override { is_closed = true; }
    void close_now() override { is_closed = true; }
    std::size_t pending_output_bytes() const override { return 0; }
    std::size_t pending_input_bytes() const override { return 0; }
    std::size_t input_capacity_bytes() const override { return 0; }
    int descriptor() const override { return 3; }

    BufferSink late;
    int schedule_count = 0;
    bool is_closed = false;
};

/// A server without I/O: commands as text in, replies as bytes out. The clock stands at `kStartMs`
/// until it is set.
///
/// Threads: one.
class TestExecutor {
public:
    static constexpr std::int64_t kStartMs = 1'700'000'000'000;

    /// One more client.
    struct Client {
        server::Session session;
        FakePeer peer;
    };

    TestExecutor() {
        auto arena = store::Arena::create({});
        TERN_CHECK(arena.ok());
        arena_ = std::move(*arena);
        keyspace_ = std::make_unique<store::Keyspace>(
            *arena_,
            store::KeyspaceOptions{.database_count = 16, .hash_seed = 1, .random_seed = 2});
        server_ =
            std::make_unique<server::Server>(settings, *keyspace_, TickClock::without_counter(), 7);
        set_now(kStartMs);
        server_->set_started(kStartMs);
        executor_ = std::make_unique<server::Executor>(*server_);
        connect(first_);
    }

    void connect(Client& client) {
        client.session.peer = &client.peer;
        client.session.address = "127.0.0.1:5000";
        client.session.local_address = "127.0.0.1:6379";
        client.session.authenticated = settings.config().requirepass.empty();
        client.session.created_ms = server_->now_ms();
        client.session.last_interaction_ms = server_->now_ms();
        server_->clients().add(client.session);
    }
    void disconnect(Client& client) { server_->forget(client.session); }

    void set_now(std::int64_t now_ms) {
        server_->set_now(now_ms);
        keyspace_->set_now_ms(now_ms);
    }

    /// The reply of one command, in the session's protocol.
    std::string run(Client& client, std::initializer_list<std::string_view> words) {
        BufferSink sink;
        const std::vector<std::string_view> list(words);
        last_outcome = executor_->run_text(client.session, list, sink);
        return std::string(sink.view());
    }
    std::string run(std::initializer_list<std::string_view> words) { return run(first_, words); }

    /// The reply of one SBE message.
    std::string run_wire(Client& client, std::string_view message) {
        BufferSink sink;
        last_outcome = executor_->run_wire(client.session, as_bytes(message), sink);
        return std::string(sink.view());
    }
    std::string run_wire(std::string_view message) { return run_wire(first_, message); }

    server::Executor& executor() { return *executor_; }

    server::Server& server() { return *server_; }
    server::Session& session() { return first_.session; }
    FakePeer& peer() { return first_.peer; }

    server::Settings settings;
    server::Outcome last_outcome = server::Outcome::kDone;

private:
    std::unique_ptr<store::Arena> arena_;
    std::unique_ptr<store::Keyspace> keyspace_;
    std::unique_ptr<server::Server> server_;
    std::unique_ptr<server::Executor> executor_;
    Client first_;
};

}  // namespace tern::test
