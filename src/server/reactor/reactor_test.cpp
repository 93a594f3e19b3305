#include "server/reactor/reactor.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <deque>
#include <vector>

#include "server/reactor/socket_connection.hpp"
#include "server/reactor/test_server.hpp"

namespace tern::test {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

std::string pattern(std::size_t length_bytes) {
    std::string text(length_bytes, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) {
        text[i] = static_cast<char>('a' + (i * 31 + i / 4093) % 26);
    }
    return text;
}

// ---- Every way in ----

struct Way {
    const char* kind;
    Protocol protocol;
};

class EveryWay : public testing::TestWithParam<Way> {
protected:
    TestServer server_;
    Client client_ = server_.client(GetParam().kind, GetParam().protocol);
};

TEST_P(EveryWay, CarriesCommands) {
    EXPECT_EQ(client_.ping().value_or(""), "PONG");
    EXPECT_TRUE(client_.set("key", "value").ok());
    EXPECT_EQ(client_.get("key").value_or(""), "value");
    EXPECT_TRUE(client_.get("none").is_missing());
    EXPECT_EQ(client_.zadd("zset", 1.5, "member").value_or(0), 1);
    EXPECT_EQ(client_.zscore("zset", "member").value_or(0), 1.5);
    EXPECT_EQ(client_.hset("hash", "field", "text").value_or(0), 1);
    EXPECT_EQ(client_.hget("hash", "field").value_or(""), "text");
    EXPECT_THAT(std::string(client_.hget("zset", "field").error()),
                testing::HasSubstr("WRONGTYPE"));
}

TEST_P(EveryWay, CarriesLongValuesBothWays) {
    for (const std::size_t length_bytes : {kMebibyte, 40 * kMebibyte}) {
        const std::string value = pattern(length_bytes);
        const TextResult set = client_.set("long", value);
        ASSERT_TRUE(set.ok()) << length_bytes << ": " << set.error();
        const TextResult got = client_.get("long");
        ASSERT_TRUE(got.ok()) << length_bytes << ": " << got.error();
        EXPECT_TRUE(*got == value) << length_bytes;
    }
    EXPECT_EQ(client_.ping().value_or(""), "PONG");
}

TEST_P(EveryWay, AnswersPipelinesInOrderWhenRepliesExceedEveryBuffer) {
    const std::string large = pattern(3 * kMebibyte);
    const std::string middle = pattern(5'000);
    ASSERT_TRUE(client_.set("large", large).ok());
    ASSERT_TRUE(client_.set("middle", middle).ok());
    Pipeline pipeline = client_.pipeline();
    for (int i = 0; i < 2'000; ++i) {
        ASSERT_EQ(i % 500 == 250 ? pipeline.get("large")
                  : i % 2 == 0   ? pipeline.get("middle")
                                 : pipeline.ping(),
                  CallStatus::kOk);
    }
    for (int i = 0; i < 2'000; ++i) {
        const ReplyResult reply = pipeline.next();
        ASSERT_TRUE(reply.ok()) << i << ": " << reply.error();
        ASSERT_TRUE(reply->text() == (i % 500 == 250 ? std::string_view(large)
                                      : i % 2 == 0   ? std::string_view(middle)
                                                     : "PONG"))
            << i << ": " << reply->text().size() << " bytes";
    }
}

TEST_P(EveryWay, AnswersWhatFollowsABlockingCommandAfterIt) {
    Client other = server_.client("unix");
    Pipeline pipeline = client_.pipeline();
    ASSERT_EQ(pipeline.command({"BZPOPMIN", "queue", "0"}), CallStatus::kOk);
    ASSERT_EQ(pipeline.ping(), CallStatus::kOk);
    ASSERT_EQ(pipeline.flush(), CallStatus::kOk);
    server_.await("a blocked client", [&] {
        return std::any_of(server_.server().clients().begin(),
                           server_.server().clients().end(),
                           [](const auto& entry) { return entry.second->blocked; });
    });
    EXPECT_EQ(other.zadd("queue", 1, "member").value_or(0), 1);
    const ReplyResult popped = pipeline.next();
    ASSERT_TRUE(popped.ok()) << popped.error();
    EXPECT_EQ(popped->size(), 3U);
    const ReplyResult pong = pipeline.next();
    ASSERT_TRUE(pong.ok()) << pong.error();
    EXPECT_EQ(pong->text(), "PONG");
}

INSTANTIATE_TEST_SUITE_P(Reactor,
                         EveryWay,
                         testing::Values(Way{"ring", Protocol::kResp3},
                                         Way{"ring", Protocol::kSbe},
                                         Way{"unix", Protocol::kResp3},
                                         Way{"unix", Protocol::kSbe},
                                         Way{"tcp", Protocol::kResp3},
                                         Way{"tcp", Protocol::kSbe}),
                         [](const testing::TestParamInfo<Way>& way) {
                             return std::string(way.param.kind) +
                                    (way.param.protocol == Protocol::kSbe ? "Sbe" : "Resp3");
                         });

// ---- Sockets ----

TEST(Reactor, ReadsRequestsSplitAtEveryByte) {
    TestServer server;
    RawSocket socket(server.endpoint("unix"));
    const std::string requests =
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nva\r\nu\r\nPING\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
        "*1\r\n$4\r\nPING\r\n";
    const std::string replies = "+OK\r\n+PONG\r\n$5\r\nva\r\nu\r\n+PONG\r\n";
    for (std::size_t split = 1; split < requests.size(); ++split) {
        const std::uint64_t before =
            server.on_loop([&] { return server.server().stats().input_bytes; });
        socket.send(std::string_view(requests).substr(0, split));
        server.await("the first part is read",
                     [&] { return server.server().stats().input_bytes == before + split; });
        socket.send(std::string_view(requests).substr(split));
        ASSERT_EQ(socket.receive(replies.size()), replies) << "split at " << split;
    }
}

TEST(Reactor, HoldsOneReplyBeyondThePauseLimitForAPeerThatDoesNotRead) {
    TestServer server;
    Client other = server.client("tcp");
    constexpr std::size_t kValueBytes = 100 * 1024;
    ASSERT_TRUE(other.set("large", pattern(kValueBytes)).ok());
    std::string requests;
    for (int i = 0; i < 20'000; ++i) {
        requests += "*2\r\n$3\r\nGET\r\n$5\r\nlarge\r\n";
    }
    RawSocket silent(server.endpoint("unix"));
    std::string_view rest = requests;
    std::size_t pending_bytes_max = 0;
    std::size_t input_bytes_max = 0;
    // As long as it takes anything, then for a hundred turns more.
    for (int idle_count = 0; idle_count < 100;) {
        const std::size_t sent_bytes = silent.send_some(rest);
        rest.remove_prefix(sent_bytes);
        idle_count = sent_bytes == 0 ? idle_count + 1 : 0;
        server.on_loop([&] {
            for (const auto& [id, session] : server.server().clients()) {
                pending_bytes_max =
                    std::max(pending_bytes_max, session->peer->pending_output_bytes());
                input_bytes_max = std::max(input_bytes_max, session->peer->input_capacity_bytes());
            }
        });
        ASSERT_EQ(other.ping().value_or(""), "PONG");
    }
    EXPECT_GT(pending_bytes_max, 0U);
    EXPECT_LE(pending_bytes_max, server::SocketConnection::kOutputPauseBytes + kValueBytes + 64);
    EXPECT_LE(input_bytes_max, 2 * Reactor::kReadBufferBytes);
    EXPECT_FALSE(rest.empty()) << "the server has taken every request";
    // It reads at last: everything that was accepted is answered.
    const std::string reply = fmt::format("${}\r\n{}\r\n", kValueBytes, pattern(kValueBytes));
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(silent.receive(reply.size()) == reply) << i;
    }
}

// ---- Sleep ----

TEST(Reactor, SleepsWhenIdle) {
    TestServer server({.spin_us_max = 0});
    Client ring = server.client("ring", Protocol::kSbe, {.wait = Wait::kBlock});
    Client socket = server.client("unix", Protocol::kResp3, {.wait = Wait::kBlock});
    ASSERT_TRUE(ring.ping().ok());
    ASSERT_TRUE(socket.ping().ok());
    server.await("no ring is polled", [&] { return server.reactor().stats().active_rings == 0; });
    const ReactorStats before = server.stats();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // tidy-ok: idling is tested
    const ReactorStats after = server.stats();
    EXPECT_GT(after.sleeps, before.sleeps);
    EXPECT_LT(after.turns - before.turns, 1'000U) << "an idle loop turns";
    EXPECT_EQ(ring.ping().value_or(""), "PONG");
    EXPECT_EQ(socket.ping().value_or(""), "PONG");
}

TEST(Reactor, SleepsWhileARingsPeerDoesNotReadItsReplies) {
    for (const std::string_view request : {"PING\r\n", "GET large\r\n"}) {
        TestServer server({.spin_us_max = 0});
        Client other = server.client("unix", Protocol::kResp3, {.wait = Wait::kBlock});
        ASSERT_TRUE(other.set("large", pattern(kMebibyte)).ok());
        RawRing silent(server.endpoint("unix"));
        std::size_t sent_count = 0;
        for (int refused_count = 0; refused_count < 20;) {
            if (silent.send(request)) {
                ++sent_count;
            } else {
                ++refused_count;
                ASSERT_EQ(other.ping().value_or(""), "PONG");
            }
        }
        server.await("no ring is polled",
                     [&] { return server.reactor().stats().active_rings == 0; });
        const ReactorStats before = server.stats();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // tidy-ok: so is waiting
        const ReactorStats after = server.stats();
        EXPECT_LT(after.turns - before.turns, 1'000U) << "it turns for a full reply ring";
        if (request == "PING\r\n") {
            std::size_t reply_count = 0;
            server.await("every request is answered once the peer reads", [&] {
                reply_count += silent.take_replies();
                return reply_count == sent_count;
            });
        }
    }
}

TEST(Reactor, WakesOneOfAThousandIdleRings) {
    TestServer server({.spin_us_max = 0});
    std::deque<Client> rings;
    for (int i = 0; i < 1'000; ++i) {
        rings.push_back(server.client(
            "ring",
            Protocol::kSbe,
            {.wait = Wait::kBlock, .ring_request_bytes = 4096, .ring_reply_bytes = 4096}));
    }
    EXPECT_EQ(server.stats().rings, 1'000U);
    server.await("no ring is polled", [&] { return server.reactor().stats().active_rings == 0; });
    EXPECT_EQ(rings[617].ping().value_or(""), "PONG");
    EXPECT_EQ(rings[3].ping().value_or(""), "PONG");
    EXPECT_LE(server.stats().active_rings, 2U);
    rings.clear();
    server.await("every ring is freed", [&] {
        return server.reactor().stats().rings == 0 && server.server().clients().size() == 0;
    });
}

// ---- Blocking ----

TEST(Reactor, ServesBlockedClientsInTheOrderOfTheirArrival) {
    TestServer server;
    const Way ways[] = {{"ring", Protocol::kSbe},
                        {"unix", Protocol::kResp3},
                        {"ring", Protocol::kResp2},
                        {"tcp", Protocol::kSbe}};
    std::vector<std::future<std::string>> members;
    std::deque<Client> clients;
    for (const Way& way : ways) {
        clients.push_back(server.client(way.kind, way.protocol, {.wait = Wait::kBlock}));
        members.push_back(std::async(std::launch::async, [&client = clients.back()] {
            const ReplyResult reply = client.command({"BZPOPMIN", "queue", "0"});
            return reply.ok() && reply->size() == 3 ? std::string((*++reply->begin()).text())
                                                    : std::string(reply.error());
        }));
        server.await("it waits", [&] {
            std::size_t blocked_count = 0;
            for (const auto& [id, session] : server.server().clients()) {
                blocked_count += session->blocked ? 1 : 0;
            }
            return blocked_count == members.size();
        });
    }
    Client producer = server.client("ring", Protocol::kSbe);
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(producer.zadd("queue", i, fmt::format("member{}", i)).value_or(0), 1);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        EXPECT_EQ(members[i].get(), fmt::format("member{}", i));
    }
    EXPECT_EQ(producer.zcard("queue").value_or(-1), 0);
}

// ---- Ends ----

TEST(Reactor, FreesTheRingOfAKilledClient) {
    TestServer server;
    Client other = server.client("ring", Protocol::kSbe);
    ASSERT_TRUE(other.ping().ok());
    const std::string endpoint = server.endpoint("unix");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        RawRing ring(endpoint);
        for (;;) {
            ring.send("PING\r\n");
            ring.take_replies();
        }
    }
    server.await("the child's ring works", [&] {
        return server.reactor().stats().rings == 2 && server.server().stats().ring_messages > 100;
    });
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    server.await("the ring is freed", [&] {
        return server.reactor().stats().rings == 1 && server.server().clients().size() == 1;
    });
    EXPECT_EQ(other.ping().value_or(""), "PONG");
}

TEST(Reactor, ExecutesWhatARingsPeerSentBeforeItLeft) {
    TestServer server;
    Client other = server.client("unix");
    for (int i = 0; i < 50; ++i) {
        {
            RawRing ring(server.endpoint("unix"));
            ASSERT_TRUE(ring.send("INCR left\r\n"));
            ASSERT_TRUE(ring.send("INCR left\r\n"));
        }
        server.await("the ring is freed", [&] { return server.reactor().stats().rings == 0; });
        ASSERT_EQ(other.get("left").value_or(""), std::to_string(2 * (i + 1)));
    }
}

TEST(Reactor, AsksForThePasswordOnEveryWay) {
    TestServer server({.password = "secret"});
    for (const Way& way : {Way{"ring", Protocol::kSbe},
                           Way{"unix", Protocol::kSbe},
                           Way{"tcp", Protocol::kSbe},
                           Way{"ring", Protocol::kResp2},
                           Way{"unix", Protocol::kResp2}}) {
        SCOPED_TRACE(fmt::format("{} {}", way.kind, static_cast<int>(way.protocol)));
        for (const char* password : {"", "wrong"}) {
            ClientOptions options{.endpoint = server.endpoint(way.kind), .protocol = way.protocol};
            options.password = password;
            Result<Client> refused = Client::connect(options);
            if (refused) {
                const CallStatus status = refused->set("key", "value").status();
                EXPECT_TRUE(status == CallStatus::kServerError || status == CallStatus::kClosed);
            }
        }
        Client client = server.client(way.kind, way.protocol, {.password = "secret"});
        EXPECT_TRUE(client.get("key").is_missing());
    }
    RawRing ring(server.endpoint("unix"));
    ASSERT_TRUE(ring.send("GET key\r\n"));
    server.await("a reply", [&] { return static_cast<bool>(ring.end.consumer.peek()); });
    EXPECT_THAT(std::string(as_text(ring.end.consumer.peek().payload())),
                testing::StartsWith("-NOAUTH"));
}

}  // namespace
}  // namespace tern::test
