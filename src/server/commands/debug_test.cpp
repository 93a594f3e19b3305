#include <gmock/gmock.h>

#include "server/test_executor.hpp"

namespace tern::server {
namespace {

using test::TestExecutor;
using testing::HasSubstr;

class DebugTest : public testing::Test {
protected:
    DebugTest() { server_.settings.config().enable_debug_command = Config::Guard::kYes; }

    std::string run(std::initializer_list<std::string_view> words) { return server_.run(words); }
    std::string digest() { return run({"DEBUG", "DIGEST"}); }

    TestExecutor server_;
};

TEST_F(DebugTest, DigestTellsDataAndNotItsForm) {
    const std::string empty = digest();
    EXPECT_EQ(empty, "+" + std::string(40, '0') + "\r\n");
    run({"HSET", "h", "a", "1", "b", "2"});
    const std::string with_hash = digest();
    EXPECT_NE(with_hash, empty);
    run({"CONFIG", "SET", "hash-max-listpack-entries", "0"});
    run({"DEL", "h"});
    run({"HSET", "h", "b", "2", "a", "1"});
    EXPECT_EQ(run({"OBJECT", "ENCODING", "h"}), "$9\r\nhashtable\r\n");
    EXPECT_EQ(digest(), with_hash);
    run({"HSET", "h", "a", "2", "b", "1"});
    EXPECT_NE(digest(), with_hash);
}

TEST_F(DebugTest, ReloadKeepsDataDeadlinesAndDatabases) {
    run({"SET", "s", "text", "PX", "100000"});
    run({"ZADD", "z", "1.5", "a", "-inf", "b"});
    run({"SELECT", "3"});
    run({"HSET", "h", "f", "v"});
    const std::string before = digest();
    const std::string bare = run({"DEBUG", "DIGEST-VALUE", "h"});
    EXPECT_EQ(run({"DEBUG", "RELOAD"}), "+OK\r\n");
    EXPECT_EQ(digest(), before);
    EXPECT_EQ(run({"DEBUG", "LOADAOF"}), "+OK\r\n");
    EXPECT_EQ(run({"DEBUG", "RELOAD", "MERGE", "NOFLUSH"}), "+OK\r\n");
    EXPECT_EQ(run({"DEBUG", "DIGEST-VALUE", "h"}), bare);
    run({"SELECT", "0"});
    EXPECT_EQ(run({"PTTL", "s"}), ":100000\r\n");
    EXPECT_EQ(run({"DBSIZE"}), ":2\r\n");
    EXPECT_THAT(run({"DEBUG", "RELOAD", "SOMEHOW"}), HasSubstr("only supports"));
    EXPECT_THAT(run({"DEBUG", "RELOAD", "NOSAVE"}), HasSubstr("Error trying to load"));
}

TEST_F(DebugTest, PopulateMakesKeysAndSparesThoseThatAre) {
    run({"SET", "p:1", "mine"});
    EXPECT_EQ(run({"DEBUG", "POPULATE", "3", "p", "10"}), "+OK\r\n");
    EXPECT_EQ(run({"GET", "p:1"}), "$4\r\nmine\r\n");
    EXPECT_EQ(run({"GETRANGE", "p:2", "0", "6"}), "$7\r\nvalue:2\r\n");
    EXPECT_EQ(run({"STRLEN", "p:2"}), ":10\r\n");
    EXPECT_EQ(run({"DBSIZE"}), ":3\r\n");
    EXPECT_THAT(run({"DEBUG", "POPULATE", "-1"}), HasSubstr("must be positive"));
}

TEST_F(DebugTest, ChecksumIsOverlookedOnDemandOnly) {
    const std::string_view payload("\0\3abc\13\0wrongsum", 15);
    EXPECT_THAT(run({"RESTORE", "k", "0", payload}), HasSubstr("checksum are wrong"));
    EXPECT_EQ(run({"DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1"}), "+OK\r\n");
    EXPECT_EQ(run({"RESTORE", "k", "0", payload}), "+OK\r\n");
    EXPECT_EQ(run({"GET", "k"}), "$3\r\nabc\r\n");
}

}  // namespace
}  // namespace tern::server
