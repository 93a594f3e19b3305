#include "tern/cli_format.hpp"

#include <gtest/gtest.h>

#include "client/reply_access.hpp"
#include "resp/reply_parser.hpp"
#include "tern/cli_docs.hpp"

namespace tern::tool {
namespace {

/// A view of RESP bytes, which the caller keeps.
ReplyView view_of(std::string_view bytes) {
    resp::ReplyParser parser;
    EXPECT_EQ(parser.parse(bytes), resp::ReplyOutcome::kReply) << bytes;
    return detail::ReplyAccess::text_reply(bytes.data());
}

struct Case {
    std::string_view bytes;
    std::string_view readable;
    std::string_view raw;
    std::string_view json;
};

// The first two columns are what redis-cli 7.0 prints with --no-raw and --raw, but for the big
// number, which it does not know.
constexpr Case kCases[] = {
    {"+PONG\r\n", "PONG\n", "PONG\n", "\"PONG\"\n"},
    {"$-1\r\n", "(nil)\n", "\n", "null\n"},
    {"_\r\n", "(nil)\n", "\n", "null\n"},
    {":-3\r\n", "(integer) -3\n", "-3\n", "-3\n"},
    {"-ERR no\r\n", "(error) ERR no\n", "ERR no\n\n", "{\"error\":\"ERR no\"}\n"},
    {"$4\r\na\"\xff\n\r\n", "\"a\\\"\\xff\\n\"\n", "a\"\xff\n\n", "\"a\\\"\\ufffd\\n\"\n"},
    {",3.141\r\n", "(double) 3.141\n", "3.141\n", "3.141\n"},
    {",inf\r\n", "(double) inf\n", "inf\n", "\"inf\"\n"},
    {"#t\r\n", "(true)\n", "(true)\n", "true\n"},
    {"(123456789012345678901\r\n",
     "123456789012345678901\n",
     "123456789012345678901\n",
     "123456789012345678901\n"},
    {"=8\r\ntxt:a\nbc\r\n", "a\nbc\n", "a\nbc\n", "\"a\\nbc\"\n"},
    {"*0\r\n", "(empty array)\n", "\n", "[]\n"},
    {"%0\r\n", "(empty hash)\n", "\n", "{}\n"},
    {"~0\r\n", "(empty set)\n", "\n", "[]\n"},
    {"*3\r\n:1\r\n*3\r\n:2\r\n*0\r\n*2\r\n:3\r\n-x\r\n$1\r\nq\r\n",
     "1) (integer) 1\n2) 1) (integer) 2\n   2) (empty array)\n   3) 1) (integer) 3\n"
     "      2) (error) x\n3) \"q\"\n",
     "1\n2\n\n3\nx\n\nq\n",
     "[1,[2,[],[3,{\"error\":\"x\"}]],\"q\"]\n"},
    {"~2\r\n:0\r\n:1\r\n", "1~ (integer) 0\n2~ (integer) 1\n", "0\n1\n", "[0,1]\n"},
    {"%2\r\n:0\r\n#f\r\n$1\r\nk\r\n$1\r\nv\r\n",
     "1# (integer) 0 => (false)\n2# \"k\" => \"v\"\n",
     "0 (false)\nk v\n",
     "{\"0\":false,\"k\":\"v\"}\n"},
};

TEST(CliFormat, PrintsEveryTypeInEveryFormat) {
    for (const Case& one : kCases) {
        const ReplyView reply = view_of(one.bytes);
        EXPECT_EQ(format_reply(reply, ReplyFormat::kReadable), one.readable) << one.bytes;
        EXPECT_EQ(format_reply(reply, ReplyFormat::kRaw), one.raw) << one.bytes;
        EXPECT_EQ(format_reply(reply, ReplyFormat::kJson), one.json) << one.bytes;
    }
}

TEST(CliFormat, BreaksTheLineBeforeAValueOfSeveralLines) {
    const ReplyView reply = view_of(
        "%3\r\n+a\r\n*2\r\n:1\r\n%1\r\n+k\r\n~1\r\n+s\r\n+b\r\n*0\r\n+c\r\n*1\r\n*1\r\n:1\r\n");

    EXPECT_EQ(format_reply(reply, ReplyFormat::kReadable),
              "1# a => \n   1) (integer) 1\n   2) 1# k => 1~ s\n2# b => (empty array)\n"
              "3# c => 1) 1) (integer) 1\n");
}

TEST(CliFormat, AlignsIndexesOfTenElements) {
    std::string bytes = "*10\r\n";
    for (int i = 0; i < 9; ++i) {
        bytes += ":1\r\n";
    }
    bytes += "*2\r\n:10\r\n:11\r\n";

    const std::string text = format_reply(view_of(bytes), ReplyFormat::kReadable);

    EXPECT_TRUE(text.starts_with(" 1) (integer) 1\n 2) (integer) 1\n")) << text;
    EXPECT_TRUE(text.ends_with("10) 1) (integer) 10\n    2) (integer) 11\n")) << text;
}

TEST(CliFormat, PrintsTopLevelErrorsLikeRepliesOfThatType) {
    const ReplyView reply = view_of("-ERR no\r\n");
    for (const ReplyFormat format :
         {ReplyFormat::kReadable, ReplyFormat::kRaw, ReplyFormat::kJson}) {
        EXPECT_EQ(format_error("ERR no", format), format_reply(reply, format));
    }
}

constexpr std::string_view kDocs =
    "%2\r\n"
    "$3\r\nset\r\n%3\r\n$7\r\nsummary\r\n$4\r\nSets\r\n$5\r\nsince\r\n$5\r\n1.0.0\r\n"
    "$9\r\narguments\r\n*3\r\n"
    "%2\r\n$4\r\nname\r\n$3\r\nkey\r\n$4\r\ntype\r\n$3\r\nkey\r\n"
    "%2\r\n$4\r\nname\r\n$5\r\nvalue\r\n$4\r\ntype\r\n$6\r\nstring\r\n"
    "%4\r\n$4\r\nname\r\n$2\r\nex\r\n$4\r\ntype\r\n$5\r\noneof\r\n$5\r\nflags\r\n*1\r\n+"
    "optional\r\n"
    "$9\r\narguments\r\n*2\r\n"
    "%3\r\n$4\r\nname\r\n$7\r\nseconds\r\n$4\r\ntype\r\n$7\r\ninteger\r\n$5\r\ntoken\r\n$"
    "2\r\nEX\r\n"
    "%3\r\n$4\r\nname\r\n$2\r\npx\r\n$4\r\ntype\r\n$10\r\npure-token\r\n$5\r\ntoken\r\n$"
    "7\r\nKEEPTTL\r\n"
    "$6\r\nclient\r\n%1\r\n$11\r\nsubcommands\r\n%1\r\n$14\r\nclient|setname\r\n%1\r\n"
    "$9\r\narguments\r\n*1\r\n%3\r\n$4\r\nname\r\n$4\r\nname\r\n$4\r\ntype\r\n$6\r\nstring\r\n"
    "$5\r\nflags\r\n*1\r\n+multiple\r\n";

TEST(CliDocs, WritesSyntaxFromArguments) {
    CommandDocs docs;
    docs.read(view_of(kDocs));

    ASSERT_EQ(docs.entries().size(), 3u);
    const CommandDocs::Entry* const set = docs.find({"set", "x"});
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(set->syntax, "key value [EX seconds | KEEPTTL]");
    EXPECT_EQ(set->summary, "Sets");
    EXPECT_EQ(docs.find({"client", "setname"})->syntax, "name [name ...]");
    EXPECT_EQ(docs.find({"nothing"}), nullptr);
}

TEST(CliDocs, CompletesNamesInAnyCase) {
    CommandDocs docs;
    docs.read(view_of(kDocs));

    EXPECT_EQ(docs.complete("cl"), (std::vector<std::string_view>{"CLIENT", "CLIENT SETNAME"}));
    EXPECT_EQ(docs.complete("Client s"), (std::vector<std::string_view>{"CLIENT SETNAME"}));
    EXPECT_TRUE(docs.complete("x").empty());
}

TEST(CliDocs, HintsWhatMayFollow) {
    CommandDocs docs;
    docs.read(view_of(kDocs));

    EXPECT_EQ(docs.hint("set"), "key value [EX seconds | KEEPTTL]");
    EXPECT_EQ(docs.hint("set "), "key value [EX seconds | KEEPTTL]");
    EXPECT_EQ(docs.hint("set k"), "key value [EX seconds | KEEPTTL]");
    EXPECT_EQ(docs.hint("set k "), "value [EX seconds | KEEPTTL]");
    EXPECT_EQ(docs.hint("set k v "), "[EX seconds | KEEPTTL]");
    EXPECT_EQ(docs.hint("set k v EX "), "[EX seconds | KEEPTTL]");
    EXPECT_EQ(docs.hint("client setname "), "name [name ...]");
    EXPECT_EQ(docs.hint("set \"unclosed"), "");
    EXPECT_EQ(docs.hint("nothing "), "");
}

}  // namespace
}  // namespace tern::tool
