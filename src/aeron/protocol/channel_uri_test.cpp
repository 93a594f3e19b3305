#include "aeron/protocol/channel_uri.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tern::aeron {
namespace {

using testing::HasSubstr;

std::string why_not(std::string_view text) {
    const Result<ChannelUri> uri = ChannelUri::parse(text);
    return uri ? "it was read" : uri.error().message;
}

TEST(ChannelUri, ReadsMediaAndParameters) {
    const auto uri = ChannelUri::parse(
        "aeron-spy:aeron:udp?endpoint=[::1]:20123|control=h:1|term-length=64k|x=a=b?c");
    ASSERT_TRUE(uri.ok()) << uri.error().message;
    EXPECT_TRUE(uri->is_spy());
    EXPECT_EQ(uri->medium(), ChannelUri::Medium::kUdp);
    EXPECT_EQ(uri->find("endpoint"), "[::1]:20123");
    EXPECT_EQ(uri->find("x"), "a=b?c") << "only | ends a value";
    EXPECT_EQ(uri->find("end"), std::nullopt) << "a prefix is another key";
    EXPECT_EQ(*uri->size_bytes("term-length"), 65536);
    EXPECT_EQ(*uri->size_bytes("mtu"), std::nullopt);
    EXPECT_EQ(uri->to_string(),
              "aeron-spy:aeron:udp?endpoint=[::1]:20123|control=h:1|term-length=64k|x=a=b?c");
}

TEST(ChannelUri, IpcMayBeBare) {
    for (const char* text : {"aeron:ipc", "aeron:ipc?alias=x"}) {
        const auto uri = ChannelUri::parse(text);
        ASSERT_TRUE(uri.ok()) << text;
        EXPECT_EQ(uri->medium(), ChannelUri::Medium::kIpc);
        EXPECT_EQ(uri->to_string(), text);
    }
}

TEST(ChannelUri, SaysWhereItIsWrong) {
    EXPECT_THAT(why_not("udp?endpoint=h:1"), HasSubstr("at character 1: expected aeron:udp"));
    EXPECT_THAT(why_not("aeron:tcp?endpoint=h:1"), HasSubstr("at character 7: the medium"));
    EXPECT_THAT(why_not("aeron:udp"), HasSubstr("udp needs parameters"));
    EXPECT_THAT(why_not("aeron:udp?"), HasSubstr("at character 11: expected key=value"));
    EXPECT_THAT(why_not("aeron:udp?endpoint"), HasSubstr("expected key=value"));
    EXPECT_THAT(why_not("aeron:udp?=v"), HasSubstr("expected key=value"));
    EXPECT_THAT(why_not("aeron:udp?a=b|"), HasSubstr("at character 15: expected key=value"));
    EXPECT_THAT(why_not("aeron:udp?a="), HasSubstr("at character 13: a parameter without"));
    EXPECT_THAT(why_not("AERON:udp?a=b"), HasSubstr("at character 1"));
    const std::string longest = "aeron:ipc?a=" + std::string(ChannelUri::kLengthMax - 12, 'x');
    EXPECT_EQ(why_not(longest), "it was read");
    EXPECT_THAT(why_not(longest + "x"), HasSubstr("4096 characters"));
}

TEST(ChannelUri, TypedReadersNameTheParameter) {
    const auto uri = ChannelUri::parse(
        "aeron:udp?session-id=-0x10|mtu=1k5|linger=5|eos=yes|ttl=0x0F|nak-delay=200ms|tether="
        "false");
    ASSERT_TRUE(uri.ok());
    EXPECT_EQ(*uri->integer("session-id"), -16);
    EXPECT_EQ(*uri->integer("ttl"), 15);
    EXPECT_EQ(*uri->duration_ns("linger"), 5);
    EXPECT_EQ(*uri->duration_ns("nak-delay"), 200'000'000);
    EXPECT_EQ(*uri->boolean("tether"), false);
    EXPECT_THAT(uri->size_bytes("mtu").error().message, HasSubstr("mtu=1k5: not a size"));
    EXPECT_THAT(uri->boolean("eos").error().message, HasSubstr("eos=yes: not true or false"));
    EXPECT_THAT(uri->integer("linger").ok(), true);
    EXPECT_THAT(uri->integer("mtu").error().message, HasSubstr("not an integer"));
}

TEST(ChannelUri, UnitsAndTheirLimits) {
    EXPECT_EQ(parse_size_bytes("0"), 0);
    EXPECT_EQ(parse_size_bytes("16m"), 16 << 20);
    EXPECT_EQ(parse_size_bytes("1G"), 1 << 30);
    EXPECT_EQ(parse_size_bytes("9223372036854775807"), 9223372036854775807);
    for (const char* text : {"", "k", "-1", "+1", "1 k", "1kb", "9223372036854775807k", "0x10"}) {
        EXPECT_EQ(parse_size_bytes(text), std::nullopt) << text;
    }
    EXPECT_EQ(parse_duration_ns("5s"), 5'000'000'000);
    EXPECT_EQ(parse_duration_ns("7us"), 7000);
    EXPECT_EQ(parse_duration_ns("7ns"), 7);
    for (const char* text : {"", "s", "ms", "-5s", "5 s", "5m", "9223372036s0"}) {
        EXPECT_EQ(parse_duration_ns(text), std::nullopt) << text;
    }
}

TEST(ChannelUri, ParametersCanBeChanged) {
    auto uri = ChannelUri::parse("aeron:udp?endpoint=h:0|alias=x");
    ASSERT_TRUE(uri.ok());
    uri->set("endpoint", "h:20123");
    uri->set("ttl", "1");
    uri->erase("alias");
    EXPECT_EQ(uri->to_string(), "aeron:udp?endpoint=h:20123|ttl=1");
    EXPECT_EQ(ChannelUri::parse("aeron:udp?a=1|a=2")->find("a"), "1");
}

}  // namespace
}  // namespace tern::aeron
