#include "server/transaction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/test_executor.hpp"

namespace tern::server {
namespace {

using test::TestExecutor;

constexpr std::string_view kAborted =
    "-EXECABORT Transaction discarded because of previous errors.\r\n";

TEST(Transaction, RunsWhatWasQueuedInOrder) {
    TestExecutor server;
    EXPECT_EQ(server.run({"MULTI"}), "+OK\r\n");
    EXPECT_EQ(server.run({"SET", "k", "1"}), "+QUEUED\r\n");
    EXPECT_EQ(server.run({"INCR", "k"}), "+QUEUED\r\n");
    EXPECT_EQ(server.run({"LPUSHX", "k"}).substr(0, 1), "-");
    EXPECT_EQ(server.run({"EXEC"}), kAborted);
    EXPECT_EQ(server.run({"GET", "k"}), "$-1\r\n");
    server.run({"MULTI"});
    server.run({"SET", "k", "1"});
    server.run({"INCR", "k"});
    server.run({"HGET", "k", "f"});
    server.run({"GET", "k"});
    EXPECT_EQ(server.run({"EXEC"}),
              "*4\r\n+OK\r\n:2\r\n-WRONGTYPE Operation against a key holding the wrong kind of "
              "value\r\n$1\r\n2\r\n");
}

TEST(Transaction, WatchedKeyThatChangesMakesExecNull) {
    for (const bool is_flushed : {false, true}) {
        TestExecutor server;
        TestExecutor::Client other;
        server.connect(other);
        server.run({"SET", "k", "1"});
        server.run({"WATCH", "k", "none"});
        server.run({"MULTI"});
        if (is_flushed) {
            server.run(other, {"FLUSHALL"});
        } else {
            server.run(other, {"SET", "k", "1"});
        }
        EXPECT_EQ(server.run({"EXEC"}), "*-1\r\n") << is_flushed;
        server.run({"MULTI"});
        EXPECT_EQ(server.run({"EXEC"}), "*0\r\n") << is_flushed;
        EXPECT_TRUE(server.server().watches().is_empty());
        server.disconnect(other);
    }
}

TEST(Transaction, WatchedKeyThatExpiresMakesExecNullAndAnAbsentOneDoesNot) {
    TestExecutor server;
    server.run({"SET", "k", "1", "PX", "10"});
    server.run({"WATCH", "k"});
    server.run({"MULTI"});
    server.set_now(TestExecutor::kStartMs + 11);
    EXPECT_EQ(server.run({"EXEC"}), "*-1\r\n");
    server.run({"WATCH", "k"});
    server.run({"FLUSHALL"});
    server.run({"SWAPDB", "0", "1"});
    server.run({"MULTI"});
    EXPECT_EQ(server.run({"EXEC"}), "*0\r\n");
}

TEST(Transaction, BlockingCommandInsideAnswersAtOnce) {
    TestExecutor server;
    server.run({"MULTI"});
    server.run({"BZPOPMIN", "z", "0"});
    EXPECT_EQ(server.run({"EXEC"}), "*1\r\n*-1\r\n");
    EXPECT_EQ(server.last_outcome, Outcome::kDone);
    EXPECT_FALSE(server.session().blocked);
}

TEST(Transaction, HundredThousandCommandsRunAndMemoryIsBounded) {
    TestExecutor server;
    server.run({"MULTI"});
    for (int i = 0; i < 100'000; ++i) {
        server.run({"INCR", "counter"});
    }
    const std::string reply = server.run({"EXEC"});
    EXPECT_THAT(reply, testing::StartsWith("*100000\r\n:1\r\n"));
    EXPECT_THAT(reply, testing::EndsWith(":100000\r\n"));
    server.settings.config().query_buffer_limit_bytes = 1 << 20;
    server.run({"MULTI"});
    const std::string value(1000, 'v');
    int queued = 0;
    while (!server.session().close_requested && queued < 2000) {
        server.run({"SET", "k", value});
        ++queued;
    }
    EXPECT_LT(queued, 1100);
    EXPECT_EQ(server.server().stats().query_limit_disconnections, 1U);
}

TEST(NestedExecution, RefusesWhatScriptsMayNotCall) {
    TestExecutor server;
    Session script;
    const auto run = [&](std::initializer_list<std::string_view> words,
                         NestedOptions options = {}) {
        BufferSink sink;
        const std::vector<std::string_view> list(words);
        static_cast<void>(server.executor().run_nested(script, list, sink, options));
        return std::string(sink.view());
    };
    EXPECT_EQ(run({"SET", "k", "v"}), "+OK\r\n");
    EXPECT_EQ(run({"GET", "k"}), "$1\r\nv\r\n");
    EXPECT_EQ(run({"NOSUCH"}), "-ERR Unknown Redis command called from script\r\n");
    EXPECT_EQ(run({"GET"}), "-ERR Wrong number of args calling Redis command from script\r\n");
    EXPECT_EQ(run({"MULTI"}), "-ERR This Redis command is not allowed from script\r\n");
    EXPECT_EQ(run({"SET", "k", "v"}, {.is_read_only = true}),
              "-ERR Write commands are not allowed from read-only scripts.\r\n");
    EXPECT_EQ(run({"BZPOPMIN", "z", "0"}), "*-1\r\n");
    EXPECT_FALSE(script.blocked);
    EXPECT_FALSE(script.denies_blocking);
}

}  // namespace
}  // namespace tern::server
