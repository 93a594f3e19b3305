#include "server/reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <tern/base/bytes.hpp>

#include "server/wire_layout.hpp"

namespace tern::server {
namespace {

std::string written(Protocol protocol, const std::function<void(Reply&)>& write) {
    BufferSink sink;
    Reply reply(sink, protocol, 77);
    write(reply);
    reply.finish();
    return std::string(sink.view());
}

struct Case {
    const char* name;
    std::function<void(Reply&)> write;
    std::string resp2;
    std::string resp3;
};

TEST(Reply, WritesEveryTypeInBothVersionsOfResp) {
    const Case cases[] = {
        {"status", [](Reply& r) { r.status("OK"); }, "+OK\r\n", "+OK\r\n"},
        {"error", [](Reply& r) { r.error("ERR a\r\nb"); }, "-ERR a  b\r\n", "-ERR a  b\r\n"},
        {"integer", [](Reply& r) { r.integer(-5); }, ":-5\r\n", ":-5\r\n"},
        {"bulk", [](Reply& r) { r.bulk("a\r\n"); }, "$3\r\na\r\n\r\n", "$3\r\na\r\n\r\n"},
        {"bulk integer", [](Reply& r) { r.bulk_integer(10); }, "$2\r\n10\r\n", "$2\r\n10\r\n"},
        {"double", [](Reply& r) { r.number(1.5); }, "$3\r\n1.5\r\n", ",1.5\r\n"},
        {"boolean", [](Reply& r) { r.boolean(true); }, ":1\r\n", "#t\r\n"},
        {"null", [](Reply& r) { r.null(); }, "$-1\r\n", "_\r\n"},
        {"null array", [](Reply& r) { r.null_array(); }, "*-1\r\n", "_\r\n"},
        {"big number", [](Reply& r) { r.big_number("12"); }, "$2\r\n12\r\n", "(12\r\n"},
        {"verbatim", [](Reply& r) { r.verbatim("txt", "hi"); }, "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n"},
        {"array", [](Reply& r) { r.array(2); }, "*2\r\n", "*2\r\n"},
        {"set", [](Reply& r) { r.set(2); }, "*2\r\n", "~2\r\n"},
        {"map", [](Reply& r) { r.map(2); }, "*4\r\n", "%2\r\n"},
        {"push", [](Reply& r) { r.push(2); }, "*2\r\n", ">2\r\n"},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(written(Protocol::kResp2, one.write), one.resp2) << one.name;
        EXPECT_EQ(written(Protocol::kResp3, one.write), one.resp3) << one.name;
    }
}

TEST(Reply, AttributeIsOfResp3Only) {
    const auto write = [](Reply& reply) {
        if (reply.attribute(1)) {
            reply.bulk("k");
            reply.integer(1);
        }
        reply.ok();
    };
    EXPECT_EQ(written(Protocol::kResp3, write), "|1\r\n$1\r\nk\r\n:1\r\n+OK\r\n");
    EXPECT_EQ(written(Protocol::kResp2, write), "+OK\r\n");
}

TEST(Reply, OpenAggregatesGetTheirCountWhenTheyClose) {
    const auto write = [](Reply& reply) {
        const Reply::Open outer = reply.open_array();
        const Reply::Open inner = reply.open_array();
        reply.bulk("a");
        reply.integer(1);
        reply.close_map(inner, 1);
        for (int i = 0; i < 11; ++i) {
            reply.integer(i % 10);
        }
        reply.close_array(outer, 12);
    };
    std::string numbers;
    for (int i = 0; i < 11; ++i) {
        numbers += ":" + std::to_string(i % 10) + "\r\n";
    }
    EXPECT_EQ(written(Protocol::kResp2, write), "*12\r\n*2\r\n$1\r\na\r\n:1\r\n" + numbers);
    EXPECT_EQ(written(Protocol::kResp3, write), "*12\r\n%1\r\n$1\r\na\r\n:1\r\n" + numbers);
}

TEST(Reply, DiscardStartsAnew) {
    const auto write = [](Reply& reply) {
        reply.array(3);
        reply.integer(1);
        reply.discard();
        reply.error("WRONGTYPE no");
        EXPECT_TRUE(reply.has_error());
        EXPECT_EQ(reply.error_code(), "WRONGTYPE");
    };
    EXPECT_EQ(written(Protocol::kResp2, write), "-WRONGTYPE no\r\n");
}

TEST(Reply, SbeScalarsCarryTheCorrelationId) {
    const std::string message = written(Protocol::kSbe, [](Reply& reply) { reply.integer(42); });
    ASSERT_GE(message.size(), layout::kMessageHeaderBytes + layout::kCorrelationIdBytes);
    const auto* bytes = reinterpret_cast<const std::byte*>(message.data());
    EXPECT_EQ(load<std::uint64_t>(bytes + layout::kMessageHeaderBytes), 77U);
}

TEST(Reply, SbeAggregateIsOneMessageWhateverItHolds) {
    const std::string flat = written(Protocol::kSbe, [](Reply& reply) {
        reply.array(2);
        reply.bulk("a");
        reply.integer(1);
    });
    const std::string opened = written(Protocol::kSbe, [](Reply& reply) {
        const Reply::Open open = reply.open_array();
        reply.bulk("a");
        reply.integer(1);
        reply.close_array(open, 2);
    });
    EXPECT_EQ(flat, opened);
}

}  // namespace
}  // namespace tern::server
