#include "resp/request_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/random.hpp"

namespace tern::resp {
namespace {

using namespace std::string_view_literals;
using Command = std::vector<std::string>;

constexpr std::uint64_t kSeed = 20261201;

std::string encode(const Command& command) {
    std::string wire = "*" + std::to_string(command.size()) + "\r\n";
    for (const std::string& argument : command) {
        wire += "$" + std::to_string(argument.size()) + "\r\n" + argument + "\r\n";
    }
    return wire;
}

/// What a connection sees when its bytes arrive in pieces that end at `cuts`: each round the unread
/// bytes lie in a fresh exact-size block, so that a stale pointer or a read past the end is caught.
struct Seen {
    std::vector<Command> commands;
    std::string error;
    std::size_t unread_bytes = 0;
};

Seen feed(RequestParser& parser, std::string_view wire, const std::vector<std::size_t>& cuts) {
    Seen seen;
    std::size_t consumed = 0;
    for (const std::size_t cut : cuts) {
        const std::size_t size = cut - consumed;
        const auto block = std::make_unique<char[]>(size);
        std::copy_n(wire.data() + consumed, size, block.get());
        std::string_view unread(block.get(), size);
        for (;;) {
            const RequestOutcome outcome = parser.parse(unread);
            unread.remove_prefix(parser.consumed_bytes());
            consumed += parser.consumed_bytes();
            if (outcome == RequestOutcome::kCommand) {
                seen.commands.emplace_back(parser.argv().begin(), parser.argv().end());
                continue;
            }
            if (outcome == RequestOutcome::kProtocolError) {
                seen.error = parser.error();
                return seen;
            }
            break;
        }
    }
    seen.unread_bytes = wire.size() - consumed;
    return seen;
}

Seen feed_at_once(std::string_view wire, const RequestLimits& limits = {}) {
    RequestParser parser(limits);
    return feed(parser, wire, {wire.size()});
}

Seen feed_byte_by_byte(std::string_view wire, const RequestLimits& limits = {}) {
    RequestParser parser(limits);
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i <= wire.size(); ++i) {
        cuts.push_back(i);
    }
    return feed(parser, wire, cuts);
}

void expect_commands(std::string_view wire, const std::vector<Command>& commands) {
    for (const Seen& seen : {feed_at_once(wire), feed_byte_by_byte(wire)}) {
        EXPECT_EQ(seen.error, "") << wire;
        EXPECT_EQ(seen.commands, commands) << wire;
        EXPECT_EQ(seen.unread_bytes, 0U) << wire;
    }
}

void expect_error(std::string_view wire, std::string_view error, const RequestLimits& limits = {}) {
    for (const Seen& seen : {feed_at_once(wire, limits), feed_byte_by_byte(wire, limits)}) {
        EXPECT_EQ(seen.error, "Protocol error: " + std::string(error)) << wire.substr(0, 80);
        EXPECT_TRUE(seen.commands.empty());
    }
}

TEST(RequestParser, ReadsMultibulkCommands) {
    expect_commands("*1\r\n$4\r\nPING\r\n", {{"PING"}});
    expect_commands("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$10\r\n0123456789\r\n",
                    {{"SET", "k", "0123456789"}});
    expect_commands("*2\r\n$3\r\nGET\r\n$0\r\n\r\n", {{"GET", ""}});
    expect_commands(encode({"SET", "k\r\n$1", std::string(1000, '\0')}),
                    {{"SET", "k\r\n$1", std::string(1000, '\0')}});
    expect_commands(encode({"A"}) + encode({"B", "b"}) + encode({"C"}), {{"A"}, {"B", "b"}, {"C"}});
}

TEST(RequestParser, ReadsInlineCommands) {
    expect_commands("PING\r\n", {{"PING"}});
    expect_commands("PING\n", {{"PING"}});
    expect_commands("SET 'a b' \"c\\n\"\r\nGET x\n", {{"SET", "a b", "c\n"}, {"GET", "x"}});
    expect_commands("PI\0NG\r\n"sv, {{std::string("PI\0NG", 5)}});
}

TEST(RequestParser, SkipsEmptyCommands) {
    expect_commands("\r\n\n  \r\nPING\n*0\r\n*-1\r\n*-99\r\n*1\r\n$4\r\nPING\r\n",
                    {{"PING"}, {"PING"}});
    expect_commands("\r\n", {});
    expect_commands("*0\r\n", {});
}

// redis-server looks at neither the byte behind a CR nor the two behind a bulk.
TEST(RequestParser, TakesAnyTwoBytesAsLineEndAsRedisDoes) {
    expect_commands("*1\rX$4\rXPINGXX", {{"PING"}});
    expect_commands("*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n", {{"PING"}, {"PING"}});
}

// Each of these was sent to redis-server 7.0.15 and 7.2.6, which answer "-ERR " and the same text.
TEST(RequestParser, WordsProtocolErrorsAsRedisDoes) {
    for (const std::string_view wire : {"*\r\n",
                                        "*+1\r\n",
                                        "* 1\r\n",
                                        "*01\r\n",
                                        "*1a\r\n",
                                        "*2147483648\r\n",
                                        "*99999999999999999999999\r\n"}) {
        expect_error(wire, "invalid multibulk length");
    }
    expect_error("*1\r\nX\r\n", "expected '$', got 'X'");
    expect_error("*1\r\n\x01\r\n", "expected '$', got '\x01'");
    expect_error("*1\r\n\xff\r\n", "expected '$', got '\xff'");
    expect_error("*1\r\n\r\n", "expected '$', got '\r'");
    expect_error("*1\r\nab$4\r\n", "expected '$', got 'a'");
    for (const std::string_view wire : {"*1\r\n$\r\n",
                                        "*1\r\n$-1\r\n",
                                        "*1\r\n$536870913\r\n",
                                        "*1\r\n$+4\r\nPING\r\n",
                                        "*1\r\n$04\r\nPING\r\n"}) {
        expect_error(wire, "invalid bulk length");
    }
    expect_error("*" + std::string(66 << 10, '1'), "too big mbulk count string");
    expect_error("*1\r\n$" + std::string(66 << 10, '1'), "too big bulk count string");
    expect_error(std::string(66 << 10, 'a'), "too big inline request");
    expect_error(std::string(66 << 10, 'a') + "\r\n", "too big inline request");
    expect_error("PING \"abc\r\n", "unbalanced quotes in request");
}

TEST(RequestParser, HoldsStrangersToLessBeforeTheyAuthenticate) {
    const RequestLimits stranger{.is_authenticated = false};
    expect_error("*11\r\n", "unauthenticated multibulk length", stranger);
    expect_error("*2147483648\r\n", "invalid multibulk length", stranger);
    expect_error("*1\r\n$16385\r\n", "unauthenticated bulk length", stranger);
    expect_error("*1\r\n$16385\r\n" + std::string(16385, 'x') + "\r\n",
                 "unauthenticated bulk length",
                 stranger);
    expect_error("*1\r\n$536870913\r\n", "invalid bulk length", stranger);
    RequestParser parser(stranger);
    const std::string wire =
        encode(Command(10, std::string(16384, 'x'))) + encode(Command(11, "y"));
    const Seen seen = feed(parser, wire, {wire.size()});
    EXPECT_EQ(seen.commands.size(), 1U);
    EXPECT_EQ(seen.error, "Protocol error: unauthenticated multibulk length");
}

TEST(RequestParser, LiftsItsLimitsBetweenCommands) {
    RequestParser parser({.is_authenticated = false});
    const std::string auth = encode({"AUTH", "x"});
    EXPECT_EQ(feed(parser, auth, {auth.size()}).commands.size(), 1U);
    parser.set_limits({});
    const std::string wire = encode(Command(300, "y"));
    EXPECT_EQ(feed(parser, wire, {wire.size()}).commands.size(), 1U);
}

TEST(RequestParser, ObeysAConfiguredBulkLimit) {
    const RequestLimits limits{.argument_count_max = 3, .bulk_bytes_max = 5, .inline_bytes_max = 8};
    expect_error("*1\r\n$6\r\n", "invalid bulk length", limits);
    expect_error(encode({"123456"}), "invalid bulk length", limits);
    expect_error("*4\r\n", "invalid multibulk length", limits);
    expect_error("123456789\n", "too big inline request", limits);
    EXPECT_EQ(feed_at_once(encode({"12345", "b", "c"}) + "12345678\n", limits).commands.size(), 2U);
}

TEST(RequestParser, SaysHowManyBytesABulkStillMisses) {
    RequestParser parser;
    EXPECT_EQ(parser.parse(""), RequestOutcome::kNeedMore);
    EXPECT_EQ(parser.missing_bytes(), 1U);
    EXPECT_TRUE(parser.is_at_start());
    EXPECT_EQ(parser.parse("*2\r\n$3\r\nSE"), RequestOutcome::kNeedMore);
    EXPECT_EQ(parser.missing_bytes(), 3U);
    EXPECT_FALSE(parser.is_at_start());
    EXPECT_EQ(parser.parse("*2\r\n$3\r\nSET\r\n$500000000\r\nx"), RequestOutcome::kNeedMore);
    EXPECT_EQ(parser.missing_bytes(), 500'000'001U);
    EXPECT_EQ(parser.consumed_bytes(), 0U);
    parser.reset();
    EXPECT_EQ(parser.parse("PING\r\n"), RequestOutcome::kCommand);
}

TEST(RequestParser, ConsumesEmptyCommandsEvenWhenTheNextIsIncomplete) {
    RequestParser parser;
    EXPECT_EQ(parser.parse("\r\n*0\r\n*1\r\n$4\r\nPI"), RequestOutcome::kNeedMore);
    EXPECT_EQ(parser.consumed_bytes(), 6U);
    EXPECT_EQ(parser.parse("*1\r\n$4\r\nPING\r\n"), RequestOutcome::kCommand);
    EXPECT_EQ(parser.argv()[0], "PING");
}

TEST(RequestParser, StaysBrokenAfterAnErrorUntilReset) {
    RequestParser parser;
    EXPECT_EQ(parser.parse("*x\r\n"), RequestOutcome::kProtocolError);
    EXPECT_EQ(parser.parse("*x\r\n*1\r\n$4\r\nPING\r\n"), RequestOutcome::kProtocolError);
    EXPECT_EQ(parser.error(), "Protocol error: invalid multibulk length");
    parser.reset();
    EXPECT_EQ(parser.parse("*1\r\n$4\r\nPING\r\n"), RequestOutcome::kCommand);
}

TEST(RequestParser, TakesManyArgumentsAndAHugeCountWithoutPayingForIt) {
    RequestParser parser;
    EXPECT_EQ(parser.parse("*2147483647\r\n$1\r\na\r\n"), RequestOutcome::kNeedMore);
    parser.reset();
    const Command large(5000, "abc");
    const std::string wire =
        encode(large) + encode({"PING"}) + encode(Command(99, "x")) + encode({"LAST"});
    const Seen seen = feed(parser, wire, {10'000, 20'001, wire.size()});
    ASSERT_EQ(seen.commands.size(), 4U);
    EXPECT_EQ(seen.commands[0], large);
    EXPECT_EQ(seen.commands[2].size(), 99U);
    EXPECT_EQ(seen.commands[3], Command{"LAST"});
}

std::string random_bytes(Random& random, std::size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) {
        // Many of the characters that mean something to the parser.
        c = random.below(3) == 0 ? "*$\r\n 0123456789\"'\\"[random.below(19)]
                                 : static_cast<char>(random.below(256));
    }
    return bytes;
}

TEST(RequestParser, SeesTheSameCommandsHoweverTheBytesAreCut) {
    Random random(kSeed);
    for (int round = 0; round < 300; ++round) {
        std::vector<Command> commands;
        std::string wire;
        for (std::uint64_t i = random.below(6) + 1; i > 0; --i) {
            Command command(random.below(random.below(8) == 0 ? 150 : 6) + 1);
            for (std::string& argument : command) {
                argument = random_bytes(random, random.below(random.below(10) == 0 ? 3000 : 20));
            }
            wire += encode(command);
            commands.push_back(std::move(command));
            if (random.below(3) == 0) {
                wire += "GET  'in line'\r\n";
                commands.push_back({"GET", "in line"});
            }
        }
        std::vector<std::size_t> cuts;
        for (std::uint64_t i = random.below(8); i > 0; --i) {
            cuts.push_back(random.below(wire.size() + 1));
        }
        cuts.push_back(wire.size());
        std::sort(cuts.begin(), cuts.end());
        // A cut may lie before bytes that an earlier round consumed only if the parser over-reads.
        RequestParser parser;
        const Seen seen = feed(parser, wire, cuts);
        ASSERT_EQ(seen.error, "") << "seed " << kSeed << " round " << round;
        ASSERT_EQ(seen.commands, commands) << "seed " << kSeed << " round " << round;
    }
}

TEST(RequestParser, AnswersHostileBytesTheSameHoweverTheyAreCut) {
    Random random(kSeed + 1);
    for (int round = 0; round < 20'000; ++round) {
        std::string wire = encode({"SET", random_bytes(random, random.below(12)), "v"});
        for (std::uint64_t i = random.below(4); i > 0; --i) {
            wire[random.below(wire.size())] = random_bytes(random, 1)[0];
        }
        const Seen whole = feed_at_once(wire);
        const Seen bytes = feed_byte_by_byte(wire);
        ASSERT_EQ(whole.error, bytes.error) << testing::PrintToString(wire);
        ASSERT_EQ(whole.commands, bytes.commands) << testing::PrintToString(wire);
        ASSERT_EQ(whole.unread_bytes, bytes.unread_bytes) << testing::PrintToString(wire);
    }
}

}  // namespace
}  // namespace tern::resp
