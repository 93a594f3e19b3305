#include "transport/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "transport/magic.hpp"

namespace tern::transport {
namespace {

using testing::HasSubstr;

Endpoint parsed(std::string_view text) {
    Result<Endpoint> endpoint = parse_endpoint(text);
    EXPECT_TRUE(endpoint) << endpoint.error().message;
    return endpoint ? *endpoint : Endpoint{};
}

TEST(Endpoint, ReadsEachKind) {
    EXPECT_EQ(parsed("tcp:127.0.0.1:6379"),
              (Endpoint{.kind = EndpointKind::kTcp, .host = "127.0.0.1", .port = 6379}));
    EXPECT_EQ(parsed("tcp:[::1]:0"), (Endpoint{.kind = EndpointKind::kTcp, .host = "::1"}));
    EXPECT_EQ(parsed("tls:my-host.example:65535"),
              (Endpoint{.kind = EndpointKind::kTls, .host = "my-host.example", .port = 65535}));
    EXPECT_EQ(parsed("tcp:*:1"), (Endpoint{.kind = EndpointKind::kTcp, .host = "*", .port = 1}));
    EXPECT_EQ(parsed("unix:/run/a:b.sock"),
              (Endpoint{.kind = EndpointKind::kUnix, .path = "/run/a:b.sock"}));
    EXPECT_EQ(parsed("ring:here"), (Endpoint{.kind = EndpointKind::kRing, .path = "here"}));
    EXPECT_EQ(parsed("aeron:udp?endpoint=host:1|mtu=8k").channel_uri,
              "aeron:udp?endpoint=host:1|mtu=8k");
    EXPECT_EQ(parsed("aeron:ipc").channel_uri, "aeron:ipc");
}

TEST(Endpoint, TextComesBack) {
    for (const char* text : {"tcp:127.0.0.1:6379",
                             "tcp:[::1]:6379",
                             "tcp:[fe80::1%eth0]:1",
                             "tls:*:0",
                             "unix:/run/tern/tern.sock",
                             "ring:/run/tern/tern.sock",
                             "aeron:ipc?term-length=64k",
                             "aeron:udp?endpoint=localhost:20121"}) {
        EXPECT_EQ(to_string(parsed(text)), text);
    }
}

TEST(Endpoint, ErrorsPointAtThePartAndSayWhatWouldBeRight) {
    struct Case {
        std::string text;
        int column;
        const char* remedy;
    };
    const Case table[] = {
        {"", 1, "write tcp:HOST:PORT"},
        {"127.0.0.1:6379", 1, "write tcp:HOST:PORT"},
        {"TCP:127.0.0.1:6379", 1, "\"TCP\" is not a kind"},
        {"tcp", 4, "nothing follows"},
        {"tcp:", 5, "the host is empty"},
        {"tcp::6379", 5, "the host is empty"},
        {"tcp:127.0.0.1", 14, "write HOST:PORT"},
        {"tcp:127.0.0.1:", 15, "from 0 to 65535"},
        {"tcp:127.0.0.1:http", 15, "\"http\" is not a number"},
        {"tcp:127.0.0.1:-1", 15, "from 0 to 65535"},
        {"tcp:127.0.0.1:65536", 15, "port 65536 is too large"},
        {"tcp:127.0.0.1:99999999999999999999", 15, "is too large"},
        {"tcp:my host:1", 7, "\" \" cannot be in a host"},
        {"tcp:::1:6379", 5, "the host is empty"},
        {"tcp:fe80:1:6379", 10, "[ADDRESS]:PORT"},
        {"tcp:[::1:6379", 5, "without \"]\""},
        {"tcp:[::1]", 10, "the port is missing"},
        {"tcp:[::g]:1", 6, "not an IPv6 address"},
        {"tcp:[]:1", 6, "not an IPv6 address"},
        {"unix:", 6, "the path is empty"},
        {"ring:" + std::string(108, 'p'), 113, "takes 107"},
        {"aeron:tcp?x", 7, "write ipc or udp"},
        {"aeron:", 7, "write ipc or udp"},
    };
    for (const Case& bad : table) {
        const Result<Endpoint> endpoint = parse_endpoint(bad.text);
        ASSERT_FALSE(endpoint) << bad.text;
        EXPECT_EQ(endpoint.error().code, Errc::kInvalidArgument);
        EXPECT_THAT(endpoint.error().message, HasSubstr("endpoint \"" + bad.text + "\""));
        EXPECT_THAT(endpoint.error().message,
                    HasSubstr("column " + std::to_string(bad.column) + ":"));
        EXPECT_THAT(endpoint.error().message, HasSubstr(bad.remedy));
    }
}

TEST(Endpoint, RandomTextIsRefusedOrComesBack) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const std::string alphabet = "tcp:unix[]*.?6379/-%";
    const std::string starts[] = {"tcp:", "tls:[", "unix:", "aeron:ipc", "tcp:h:"};
    for (int i = 0; i < 30'000; ++i) {
        std::string text = starts[random() % std::size(starts)];
        for (std::uint64_t length = random() % 12; length != 0; --length) {
            text += alphabet[random() % alphabet.size()];
        }
        const Result<Endpoint> endpoint = parse_endpoint(text);
        if (endpoint) {
            EXPECT_EQ(parsed(to_string(*endpoint)), *endpoint) << text;
        }
    }
}

TEST(Magic, DecidesAtTheFirstDivergingByte) {
    EXPECT_EQ(sniff(""), Sniffed::kUndecided);
    EXPECT_EQ(sniff("*1\r\n"), Sniffed::kResp);
    EXPECT_EQ(sniff("PING\r\n"), Sniffed::kResp);
    EXPECT_EQ(sniff("TERN"), Sniffed::kUndecided);
    EXPECT_EQ(sniff("TERNS"), Sniffed::kUndecided);
    EXPECT_EQ(sniff("TERN\r\n"), Sniffed::kResp);
    EXPECT_EQ(sniff("TERNSBE2"), Sniffed::kResp);
    EXPECT_EQ(sniff("TERNSBE1 and more"), Sniffed::kSbe);
    EXPECT_EQ(sniff("TERNRING"), Sniffed::kRing);
}

}  // namespace
}  // namespace tern::transport
