#include "aeron/protocol/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tern::aeron {
namespace {

using testing::HasSubstr;

SocketAddress at(std::string_view text) {
    const Result<HostAndPort> name = split_host_port(text);
    EXPECT_TRUE(name.ok()) << text;
    const Result<SocketAddress> address = resolve(*name);
    EXPECT_TRUE(address.ok()) << text;
    return *address;
}

TEST(AeronAddress, NumbersResolveToThemselves) {
    for (const char* text : {"127.0.0.1:20123", "0.0.0.0:0", "[::1]:65535", "[ff02::1]:1"}) {
        EXPECT_EQ(at(text).to_string(), text);
    }
    EXPECT_EQ(at("localhost:7").port(), 7);
    EXPECT_TRUE(at("localhost:7").is_loopback());
    EXPECT_FALSE(at("localhost:7").is_ipv6()) << "IPv4 comes first";
}

TEST(AeronAddress, KindsOfAddresses) {
    EXPECT_TRUE(at("224.20.30.39:1").is_multicast());
    EXPECT_TRUE(at("[ff02::1]:1").is_multicast());
    EXPECT_FALSE(at("127.0.0.1:1").is_multicast());
    EXPECT_TRUE(at("0.0.0.0:1").is_any());
    EXPECT_TRUE(at("[::]:1").is_any());
    EXPECT_TRUE(at("[::1]:1").is_loopback());
    EXPECT_NE(at("127.0.0.1:1"), at("127.0.0.1:2"));
    EXPECT_EQ(SocketAddress::any(AF_INET6, 9).to_string(), "[::]:9");
}

TEST(AeronAddress, SaysWhatIsWrong) {
    for (const auto& [text, what] : {std::pair("127.0.0.1", "expected host:port"),
                                     std::pair("h:", "expected host:port"),
                                     std::pair("h:65536", "expected host:port"),
                                     std::pair("h:-1", "expected host:port"),
                                     std::pair(":1", "no host"),
                                     std::pair("::1:5", "in brackets"),
                                     std::pair("[::1", "no ]"),
                                     std::pair("[::1]5", "expected host:port")}) {
        const Result<HostAndPort> name = split_host_port(text);
        ASSERT_FALSE(name.ok()) << text;
        EXPECT_THAT(name.error().message, HasSubstr(what)) << text;
    }
    EXPECT_FALSE(resolve({"no-such-host.invalid", 1}).ok());
}

TEST(AeronAddress, ControlGroupIsTheNextAddress) {
    EXPECT_EQ(control_group_of(at("224.20.30.39:20124"))->to_string(), "224.20.30.40:20124");
    EXPECT_EQ(control_group_of(at("224.20.30.255:1"))->to_string(), "224.20.31.0:1");
    EXPECT_EQ(control_group_of(at("[ff02::ff]:1"))->to_string(), "[ff02::100]:1");
    EXPECT_THAT(control_group_of(at("224.20.30.40:1")).error().message, HasSubstr("odd byte"));
    EXPECT_THAT(control_group_of(at("127.0.0.1:1")).error().message, HasSubstr("no multicast"));
}

TEST(AeronAddress, PrefixesCompareBits) {
    EXPECT_TRUE(share_prefix(at("198.51.100.3:1"), at("198.51.100.9:2"), 28));
    EXPECT_FALSE(share_prefix(at("198.51.100.3:1"), at("198.51.100.9:2"), 29));
    EXPECT_TRUE(share_prefix(at("198.51.100.3:1"), at("203.0.113.3:1"), 0));
    EXPECT_TRUE(share_prefix(at("198.51.100.3:1"), at("198.51.100.3:1"), 32));
    EXPECT_FALSE(share_prefix(at("198.51.100.3:1"), at("[::1]:1"), 0)) << "other families";
    EXPECT_TRUE(share_prefix(at("[fe80::1]:1"), at("[fe80::ffff]:1"), 112));
}

TEST(AeronAddress, InterfacesAreSpecifiedInTwoWays) {
    const auto whole = InterfaceSpec::parse("127.0.0.1");
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(whole->prefix_bits, 32U);
    const auto prefix = InterfaceSpec::parse("198.51.0.0:4000/16");
    ASSERT_TRUE(prefix.ok());
    EXPECT_EQ(prefix->prefix_bits, 16U);
    EXPECT_EQ(prefix->port, 4000);
    const auto v6 = InterfaceSpec::parse("[::1]/64");
    ASSERT_TRUE(v6.ok());
    EXPECT_EQ(v6->prefix_bits, 64U);
    const auto named = InterfaceSpec::parse("{eth0}:7");
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(named->name, "eth0");
    EXPECT_EQ(named->port, 7);
    for (const char* text : {"{}", "{eth0", "{eth0}7", "127.0.0.1/33", "127.0.0.1/", "[::1]/129"}) {
        EXPECT_FALSE(InterfaceSpec::parse(text).ok()) << text;
    }
}

LocalInterface local(const char* name, const char* address, unsigned bits, bool is_loopback) {
    return {name, 1, at(address), bits, is_loopback, true};
}

TEST(AeronAddress, TheMostSpecificInterfaceWinsAndLoopbackIsLast) {
    const std::vector<LocalInterface> all = {local("lo", "127.0.0.1:0", 8, true),
                                             local("wide", "198.51.100.3:0", 8, false),
                                             local("narrow", "198.51.100.4:0", 24, false),
                                             local("six", "[fe80::5]:0", 64, false)};
    const auto found = [&](std::string_view spec, int family = AF_INET) -> std::string {
        const auto one = find_interface(*InterfaceSpec::parse(spec), family, all);
        return one ? one->name : one.error().message;
    };
    EXPECT_EQ(found("198.0.0.0/8"), "narrow");
    EXPECT_EQ(found("198.51.100.3"), "wide");
    EXPECT_EQ(found("0.0.0.0/0"), "narrow");
    EXPECT_EQ(found("127.0.0.0/8"), "lo");
    EXPECT_EQ(found("{lo}"), "lo");
    EXPECT_EQ(found("[fe80::]/64", AF_INET6), "six");
    EXPECT_THAT(found("203.0.0.0/16"), HasSubstr("no interface of this machine is in 203.0"));
    EXPECT_THAT(found("{lo}", AF_INET6), HasSubstr("no interface of this machine is lo"));
}

TEST(AeronAddress, ThisMachineHasALoopback) {
    const auto all = local_interfaces();
    ASSERT_TRUE(all.ok());
    const auto loopback = find_interface(*InterfaceSpec::parse("127.0.0.1"), AF_INET, *all);
    ASSERT_TRUE(loopback.ok()) << loopback.error().message;
    EXPECT_TRUE(loopback->is_loopback);
    EXPECT_EQ(loopback->prefix_bits, 8U);
    EXPECT_NE(loopback->index, 0U);
}

}  // namespace
}  // namespace tern::aeron
