#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/test_executor.hpp"

/// Connection, CLIENT, CONFIG, COMMAND, INFO and DEBUG through the executor. Replies are those of
/// redis-server 7.2.6 unless a test says otherwise.
namespace tern::server {
namespace {

using test::TestExecutor;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Connection, EchoSelectAndReset) {
    TestExecutor server;
    EXPECT_EQ(server.run({"PING"}), "+PONG\r\n");
    EXPECT_EQ(server.run({"ping", "a"}), "$1\r\na\r\n");
    EXPECT_EQ(server.run({"ECHO", "hi"}), "$2\r\nhi\r\n");
    EXPECT_EQ(server.run({"SELECT", "16"}), "-ERR DB index is out of range\r\n");
    EXPECT_EQ(server.run({"SELECT", "x"}), "-ERR value is not an integer or out of range\r\n");
    EXPECT_EQ(server.run({"SELECT", "3"}), "+OK\r\n");
    EXPECT_EQ(server.session().database_index, 3U);
    server.run({"HELLO", "3", "SETNAME", "me"});
    EXPECT_EQ(server.run({"RESET"}), "+RESET\r\n");
    EXPECT_EQ(server.session().database_index, 0U);
    EXPECT_EQ(server.session().protocol, Protocol::kResp2);
    EXPECT_EQ(server.run({"CLIENT", "GETNAME"}), "$-1\r\n");
    EXPECT_EQ(server.run({"QUIT"}), "+OK\r\n");
    EXPECT_TRUE(server.session().close_requested);
}

TEST(Connection, HelloAnswersInTheVersionItSwitchesTo) {
    TestExecutor server;
    EXPECT_THAT(server.run({"HELLO"}), StartsWith("*14\r\n$6\r\nserver\r\n$5\r\nredis\r\n"));
    EXPECT_THAT(server.run({"HELLO", "3"}), StartsWith("%7\r\n"));
    EXPECT_THAT(server.run({"HELLO", "2"}), StartsWith("*14\r\n"));
    EXPECT_EQ(server.run({"HELLO", "4"}), "-NOPROTO unsupported protocol version\r\n");
    EXPECT_EQ(server.run({"HELLO", "x"}),
              "-ERR Protocol version is not an integer or out of range\r\n");
    EXPECT_EQ(server.run({"HELLO", "2", "AUTH", "a"}),
              "-ERR Syntax error in HELLO option 'AUTH'\r\n");
    EXPECT_EQ(server.run({"HELLO", "2", "SETNAME", "a b"}),
              "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
}

TEST(Connection, PasswordGuardsEverythingButLogon) {
    TestExecutor server;
    EXPECT_THAT(server.run({"AUTH", "x"}), StartsWith("-ERR AUTH <password> called without any"));
    ASSERT_EQ(server.run({"CONFIG", "SET", "requirepass", "secret"}), "+OK\r\n");
    EXPECT_EQ(server.run({"PING"}), "+PONG\r\n");  // who is on stays on
    TestExecutor::Client late;
    server.connect(late);
    EXPECT_EQ(server.run(late, {"PING"}), "-NOAUTH Authentication required.\r\n");
    EXPECT_THAT(server.run(late, {"HELLO", "3"}), StartsWith("-NOAUTH HELLO must be called"));
    EXPECT_EQ(server.run(late, {"AUTH", "secre"}),
              "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    EXPECT_EQ(server.run(late, {"AUTH", "other", "secret"}),
              "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    EXPECT_THAT(server.run(late, {"HELLO", "3", "AUTH", "default", "secret"}), StartsWith("%7"));
    EXPECT_EQ(server.run(late, {"PING"}), "+PONG\r\n");
    EXPECT_EQ(server.run(late, {"RESET"}), "+RESET\r\n");
    EXPECT_EQ(server.run(late, {"PING"}), "-NOAUTH Authentication required.\r\n");
    EXPECT_EQ(server.run(late, {"AUTH", "secret"}), "+OK\r\n");
}

TEST(Client, ListKillAndFilters) {
    TestExecutor server;
    TestExecutor::Client other;
    server.connect(other);
    other.session.address = "192.0.2.1:99";
    server.run(other, {"CLIENT", "SETNAME", "other"});
    const std::string list = server.run({"CLIENT", "LIST"});
    EXPECT_THAT(list, HasSubstr("id=1 addr=127.0.0.1:5000 laddr=127.0.0.1:6379 fd=3 name= age=0"));
    EXPECT_THAT(list, HasSubstr("cmd=client|list user=default redir=-1 resp=2"));
    EXPECT_THAT(list, HasSubstr("addr=192.0.2.1:99"));
    EXPECT_THAT(server.run({"CLIENT", "LIST", "ID", "2"}), Not(HasSubstr("id=1 ")));
    EXPECT_EQ(server.run({"CLIENT", "LIST", "TYPE", "pubsub"}), "$0\r\n\r\n");
    EXPECT_EQ(server.run({"CLIENT", "LIST", "TYPE", "foo"}), "-ERR Unknown client type 'foo'\r\n");
    EXPECT_EQ(server.run({"CLIENT", "KILL", "1.1.1.1:1"}), "-ERR No such client\r\n");
    EXPECT_EQ(server.run({"CLIENT", "KILL", "ID", "0"}),
              "-ERR client-id should be greater than 0\r\n");
    EXPECT_EQ(server.run({"CLIENT", "KILL", "ADDR", "192.0.2.1:99", "LADDR", "x"}), ":0\r\n");
    EXPECT_FALSE(other.peer.is_closed);
    EXPECT_EQ(server.run({"CLIENT", "KILL", "TYPE", "normal"}), ":1\r\n");  // all but me
    EXPECT_TRUE(other.peer.is_closed);
    EXPECT_FALSE(server.session().close_requested);
    EXPECT_EQ(server.run({"CLIENT", "KILL", "127.0.0.1:5000"}), "+OK\r\n");  // me, after the reply
    EXPECT_TRUE(server.session().close_requested);
}

TEST(Client, ReplyModesSilenceReplies) {
    TestExecutor server;
    EXPECT_EQ(server.run({"CLIENT", "REPLY", "SKIP"}), "");
    EXPECT_EQ(server.run({"PING"}), "");
    EXPECT_EQ(server.run({"PING"}), "+PONG\r\n");
    EXPECT_EQ(server.run({"CLIENT", "REPLY", "OFF"}), "");
    EXPECT_EQ(server.run({"PING"}), "");
    EXPECT_EQ(server.run({"FOO"}), "");
    EXPECT_EQ(server.run({"GET"}), "");
    EXPECT_EQ(server.run({"CLIENT", "REPLY", "SKIP"}), "");
    EXPECT_EQ(server.run({"PING"}), "");
    EXPECT_EQ(server.run({"PING"}), "");
    EXPECT_EQ(server.run({"CLIENT", "REPLY", "ON"}), "+OK\r\n");
    EXPECT_EQ(server.run({"PING"}), "+PONG\r\n");
}

TEST(Client, PauseDefersAndNeverShortens) {
    TestExecutor server;
    TestExecutor::Client other;
    server.connect(other);
    EXPECT_EQ(server.run({"CLIENT", "PAUSE", "x"}),
              "-ERR timeout is not an integer or out of range\r\n");
    EXPECT_EQ(server.run({"CLIENT", "PAUSE", "1000", "WRITE"}), "+OK\r\n");
    server.run(other, {"SET", "a", "1"});
    EXPECT_EQ(server.last_outcome, Outcome::kDeferred);
    server.run(other, {"GET", "a"});
    EXPECT_EQ(server.last_outcome, Outcome::kDone);
    server.run({"CLIENT", "PAUSE", "10", "ALL"});
    EXPECT_EQ(server.server().pause().until_ms, TestExecutor::kStartMs + 1000);
    server.run(other, {"GET", "a"});
    EXPECT_EQ(server.last_outcome, Outcome::kDeferred);
    server.set_now(TestExecutor::kStartMs + 1000);
    server.run(other, {"SET", "a", "1"});
    EXPECT_EQ(server.last_outcome, Outcome::kDone);
}

TEST(Client, TimeoutClosesWhoIsSilent) {
    TestExecutor server;
    server.run({"CONFIG", "SET", "timeout", "10"});
    server.set_now(TestExecutor::kStartMs + 10'000);
    server.server().close_idle_clients();
    EXPECT_FALSE(server.peer().is_closed);
    server.set_now(TestExecutor::kStartMs + 11'001);
    server.server().close_idle_clients();
    EXPECT_TRUE(server.peer().is_closed);
}

TEST(Config, GetKnowsPatternsAliasesAndHiddenNames) {
    TestExecutor server;
    EXPECT_EQ(server.run({"CONFIG", "GET", "MAXCLIENTS"}),
              "*2\r\n$10\r\nMAXCLIENTS\r\n$5\r\n10000\r\n");
    EXPECT_EQ(server.run({"CONFIG", "GET", "nothing*"}), "*0\r\n");
    EXPECT_THAT(server.run({"CONFIG", "GET", "hash-max-ziplist-entries"}),
                StartsWith("*2\r\n$24\r\nhash-max-ziplist-entries\r\n"));
    EXPECT_EQ(server.run({"CONFIG", "GET", "maxclients", "max?lients"}),
              "*2\r\n$10\r\nmaxclients\r\n$5\r\n10000\r\n");
    EXPECT_THAT(server.run({"CONFIG", "GET", "*"}), Not(HasSubstr("watchdog-period")));
    EXPECT_THAT(server.run({"CONFIG", "GET", "watchdog-period"}), StartsWith("*2\r\n"));
    server.run({"HELLO", "3"});
    EXPECT_THAT(server.run({"CONFIG", "GET", "maxclients"}), StartsWith("%1\r\n"));
}

TEST(Config, ResetstatClearsCounters) {
    TestExecutor server;
    server.run({"FOO"});
    server.run({"GET", "a"});
    EXPECT_THAT(
        server.run({"INFO", "commandstats", "errorstats"}),
        testing::AllOf(HasSubstr("cmdstat_get:calls=1,"), HasSubstr("errorstat_ERR:count=1")));
    EXPECT_EQ(server.run({"CONFIG", "RESETSTAT"}), "+OK\r\n");
    EXPECT_THAT(server.run({"INFO", "commandstats", "errorstats"}),
                testing::AllOf(Not(HasSubstr("cmdstat_get")), Not(HasSubstr("errorstat_ERR"))));
}

TEST(Info, SectionsAreChosenByName) {
    TestExecutor server;
    server.run({"SET", "a", "1"});
    const std::string all = server.run({"INFO", "everything"});
    for (const char* section : {"Server",
                                "Clients",
                                "Memory",
                                "Persistence",
                                "Stats",
                                "Replication",
                                "CPU",
                                "Modules",
                                "Commandstats",
                                "Errorstats",
                                "Latencystats",
                                "Cluster",
                                "Keyspace",
                                "Tern"}) {
        EXPECT_THAT(all, HasSubstr(std::string("# ") + section + "\r\n"));
    }
    EXPECT_THAT(all, HasSubstr("redis_version:7.2.6\r\n"));
    EXPECT_THAT(all, HasSubstr("loading:0\r\n"));
    EXPECT_THAT(all, HasSubstr("db0:keys=1,expires=0,avg_ttl=0\r\n"));
    const std::string some = server.run({"INFO", "cpu", "KEYSPACE"});
    EXPECT_THAT(some, testing::AllOf(HasSubstr("# CPU"), HasSubstr("# Keyspace")));
    EXPECT_THAT(some, Not(HasSubstr("# Server")));
    EXPECT_THAT(server.run({"INFO"}), Not(HasSubstr("# Commandstats")));
    EXPECT_EQ(server.run({"INFO", "foo"}), "$0\r\n\r\n");
}

TEST(CommandCommand, InfoDocsAndKeys) {
    TestExecutor server;
    EXPECT_THAT(server.run({"COMMAND", "INFO", "get", "foo"}),
                StartsWith("*2\r\n*10\r\n$3\r\nget\r\n:2\r\n*2\r\n+readonly\r\n+fast\r\n"));
    EXPECT_EQ(server.run({"COMMAND", "DOCS", "foo"}), "*0\r\n");
    EXPECT_THAT(server.run({"COMMAND", "DOCS", "set"}), HasSubstr("$9\r\narguments\r\n"));
    EXPECT_EQ(server.run({"COMMAND", "LIST", "FILTERBY", "PATTERN", "zdiffst*"}),
              "*1\r\n$10\r\nzdiffstore\r\n");
    EXPECT_EQ(server.run({"COMMAND", "LIST", "FILTERBY", "x"}), "-ERR syntax error\r\n");
    EXPECT_EQ(server.run({"COMMAND", "GETKEYS", "MSET", "a", "1", "b", "2"}),
              "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    EXPECT_EQ(server.run({"COMMAND", "GETKEYS", "PING"}),
              "-ERR The command has no key arguments\r\n");
    EXPECT_EQ(server.run({"COMMAND", "GETKEYS", "foo"}), "-ERR Invalid command specified\r\n");
    EXPECT_EQ(server.run({"COMMAND", "GETKEYSANDFLAGS", "GET", "a"}),
              "*1\r\n*2\r\n$1\r\na\r\n*2\r\n+RO\r\n+access\r\n");
    EXPECT_EQ(server.run({"COMMAND", "FOO"}),
              "-ERR unknown subcommand 'FOO'. Try COMMAND HELP.\r\n");
}

TEST(ServerCommands, FlushSwapAndShutdown) {
    TestExecutor server;
    server.run({"SET", "a", "1"});
    EXPECT_EQ(server.run({"SWAPDB", "0", "1"}), "+OK\r\n");
    EXPECT_EQ(server.run({"DBSIZE"}), ":0\r\n");
    server.run({"SWAPDB", "1", "0"});
    EXPECT_EQ(server.run({"DBSIZE"}), ":1\r\n");
    EXPECT_EQ(server.run({"SWAPDB", "0", "16"}), "-ERR DB index is out of range\r\n");
    EXPECT_EQ(server.run({"FLUSHALL", "NOW"}), "-ERR syntax error\r\n");
    EXPECT_EQ(server.run({"FLUSHDB", "SYNC"}), "+OK\r\n");
    EXPECT_EQ(server.run({"DBSIZE"}), ":0\r\n");
    EXPECT_EQ(server.run({"SHUTDOWN", "ABORT"}), "-ERR No shutdown in progress.\r\n");
    EXPECT_EQ(server.run({"SHUTDOWN", "NOSAVE", "NOW"}), "");
    EXPECT_TRUE(server.server().is_stopping());
}

TEST(Debug, IsClosedUnlessConfigured) {
    TestExecutor server;
    EXPECT_THAT(server.run({"DEBUG", "SLEEP", "0"}), StartsWith("-ERR DEBUG command not allowed."));
    constexpr std::string_view kLocal[] = {"--enable-debug-command", "local"};
    ASSERT_TRUE(server.settings.load_options(kLocal));
    EXPECT_EQ(server.run({"DEBUG", "SLEEP", "0"}), "+OK\r\n");
    TestExecutor::Client remote;
    server.connect(remote);
    remote.session.address = "192.0.2.1:1";
    EXPECT_THAT(server.run(remote, {"DEBUG", "SLEEP", "0"}), StartsWith("-ERR DEBUG command not"));
}

TEST(Debug, ProtocolShowsEveryType) {
    TestExecutor server;
    constexpr std::string_view kYes[] = {"--enable-debug-command", "yes"};
    ASSERT_TRUE(server.settings.load_options(kYes));
    server.run({"HELLO", "3"});
    EXPECT_EQ(server.run({"DEBUG", "PROTOCOL", "map"}),
              "%3\r\n:0\r\n#f\r\n:1\r\n#t\r\n:2\r\n#f\r\n");
    EXPECT_THAT(server.run({"DEBUG", "PROTOCOL", "attrib"}), StartsWith("|1\r\n$14\r\n"));
    EXPECT_EQ(server.run({"DEBUG", "PROTOCOL", "double"}), ",3.141\r\n");
    server.run({"HELLO", "2"});
    EXPECT_EQ(server.run({"DEBUG", "PROTOCOL", "push"}),
              "-ERR RESP2 is not supported by this command\r\n");
}

TEST(Containers, HelpIsMadeFromTheRows) {
    TestExecutor server;
    for (const Command& command : server.server().registry().commands()) {
        const Command* help = command.find_subcommand("help");
        if (help == nullptr || command.full_name == "cluster") {  // off, HELP included, as in Redis
            continue;
        }
        const std::string text = server.run({command.full_name, "HELP"});
        EXPECT_THAT(text, StartsWith("*")) << command.full_name;
        EXPECT_THAT(text, HasSubstr("<subcommand>")) << command.full_name;
    }
}

}  // namespace
}  // namespace tern::server
