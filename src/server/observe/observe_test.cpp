#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/observe/latency_histogram.hpp"
#include "server/observe/latency_monitor.hpp"
#include "server/observe/slow_log.hpp"
#include "server/test_executor.hpp"

/// SLOWLOG, LATENCY, INFO's counters, maxmemory and ACL through the executor, and what they keep.
namespace tern::server {
namespace {

using test::TestExecutor;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(LatencyHistogram, PercentilesAreWithinThreePercent) {
    LatencyHistogram histogram;
    EXPECT_EQ(histogram.percentile_ns(50), 0U);
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
        histogram.record(i * 100, 1);
    }
    EXPECT_EQ(histogram.total(), 10'000U);
    EXPECT_NEAR(static_cast<double>(histogram.percentile_ns(50)), 500'000, 17'000);
    EXPECT_NEAR(static_cast<double>(histogram.percentile_ns(99)), 990'000, 33'000);
    EXPECT_GE(histogram.percentile_ns(100), 1'000'000U);
    histogram.record(50'000'000'000, 3);
    EXPECT_GE(histogram.percentile_ns(100), LatencyHistogram::kDurationNsMax);
    EXPECT_EQ(histogram.count_below(1ULL << 62), histogram.total());
}

TEST(LatencyHistogram, CountsBelowPowersOfTwoAreExact) {
    LatencyHistogram histogram;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        histogram.record(i, 1);
    }
    for (std::uint64_t bound = 1; bound <= 4096; bound *= 2) {
        EXPECT_EQ(histogram.count_below(bound), bound);
    }
}

TEST(LatencyMonitor, KeepsTheLargestOfASecondAndTheLatestSeconds) {
    LatencyMonitor monitor;
    monitor.add("command", 10, 5);
    monitor.add("command", 10, 9);
    monitor.add("command", 10, 7);
    for (std::int64_t second = 11; second < 200; ++second) {
        monitor.add("command", second, second);
    }
    const LatencyMonitor::Series* series = monitor.find("command");
    ASSERT_NE(series, nullptr);
    EXPECT_EQ(series->count, LatencyMonitor::kSampleCountMax);
    EXPECT_EQ(series->last().latency_ms, 199);
    EXPECT_EQ(series->at(0).latency_ms, 40);
    EXPECT_EQ(series->latency_ms_max, 199);
    EXPECT_THAT(LatencyMonitor::graph("command", *series, 300),
                AllOf(StartsWith("command - high 199 ms, low 40 ms (all time high 199 ms)\n---"),
                      HasSubstr("#"),
                      HasSubstr("_")));
    EXPECT_FALSE(monitor.reset("other"));
    EXPECT_TRUE(monitor.reset("command"));
    EXPECT_EQ(monitor.reset_all(), 0U);
}

TEST(SlowLog, CutsManyAndLongArguments) {
    SlowLog log;
    std::vector<std::string> words = {"sadd", "set", std::string(129, 'A')};
    while (words.size() < 33) {
        words.push_back("x");
    }
    const std::vector<std::string_view> views(words.begin(), words.end());
    log.add({}, views, 2);
    ASSERT_EQ(log.entries().size(), 1U);
    const auto& arguments = log.entries()[0].arguments;
    ASSERT_EQ(arguments.size(), 32U);
    EXPECT_EQ(arguments[2], std::string(128, 'A') + "... (1 more bytes)");
    EXPECT_EQ(arguments[31], "... (2 more arguments)");
    log.add({}, views, 2);
    log.add({}, views, 2);
    EXPECT_EQ(log.entries().size(), 2U);
    EXPECT_EQ(log.entries()[0].id, 2);
}

TEST(SlowLog, LeavesSecretsOut) {
    const auto shown = [](std::vector<std::string_view> words) { return without_secrets(words); };
    EXPECT_THAT(shown({"auth", "me", "secret"}), ElementsAre("auth", "(redacted)", "(redacted)"));
    EXPECT_THAT(shown({"config", "set", "maxmemory", "1", "requirepass", "secret"}),
                ElementsAre("config", "set", "maxmemory", "1", "requirepass", "(redacted)"));
    EXPECT_THAT(shown({"ACL", "SETUSER", "me", ">secret"}),
                ElementsAre("ACL", "SETUSER", "(redacted)", "(redacted)"));
    EXPECT_THAT(
        shown({"migrate", "h", "1", "k", "0", "5", "AUTH2", "u", "p"}),
        ElementsAre("migrate", "h", "1", "k", "0", "5", "AUTH2", "(redacted)", "(redacted)"));
    EXPECT_THAT(shown({"hello", "3", "auth", "u", "p", "setname", "n"}),
                ElementsAre("hello", "3", "auth", "(redacted)", "(redacted)", "setname", "n"));
    EXPECT_THAT(shown({"set", "auth", "x"}), ElementsAre("set", "auth", "x"));
}

TEST(Observe, SlowlogHoldsWhatWasSlowEnough) {
    TestExecutor server;
    server.run({"CONFIG", "SET", "slowlog-log-slower-than", "-1"});
    server.run({"PING"});
    EXPECT_EQ(server.run({"SLOWLOG", "LEN"}), ":0\r\n");
    server.run({"CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "3"});
    server.run({"SET", "a", "b"});
    server.run({"CLIENT", "SETNAME", "me"});
    server.run({"GET", "a"});
    EXPECT_THAT(
        server.run({"SLOWLOG", "GET", "1"}),
        AllOf(StartsWith("*1\r\n*6\r\n:3\r\n:1700000000\r\n:"),
              HasSubstr("*2\r\n$3\r\nGET\r\n$1\r\na\r\n$14\r\n127.0.0.1:5000\r\n$2\r\nme")));
    EXPECT_EQ(server.run({"SLOWLOG", "LEN"}), ":3\r\n");
    server.run({"CONFIG", "SET", "slowlog-log-slower-than", "-1", "slowlog-max-len", "1"});
    EXPECT_EQ(server.run({"SLOWLOG", "LEN"}), ":1\r\n");
    EXPECT_EQ(server.run({"SLOWLOG", "RESET"}), "+OK\r\n");
    EXPECT_EQ(server.run({"SLOWLOG", "GET"}), "*0\r\n");
    EXPECT_EQ(server.run({"SLOWLOG", "GET", "-2"}),
              "-ERR count should be greater than or equal to -1\r\n");
}

TEST(Observe, EveryCallIsInTheHistogramThoughFewAreTimed) {
    TestExecutor server;
    for (int i = 0; i < 1000; ++i) {
        server.run({"GET", "a"});
    }
    EXPECT_THAT(server.run({"INFO", "commandstats"}), HasSubstr("cmdstat_get:calls=1000,usec="));
    EXPECT_THAT(server.run({"INFO", "latencystats"}),
                HasSubstr("latency_percentiles_usec_get:p50="));
    // The last call that was timed is number 993.
    EXPECT_THAT(server.run({"LATENCY", "HISTOGRAM", "get", "nothing"}),
                StartsWith("*2\r\n$3\r\nget\r\n*4\r\n$5\r\ncalls\r\n:993\r\n"));
    server.run({"CONFIG", "RESETSTAT"});
    EXPECT_THAT(server.run({"LATENCY", "HISTOGRAM"}),
                StartsWith("*2\r\n$16\r\nconfig|resetstat\r\n*4\r\n$5\r\ncalls\r\n:1\r\n"));
    server.run({"CONFIG", "SET", "latency-tracking", "no"});
    server.run({"GET", "a"});
    EXPECT_EQ(server.run({"LATENCY", "HISTOGRAM", "get"}), "*0\r\n");
}

TEST(Observe, HitsAndMissesAreOfReaders) {
    TestExecutor server;
    server.run({"SET", "a", "b"});
    server.run({"GET", "a"});
    server.run({"GET", "b"});
    server.run({"APPEND", "a", "c"});
    server.run({"HGET", "h", "f"});
    EXPECT_THAT(server.run({"INFO", "stats"}),
                AllOf(HasSubstr("keyspace_hits:1\r\n"), HasSubstr("keyspace_misses:2\r\n")));
    server.run({"CONFIG", "RESETSTAT"});
    EXPECT_THAT(server.run({"INFO", "stats"}),
                AllOf(HasSubstr("keyspace_hits:0\r\n"), HasSubstr("keyspace_misses:0\r\n")));
}

TEST(MaxMemory, NoEvictionRefusesWhatAddsAndServesTheRest) {
    TestExecutor server;
    server.run({"SET", "a", "b"});
    server.run({"CONFIG", "SET", "maxmemory", "1"});
    EXPECT_THAT(server.run({"SET", "c", "d"}), StartsWith("-OOM command not allowed when used"));
    EXPECT_EQ(server.run({"GET", "a"}), "$1\r\nb\r\n");
    EXPECT_EQ(server.run({"DEL", "a"}), ":1\r\n");
    EXPECT_THAT(server.run({"INFO", "commandstats"}),
                AllOf(HasSubstr("cmdstat_set:calls=1,"), HasSubstr("rejected_calls=1")));
    server.run({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(server.run({"SET", "c", "d"}), "+OK\r\n");
}

TEST(MaxMemory, KeysGoInBoundedStepsUntilTheyFit) {
    TestExecutor server;
    const std::string value(1000, 'v');
    for (int i = 0; i < 2000; ++i) {
        server.run({"SET", "key:" + std::to_string(i), value});
    }
    const std::uint64_t used = server.server().memory_used_bytes();
    server.run({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    server.run({"CONFIG", "SET", "maxmemory", std::to_string(used - 500'000)});
    EXPECT_EQ(server.run({"SET", "new", "v"}), "+OK\r\n");  // more than a step is due: not refused
    const std::uint64_t evicted = server.server().keyspace().stats().evicted_keys;
    EXPECT_GT(evicted, 0U);
    EXPECT_LE(evicted, 200U);
    for (int i = 0; i < 20; ++i) {
        server.run({"PING"});
    }
    EXPECT_LT(server.server().memory_used_bytes(), used - 490'000);
    EXPECT_GT(server.server().keyspace().database(0).size(), 1000U);
    EXPECT_THAT(server.run({"INFO", "stats"}), Not(HasSubstr("evicted_keys:0\r\n")));
}

TEST(MaxMemory, VolatilePoliciesRefuseWhenNoKeyHasADeadline) {
    TestExecutor server;
    server.run({"SET", "a", "b"});
    server.run({"SET", "v", "b", "EX", "100"});
    server.run({"CONFIG", "SET", "maxmemory-policy", "volatile-ttl", "maxmemory", "1"});
    EXPECT_THAT(server.run({"SET", "c", "d"}), StartsWith("-OOM"));
    EXPECT_EQ(server.run({"EXISTS", "a", "v"}), ":1\r\n");
}

TEST(MaxMemory, ObjectTellsTheUseThatThePolicyKeeps) {
    TestExecutor server;
    server.run({"SET", "a", "b"});
    EXPECT_EQ(server.run({"OBJECT", "IDLETIME", "a"}), ":0\r\n");
    EXPECT_THAT(server.run({"OBJECT", "FREQ", "a"}),
                StartsWith("-ERR An LFU maxmemory policy is not"));
    server.run({"CONFIG", "SET", "maxmemory-policy", "allkeys-lfu"});
    server.run({"SET", "n", "b"});
    EXPECT_EQ(server.run({"OBJECT", "FREQ", "n"}), ":5\r\n");
    EXPECT_THAT(server.run({"OBJECT", "IDLETIME", "a"}),
                StartsWith("-ERR An LFU maxmemory policy is"));
    EXPECT_EQ(server.run({"OBJECT", "FREQ", "none"}), "$-1\r\n");
}

TEST(Acl, AnswersForTheOneUser) {
    TestExecutor server;
    EXPECT_EQ(server.run({"ACL", "WHOAMI"}), "$7\r\ndefault\r\n");
    EXPECT_EQ(server.run({"ACL", "USERS"}), "*1\r\n$7\r\ndefault\r\n");
    EXPECT_THAT(server.run({"ACL", "LIST"}),
                HasSubstr("user default on nopass sanitize-payload ~* &* +@all"));
    EXPECT_THAT(server.run({"ACL", "GETUSER", "default"}),
                StartsWith("*12\r\n$5\r\nflags\r\n*3\r\n$2\r\non\r\n$6\r\nnopass\r\n"));
    EXPECT_EQ(server.run({"ACL", "GETUSER", "other"}), "$-1\r\n");
    EXPECT_EQ(server.run({"ACL", "LOG"}), "*0\r\n");
    EXPECT_EQ(server.run({"ACL", "LOG", "RESET"}), "+OK\r\n");
    EXPECT_THAT(server.run({"ACL", "GENPASS"}), StartsWith("$64\r\n"));
    EXPECT_THAT(server.run({"ACL", "GENPASS", "5"}), StartsWith("$2\r\n"));
    EXPECT_THAT(server.run({"ACL", "GENPASS", "4097"}), StartsWith("-ERR ACL GENPASS argument"));
    EXPECT_EQ(server.run({"ACL", "DRYRUN", "default", "get", "a"}), "+OK\r\n");
    EXPECT_EQ(server.run({"ACL", "DRYRUN", "you", "get", "a"}), "-ERR User 'you' not found\r\n");
    EXPECT_EQ(server.run({"ACL", "DELUSER", "default"}),
              "-ERR The 'default' user cannot be removed\r\n");
    EXPECT_EQ(server.run({"ACL", "DELUSER", "you"}), ":0\r\n");
    EXPECT_THAT(server.run({"ACL", "SETUSER", "you", "on"}), StartsWith("-ERR "));
    EXPECT_EQ(server.run({"CLUSTER", "INFO"}),
              "-ERR This instance has cluster support disabled\r\n");
    EXPECT_EQ(server.run({"WAITAOF", "0", "0", "0"}), "*2\r\n:0\r\n:0\r\n");
    EXPECT_EQ(server.run({"FAILOVER"}), "-ERR FAILOVER requires connected replicas.\r\n");
}

}  // namespace
}  // namespace tern::server
