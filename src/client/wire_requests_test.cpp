#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <tern/client/client.hpp>
#include <tern/sbe/json.hpp>

#include "client/fake_server.hpp"
#include "tern_store_wire/all.hpp"

namespace tern {
namespace {

constexpr std::array<std::string_view, 2> kKeys = {"k", "l"};
constexpr std::array<FieldValue, 2> kFields = {FieldValue{"f", "v"}, FieldValue{"g", ""}};
constexpr std::array<ScoredMember, 2> kMembers = {ScoredMember{"a", 1.5}, ScoredMember{"b", -2}};
constexpr std::array<KeyValue, 2> kPairs = {KeyValue{"k", "v"}, KeyValue{"l", "w"}};

struct Case {
    std::string_view name;  ///< the message of the schema
    std::function<void(Client&)> call;
    std::string_view json;  ///< behind the correlation id; var data in hexadecimal
};

// Letters in hexadecimal: a 61, b 62, f 66, g 67, k 6b, l 6c, v 76, w 77.
const Case kCases[] = {
    {"PingRequest", [](Client& c) { (void)c.ping(); }, ""},
    {"EchoRequest", [](Client& c) { (void)c.echo("v"); }, R"(,"message":"76")"},
    {"SelectRequest", [](Client& c) { (void)c.select(3); }, R"(,"database":3)"},
    {"GetRequest", [](Client& c) { (void)c.get("k"); }, R"(,"key":"6b")"},
    {"SetRequest",
     [](Client& c) { (void)c.set("k", "v"); },
     R"(,"expiryMs":0,"expiryKind":"Clear","condition":"Always","flags":{"returnOld":false},)"
     R"("key":"6b","value":"76")"},
    {"SetRequest",
     [](Client& c) {
         (void)c.set("k",
                     "v",
                     {.condition = SetOptions::Condition::kIfPresent,
                      .expire_after_ms = 1500,
                      .return_old = true});
     },
     R"(,"expiryMs":1500,"expiryKind":"After","condition":"IfPresent","flags":{"returnOld":true},)"
     R"("key":"6b","value":"76")"},
    {"SetRequest",
     [](Client& c) {
         (void)c.set("k", "", {.condition = SetOptions::Condition::kIfAbsent, .keep_expiry = true});
     },
     R"(,"expiryMs":0,"expiryKind":"Keep","condition":"IfAbsent","flags":{"returnOld":false},)"
     R"("key":"6b","value":"")"},
    {"GetDelRequest", [](Client& c) { (void)c.get_del("k"); }, R"(,"key":"6b")"},
    {"AppendRequest", [](Client& c) { (void)c.append("k", "v"); }, R"(,"key":"6b","value":"76")"},
    {"StrLenRequest", [](Client& c) { (void)c.str_len("k"); }, R"(,"key":"6b")"},
    {"IncrByRequest", [](Client& c) { (void)c.incr_by("k", -7); }, R"(,"increment":-7,"key":"6b")"},
    {"IncrByFloatRequest",
     [](Client& c) { (void)c.incr_by_float("k", 2.5); },
     R"(,"increment":2.5,"key":"6b")"},
    {"MGetRequest",
     [](Client& c) { (void)c.mget(kKeys); },
     R"(,"keys":[{"key":"6b"},{"key":"6c"}])"},
    {"MSetRequest",
     [](Client& c) { (void)c.mset(kPairs); },
     R"(,"pairs":[{"key":"6b","value":"76"},{"key":"6c","value":"77"}])"},
    {"DelRequest", [](Client& c) { (void)c.del("k"); }, R"(,"keys":[{"key":"6b"}])"},
    {"UnlinkRequest",
     [](Client& c) { (void)c.unlink(kKeys); },
     R"(,"keys":[{"key":"6b"},{"key":"6c"}])"},
    {"ExistsRequest", [](Client& c) { (void)c.exists("k"); }, R"(,"keys":[{"key":"6b"}])"},
    {"PExpireRequest",
     [](Client& c) { (void)c.expire_ms("k", 9, ExpireCondition::kIfGreater); },
     R"(,"time":9,"condition":"IfGreater","key":"6b")"},
    {"PTtlRequest", [](Client& c) { (void)c.pttl("k"); }, R"(,"key":"6b")"},
    {"PersistRequest", [](Client& c) { (void)c.persist("k"); }, R"(,"key":"6b")"},
    {"TypeRequest", [](Client& c) { (void)c.type("k"); }, R"(,"key":"6b")"},
    {"HSetRequest",
     [](Client& c) { (void)c.hset("k", kFields); },
     R"(,"keys":[{"key":"6b"}],"fields":[{"field":"66","value":"76"},{"field":"67","value":""}])"},
    {"HGetRequest", [](Client& c) { (void)c.hget("k", "f"); }, R"(,"key":"6b","field":"66")"},
    {"HMGetRequest",
     [](Client& c) { (void)c.hmget("k", kKeys); },
     R"(,"keys":[{"key":"6b"}],"fields":[{"field":"6b"},{"field":"6c"}])"},
    {"HGetAllRequest", [](Client& c) { (void)c.hgetall("k"); }, R"(,"key":"6b")"},
    {"HDelRequest",
     [](Client& c) { (void)c.hdel("k", kKeys); },
     R"(,"keys":[{"key":"6b"}],"fields":[{"field":"6b"},{"field":"6c"}])"},
    {"HLenRequest", [](Client& c) { (void)c.hlen("k"); }, R"(,"key":"6b")"},
    {"HExistsRequest", [](Client& c) { (void)c.hexists("k", "f"); }, R"(,"key":"6b","field":"66")"},
    {"HIncrByRequest",
     [](Client& c) { (void)c.hincr_by("k", "f", 4); },
     R"(,"increment":4,"key":"6b","field":"66")"},
    {"ZAddRequest",
     [](Client& c) { (void)c.zadd("k", kMembers, {.if_present = true, .count_changed = true}); },
     R"(,"flags":{"ifAbsent":false,"ifPresent":true,"ifGreater":false,"ifLess":false,)"
     R"("countChanged":true,"increment":false},"keys":[{"key":"6b"}],)"
     R"("members":[{"score":1.5,"member":"61"},{"score":-2,"member":"62"}])"},
    {"ZIncrByRequest",
     [](Client& c) { (void)c.zincr_by("k", 0.5, "a"); },
     R"(,"increment":0.5,"key":"6b","member":"61")"},
    {"ZScoreRequest", [](Client& c) { (void)c.zscore("k", "a"); }, R"(,"key":"6b","member":"61")"},
    {"ZRankRequest",
     [](Client& c) { (void)c.zrank("k", "a"); },
     R"(,"flags":{"withScores":false},"key":"6b","member":"61")"},
    {"ZRevRankRequest",
     [](Client& c) { (void)c.zrev_rank("k", "a"); },
     R"(,"flags":{"withScores":false},"key":"6b","member":"61")"},
    {"ZCardRequest", [](Client& c) { (void)c.zcard("k"); }, R"(,"key":"6b")"},
    {"ZCountRequest",
     [](Client& c) { (void)c.zcount("k", {.min = 1, .max = 2, .is_max_exclusive = true}); },
     R"(,"minScore":1,"maxScore":2,"flags":{"reverse":false,"withScores":false,)"
     R"("minExclusive":false,"maxExclusive":true,"hasLimit":false},"key":"6b")"},
    {"ZRangeRequest",
     [](Client& c) { (void)c.zrange("k", 1, -1, {.reverse = true, .with_scores = true}); },
     R"(,"start":1,"stop":-1,"minScore":0,"maxScore":0,"offset":0,"count":-1,"kind":"Rank",)"
     R"("flags":{"reverse":true,"withScores":true,"minExclusive":false,"maxExclusive":false,)"
     R"("hasLimit":false},"key":"6b","minLex":"","maxLex":"")"},
    {"ZRangeRequest",
     [](Client& c) {
         (void)c.zrange_by_score(
             "k", {.min = 1, .max = 2, .is_min_exclusive = true, .offset = 3, .limit = 4});
     },
     R"(,"start":0,"stop":0,"minScore":1,"maxScore":2,"offset":3,"count":4,"kind":"Score",)"
     R"("flags":{"reverse":false,"withScores":false,"minExclusive":true,"maxExclusive":false,)"
     R"("hasLimit":true},"key":"6b","minLex":"","maxLex":"")"},
    {"ZRemRequest",
     [](Client& c) { (void)c.zrem("k", kKeys); },
     R"(,"keys":[{"key":"6b"}],"members":[{"member":"6b"},{"member":"6c"}])"},
    {"ZPopMinRequest", [](Client& c) { (void)c.zpop_min("k", 2); }, R"(,"count":2,"key":"6b")"},
    {"ZPopMaxRequest", [](Client& c) { (void)c.zpop_max("k"); }, R"(,"count":1,"key":"6b")"},
    {"CommandRequest",
     [](Client& c) {
         (void)c.command({"k", "l"});
     },
     R"(,"arguments":[{"value":"6b"},{"value":"6c"}])"},
};

// The client writes its requests by hand, front to back; the generated codecs read them.
TEST(WireRequests, AreWhatTheGeneratedCodecsRead) {
    std::string last_message;
    test::FakeServer server("unix:/tmp/tern-wire-test-" + std::to_string(::getpid()) + ".sock",
                            [&](const test::FakeServer::Request& request) {
                                last_message = request.message;
                                return test::FakeServer::Action{};
                            });
    Result<Client> client = Client::connect(
        {.endpoint = server.endpoint(), .protocol = Protocol::kSbe, .wait = Wait::kBlock});
    ASSERT_TRUE(client.ok()) << client.error().message;
    std::uint64_t id = 1;  // the Logon
    for (const Case& one : kCases) {
        one.call(*client);

        std::string json;
        std::string_view name;
        const sbe::DecodeStatus status =
            wire::dispatch(as_bytes(last_message), [&](const auto& view) {
                name = std::decay_t<decltype(view)>::kName;
                sbe::to_json(view, json);
            });
        ASSERT_EQ(status, sbe::DecodeStatus::kOk) << one.name;
        EXPECT_EQ(name, one.name);
        EXPECT_EQ(json, "{\"correlationId\":" + std::to_string(++id) + std::string(one.json) + "}");
    }
}

TEST(WireRequests, LogonCarriesTheOptions) {
    std::string first_message;
    test::FakeServer server("unix:/tmp/tern-logon-test-" + std::to_string(::getpid()) + ".sock",
                            [&](const test::FakeServer::Request& request) {
                                if (first_message.empty()) {
                                    first_message = request.message;
                                }
                                return test::FakeServer::Action{};
                            });
    Result<Client> client = Client::connect({.endpoint = server.endpoint(),
                                             .protocol = Protocol::kSbe,
                                             .user = "a",
                                             .password = "b",
                                             .client_name = "f",
                                             .database = 7});
    ASSERT_TRUE(client.ok()) << client.error().message;

    std::string json;
    static_cast<void>(wire::dispatch(as_bytes(first_message),
                                     [&](const auto& view) { sbe::to_json(view, json); }));

    EXPECT_EQ(json,
              R"({"correlationId":1,"schemaVersion":2,"database":7,"user":"61","password":"62",)"
              R"("clientName":"66"})");
    EXPECT_EQ(client->instance_id(), 77u);
}

}  // namespace
}  // namespace tern
