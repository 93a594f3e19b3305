#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <tern/client/client.hpp>
#include <vector>

#include "lab/server_process.hpp"

/// Every typed call of the client against real servers: tern over each endpoint and protocol, and
/// redis-server where there is one.
namespace tern {
namespace {

struct Variant {
    std::string_view name;
    std::string_view kind;  ///< "ring", "unix" or "tcp"; "redis": redis-server over tcp
    Protocol protocol;
};

/// One server of each kind for the whole program.
struct Servers {
    static std::string directory() {
        static const std::string path = [] {
            std::string name = "/tmp/tern-typed-XXXXXX";
            EXPECT_NE(::mkdtemp(name.data()), nullptr);
            return name;
        }();
        return path;
    }
    static std::string start(std::vector<std::string> command,
                             const std::string& ready,
                             std::unique_ptr<lab::ServerProcess>& server) {
        lab::ServerProcess::Options options;
        options.command = std::move(command);
        options.ready_endpoint = ready;
        options.log_path = directory() + "/log";
        auto started = lab::ServerProcess::start(options);
        if (!started) {
            return started.error().message;
        }
        server = std::make_unique<lab::ServerProcess>(std::move(*started));
        return {};
    }
};

class TypedCalls : public testing::TestWithParam<Variant> {
protected:
    static void TearDownTestSuite() {
        tern_.reset();
        redis_.reset();
        std::filesystem::remove_all(Servers::directory());
    }

    void SetUp() override {
        const bool is_redis = GetParam().kind == "redis";
        const std::string program = is_redis ? TERN_REDIS_SERVER : TERN_PROGRAM;
        if (program.empty() || ::access(program.c_str(), X_OK) != 0) {
            GTEST_SKIP() << "no server program: " << program;
        }
        if (is_redis && redis_ == nullptr) {
            redis_endpoint_ = "tcp:127.0.0.1:" + std::to_string(*lab::free_tcp_port());
            const std::string port = redis_endpoint_.substr(redis_endpoint_.rfind(':') + 1);
            const std::string failure =
                Servers::start({program, "--port", port, "--save", "", "--appendonly", "no"},
                               redis_endpoint_,
                               redis_);
            ASSERT_EQ(failure, "");
        }
        if (!is_redis && tern_ == nullptr) {
            tcp_endpoint_ = "tcp:127.0.0.1:" + std::to_string(*lab::free_tcp_port());
            const std::string path = Servers::directory() + "/tern.sock";
            const std::string failure = Servers::start(
                {program, "serve", "--listen", tcp_endpoint_, "--listen", "unix:" + path},
                tcp_endpoint_,
                tern_);
            ASSERT_EQ(failure, "");
        }
        ClientOptions options;
        options.endpoint = is_redis                   ? redis_endpoint_
                           : GetParam().kind == "tcp" ? tcp_endpoint_
                                                      : std::string(GetParam().kind) + ":" +
                                                            Servers::directory() + "/tern.sock";
        options.protocol = GetParam().protocol;
        options.reply_timeout_ms = 60'000;
        options.client_name = "typed";
        Result<Client> connected = Client::connect(options);
        ASSERT_TRUE(connected.ok()) << connected.error().message;
        client_ = std::make_unique<Client>(std::move(*connected));
        ASSERT_TRUE(client_->command({"FLUSHALL"}).ok());
    }

    Client& client() { return *client_; }

private:
    inline static std::unique_ptr<lab::ServerProcess> tern_;
    inline static std::unique_ptr<lab::ServerProcess> redis_;
    inline static std::string tcp_endpoint_;
    inline static std::string redis_endpoint_;
    std::unique_ptr<Client> client_;
};

/// The value of a call that must have one; the test goes on without it.
template <typename T>
T value_of(const CallResult<T>& result) {
    EXPECT_TRUE(result.ok()) << to_string(result.status()) << ": " << result.error();
    return result.value_or(T());
}

std::vector<std::pair<std::string, double>> list_of(const MembersView& view) {
    std::vector<std::pair<std::string, double>> list;
    for (const ScoredMember one : view) {
        list.emplace_back(one.member, one.score);
    }
    return list;
}

using Scores = std::vector<std::pair<std::string, double>>;

TEST_P(TypedCalls, Connection) {
    EXPECT_EQ(value_of(client().ping()), "PONG");
    EXPECT_EQ(value_of(client().echo("x\r\ny")), "x\r\ny");
    EXPECT_EQ(value_of(client().command({"CLIENT", "GETNAME"})).text(), "typed");
    EXPECT_EQ(value_of(client().select(3)), "OK");
    EXPECT_EQ(value_of(client().set("k", "in three")), "OK");
    EXPECT_EQ(value_of(client().select(0)), "OK");
    EXPECT_TRUE(client().get("k").is_missing());
    EXPECT_EQ(client().select(4711).status(), CallStatus::kServerError);
    EXPECT_EQ(client().select(4711).error(), "ERR DB index is out of range");
}

TEST_P(TypedCalls, Strings) {
    EXPECT_TRUE(client().get("s").is_missing());
    EXPECT_EQ(value_of(client().set("s", "one")), "OK");
    EXPECT_EQ(value_of(client().get("s")), "one");
    EXPECT_TRUE(
        client().set("s", "two", {.condition = SetOptions::Condition::kIfAbsent}).is_missing());
    EXPECT_EQ(value_of(client().set("s", "two", {.return_old = true})), "one");
    EXPECT_TRUE(
        client().set("absent", "x", {.condition = SetOptions::Condition::kIfPresent}).is_missing());
    EXPECT_EQ(value_of(client().set("s", "three", {.expire_after_ms = 100'000})), "OK");
    EXPECT_GT(value_of(client().pttl("s")), 50'000);
    EXPECT_EQ(value_of(client().set("s", "four", {.keep_expiry = true})), "OK");
    EXPECT_GT(value_of(client().pttl("s")), 50'000);
    EXPECT_EQ(value_of(client().append("s", "teen")), 8);
    EXPECT_EQ(value_of(client().str_len("s")), 8);
    EXPECT_EQ(value_of(client().get_del("s")), "fourteen");
    EXPECT_TRUE(client().get_del("s").is_missing());
    EXPECT_EQ(value_of(client().incr_by("n", 5)), 5);
    EXPECT_EQ(value_of(client().incr_by("n", -7)), -2);
    EXPECT_DOUBLE_EQ(value_of(client().incr_by_float("n", 0.5)), -1.5);
    EXPECT_EQ(client().incr_by("n", 1).error(), "ERR value is not an integer or out of range");

    const std::array<KeyValue, 2> pairs = {KeyValue{"a", "1"}, KeyValue{"b", ""}};
    EXPECT_EQ(value_of(client().mset(pairs)), "OK");
    const std::array<std::string_view, 3> keys = {"a", "none", "b"};
    const auto values = client().mget(keys);
    ASSERT_TRUE(values.ok()) << values.error();
    std::vector<std::optional<std::string_view>> list;
    for (const auto value : *values) {
        list.push_back(value);
    }
    EXPECT_EQ(list, (std::vector<std::optional<std::string_view>>{"1", std::nullopt, ""}));
}

TEST_P(TypedCalls, Keys) {
    ASSERT_TRUE(client().set("a", "1").ok());
    ASSERT_TRUE(client().set("b", "2").ok());
    const std::array<std::string_view, 3> keys = {"a", "b", "none"};

    EXPECT_EQ(value_of(client().exists(keys)), 2);
    EXPECT_EQ(value_of(client().exists("none")), 0);
    EXPECT_EQ(value_of(client().type("a")), "string");
    EXPECT_EQ(value_of(client().type("none")), "none");
    EXPECT_EQ(value_of(client().pttl("a")), -1);
    EXPECT_EQ(value_of(client().pttl("none")), -2);
    EXPECT_EQ(value_of(client().expire_ms("a", 100'000)), 1);
    EXPECT_EQ(value_of(client().expire_ms("a", 50'000, ExpireCondition::kIfGreater)), 0);
    EXPECT_EQ(value_of(client().expire_ms("a", 50'000, ExpireCondition::kIfLess)), 1);
    EXPECT_EQ(value_of(client().expire_ms("none", 1)), 0);
    EXPECT_EQ(value_of(client().persist("a")), 1);
    EXPECT_EQ(value_of(client().persist("a")), 0);
    EXPECT_EQ(value_of(client().del("a")), 1);
    EXPECT_EQ(value_of(client().unlink(keys)), 1);
}

TEST_P(TypedCalls, Hashes) {
    const std::array<FieldValue, 3> fields = {
        FieldValue{"f", "1"}, FieldValue{"g", "two"}, FieldValue{"h", ""}};
    EXPECT_EQ(value_of(client().hset("h", fields)), 3);
    EXPECT_EQ(value_of(client().hset("h", "f", "2")), 0);
    EXPECT_EQ(value_of(client().hget("h", "f")), "2");
    EXPECT_TRUE(client().hget("h", "none").is_missing());
    EXPECT_EQ(value_of(client().hincr_by("h", "f", 40)), 42);
    EXPECT_EQ(value_of(client().hlen("h")), 3);
    EXPECT_EQ(value_of(client().hexists("h", "g")), 1);

    const auto all = client().hgetall("h");
    ASSERT_TRUE(all.ok()) << all.error();
    EXPECT_EQ(all->size(), 3u);
    std::vector<std::pair<std::string, std::string>> list;
    for (const FieldValue one : *all) {
        list.emplace_back(one.field, one.value);
    }
    EXPECT_EQ(
        list,
        (std::vector<std::pair<std::string, std::string>>{{"f", "42"}, {"g", "two"}, {"h", ""}}));
    EXPECT_EQ(value_of(client().hgetall("none")).size(), 0u);

    const std::array<std::string_view, 2> names = {"g", "none"};
    const auto some = client().hmget("h", names);
    ASSERT_TRUE(some.ok()) << some.error();
    EXPECT_EQ(*some->begin(), "two");
    EXPECT_EQ(*++some->begin(), std::nullopt);
    EXPECT_EQ(value_of(client().hdel("h", names)), 1);
    EXPECT_EQ(client().get("h").status(), CallStatus::kServerError);
    EXPECT_EQ(client().get("h").error(),
              "WRONGTYPE Operation against a key holding the wrong kind of value");
}

TEST_P(TypedCalls, SortedSets) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::array<ScoredMember, 3> members = {
        ScoredMember{"a", 1}, ScoredMember{"b", 2.5}, ScoredMember{"c", kInfinity}};
    EXPECT_EQ(value_of(client().zadd("z", members)), 3);
    EXPECT_EQ(value_of(client().zadd("z", 3, "b")), 0);
    const ScoredMember greater{"b", 1};
    EXPECT_EQ(value_of(client().zadd(
                  "z", std::span(&greater, 1), {.if_greater = true, .count_changed = true})),
              0);
    EXPECT_DOUBLE_EQ(value_of(client().zscore("z", "b")), 3);
    EXPECT_EQ(value_of(client().zscore("z", "c")), kInfinity);
    EXPECT_TRUE(client().zscore("z", "none").is_missing());
    EXPECT_DOUBLE_EQ(value_of(client().zincr_by("z", 0.25, "b")), 3.25);
    EXPECT_EQ(value_of(client().zcard("z")), 3);
    EXPECT_EQ(value_of(client().zrank("z", "b")), 1);
    EXPECT_EQ(value_of(client().zrev_rank("z", "a")), 2);
    EXPECT_TRUE(client().zrank("z", "none").is_missing());
    EXPECT_EQ(value_of(client().zcount("z", {.min = 1, .max = 4, .is_min_exclusive = true})), 1);

    EXPECT_EQ(list_of(value_of(client().zrange("z", 0, -1))),
              (Scores{{"a", 0}, {"b", 0}, {"c", 0}}));
    EXPECT_EQ(list_of(value_of(client().zrange("z", 0, 1, {.reverse = true, .with_scores = true}))),
              (Scores{{"c", kInfinity}, {"b", 3.25}}));
    EXPECT_EQ(list_of(value_of(client().zrange("none", 0, -1, {.with_scores = true}))), Scores{});
    EXPECT_EQ(list_of(value_of(client().zrange_by_score(
                  "z", {.min = -kInfinity, .max = kInfinity, .offset = 1, .limit = 1}))),
              (Scores{{"b", 0}}));
    EXPECT_EQ(
        list_of(value_of(client().zrange_by_score("z",
                                                  {.min = 1, .max = 10, .is_min_exclusive = true},
                                                  {.reverse = true, .with_scores = true}))),
        (Scores{{"b", 3.25}}));
    EXPECT_EQ(list_of(value_of(client().zpop_max("z"))), (Scores{{"c", kInfinity}}));
    EXPECT_EQ(list_of(value_of(client().zpop_min("z", 5))), (Scores{{"a", 1}, {"b", 3.25}}));
    EXPECT_EQ(list_of(value_of(client().zpop_min("z", 5))), Scores{});
    const std::array<std::string_view, 1> gone = {"a"};
    EXPECT_EQ(value_of(client().zrem("z", gone)), 0);
}

TEST_P(TypedCalls, LargeValuesAndPipelines) {
    for (const std::size_t size : {1'000u, 100'000u, 1'000'000u, 20'000'000u}) {
        std::string value(size, 'v');
        value.front() = 'f';
        value.back() = 'b';
        ASSERT_EQ(value_of(client().set("large", value)), "OK");
        ASSERT_TRUE(value_of(client().get("large")) == value) << size;
    }
    constexpr int kCount = 3'000;
    const std::string value(3'000, 'p');
    {
        Pipeline pipeline = client().pipeline();
        for (int i = 0; i < kCount; ++i) {
            ASSERT_EQ(pipeline.set("p" + std::to_string(i % 100), value), CallStatus::kOk);
            ASSERT_EQ(pipeline.get("p" + std::to_string(i % 100)), CallStatus::kOk);
            ASSERT_EQ(pipeline.command({"NOSUCH"}), CallStatus::kOk);
        }
        for (int i = 0; i < kCount; ++i) {
            ASSERT_EQ(value_of(pipeline.next()).text(), "OK");
            ASSERT_EQ(value_of(pipeline.next()).text(), value);
            ASSERT_EQ(pipeline.next().status(), CallStatus::kServerError);
        }
    }
    EXPECT_EQ(value_of(client().ping()), "PONG");
}

TEST_P(TypedCalls, BlockingCommandsWait) {
    EXPECT_TRUE(value_of(client().command({"BZPOPMIN", "none", "0.05"})).is_null());
    EXPECT_EQ(value_of(client().ping()), "PONG");
}

INSTANTIATE_TEST_SUITE_P(Servers,
                         TypedCalls,
                         testing::Values(Variant{"ring_sbe", "ring", Protocol::kSbe},
                                         Variant{"ring_resp2", "ring", Protocol::kResp2},
                                         Variant{"ring_resp3", "ring", Protocol::kResp3},
                                         Variant{"unix_sbe", "unix", Protocol::kSbe},
                                         Variant{"unix_resp3", "unix", Protocol::kResp3},
                                         Variant{"tcp_sbe", "tcp", Protocol::kSbe},
                                         Variant{"tcp_resp2", "tcp", Protocol::kResp2},
                                         Variant{"redis_resp2", "redis", Protocol::kResp2},
                                         Variant{"redis_resp3", "redis", Protocol::kResp3}),
                         [](const testing::TestParamInfo<Variant>& one) {
                             return std::string(one.param.name);
                         });

}  // namespace
}  // namespace tern
