#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <tern/client/client.hpp>
#include <vector>

#include "client/allocation_count.hpp"
#include "client/fake_server.hpp"
#include "client/wire_writer.hpp"

namespace tern {
namespace {

using test::FakeServer;

/// An endpoint that no other test uses.
std::string fresh_endpoint(std::string_view kind) {
    static int count = 0;
    if (kind == "tcp") {
        return "tcp:127.0.0.1:0";
    }
    return std::string(kind) + ":/tmp/tern-client-test-" + std::to_string(::getpid()) + "-" +
           std::to_string(++count) + ".sock";
}

struct Variant {
    std::string_view kind;
    Protocol protocol;
    Wait wait = Wait::kAdaptive;
};

class ClientOver : public testing::TestWithParam<Variant> {
protected:
    [[nodiscard]] Client connect(const FakeServer& server, ClientOptions options = {}) const {
        options.endpoint = server.endpoint();
        options.protocol = GetParam().protocol;
        options.wait = GetParam().wait;
        options.spin_poll_count = 100;  // kind to the few cores of a test machine
        Result<Client> client = Client::connect(options);
        EXPECT_TRUE(client.ok()) << client.error().message;
        return std::move(*client);
    }
    [[nodiscard]] static std::string endpoint() { return fresh_endpoint(GetParam().kind); }
    [[nodiscard]] static bool is_sbe() { return GetParam().protocol == Protocol::kSbe; }
};

TEST_P(ClientOver, AnswersPingEchoSetAndGet) {
    FakeServer server(endpoint());
    Client client = connect(server);

    EXPECT_EQ(client.ping().value(), "PONG");
    EXPECT_EQ(client.echo("hi there").value(), "hi there");
    EXPECT_EQ(client.set("key", std::string("a\0b\r\n", 5)).value(), "OK");
    EXPECT_EQ(client.get("key").value(), std::string_view("a\0b\r\n", 5));
    EXPECT_EQ(client.set("empty", "").value(), "OK");
    EXPECT_EQ(client.get("empty").value(), "");
}

TEST_P(ClientOver, SaysMissingWithoutAKey) {
    FakeServer server(endpoint());
    Client client = connect(server);

    const TextResult result = client.get("absent");

    EXPECT_TRUE(result.is_missing());
    EXPECT_FALSE(result.is_failure());
    EXPECT_EQ(result.error(), "");
}

TEST_P(ClientOver, GivesTheServersErrorText) {
    FakeServer server(endpoint());
    Client client = connect(server);

    const ReplyResult result = client.command({"NOSUCH", "x"});

    EXPECT_EQ(result.status(), CallStatus::kServerError);
    EXPECT_EQ(result.error(), "ERR unknown command 'NOSUCH'");
    EXPECT_EQ(client.command({"PING"}).value().text(), "PONG");
}

TEST_P(ClientOver, CarriesValuesLargerThanEveryBuffer) {
    FakeServer server(endpoint());
    Client client = connect(server);
    for (const std::size_t size : {55u, 56u, 57u, 64u, 4096u, 65536u, 300'000u, 3'000'000u}) {
        std::string value(size, 'v');
        value[size / 2] = static_cast<char>(size);

        const TextResult set = client.set("big", value);
        ASSERT_TRUE(set.ok()) << size << ": " << set.error();
        const TextResult got = client.get("big");
        ASSERT_TRUE(got.ok()) << size << ": " << got.error();
        ASSERT_TRUE(got.value() == value) << size;
    }
}

TEST_P(ClientOver, TakesTheLastReplyAsArgument) {
    FakeServer server(endpoint());
    Client client = connect(server);
    for (const std::size_t size : {10u, 5'000u, 90'000u, 2'000'000u}) {
        const std::string value(size, 'v');
        ASSERT_TRUE(client.set("from", value).ok());

        ASSERT_TRUE(client.set("to", *client.get("from")).ok());
        ASSERT_TRUE(client.get("to").value() == value) << size;
        ASSERT_TRUE(client.command({"SET", "to2", *client.get("to")}).ok());
        ASSERT_TRUE(client.get("to2").value() == value) << size;
    }
}

TEST_P(ClientOver, PipelineGivesRepliesInOrder) {
    FakeServer server(endpoint());
    Client client = connect(server);
    constexpr int kCount = 500;
    // Replies far above a ring's or socket's buffer, so that a client that only sends would
    // dead-lock.
    const std::string value(8'000, 'x');
    Pipeline pipeline = client.pipeline();

    for (int i = 0; i < kCount; ++i) {
        ASSERT_EQ(pipeline.set("k" + std::to_string(i), value + std::to_string(i)),
                  CallStatus::kOk);
        ASSERT_EQ(pipeline.get("k" + std::to_string(i)), CallStatus::kOk);
    }
    EXPECT_EQ(client.ping().status(), CallStatus::kBusy);

    for (int i = 0; i < kCount; ++i) {
        ASSERT_EQ(pipeline.next().value().text(), "OK") << i;
        ASSERT_EQ(pipeline.next().value().text(), value + std::to_string(i)) << i;
    }
    EXPECT_TRUE(pipeline.next().is_missing());
    EXPECT_EQ(client.ping().value(), "PONG");
}

TEST_P(ClientOver, PipelineIsBounded) {
    FakeServer server(endpoint());
    Client client = connect(server);
    {
        Pipeline pipeline = client.pipeline(2);
        EXPECT_EQ(pipeline.ping(), CallStatus::kOk);
        EXPECT_EQ(pipeline.command({"ECHO", "e"}), CallStatus::kOk);
        EXPECT_EQ(pipeline.ping(), CallStatus::kBusy);
        EXPECT_EQ(pipeline.next().value().text(), "PONG");
        EXPECT_EQ(pipeline.ping(), CallStatus::kOk);
    }  // reads and drops what is outstanding
    EXPECT_EQ(client.ping().value(), "PONG");
}

TEST_P(ClientOver, TimesOutAndIsClosedWithoutAReply) {
    FakeServer server(endpoint(), [](const FakeServer::Request& request) {
        return FakeServer::Action{request.words.at(0) == "GET", "", false};
    });
    ClientOptions options;
    options.reply_timeout_ms = 30;
    Client client = connect(server, options);

    const TextResult result = client.get("k");

    EXPECT_EQ(result.status(), CallStatus::kTimedOut);
    EXPECT_NE(result.error().find("no reply within the time limit"), std::string_view::npos)
        << result.error();
    EXPECT_FALSE(client.is_connected());
    EXPECT_EQ(client.ping().status(), CallStatus::kClosed);
}

TEST_P(ClientOver, SaysClosedWhenTheServerHangsUp) {
    FakeServer server(endpoint(), [](const FakeServer::Request& request) {
        const bool is_get = request.words.at(0) == "GET";
        return FakeServer::Action{is_get, "", is_get};
    });
    Client client = connect(server);

    const TextResult result = client.get("k");

    EXPECT_EQ(result.status(), CallStatus::kClosed);
    EXPECT_NE(result.error().find("server closed the connection"), std::string_view::npos)
        << result.error();
    EXPECT_EQ(client.ping().status(), CallStatus::kClosed);
    EXPECT_EQ(client.ping().error(), server.endpoint() + ": server closed the connection");
}

TEST_P(ClientOver, ReconnectsWithTheNextCallWhenAsked) {
    std::atomic<int> get_count{0};
    FakeServer server(endpoint(), [&](const FakeServer::Request& request) {
        const bool is_first =
            request.words.at(0) == "GET" && get_count.fetch_add(1, std::memory_order_relaxed) == 0;
        return FakeServer::Action{is_first, "", is_first};
    });
    ClientOptions options;
    options.reconnect = Reconnect::kOnNextCall;
    Client client = connect(server, options);
    ASSERT_EQ(client.set("k", "v").value(), "OK");
    const std::uint64_t first_instance = client.instance_id();

    EXPECT_EQ(client.get("k").status(), CallStatus::kClosed);
    EXPECT_EQ(client.get("k").value(), "v");

    EXPECT_EQ(server.connection_count(), 2u);
    if (GetParam().kind == "ring") {
        EXPECT_NE(client.instance_id(), first_instance);
    }
}

TEST_P(ClientOver, RefusesRepliesThatNoServerSends) {
    const std::vector<std::string> kText = {
        "?\r\n", "$x\r\n", "$-2\r\n", ":1x\r\n", "*2\r\n:1\r\n!\r\n", "\r\n", "$3\r\nabcd\r\n"};
    std::vector<std::string> wire = {
        "",
        std::string(15, '\0'),
        std::string(16, '\0'),
        test::wire_text_reply(wire_template::kBulkReply, 99, "wrong id"),
        test::wire_text_reply(wire_template::kBulkReply, 2, "cut").substr(0, 22),
        test::wire_text_reply(999, 2, "unknown"),
        test::wire_integer_reply(2, 1).substr(0, 20),
        test::wire_aggregate_reply(2, {}),
        test::wire_aggregate_reply(2, {{9, 2, ""}, {3, 1, ""}}),
        test::wire_aggregate_reply(2, {{9, 1, ""}, {3, 1, ""}, {3, 1, ""}}),
        test::wire_aggregate_reply(2, {{9, -1, ""}}),
        test::wire_aggregate_reply(2, {{13, 0, ""}}),
        test::wire_aggregate_reply(2, {{5, 0, "cut"}}).substr(0, 36),
    };
    wire.erase(wire.begin());  // an empty reply is none
    for (const std::string& bytes : is_sbe() ? wire : kText) {
        FakeServer server(endpoint(), [&](const FakeServer::Request& request) {
            return FakeServer::Action{request.words.at(0) == "GET", bytes, false};
        });
        ClientOptions options;
        options.reply_timeout_ms = 10'000;
        Client client = connect(server, options);

        const TextResult result = client.get("k");

        EXPECT_EQ(result.status(), CallStatus::kProtocol) << testing::PrintToString(bytes);
        EXPECT_NE(result.error(), "");
        EXPECT_FALSE(client.is_connected());
    }
}

TEST_P(ClientOver, WalksNestedReplies) {
    FakeServer server(endpoint(), [](const FakeServer::Request& request) {
        const std::string text = "*4\r\n:1\r\n*2\r\n$1\r\na\r\n+b\r\n$-1\r\n-ERR inner\r\n";
        const std::string wire = test::wire_aggregate_reply(request.correlation_id,
                                                            {{9, 4, ""},
                                                             {3, 1, ""},
                                                             {9, 2, ""},
                                                             {5, 0, "a"},
                                                             {1, 0, "b"},
                                                             {0, 0, ""},
                                                             {2, 0, "ERR inner"}});
        return FakeServer::Action{
            request.words.at(0) == "TREE", request.is_sbe ? wire : text, false};
    });
    Client client = connect(server);

    const ReplyView tree = client.command({"TREE"}).value();

    ASSERT_EQ(tree.type(), ReplyType::kArray);
    ASSERT_EQ(tree.size(), 4u);
    const std::vector<ReplyView> children(tree.begin(), tree.end());
    ASSERT_EQ(children.size(), 4u);
    EXPECT_EQ(children[0].integer(), 1);
    ASSERT_EQ(children[1].size(), 2u);
    EXPECT_EQ((*children[1].begin()).text(), "a");
    EXPECT_EQ((*++children[1].begin()).type(), ReplyType::kStatus);
    EXPECT_TRUE(children[2].is_null());
    EXPECT_TRUE(children[3].is_error());
    EXPECT_EQ(children[3].text(), "ERR inner");
}

TEST_P(ClientOver, AllocatesNothingInSteadyState) {
    FakeServer server(endpoint());
    Client client = connect(server);
    const std::string value(16, 'v');
    const std::string large_value(20'000, 'w');
    const auto round = [&] {
        ASSERT_TRUE(client.ping().ok());
        ASSERT_TRUE(client.set("tern:local-transport-latency", value).ok());
        ASSERT_EQ(client.get("tern:local-transport-latency").value(), value);
        ASSERT_TRUE(client.set("large", large_value).ok());
        ASSERT_EQ(client.get("large").value(), large_value);
        ASSERT_TRUE(client.get("absent").is_missing());
        ASSERT_EQ(client.command({"ECHO", "x"}).value().text(), "x");
    };
    for (int i = 0; i < 20; ++i) {
        round();
    }

    const std::size_t count_before = test::allocation_count();
    for (int i = 0; i < 50; ++i) {
        round();
    }

    EXPECT_EQ(test::allocation_count(), count_before);
}

std::string variant_name(const testing::TestParamInfo<Variant>& info) {
    const std::string_view protocol = info.param.protocol == Protocol::kSbe     ? "sbe"
                                      : info.param.protocol == Protocol::kResp3 ? "resp3"
                                                                                : "resp2";
    const std::string_view wait = info.param.wait == Wait::kSpin    ? "spin"
                                  : info.param.wait == Wait::kBlock ? "block"
                                                                    : "adaptive";
    return fmt::format("{}_{}_{}", info.param.kind, protocol, wait);
}

INSTANTIATE_TEST_SUITE_P(Transports,
                         ClientOver,
                         testing::Values(Variant{"ring", Protocol::kSbe},
                                         Variant{"ring", Protocol::kSbe, Wait::kBlock},
                                         Variant{"ring", Protocol::kResp3},
                                         Variant{"ring", Protocol::kResp3, Wait::kBlock},
                                         Variant{"unix", Protocol::kSbe},
                                         Variant{"unix", Protocol::kResp3, Wait::kBlock},
                                         Variant{"unix", Protocol::kResp2},
                                         Variant{"tcp", Protocol::kSbe, Wait::kBlock},
                                         Variant{"tcp", Protocol::kResp3}),
                         variant_name);

TEST(Client, SaysWhatIsWrongWithAnEndpoint) {
    const Result<Client> client = Client::connect({.endpoint = "carrier-pigeon:home"});
    ASSERT_FALSE(client.ok());
    EXPECT_EQ(client.error().code, Errc::kInvalidArgument);
}

TEST(Client, SaysThatNobodyListens) {
    const Result<Client> client = Client::connect({.endpoint = "unix:/tmp/tern-no-such-socket"});
    ASSERT_FALSE(client.ok());
    EXPECT_NE(client.error().message.find("/tmp/tern-no-such-socket"), std::string::npos);
}

TEST(Client, RefusesALogonThatTheServerRefuses) {
    FakeServer server(fresh_endpoint("unix"), [](const FakeServer::Request& request) {
        return FakeServer::Action{
            true,
            request.is_sbe ? test::wire_text_reply(
                                 wire_template::kErrorReply, request.correlation_id, "WRONGPASS no")
                           : "-WRONGPASS no\r\n",
            true};
    });
    for (const Protocol protocol : {Protocol::kSbe, Protocol::kResp3, Protocol::kResp2}) {
        const Result<Client> client = Client::connect(
            {.endpoint = server.endpoint(), .protocol = protocol, .password = "secret"});
        ASSERT_FALSE(client.ok());
        EXPECT_EQ(client.error().code, Errc::kServer);
        EXPECT_NE(client.error().message.find("WRONGPASS no"), std::string::npos)
            << client.error().message;
    }
}

TEST(Client, IntroducesItselfAsAsked) {
    using Words = std::vector<std::string>;
    std::vector<Words> seen;
    FakeServer server(fresh_endpoint("unix"), [&](const FakeServer::Request& request) {
        seen.push_back(request.words);
        return FakeServer::Action{};
    });
    const auto introduction = [&](const ClientOptions& options) {
        seen.clear();
        EXPECT_TRUE(Client::connect(options).ok());
        return seen;
    };
    ClientOptions options{.endpoint = server.endpoint(), .protocol = Protocol::kResp3};
    EXPECT_EQ(introduction(options), (std::vector<Words>{{"HELLO", "3"}}));
    options.password = "a password longer than any small buffer";
    EXPECT_EQ(introduction(options),
              (std::vector<Words>{{"HELLO", "3", "AUTH", "default", options.password}}));
    options.user = "somebody";
    options.client_name = "name";
    options.database = 12;
    EXPECT_EQ(
        introduction(options),
        (std::vector<Words>{{"HELLO", "3", "AUTH", "somebody", options.password, "SETNAME", "name"},
                            {"SELECT", "12"}}));
    options.protocol = Protocol::kResp2;
    EXPECT_EQ(introduction(options),
              (std::vector<Words>{{"AUTH", "somebody", options.password},
                                  {"CLIENT", "SETNAME", "name"},
                                  {"SELECT", "12"}}));
    options.user.clear();
    EXPECT_EQ(introduction(options).front(), (Words{"AUTH", options.password}));
}

TEST(Client, DropsARingThatHoldsWhatNoServerWrites) {
    constexpr std::uint8_t kUnknownKind = 9;
    for (const Wait wait : {Wait::kAdaptive, Wait::kBlock, Wait::kSpin}) {
        FakeServer server(fresh_endpoint("ring"), [](const FakeServer::Request& request) {
            return FakeServer::Action{
                .record_kind = request.words.at(0) == "GET" ? kUnknownKind : std::uint8_t{0}};
        });
        Result<Client> client = Client::connect(
            {.endpoint = server.endpoint(), .protocol = Protocol::kSbe, .wait = wait});
        ASSERT_TRUE(client.ok()) << client.error().message;

        const TextResult result = client->get("k");

        EXPECT_EQ(result.status(), CallStatus::kProtocol);
        EXPECT_NE(result.error().find("no server writes"), std::string_view::npos);
        EXPECT_FALSE(client->is_connected());
    }
}

// Short, because it spins: the tests above wait asleep.
TEST(Client, NoticesLateAndLostRepliesWhileItSpins) {
    for (const bool hangs_up : {false, true}) {
        FakeServer server(fresh_endpoint("ring"), [&](const FakeServer::Request& request) {
            const bool is_get = request.words.at(0) == "GET";
            return FakeServer::Action{.is_handled = is_get, .hangs_up = is_get && hangs_up};
        });
        Result<Client> client = Client::connect({.endpoint = server.endpoint(),
                                                 .protocol = Protocol::kResp3,
                                                 .wait = Wait::kSpin,
                                                 .reply_timeout_ms = hangs_up ? 60'000 : 20});
        ASSERT_TRUE(client.ok()) << client.error().message;
        EXPECT_EQ(client->ping().value(), "PONG");

        EXPECT_EQ(client->get("k").status(),
                  hangs_up ? CallStatus::kClosed : CallStatus::kTimedOut);
    }
}

TEST(Client, WaitsForSpaceInASmallRing) {
    FakeServer server(fresh_endpoint("ring"));
    for (const Wait wait : {Wait::kAdaptive, Wait::kBlock}) {
        Result<Client> client = Client::connect({.endpoint = server.endpoint(),
                                                 .protocol = Protocol::kSbe,
                                                 .wait = wait,
                                                 .ring_request_bytes = 4096,
                                                 .ring_reply_bytes = 4096});
        ASSERT_TRUE(client.ok()) << client.error().message;
        const std::string value(20'000, 'v');
        Pipeline pipeline = client->pipeline();
        for (int i = 0; i < 50; ++i) {
            ASSERT_EQ(pipeline.set("k", value), CallStatus::kOk);
            ASSERT_EQ(pipeline.get("k"), CallStatus::kOk);
        }
        for (int i = 0; i < 50; ++i) {
            ASSERT_EQ(pipeline.next().value().text(), "OK");
            ASSERT_EQ(pipeline.next().value().text(), value);
        }
    }
}

TEST(Client, GivesUpReconnectingAfterItsTries) {
    std::string endpoint = fresh_endpoint("unix");
    auto server = std::make_unique<FakeServer>(endpoint);
    Result<Client> client = Client::connect({.endpoint = endpoint,
                                             .reconnect = Reconnect::kOnNextCall,
                                             .reconnect_tries = 2,
                                             .reconnect_pause_ms = 1});
    ASSERT_TRUE(client.ok());
    server.reset();

    EXPECT_EQ(client->ping().status(), CallStatus::kClosed);
    const TextResult second = client->ping();

    EXPECT_EQ(second.status(), CallStatus::kClosed);
    EXPECT_NE(second.error().find(endpoint.substr(5)), std::string_view::npos) << second.error();

    server = std::make_unique<FakeServer>(endpoint);
    EXPECT_EQ(client->ping().value(), "PONG");
}

}  // namespace
}  // namespace tern
