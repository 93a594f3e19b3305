#include "resp/request_window.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::resp {
namespace {

std::string bulk_command(const std::vector<std::string>& words) {
    std::string text = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) {
        text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    return text;
}

std::vector<std::string> words_of(const RequestWindow::Request& request) {
    return {request.argv.begin(), request.argv.end()};
}

TEST(RequestWindow, HoldsRequestsInOrderWithTheirLengths) {
    const std::vector<std::vector<std::string>> commands = {
        {"PING"}, {"SET", "k", std::string(300, 'v')}, {"GET", ""}};
    std::string text;
    for (const auto& command : commands) {
        text += bulk_command(command);
    }
    const RequestParser parser;
    RequestWindow window;
    EXPECT_TRUE(window.empty());
    window.fill(parser, text);
    ASSERT_EQ(window.requests().size(), 3U);
    for (const auto& command : commands) {
        ASSERT_FALSE(window.empty());
        const RequestWindow::Request request = window.requests().front();
        EXPECT_EQ(words_of(request), command);
        EXPECT_EQ(request.length_bytes, bulk_command(command).size());
        window.pop();
    }
    EXPECT_TRUE(window.empty());
}

TEST(RequestWindow, EndsBeforeWhatIsTheParsersToJudge) {
    const std::string get = bulk_command({"GET", "k"});
    const RequestParser parser;
    for (const std::string& next : {std::string("PING\r\n"),
                                    std::string("*0\r\n"),
                                    std::string("*1\r\n+PING\r\n"),
                                    std::string("*1\r\n$-1\r\n"),
                                    get.substr(0, get.size() - 1),
                                    std::string()}) {
        RequestWindow window;
        const std::string both = get + next;
        window.fill(parser, both);
        EXPECT_EQ(window.requests().size(), 1U) << next;
        window.pop();
        window.fill(parser, next);
        EXPECT_TRUE(window.empty()) << next;
    }
}

TEST(RequestWindow, HasRoomForEightRequestsAndSixtyFourArguments) {
    const RequestParser parser;
    RequestWindow window;
    std::string pings;
    for (int i = 0; i < 20; ++i) {
        pings += bulk_command({"PING"});
    }
    window.fill(parser, pings);
    EXPECT_EQ(window.requests().size(), RequestWindow::kRequestsMax);

    RequestWindow wide;
    const std::vector<std::string> words(30, "w");
    const std::string three = bulk_command(words) + bulk_command(words) + bulk_command(words);
    wide.fill(parser, three);
    ASSERT_EQ(wide.requests().size(), 2U);
    EXPECT_EQ(words_of(wide.requests()[1]), words);

    RequestWindow none;
    const std::string too_many = bulk_command(std::vector<std::string>(65, "w"));
    none.fill(parser, too_many);
    EXPECT_TRUE(none.empty());
}

TEST(RequestWindow, KeepsTheLimitsOfAStranger) {
    RequestLimits limits;
    limits.is_authenticated = false;
    const RequestParser parser(limits);
    RequestWindow window;
    for (const std::string& refused : {bulk_command(std::vector<std::string>(11, "w")),
                                       bulk_command({"SET", "k", std::string(16385, 'v')})}) {
        window.fill(parser, refused);
        EXPECT_TRUE(window.empty());
    }
    const std::string auth = bulk_command({"AUTH", "secret"});
    window.fill(parser, auth);
    EXPECT_EQ(window.requests().size(), 1U);
}

}  // namespace
}  // namespace tern::resp
