#include "server/wire_layout.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "server/reply.hpp"
#include "tern_store_wire/all.hpp"

/// Reply writes its SBE messages by hand; here each byte is compared with what the generated
/// encoders make.
namespace tern::server {
namespace {

constexpr std::uint64_t kId = 0x0102030405060708;

struct Node {
    wire::ReplyKind kind;
    std::int64_t value = 0;
    std::string_view text{};
};

template <typename Encoder, typename Fill>
std::string encoded(Fill fill) {
    std::string message(4096, '\0');
    auto encoder = Encoder::wrap({reinterpret_cast<std::byte*>(message.data()), message.size()});
    encoder.correlation_id(kId);
    message.resize(fill(encoder).encoded_bytes());
    return message;
}

std::string aggregate(const std::vector<Node>& nodes) {
    return encoded<wire::AggregateReplyEncoder>([&](wire::AggregateReplyEncoder& e) {
        return e.nodes(nodes.size(), [&](auto& entry, std::size_t i) {
            return entry.kind(nodes[i].kind).value(nodes[i].value).text(nodes[i].text);
        });
    });
}

std::string written(const std::function<void(Reply&)>& write) {
    BufferSink sink;
    sink.append("before");  // a reply begins anywhere in the output
    Reply reply(sink, Protocol::kSbe, kId);
    write(reply);
    reply.finish();
    return std::string(sink.view().substr(6));
}

TEST(WireLayout, ConstantsAreTheSchemas) {
    EXPECT_EQ(layout::kSchemaId, wire::SchemaInfo::kId);
    EXPECT_EQ(layout::kSchemaVersion, wire::SchemaInfo::kVersion);
    EXPECT_EQ(layout::kMessageHeaderBytes, wire::SchemaInfo::kHeaderBytes);
    EXPECT_EQ(layout::kNodeBlockBytes, wire::AggregateReplyView::NodesEntry::kBlockLength);
    EXPECT_EQ(layout::kCorrelationIdBytes, wire::AggregateReplyView::kBlockLength);
}

TEST(WireLayout, ScalarsAreByteForByteTheGeneratedMessages) {
    for (const std::string_view text : {std::string_view{}, std::string_view("some text")}) {
        EXPECT_EQ(written([&](Reply& r) { r.status(text); }),
                  encoded<wire::StatusReplyEncoder>([&](auto& e) { return e.text(text); }));
        EXPECT_EQ(written([&](Reply& r) { r.error(text); }),
                  encoded<wire::ErrorReplyEncoder>([&](auto& e) { return e.text(text); }));
        EXPECT_EQ(written([&](Reply& r) { r.bulk(text); }),
                  encoded<wire::BulkReplyEncoder>([&](auto& e) { return e.value(text); }));
    }
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
        EXPECT_EQ(written([&](Reply& r) { r.integer(value); }),
                  encoded<wire::IntegerReplyEncoder>([&](auto& e) { return e.value(value); }));
        const double number = std::bit_cast<double>(value);
        EXPECT_EQ(written([&](Reply& r) { r.number(number); }),
                  encoded<wire::DoubleReplyEncoder>([&](auto& e) { return e.value(number); }));
    }
    const std::string null = encoded<wire::NullReplyEncoder>([](auto& e) { return e; });
    EXPECT_EQ(written([](Reply& r) { r.null(); }), null);
    EXPECT_EQ(written([](Reply& r) { r.null_array(); }), null);
}

TEST(WireLayout, ScalarsWithoutAMessageAreAggregatesOfOneNode) {
    using Kind = wire::ReplyKind;
    EXPECT_EQ(written([](Reply& r) { r.boolean(true); }), aggregate({{Kind::kBoolean, 1}}));
    EXPECT_EQ(written([](Reply& r) { r.boolean(false); }), aggregate({{Kind::kBoolean, 0}}));
    EXPECT_EQ(written([](Reply& r) { r.big_number("12345678901234567890"); }),
              aggregate({{Kind::kBigNumber, 0, "12345678901234567890"}}));
    EXPECT_EQ(written([](Reply& r) { r.verbatim("txt", "hi"); }),
              aggregate({{Kind::kVerbatim, 0, "hi"}}));
}

void write_every_node(Reply& reply) {
    reply.array(9);
    reply.null();
    reply.status("OK");
    reply.error("ERR no");
    reply.integer(-7);
    reply.number(2.5);
    reply.bulk("");
    reply.map(1);
    reply.boolean(true);
    reply.set(1);
    reply.big_number("9");
    reply.push(1);
    reply.verbatim("mkd", "x");
    reply.array(0);
}

TEST(WireLayout, AggregatesAreByteForByteTheGeneratedMessage) {
    using Kind = wire::ReplyKind;
    EXPECT_EQ(written(write_every_node),
              aggregate({{Kind::kArray, 9},
                         {Kind::kNull},
                         {Kind::kStatus, 0, "OK"},
                         {Kind::kError, 0, "ERR no"},
                         {Kind::kInteger, -7},
                         {Kind::kDouble, std::bit_cast<std::int64_t>(2.5)},
                         {Kind::kBulk},
                         {Kind::kMap, 1},
                         {Kind::kBoolean, 1},
                         {Kind::kSet, 1},
                         {Kind::kBigNumber, 0, "9"},
                         {Kind::kPush, 1},
                         {Kind::kVerbatim, 0, "x"},
                         {Kind::kArray, 0}}));
}

TEST(WireLayout, OpenAggregatesGetTheirKindAndCountAtTheEnd) {
    using Kind = wire::ReplyKind;
    const auto write = [](Reply& reply) {
        const Reply::Open outer = reply.open_array();
        const Reply::Open map = reply.open_array();
        reply.bulk("key");
        const Reply::Open set = reply.open_array();
        reply.integer(1);
        reply.integer(2);
        reply.close_set(set, 2);
        reply.close_map(map, 1);
        reply.close_array(reply.open_array(), 0);
        reply.close_array(outer, 2);
    };
    EXPECT_EQ(written(write),
              aggregate({{Kind::kArray, 2},
                         {Kind::kMap, 1},
                         {Kind::kBulk, 0, "key"},
                         {Kind::kSet, 2},
                         {Kind::kInteger, 1},
                         {Kind::kInteger, 2},
                         {Kind::kArray, 0}}));
}

TEST(WireLayout, DiscardedAggregateLeavesAScalar) {
    const auto write = [](Reply& reply) {
        reply.array(2);
        reply.integer(1);
        reply.discard();
        reply.error("ERR late");
    };
    EXPECT_EQ(written(write), encoded<wire::ErrorReplyEncoder>([](auto& e) {
                  return e.text(std::string_view("ERR late"));
              }));
}

}  // namespace
}  // namespace tern::server
