#include "resp/writer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tern::resp {
namespace {

std::string written(const std::function<void(ByteSink&)>& write) {
    BufferSink sink;
    write(sink);
    return std::string(sink.view());
}

struct Case {
    std::function<void(ByteSink&, int)> write;
    std::string_view resp2;
    std::string_view resp3;
};

TEST(Writer, EncodesEachTypeInBothVersions) {
    const std::vector<Case> cases = {
        {[](ByteSink& s, int) { write_simple(s, "OK"); }, "+OK\r\n", "+OK\r\n"},
        {[](ByteSink& s, int) { write_error(s, "ERR a\r\nb"); }, "-ERR a  b\r\n", "-ERR a  b\r\n"},
        {[](ByteSink& s, int) { write_integer(s, 0); }, ":0\r\n", ":0\r\n"},
        {[](ByteSink& s, int) { write_integer(s, -12); }, ":-12\r\n", ":-12\r\n"},
        {[](ByteSink& s, int) { write_bulk(s, ""); }, "$0\r\n\r\n", "$0\r\n\r\n"},
        {[](ByteSink& s, int) { write_bulk(s, "hello, world"); },
         "$12\r\nhello, world\r\n",
         "$12\r\nhello, world\r\n"},
        {[](ByteSink& s, int) { write_bulk_integer(s, 10); }, "$2\r\n10\r\n", "$2\r\n10\r\n"},
        {[](ByteSink& s, int) { write_bulk_header(s, 1234); }, "$1234\r\n", "$1234\r\n"},
        {[](ByteSink& s, int v) { write_null(s, v); }, "$-1\r\n", "_\r\n"},
        {[](ByteSink& s, int v) { write_null_array(s, v); }, "*-1\r\n", "_\r\n"},
        {[](ByteSink& s, int) { write_array_header(s, 10); }, "*10\r\n", "*10\r\n"},
        {[](ByteSink& s, int v) { write_map_header(s, v, 3); }, "*6\r\n", "%3\r\n"},
        {[](ByteSink& s, int v) { write_set_header(s, v, 3); }, "*3\r\n", "~3\r\n"},
        {[](ByteSink& s, int v) { write_push_header(s, v, 3); }, "*3\r\n", ">3\r\n"},
        {[](ByteSink& s, int v) { write_double(s, v, 3.3); }, "$3\r\n3.3\r\n", ",3.3\r\n"},
        {[](ByteSink& s, int v) { write_double(s, v, -std::numeric_limits<double>::infinity()); },
         "$4\r\n-inf\r\n",
         ",-inf\r\n"},
        {[](ByteSink& s, int v) { write_boolean(s, v, true); }, ":1\r\n", "#t\r\n"},
        {[](ByteSink& s, int v) { write_boolean(s, v, false); }, ":0\r\n", "#f\r\n"},
        {[](ByteSink& s, int v) { write_big_number(s, v, "-123"); }, "$4\r\n-123\r\n", "(-123\r\n"},
        {[](ByteSink& s, int v) { write_verbatim(s, v, "txt", "hello"); },
         "$5\r\nhello\r\n",
         "=9\r\ntxt:hello\r\n"},
        {[](ByteSink& s, int v) { write_bulk_error(s, v, "ERR a"); },
         "-ERR a\r\n",
         "!5\r\nERR a\r\n"},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(written([&](ByteSink& sink) { one.write(sink, 2); }), one.resp2);
        EXPECT_EQ(written([&](ByteSink& sink) { one.write(sink, 3); }), one.resp3);
    }
    EXPECT_EQ(written([](ByteSink& sink) { write_attribute_header(sink, 1); }), "|1\r\n");
}

TEST(Writer, EncodesTheLongestNumbers) {
    EXPECT_EQ(written([](ByteSink& sink) {
                  write_integer(sink, std::numeric_limits<std::int64_t>::min());
              }),
              ":-9223372036854775808\r\n");
}

TEST(Writer, EncodesARequest) {
    const std::vector<std::string> argv = {"SET", "k", ""};
    EXPECT_EQ(written([&](ByteSink& sink) { write_request(sink, argv); }),
              "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n");
}

TEST(Writer, InsertsAHeaderOnceTheCountIsKnown) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{12345}}) {
        BufferSink sink;
        write_simple(sink, "before");
        const std::size_t offset = sink.size();
        std::string body;
        for (std::size_t i = 0; i < count; ++i) {
            write_bulk_integer(sink, static_cast<std::int64_t>(i));
        }
        body = sink.view().substr(offset);
        insert_header(sink, offset, '*', count);
        EXPECT_EQ(sink.view(), "+before\r\n*" + std::to_string(count) + "\r\n" + body);
    }
}

}  // namespace
}  // namespace tern::resp
