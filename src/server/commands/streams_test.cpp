#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/test_executor.hpp"

/// Streams as a server answers them: who is served when several wait, and what the clock does.
namespace tern::server {
namespace {

using test::TestExecutor;

class StreamsTest : public testing::Test {
protected:
    [[nodiscard]] TestExecutor::Client& client() {
        clients_.push_back(std::make_unique<TestExecutor::Client>());
        executor_.connect(*clients_.back());
        return *clients_.back();
    }
    [[nodiscard]] static std::string taken(TestExecutor::Client& client) {
        const std::string reply(client.peer.late.view());
        client.peer.late.clear();
        return reply;
    }
    std::string run(std::initializer_list<std::string_view> words) { return executor_.run(words); }
    /// One client that waits for the group's next entry.
    TestExecutor::Client& wait_for_group(std::string_view consumer) {
        TestExecutor::Client& waiting = client();
        EXPECT_EQ(
            executor_.run(
                waiting, {"XREADGROUP", "GROUP", "g", consumer, "BLOCK", "0", "STREAMS", "x", ">"}),
            "");
        EXPECT_EQ(executor_.last_outcome, Outcome::kBlocked);
        return waiting;
    }
    void expect_nobody_waits() {
        EXPECT_EQ(executor_.server().blocked_clients().size(), 0U);
        EXPECT_EQ(executor_.server().blocked_clients().key_count(), 0U);
        EXPECT_EQ(executor_.server().keyspace().observer(), nullptr);
    }

    static constexpr std::string_view kNoGroup =
        "-NOGROUP No such key 'x' or consumer group 'g' in XREADGROUP with GROUP option\r\n";

    TestExecutor executor_;
    std::vector<std::unique_ptr<TestExecutor::Client>> clients_;
};

TEST_F(StreamsTest, IdsFollowTheClockAndNeverGoBack) {
    EXPECT_EQ(run({"XADD", "x", "*", "f", "v"}), "$15\r\n1700000000000-0\r\n");
    EXPECT_EQ(run({"XADD", "x", "*", "f", "v"}), "$15\r\n1700000000000-1\r\n");
    executor_.set_now(TestExecutor::kStartMs - 5000);
    EXPECT_EQ(run({"XADD", "x", "*", "f", "v"}), "$15\r\n1700000000000-2\r\n");
    executor_.set_now(TestExecutor::kStartMs + 1);
    EXPECT_EQ(run({"XADD", "x", "*", "f", "v"}), "$15\r\n1700000000001-0\r\n");
}

TEST_F(StreamsTest, EveryReaderWithoutGroupIsServedByOneEntry) {
    ASSERT_EQ(run({"XADD", "x", "1-1", "f", "v"}), "$3\r\n1-1\r\n");
    TestExecutor::Client& one = client();
    TestExecutor::Client& two = client();
    executor_.run(one, {"XREAD", "BLOCK", "0", "STREAMS", "x", "$"});
    executor_.run(two, {"XREAD", "BLOCK", "0", "STREAMS", "y", "x", "0", "1-1"});
    EXPECT_EQ(run({"XADD", "x", "1-2", "f", "w"}), "$3\r\n1-2\r\n");
    const std::string served =
        "*1\r\n*2\r\n$1\r\nx\r\n*1\r\n*2\r\n$3\r\n1-2\r\n*2\r\n$1\r\nf\r\n$1\r\nw\r\n";
    EXPECT_EQ(taken(one), served);
    EXPECT_EQ(taken(two), served);
    expect_nobody_waits();
}

TEST_F(StreamsTest, ConsumersOfAGroupAreServedOneEntryEach) {
    run({"XGROUP", "CREATE", "x", "g", "$", "MKSTREAM"});
    TestExecutor::Client& one = wait_for_group("a");
    TestExecutor::Client& two = wait_for_group("b");
    run({"XADD", "x", "1-1", "f", "v"});
    EXPECT_EQ(taken(one),
              "*1\r\n*2\r\n$1\r\nx\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n");
    EXPECT_EQ(taken(two), "");
    run({"XADD", "x", "1-2", "f", "v"});
    EXPECT_NE(taken(two).find("1-2"), std::string::npos);
    expect_nobody_waits();
}

TEST_F(StreamsTest, WaitOfAGroupEndsWhenItGoes) {
    run({"XGROUP", "CREATE", "x", "g", "$", "MKSTREAM"});
    TestExecutor::Client& one = wait_for_group("a");
    EXPECT_EQ(run({"XGROUP", "DESTROY", "x", "g"}), ":1\r\n");
    EXPECT_EQ(taken(one), kNoGroup);

    run({"XGROUP", "CREATE", "x", "g", "$"});
    TestExecutor::Client& two = wait_for_group("a");
    run({"DEL", "x"});
    EXPECT_EQ(taken(two), kNoGroup);

    run({"XGROUP", "CREATE", "x", "g", "$", "MKSTREAM"});
    TestExecutor::Client& three = wait_for_group("a");
    run({"SET", "x", "text"});
    EXPECT_EQ(taken(three),
              "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");

    run({"DEL", "x"});
    run({"XGROUP", "CREATE", "x", "g", "$", "MKSTREAM"});
    TestExecutor::Client& four = wait_for_group("a");
    run({"FLUSHALL"});
    EXPECT_EQ(taken(four), kNoGroup);
    expect_nobody_waits();
}

TEST_F(StreamsTest, ReaderWithoutGroupWaitsOnWhenTheKeyGoes) {
    run({"XADD", "x", "1-1", "f", "v"});
    TestExecutor::Client& waiting = client();
    executor_.run(waiting, {"XREAD", "BLOCK", "1000", "STREAMS", "x", "$"});
    run({"DEL", "x"});
    run({"SET", "x", "text"});
    EXPECT_EQ(taken(waiting), "");
    executor_.server().blocked_clients().expire(TestExecutor::kStartMs + 1000);
    EXPECT_EQ(taken(waiting), "*-1\r\n");
    expect_nobody_waits();
}

TEST_F(StreamsTest, IdleAndInactiveTimesAreThoseOfTheClock) {
    run({"XADD", "x", "1-1", "f", "v"});
    run({"XGROUP", "CREATE", "x", "g", "0"});
    run({"XREADGROUP", "GROUP", "g", "a", "STREAMS", "x", ">"});
    executor_.set_now(TestExecutor::kStartMs + 70);
    run({"XREADGROUP", "GROUP", "g", "a", "STREAMS", "x", ">"});
    executor_.set_now(TestExecutor::kStartMs + 100);
    EXPECT_EQ(run({"XINFO", "CONSUMERS", "x", "g"}),
              "*1\r\n*8\r\n$4\r\nname\r\n$1\r\na\r\n$7\r\npending\r\n:1\r\n$4\r\nidle\r\n:30\r\n"
              "$8\r\ninactive\r\n:100\r\n");
    EXPECT_EQ(run({"XPENDING", "x", "g", "-", "+", "10"}),
              "*1\r\n*4\r\n$3\r\n1-1\r\n$1\r\na\r\n:100\r\n:1\r\n");
    EXPECT_EQ(run({"XPENDING", "x", "g", "IDLE", "101", "-", "+", "10"}), "*0\r\n");
    EXPECT_EQ(run({"XCLAIM", "x", "g", "b", "101", "1-1", "JUSTID"}), "*0\r\n");
    EXPECT_EQ(run({"XCLAIM", "x", "g", "b", "100", "1-1", "JUSTID"}), "*1\r\n$3\r\n1-1\r\n");
}

TEST_F(StreamsTest, StreamLivesInMultiAndIsCopiedWhole) {
    run({"MULTI"});
    run({"XADD", "x", "1-1", "f", "v"});
    run({"XREAD", "BLOCK", "0", "STREAMS", "x", "5"});
    EXPECT_EQ(run({"EXEC"}), "*2\r\n$3\r\n1-1\r\n*-1\r\n");
    run({"XGROUP", "CREATE", "x", "g", "0"});
    const std::string payload = run({"DUMP", "x"});
    run({"COPY", "x", "y"});
    EXPECT_EQ(run({"DUMP", "y"}), payload);
    EXPECT_EQ(run({"OBJECT", "ENCODING", "y"}), "$6\r\nstream\r\n");
    EXPECT_EQ(run({"TYPE", "y"}), "+stream\r\n");
}

}  // namespace
}  // namespace tern::server
