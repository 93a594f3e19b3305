#include "resp/split_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace tern::resp {
namespace {

using Arguments = std::vector<std::string>;

std::optional<Arguments> split(std::string_view line) {
    std::string text;
    std::vector<std::string_view> arguments;
    if (!split_arguments(line, text, arguments)) {
        return std::nullopt;
    }
    return Arguments(arguments.begin(), arguments.end());
}

struct Case {
    std::string_view line;
    std::optional<Arguments> arguments;
};

// Each line was sent to redis-server 7.2.6 as an inline PING, and the reply shows the argument.
TEST(SplitArguments, UnquotesAsRedisDoes) {
    const std::vector<Case> cases = {
        {"PING", Arguments{"PING"}},
        {"", Arguments{}},
        {" \t\v\f\r\n", Arguments{}},
        {"  PING  a ", Arguments{"PING", "a"}},
        {"PING \"a b\"", Arguments{"PING", "a b"}},
        {R"(PING "a\x41\n\t\q\"")", Arguments{"PING", "aA\n\tq\""}},
        {R"(PING 'a\'b\n')", Arguments{"PING", R"(a'b\n)"}},
        {"PING a\"b c\"", Arguments{"PING", "ab c"}},
        {"PING a'b'", Arguments{"PING", "ab"}},
        {"PING \"\"", Arguments{"PING", ""}},
        {"PING ''", Arguments{"PING", ""}},
        {R"(PING a\ b)", Arguments{"PING", "a\\", "b"}},
        {"PING \v\fa\vb", Arguments{"PING", "a\vb"}},
        {R"(PING "a\xzz")", Arguments{"PING", "axzz"}},
        {R"(PING "\x4")", Arguments{"PING", "x4"}},
        {R"(PING "a\b\a")", Arguments{"PING", "a\b\a"}},
        {R"(PING "a\\")", Arguments{"PING", "a\\"}},
        {"PING\ra", Arguments{"PING", "a"}},
        {"PING 'a'\tb", Arguments{"PING", "a", "b"}},
        {"PING 'a'\v", Arguments{"PING", "a"}},
        {"p\"ing\"", Arguments{"ping"}},
        {"PING \"abc", std::nullopt},
        {"PING 'abc", std::nullopt},
        {"PING it's", std::nullopt},
        {"PING \"a\"b", std::nullopt},
        {"PING a'b c'd", std::nullopt},
        {"PING \"a\"\"b\"", std::nullopt},
        {"PING \"\"\"\"", std::nullopt},
        {R"(PING "a\)", std::nullopt},
        {R"(PING "a\x4)", std::nullopt},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(split(one.line), one.arguments) << one.line;
    }
}

TEST(SplitArguments, AppendsAndReusesItsStorage) {
    std::string text;
    std::vector<std::string_view> arguments;
    ASSERT_TRUE(split_arguments("a bb", text, arguments));
    EXPECT_THAT(arguments, testing::ElementsAre("a", "bb"));
    arguments.clear();
    ASSERT_TRUE(split_arguments("'c d'", text, arguments));
    EXPECT_THAT(arguments, testing::ElementsAre("c d"));
}

}  // namespace
}  // namespace tern::resp
