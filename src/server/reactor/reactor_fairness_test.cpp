#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "server/reactor/reactor.hpp"
#include "server/reactor/test_server.hpp"

namespace tern::test {
namespace {

/// Turns the loop here while `task` runs on a thread.
template <typename Task>
auto turn_during(TestServer& server, Task task) {
    auto result = std::async(std::launch::async, std::move(task));
    while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        server.reactor().run_turn();
    }
    return result.get();
}

/// Fills the ring of requests to the brim.
void flood(RawRing& ring) {
    while (ring.send("PING\r\n")) {}
}

TEST(ReactorFairness, EveryFullRingGetsItsSixteenMessagesATurn) {
    TestServer server({.has_thread = false});
    std::vector<std::unique_ptr<RawRing>> rings;
    for (int i = 0; i < 3; ++i) {
        rings.push_back(turn_during(server, [&] {
            return std::make_unique<RawRing>(
                server.endpoint("unix"), transport::RingProtocol::kResp, 16384);
        }));
    }
    server.await("every ring is there", [&] {
        server.reactor().run_turn();
        return server.reactor().stats().rings == 3;
    });
    const auto turn_with_full_rings = [&] {
        for (const auto& ring : rings) {
            flood(*ring);
        }
        server.reactor().run_turn();
    };
    // The doorbells reach the loop through the watcher's thread, whenever that is scheduled.
    server.await("every ring is polled", [&] {
        for (const auto& ring : rings) {
            ring->ring_doorbell();
        }
        turn_with_full_rings();
        for (const auto& ring : rings) {
            static_cast<void>(ring->take_replies());
        }
        return server.reactor().stats().active_rings == 3;
    });
    for (int turn = 0; turn < 1'000; ++turn) {
        turn_with_full_rings();
        std::array<std::size_t, 3> counts{};
        for (std::size_t i = 0; i < rings.size(); ++i) {
            counts[i] = rings[i]->take_replies();
            ASSERT_LE(counts[i], Reactor::kRingCommandsPerTurn) << "turn " << turn;
        }
        ASSERT_EQ(counts[0], Reactor::kRingCommandsPerTurn) << "turn " << turn;
        ASSERT_EQ(counts[1], counts[0]) << "turn " << turn;
        ASSERT_EQ(counts[2], counts[0]) << "turn " << turn;
    }
}

TEST(ReactorFairness, PipelineInOneRecordCountsByItsCommands) {
    constexpr int kCommandCount = 500;
    TestServer server({.has_thread = false});
    auto ring = turn_during(server, [&] {
        return std::make_unique<RawRing>(
            server.endpoint("unix"), transport::RingProtocol::kResp, 1 << 20);
    });
    std::string pipeline;
    for (int i = 0; i < kCommandCount; ++i) {
        pipeline += "INCR counter\r\n";
    }
    const auto executed = [&] { return server.server().stats().commands_processed; };
    for (int record = 0; record < 3; ++record) {
        ASSERT_TRUE(ring->send(pipeline));
    }
    ring->ring_doorbell();
    std::string replies;
    server.await("every command is executed", [&] {
        const std::uint64_t before = executed();
        server.reactor().run_turn();
        EXPECT_LE(executed() - before, Reactor::kRingCommandsPerTurn);
        while (const transport::RingRecord reply = ring->end.consumer.peek()) {
            replies += as_text(reply.payload());
            ring->end.consumer.consume();
        }
        ring->end.consumer.flush_credit();
        return executed() == 3 * kCommandCount;
    });
    std::string expected;
    for (int i = 1; i <= 3 * kCommandCount; ++i) {
        expected += fmt::format(":{}\r\n", i);
    }
    EXPECT_EQ(replies, expected);
}

TEST(ReactorFairness, LongPipelineOfASocketIsSpreadOverTurns) {
    constexpr std::size_t kCommandCount = 3 * Reactor::kSocketCommandsPerTurn + 7;
    TestServer server({.has_thread = false});
    auto socket =
        turn_during(server, [&] { return std::make_unique<RawSocket>(server.endpoint("unix")); });
    std::string pipeline;
    for (std::size_t i = 0; i < kCommandCount; ++i) {
        pipeline += "PING\n";
    }
    auto replies = std::async(std::launch::async, [&] {
        socket->send(pipeline);
        return socket->receive(kCommandCount * 7);
    });
    const auto executed = [&] { return server.server().stats().commands_processed; };
    server.await("every command is executed", [&] {
        const std::uint64_t before = executed();
        server.reactor().run_turn();
        // What is left from before, and one read.
        EXPECT_LE(executed() - before, 2 * Reactor::kSocketCommandsPerTurn);
        return executed() == kCommandCount;
    });
    EXPECT_EQ(turn_during(server, [&] { return replies.get().size(); }), kCommandCount * 7);
}

TEST(ReactorFairness, AnswersASocketWithinOneTurnOfKnowingOfIt) {
    TestServer server({.has_thread = false});
    Reactor& reactor = server.reactor();
    auto flooded =
        turn_during(server, [&] { return std::make_unique<RawRing>(server.endpoint("unix")); });
    auto second =
        turn_during(server, [&] { return std::make_unique<RawRing>(server.endpoint("unix")); });
    auto socket = turn_during(server, [&] {
        auto opened = std::make_unique<RawSocket>(server.endpoint("unix"));
        opened->send("PING\r\n");
        EXPECT_EQ(opened->receive(7), "+PONG\r\n");
        return opened;
    });
    const auto turn = [&] {
        flood(*flooded);
        second->send("PING\r\n");
        reactor.run_turn();
        flooded->take_replies();
        return second->take_replies();
    };
    flooded->ring_doorbell();
    second->ring_doorbell();
    std::size_t second_count = 0;
    for (int round = 0; round < 20; ++round) {
        server.await("only rings are asked", [&] {
            second_count += turn();
            return !reactor.will_ask_sockets();
        });
        socket->send("PING\r\n");
        server.await("the watcher tells of the socket", [&] {
            if (!reactor.will_ask_sockets()) {
                second_count += turn();
            }
            return reactor.will_ask_sockets();
        });
        const std::uint64_t before = server.server().stats().ring_messages;
        if (!socket->has_input()) {
            second_count += turn();
        }
        ASSERT_TRUE(socket->has_input()) << "round " << round;
        EXPECT_EQ(socket->receive(7), "+PONG\r\n");
        EXPECT_LE(server.server().stats().ring_messages - before,
                  Reactor::kRingCommandsPerTurn * reactor.stats().active_rings);
    }
    EXPECT_GT(second_count, 20U);
}

TEST(ReactorWaiting, PollsForOneReplyButNotForPipelines) {
    TestServer server({.has_thread = false});
    RawSocket socket(server.endpoint("unix"));
    const auto ask = [&](std::size_t request_count) {
        std::string requests;
        for (std::size_t i = 0; i < request_count; ++i) {
            requests += "PING\r\n";
        }
        const std::uint64_t before = server.server().stats().commands_processed;
        socket.send(requests);
        server.await("the requests are executed", [&] {
            server.reactor().run_turn();
            return server.server().stats().commands_processed == before + request_count;
        });
        EXPECT_EQ(socket.receive(7 * request_count).size(), 7 * request_count);
    };
    ask(1);
    EXPECT_FALSE(server.reactor().serves_pipelines());
    for (int i = 0; i < 20; ++i) {
        ask(2 * Reactor::kPipelineRequests);
    }
    EXPECT_TRUE(server.reactor().serves_pipelines());
    // The next turn without work is a sleep.
    const std::uint64_t sleeps_before = server.reactor().stats().sleeps;
    socket.send("PING\r\n");
    server.reactor().run_turn();
    EXPECT_EQ(server.reactor().stats().sleeps, sleeps_before + 1);
    for (int i = 0; i < 20; ++i) {
        ask(1);
    }
    EXPECT_FALSE(server.reactor().serves_pipelines());
}

}  // namespace
}  // namespace tern::test
