#include "resp/reply_parser.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "resp/writer.hpp"

namespace tern::resp {
namespace {

constexpr std::uint64_t kSeed = 20261201;

/// A reply as a text that has a form of its own for each type, by way of the view only.
std::string describe(ReplyView reply) {
    static constexpr std::string_view kNames[] = {"null",
                                                  "simple",
                                                  "error",
                                                  "integer",
                                                  "bulk",
                                                  "array",
                                                  "map",
                                                  "set",
                                                  "push",
                                                  "double",
                                                  "boolean",
                                                  "big",
                                                  "verbatim"};
    std::string text(kNames[static_cast<std::size_t>(reply.type())]);
    if (const auto attributes = reply.attributes()) {
        text += "@{";
        for (const ReplyView child : *attributes) {
            text += describe(child) + ' ';
        }
        text += '}';
    }
    if (!reply.is_aggregate()) {
        return text + '(' + std::string(reply.verbatim_format()) + std::string(reply.text()) + ')';
    }
    text += std::to_string(reply.size()) + '[';
    for (const ReplyView child : reply) {
        text += describe(child) + ' ';
    }
    return text + ']';
}

/// Parses `wire` whole and in every two pieces; the outcome must be one and the same.
std::string parse_however_cut(std::string_view wire) {
    ReplyParser parser;
    if (parser.parse(wire) != ReplyOutcome::kReply) {
        return parser.error().empty() ? "incomplete" : parser.error();
    }
    EXPECT_EQ(parser.consumed_bytes(), wire.size());
    const std::string whole = describe(parser.reply());
    EXPECT_EQ(parser.reply().raw().size() <= wire.size(), true);
    for (std::size_t cut = 0; cut < wire.size(); ++cut) {
        ReplyParser pieces;
        const auto first = std::make_unique<char[]>(cut);
        wire.copy(first.get(), cut);
        EXPECT_EQ(pieces.parse({first.get(), cut}), ReplyOutcome::kNeedMore)
            << wire << " at " << cut;
        EXPECT_LE(pieces.missing_bytes(), wire.size() - cut) << wire << " at " << cut;
        EXPECT_GE(pieces.missing_bytes(), 1U);
        const auto all = std::make_unique<char[]>(wire.size());
        wire.copy(all.get(), wire.size());
        EXPECT_EQ(pieces.parse({all.get(), wire.size()}), ReplyOutcome::kReply)
            << wire << " at " << cut;
        EXPECT_EQ(describe(pieces.reply()), whole);
    }
    return whole;
}

TEST(ReplyParser, ReadsEveryType) {
    EXPECT_EQ(parse_however_cut("+OK\r\n"), "simple(OK)");
    EXPECT_EQ(parse_however_cut("+\r\n"), "simple()");
    EXPECT_EQ(parse_however_cut("-ERR x\r\n"), "error(ERR x)");
    EXPECT_EQ(parse_however_cut("!5\r\nERR x\r\n"), "error(ERR x)");
    EXPECT_EQ(parse_however_cut(":-42\r\n"), "integer(-42)");
    EXPECT_EQ(parse_however_cut("$5\r\na\r\nbc\r\n"), "bulk(a\r\nbc)");
    EXPECT_EQ(parse_however_cut("$0\r\n\r\n"), "bulk()");
    EXPECT_EQ(parse_however_cut("$-1\r\n"), "null()");
    EXPECT_EQ(parse_however_cut("*-1\r\n"), "null()");
    EXPECT_EQ(parse_however_cut("_\r\n"), "null()");
    EXPECT_EQ(parse_however_cut(",3.3\r\n"), "double(3.3)");
    EXPECT_EQ(parse_however_cut("#t\r\n"), "boolean(t)");
    EXPECT_EQ(parse_however_cut("(-12345678901234567890\r\n"), "big(-12345678901234567890)");
    EXPECT_EQ(parse_however_cut("=9\r\ntxt:hello\r\n"), "verbatim(txthello)");
    EXPECT_EQ(parse_however_cut("*0\r\n"), "array0[]");
    EXPECT_EQ(parse_however_cut("*2\r\n:1\r\n*1\r\n+a\r\n"),
              "array2[integer(1) array1[simple(a) ] ]");
    EXPECT_EQ(parse_however_cut("%1\r\n+a\r\n~2\r\n:1\r\n:2\r\n"),
              "map2[simple(a) set2[integer(1) integer(2) ] ]");
    EXPECT_EQ(parse_however_cut(">2\r\n$7\r\nmessage\r\n%0\r\n"), "push2[bulk(message) map0[] ]");
    EXPECT_EQ(parse_however_cut("*2\r\n*-1\r\n$-1\r\n"), "array2[null() null() ]");
}

TEST(ReplyParser, KeepsAttributesApartFromTheReplyTheyBelongTo) {
    EXPECT_EQ(parse_however_cut("|1\r\n+ttl\r\n:9\r\n$1\r\na\r\n"),
              "bulk@{simple(ttl) integer(9) }(a)");
    EXPECT_EQ(parse_however_cut("*2\r\n|1\r\n+k\r\n*1\r\n:1\r\n:5\r\n:6\r\n"),
              "array2[integer@{simple(k) array1[integer(1) ] }(5) integer(6) ]");
    EXPECT_EQ(parse_however_cut("|0\r\n:1\r\n"), "integer@{}(1)");
    EXPECT_EQ(parse_however_cut("|1\r\n+a\r\n+b\r\n|1\r\n+c\r\n+d\r\n_\r\n"),
              "null@{simple(a) simple(b) }()");
}

TEST(ReplyParser, RefusesWhatIsNoReply) {
    for (const std::string_view wire : {"x\r\n",          "\r\n",
                                        "+a\rb\r\n",      "+a\nb\r\n",
                                        ":\r\n",          ":1a\r\n",
                                        ":+-1\r\n",       ":99999999999999999999\r\n",
                                        "$x\r\n",         "$-2\r\n",
                                        "$01\r\na\r\n",   "$?\r\n",
                                        "*?\r\n",         "*-2\r\n",
                                        "%-1\r\n",        "$1\r\nabc",
                                        "$536870913\r\n", ",1.2.3\r\n",
                                        ",\r\n",          "#x\r\n",
                                        "#\r\n",          "(\r\n",
                                        "(12a\r\n",       "_x\r\n",
                                        "=3\r\ntxt\r\n",  "=5\r\ntxt;a\r\n",
                                        "!-1\r\n",        "*4294967297\r\n",
                                        "*1\r\n?\r\n",    "HTTP/1.1 200 OK\r\n"}) {
        ReplyParser parser;
        EXPECT_EQ(parser.parse(wire), ReplyOutcome::kProtocolError) << wire;
        EXPECT_TRUE(parser.error().starts_with("reply is not RESP at byte ")) << parser.error();
        EXPECT_EQ(parser.parse(wire), ReplyOutcome::kProtocolError) << "an error is for ever";
        parser.reset();
        EXPECT_EQ(parser.parse("+OK\r\n"), ReplyOutcome::kReply);
    }
}

TEST(ReplyParser, SaysWhereTheFaultIs) {
    ReplyParser parser;
    EXPECT_EQ(parser.parse("*2\r\n:1\r\n#x\r\n"), ReplyOutcome::kProtocolError);
    EXPECT_EQ(parser.error(), "reply is not RESP at byte 8: invalid value");
}

TEST(ReplyParser, BoundsDepthAndLines) {
    std::string nested;
    for (std::size_t i = 0; i < ReplyParser::kDepthMax; ++i) {
        nested += "*1\r\n";
    }
    ReplyParser parser;
    EXPECT_EQ(parser.parse(nested + ":1\r\n"), ReplyOutcome::kReply);
    EXPECT_EQ(parser.parse(nested + "*1\r\n:1\r\n"), ReplyOutcome::kProtocolError);
    ReplyParser short_lines({.line_bytes_max = 16});
    EXPECT_EQ(short_lines.parse("-" + std::string(16, 'a')), ReplyOutcome::kProtocolError);
}

TEST(ReplyParser, SaysHowManyBytesABulkMisses) {
    ReplyParser parser;
    EXPECT_EQ(parser.parse("*2\r\n$3\r\nabc\r\n$1000000\r\n"), ReplyOutcome::kNeedMore);
    EXPECT_EQ(parser.missing_bytes(), 1'000'002U);
    EXPECT_EQ(parser.consumed_bytes(), 0U);
}

TEST(ReplyParser, ReadsOneReplyAfterTheOther) {
    std::string_view wire = "+a\r\n*1\r\n:1\r\n$1\r\nb\r\n_\r\n:7\r\n";
    ReplyParser parser;
    std::string seen;
    while (!wire.empty()) {
        ASSERT_EQ(parser.parse(wire), ReplyOutcome::kReply);
        seen += describe(parser.reply()) + ';';
        wire.remove_prefix(parser.consumed_bytes());
    }
    EXPECT_EQ(seen, "simple(a);array1[integer(1) ];bulk(b);null();integer(7);");
}

TEST(ReplyView, ConvertsWhatBothVersionsSay) {
    ReplyParser parser;
    const auto view = [&parser](std::string_view wire) {
        EXPECT_EQ(parser.parse(wire), ReplyOutcome::kReply) << wire;
        return parser.reply();
    };
    EXPECT_EQ(view(":42\r\n").integer(), 42);
    EXPECT_EQ(view(":+42\r\n").integer(), 42);
    EXPECT_EQ(view("$2\r\n42\r\n").integer(), 42);
    EXPECT_EQ(view("#t\r\n").integer(), 1);
    EXPECT_EQ(view("+OK\r\n").integer(), std::nullopt);
    EXPECT_EQ(view("$-1\r\n").integer(), std::nullopt);
    EXPECT_EQ(view("*0\r\n").integer(), std::nullopt);
    EXPECT_EQ(view(",2.5\r\n").number(), 2.5);
    EXPECT_EQ(view("$3\r\n2.5\r\n").number(), 2.5);
    EXPECT_EQ(view(":3\r\n").number(), 3.0);
    EXPECT_EQ(view(",-inf\r\n").number(), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(view(",nan\r\n").number().value()));
    EXPECT_EQ(view("_\r\n").number(), std::nullopt);
    EXPECT_EQ(view("#f\r\n").boolean(), false);
    EXPECT_EQ(view(":2\r\n").boolean(), true);
    EXPECT_EQ(view("+t\r\n").boolean(), std::nullopt);
    EXPECT_EQ(view("|1\r\n+a\r\n+b\r\n*1\r\n:1\r\n").raw(), "*1\r\n:1\r\n");
}

/// Writes a random RESP3 reply and what `describe` says of it.
void write_random(Random& random, ByteSink& sink, std::string& expected, int depth) {
    const auto text = [&random] {
        std::string bytes(random.below(20), ' ');
        for (char& c : bytes) {
            c = static_cast<char>(random.below(256));
        }
        return bytes;
    };
    const auto children = [&](std::size_t count) {
        expected += std::to_string(count) + '[';
        for (std::size_t i = 0; i < count; ++i) {
            write_random(random, sink, expected, depth + 1);
            expected += ' ';
        }
        expected += ']';
    };
    const std::size_t count = random.below(4);
    switch (random.below(depth < 6 ? 12 : 8)) {
        case 0:
            write_simple(sink, "OK");
            expected += "simple(OK)";
            return;
        case 1:
            write_integer(sink, static_cast<std::int64_t>(random.next()));
            expected += "integer(" + std::string(sink.view().substr(sink.view().rfind(':') + 1));
            expected.resize(expected.size() - 2);
            expected += ')';
            return;
        case 2: {
            const std::string bytes = text();
            write_bulk(sink, bytes);
            expected += "bulk(" + bytes + ')';
            return;
        }
        case 3:
            write_null(sink, 3);
            expected += "null()";
            return;
        case 4: {
            const double value = random.unit();
            write_double(sink, 3, value);
            expected += "double(" + double_text(value) + ')';
            return;
        }
        case 5:
            write_boolean(sink, 3, true);
            expected += "boolean(t)";
            return;
        case 6: {
            const std::string bytes = text();
            write_bulk_error(sink, 3, bytes);
            expected += "error(" + bytes + ')';
            return;
        }
        case 7: {
            const std::string bytes = text();
            write_verbatim(sink, 3, "mkd", bytes);
            expected += "verbatim(mkd" + bytes + ')';
            return;
        }
        case 8:
            write_array_header(sink, count);
            expected += "array";
            return children(count);
        case 9:
            write_map_header(sink, 3, count);
            expected += "map";
            return children(count * 2);
        case 10:
            write_set_header(sink, 3, count);
            expected += "set";
            return children(count);
        default:
            write_push_header(sink, 3, count);
            expected += "push";
            return children(count);
    }
}

TEST(ReplyParser, ReadsBackWhatTheWriterWrites) {
    Random random(kSeed);
    for (int round = 0; round < 500; ++round) {
        BufferSink sink;
        std::string expected;
        write_random(random, sink, expected, 0);
        ASSERT_EQ(parse_however_cut(sink.view()), expected)
            << "seed " << kSeed << " round " << round;
        if (testing::Test::HasFailure()) {
            FAIL() << "seed " << kSeed << " round " << round;
        }
    }
}

}  // namespace
}  // namespace tern::resp
