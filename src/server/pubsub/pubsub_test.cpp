#include "server/pubsub/pubsub.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/test_executor.hpp"

namespace tern::test {
namespace {

using testing::HasSubstr;

/// Three clients of one server: 2 and 3 are the first one's languages, the publisher speaks RESP2.
struct PubSubTest : testing::Test {
    PubSubTest() {
        server.connect(two);
        server.connect(three);
        three.session.protocol = server::Protocol::kResp3;
    }
    ~PubSubTest() override {
        server.disconnect(two);
        server.disconnect(three);
    }
    /// What came late since the last call.
    static std::string late(TestExecutor::Client& client) {
        std::string text(client.peer.late.view());
        client.peer.late.clear();
        return text;
    }

    TestExecutor server;
    TestExecutor::Client two;
    TestExecutor::Client three;
};

TEST_F(PubSubTest, MessagesReachWhoSubscribedInHisLanguage) {
    EXPECT_EQ(server.run(two, {"SUBSCRIBE", "news", "other"}),
              "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"
              "*3\r\n$9\r\nsubscribe\r\n$5\r\nother\r\n:2\r\n");
    EXPECT_EQ(server.run(three, {"SUBSCRIBE", "news"}),
              ">3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n");
    EXPECT_EQ(server.run({"PUBLISH", "news", "hello"}), ":2\r\n");
    EXPECT_EQ(late(two), "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n");
    EXPECT_EQ(late(three), ">3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nhello\r\n");
    EXPECT_EQ(server.run({"PUBLISH", "other", ""}), ":1\r\n");
    EXPECT_EQ(late(two), "*3\r\n$7\r\nmessage\r\n$5\r\nother\r\n$0\r\n\r\n");
    EXPECT_EQ(late(three), "");
    EXPECT_EQ(server.run({"PUBLISH", "nobody", "x"}), ":0\r\n");
}

TEST_F(PubSubTest, PatternsComeAfterChannelsAndCountApart) {
    server.run(two, {"PSUBSCRIBE", "n*", "news.?"});
    EXPECT_EQ(server.run(two, {"SUBSCRIBE", "news.a"}),
              "*3\r\n$9\r\nsubscribe\r\n$6\r\nnews.a\r\n:3\r\n");
    EXPECT_EQ(server.run({"PUBLISH", "news.a", "x"}), ":3\r\n");
    EXPECT_EQ(late(two),
              "*3\r\n$7\r\nmessage\r\n$6\r\nnews.a\r\n$1\r\nx\r\n"
              "*4\r\n$8\r\npmessage\r\n$2\r\nn*\r\n$6\r\nnews.a\r\n$1\r\nx\r\n"
              "*4\r\n$8\r\npmessage\r\n$6\r\nnews.?\r\n$6\r\nnews.a\r\n$1\r\nx\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "NUMPAT"}), ":2\r\n");
}

TEST_F(PubSubTest, ShardChannelsAreApart) {
    EXPECT_EQ(server.run(two, {"SSUBSCRIBE", "news"}),
              "*3\r\n$10\r\nssubscribe\r\n$4\r\nnews\r\n:1\r\n");
    server.run(three, {"PSUBSCRIBE", "*"});
    EXPECT_EQ(server.run({"PUBLISH", "news", "x"}), ":1\r\n");
    EXPECT_EQ(late(two), "");
    late(three);
    EXPECT_EQ(server.run({"SPUBLISH", "news", "x"}), ":1\r\n");
    EXPECT_EQ(late(two), "*3\r\n$8\r\nsmessage\r\n$4\r\nnews\r\n$1\r\nx\r\n");
    EXPECT_EQ(late(three), "");
    EXPECT_EQ(server.run({"PUBSUB", "SHARDCHANNELS"}), "*1\r\n$4\r\nnews\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "CHANNELS"}), "*0\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "SHARDNUMSUB", "news", "x"}),
              "*4\r\n$4\r\nnews\r\n:1\r\n$1\r\nx\r\n:0\r\n");
    EXPECT_EQ(server.run(two, {"SUNSUBSCRIBE"}),
              "*3\r\n$12\r\nsunsubscribe\r\n$4\r\nnews\r\n:0\r\n");
    EXPECT_EQ(server.run({"SPUBLISH", "news", "x"}), ":0\r\n");
}

TEST_F(PubSubTest, UnsubscribingAnswersForEachNameAndForNone) {
    EXPECT_EQ(server.run(two, {"UNSUBSCRIBE"}), "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n");
    EXPECT_EQ(server.run(three, {"PUNSUBSCRIBE"}), ">3\r\n$12\r\npunsubscribe\r\n_\r\n:0\r\n");
    EXPECT_EQ(server.run(two, {"UNSUBSCRIBE", "never"}),
              "*3\r\n$11\r\nunsubscribe\r\n$5\r\nnever\r\n:0\r\n");
    server.run(two, {"SUBSCRIBE", "a", "b", "c"});
    server.run(two, {"SUBSCRIBE", "a"});
    EXPECT_EQ(server.run(two, {"UNSUBSCRIBE", "b"}),
              "*3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:2\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "CHANNELS", "[ab]"}), "*1\r\n$1\r\na\r\n");
    EXPECT_EQ(server.run(two, {"UNSUBSCRIBE"}),
              "*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n"
              "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "NUMSUB", "a", "c"}),
              "*4\r\n$1\r\na\r\n:0\r\n$1\r\nc\r\n:0\r\n");
    EXPECT_EQ(server.run(two, {"GET", "k"}), "$-1\r\n");
}

TEST_F(PubSubTest, Resp2SubscriberMayDoLittleElse) {
    server.run(two, {"SUBSCRIBE", "a"});
    EXPECT_EQ(
        server.run(two, {"GET", "k"}),
        "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET "
        "are allowed in this context\r\n");
    EXPECT_THAT(server.run(two, {"CLIENT", "ID"}), HasSubstr("Can't execute 'client|id'"));
    EXPECT_EQ(server.run(two, {"PING"}), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    EXPECT_EQ(server.run(two, {"PING", "x"}), "*2\r\n$4\r\npong\r\n$1\r\nx\r\n");
    EXPECT_EQ(server.run(two, {"RESET"}), "+RESET\r\n");
    EXPECT_EQ(server.run({"PUBLISH", "a", "x"}), ":0\r\n");
    EXPECT_EQ(server.run(two, {"GET", "k"}), "$-1\r\n");
    server.run(three, {"SUBSCRIBE", "a"});
    EXPECT_EQ(server.run(three, {"GET", "k"}), "_\r\n");
    EXPECT_EQ(server.run(three, {"PING"}), "+PONG\r\n");
}

TEST_F(PubSubTest, TransactionsCarrySubscriptions) {
    server.run(three, {"MULTI"});
    EXPECT_EQ(server.run(three, {"SUBSCRIBE", "a"}), "+QUEUED\r\n");
    EXPECT_EQ(server.run(three, {"PUBLISH", "a", "x"}), "+QUEUED\r\n");
    EXPECT_EQ(server.run(three, {"EXEC"}),
              "*2\r\n>3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n:1\r\n");
    EXPECT_EQ(late(three), ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n");
}

TEST_F(PubSubTest, EndOfASessionEndsItsSubscriptions) {
    {
        TestExecutor::Client gone;
        server.connect(gone);
        server.run(gone, {"SUBSCRIBE", "a", "b"});
        server.run(gone, {"PSUBSCRIBE", "*"});
        EXPECT_EQ(server.run({"PUBLISH", "a", "x"}), ":2\r\n");
        server.disconnect(gone);
    }
    EXPECT_EQ(server.run({"PUBLISH", "a", "x"}), ":0\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "NUMPAT"}), ":0\r\n");
    EXPECT_EQ(server.run({"PUBSUB", "CHANNELS"}), "*0\r\n");
}

TEST_F(PubSubTest, IsSeenInClientListAndInfo) {
    server.run(two, {"SUBSCRIBE", "a", "b"});
    server.run(two, {"PSUBSCRIBE", "*"});
    server.run(two, {"SSUBSCRIBE", "s"});
    const std::string list = server.run({"CLIENT", "LIST", "TYPE", "pubsub"});
    EXPECT_THAT(list, HasSubstr("flags=P "));
    EXPECT_THAT(list, HasSubstr(" sub=2 psub=1 ssub=1 "));
    const std::string info = server.run({"INFO", "stats"});
    EXPECT_THAT(info, HasSubstr("pubsub_channels:2\r\n"));
    EXPECT_THAT(info, HasSubstr("pubsub_patterns:1\r\n"));
    EXPECT_THAT(info, HasSubstr("pubsubshard_channels:1\r\n"));
    EXPECT_EQ(server.run({"CLIENT", "KILL", "TYPE", "pubsub"}), ":1\r\n");
    EXPECT_TRUE(two.peer.is_closed);
}

TEST(OutputLimits, SoftLimitHoldsOnlyWhenItLasts) {
    server::OutputLimits limits;
    limits.pubsub = {.hard_bytes = 100, .soft_bytes = 10, .soft_seconds = 2};
    server::Session session;
    EXPECT_FALSE(server::exceeds_output_limit(limits, session, 1000, 5000));
    session.subscription_counts[0] = 1;
    EXPECT_TRUE(server::exceeds_output_limit(limits, session, 101, 5000));
    EXPECT_FALSE(server::exceeds_output_limit(limits, session, 11, 5000));
    EXPECT_FALSE(server::exceeds_output_limit(limits, session, 11, 7000));
    EXPECT_TRUE(server::exceeds_output_limit(limits, session, 11, 7001));
    EXPECT_FALSE(server::exceeds_output_limit(limits, session, 10, 7002));
    EXPECT_FALSE(server::exceeds_output_limit(limits, session, 11, 9000));
}

}  // namespace
}  // namespace tern::test
