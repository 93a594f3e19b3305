/// What the loop does when the system refuses it something, and with peers that ask for too much.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <vector>

#include "server/reactor/socket_connection.hpp"
#include "server/reactor/test_server.hpp"
#include "server/wire_cases.hpp"
#include "transport/magic.hpp"

namespace tern::test {
namespace {

/// The descriptor that the next open would give.
rlim_t lowest_free_descriptor() {
    return static_cast<rlim_t>(UniqueFd(::fcntl(0, F_DUPFD_CLOEXEC, 0)).get());
}

/// Lets this process have no new descriptor of this number or above.
class DescriptorLimit {
public:
    explicit DescriptorLimit(rlim_t limit) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit few = before_;
        few.rlim_cur = limit;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    }
    ~DescriptorLimit() { end(); }
    void end() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

/// UBSan looks at an object's memory through a pipe before it believes its type: without free
/// descriptors it takes every virtual call for a bad one.
bool sanitizer_needs_descriptors() {
#if defined(__SANITIZE_ADDRESS__)
    return true;
#else
    return false;
#endif
}

TEST(ReactorLimits, ClientsBeyondTheLastDescriptorAreHungUpOnAndCounted) {
    if (sanitizer_needs_descriptors()) {
        GTEST_SKIP() << "UBSan's check of a virtual call opens a pipe";
    }
    TestServer server({.has_thread = false});
    const auto rejected = [&] { return server.server().stats().connections_rejected; };
    std::vector<std::unique_ptr<RawSocket>> waiting;
    for (int i = 0; i < 3; ++i) {
        waiting.push_back(std::make_unique<RawSocket>(server.endpoint(i == 0 ? "tcp" : "unix")));
    }
    DescriptorLimit limit(lowest_free_descriptor());
    server.await("three are turned away", [&] {
        server.reactor().run_turn();
        return rejected() == 3;
    });
    for (const auto& socket : waiting) {
        EXPECT_TRUE(socket->is_ended());
    }
    for (int turn = 0; turn < 100; ++turn) {
        server.reactor().run_turn();
    }
    EXPECT_EQ(rejected(), 3U) << "nobody waits any more";
    limit.end();
    RawSocket served(server.endpoint("tcp"));
    served.send("PING\r\n");
    server.await("the next one is served", [&] {
        server.reactor().run_turn();
        return served.has_input();
    });
    EXPECT_EQ(rejected(), 3U);
}

TEST(ReactorLimits, AcceptorRestsWhenNotEvenTheSpareDescriptorHelps) {
    if (sanitizer_needs_descriptors()) {
        GTEST_SKIP() << "UBSan's check of a virtual call opens a pipe";
    }
    TestServer server({.has_thread = false});
    RawSocket waiting(server.endpoint("unix"));
    waiting.send("PING\r\n");
    DescriptorLimit limit(3);  // the spare one lies above: to close it makes no room
    server.await("the client is refused", [&] {
        server.reactor().run_turn();
        return server.server().stats().connections_rejected != 0;
    });
    const std::uint64_t turns_before = server.reactor().stats().turns;
    const std::uint64_t rejected_before = server.server().stats().connections_rejected;
    while (server.reactor().stats().turns < turns_before + 10'000 &&
           server.reactor().stats().sleeps == 0) {
        server.reactor().run_turn();
    }
    // It tries again with each tick (1 ms), and not with each turn.
    EXPECT_LT(server.server().stats().connections_rejected - rejected_before, 5'000U);
    limit.end();
    server.await("the client is served after all", [&] {
        server.reactor().run_turn();
        return waiting.has_input();
    });
    EXPECT_EQ(waiting.receive(7), "+PONG\r\n");
}

TEST(ReactorLimits, PeerThatEpollRefusesIsGivenUp) {
    TestServer server({.has_thread = false});
    // epoll takes no regular files, so one stands for whatever it refuses.
    const std::string path = server.socket_path() + ".file";
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_TRUE(file.is_open());
    server.reactor().adopt(std::make_unique<server::SocketConnection>(
        server.reactor(), std::move(file), server::Session::Transport::kUnix));
    EXPECT_EQ(server.client_count(), 0U);
    server.reactor().run_turn();
    ::unlink(path.c_str());
    RawSocket socket(server.endpoint("unix"));
    socket.send("PING\r\n");
    server.await("others are served", [&] {
        server.reactor().run_turn();
        return socket.has_input();
    });
}

TEST(ReactorLimits, SecondRingOnASocketIsRefusedAndTheFirstGoesOn) {
    TestServer server;
    RawRing ring(server.endpoint("unix"));
    for (int i = 0; i < 3; ++i) {
        ring.ring_doorbell();
        const auto second = transport::request_ring(ring.socket.fd(), {}, 30'000);
        ASSERT_FALSE(second.ok());
        EXPECT_THAT(second.error().message, testing::HasSubstr("status 3"));
        EXPECT_THAT(second.error().message, testing::HasSubstr("this socket has a ring"));
        ASSERT_TRUE(ring.send("PING\r\n"));
        server.await("the ring answers",
                     [&] { return static_cast<bool>(ring.end.consumer.peek()); });
        EXPECT_EQ(ring.take_replies(), 1U);
    }
    EXPECT_EQ(server.stats().rings, 1U);
}

std::string frame(std::string_view message) {
    std::string bytes(4, '\0');
    store_value(bytes.data(), static_cast<std::uint32_t>(message.size()));
    return bytes.append(message);
}

TEST(ReactorLimits, SbeFramesSplitAtEveryByteAreAnswered) {
    TestServer server;
    const std::string opening = std::string(transport::kSbeMagic) + frame(logon_message("", "")) +
                                frame(command_message({"SET", "k", "value"})) +
                                frame(command_message({"GET", "k"}));
    const auto input_bytes = [&] {
        return server.on_loop([&] { return server.server().stats().input_bytes; });
    };
    // LogonReply has the client's id, so its length is all that is compared of it.
    std::string expected;
    for (std::size_t split = 0; split < opening.size(); ++split) {
        RawSocket socket(server.endpoint(split % 2 == 0 ? "unix" : "tcp"));
        const std::uint64_t before = input_bytes();
        socket.send(std::string_view(opening).substr(0, split));
        server.await("the first part is read",
                     [&] { return server.server().stats().input_bytes == before + split; });
        socket.send(std::string_view(opening).substr(split));
        std::string replies;
        for (int i = 0; i < 3; ++i) {
            const std::string prefix = socket.receive(4);
            ASSERT_EQ(prefix.size(), 4U) << "split at " << split;
            const std::string reply = socket.receive(load<std::uint32_t>(as_bytes(prefix).data()));
            replies += i == 0 ? std::string() : reply;
        }
        expected = split == 0 ? replies : expected;
        ASSERT_EQ(replies, expected) << "split at " << split;
    }
    EXPECT_THAT(expected, testing::HasSubstr("value"));
}

TEST(ReactorLimits, SbeFramesByteByByteAreAnswered) {
    TestServer server;
    RawSocket socket(server.endpoint("tcp"));
    const std::string requests = std::string(transport::kSbeMagic) + frame(logon_message("", "")) +
                                 frame(command_message({"PING"}));
    for (const char byte : requests) {
        const std::uint64_t before =
            server.on_loop([&] { return server.server().stats().input_bytes; });
        socket.send({&byte, 1});
        server.await("the byte is read",
                     [&] { return server.server().stats().input_bytes == before + 1; });
    }
    for (int i = 0; i < 2; ++i) {
        const std::string prefix = socket.receive(4);
        ASSERT_EQ(prefix.size(), 4U);
        const std::uint32_t length_bytes = load<std::uint32_t>(as_bytes(prefix).data());
        EXPECT_EQ(socket.receive(length_bytes).size(), length_bytes);
    }
}

TEST(ReactorLimits, SubscriberThatNeverReadsIsClosedAndForgotten) {
    TestServer server;
    Client publisher = server.client("unix", Protocol::kResp3);
    ASSERT_TRUE(
        publisher.command({"CONFIG", "SET", "client-output-buffer-limit", "pubsub 1048576 0 0"})
            .ok());
    RawSocket subscriber(server.endpoint("unix"));
    subscriber.send("SUBSCRIBE news\r\n");
    EXPECT_EQ(subscriber.receive(33), "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n");
    const std::string message(64 * 1024, 'm');
    std::int64_t reached = 1;
    for (int i = 0; i < 1000 && reached == 1; ++i) {
        reached = publisher.command({"PUBLISH", "news", message})->integer().value_or(-1);
    }
    EXPECT_EQ(reached, 0);
    EXPECT_EQ(server.on_loop([&] { return server.server().stats().output_limit_disconnections; }),
              1U);
    EXPECT_EQ(server.on_loop([&] { return server.server().clients().size(); }), 1U);
    EXPECT_EQ(publisher.command({"PUBSUB", "CHANNELS"})->size(), 0U);
}

TEST(ReactorLimits, OwnMessageComesBehindTheReplyThatCausedIt) {
    TestServer server;
    RawSocket socket(server.endpoint("tcp"));
    socket.send("HELLO 3\r\n");
    server.await("greeted", [&] { return server.server().stats().commands_processed == 1; });
    socket.send("SUBSCRIBE a\r\nPUBLISH a x\r\n");
    const std::string expected =
        ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n:1\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$"
        "1\r\nx\r\n";
    std::string got = socket.receive(expected.size());
    while (got.find(">3") == std::string::npos || got.size() < got.find(">3") + expected.size()) {
        const std::string more = socket.receive(1);
        ASSERT_FALSE(more.empty()) << got;
        got += more;
    }
    EXPECT_EQ(got.substr(got.find(">3")), expected);
}

}  // namespace
}  // namespace tern::test
