#include <limits>

#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Scored {
    double score;
    std::string_view member;
};

template <typename Stage>
auto with_keys(const Stage& stage, const Words& names) {
    return stage.keys(names.size(),
                      [&](auto& entry, std::size_t i) { return entry.key(names[i]); });
}
template <typename Encoder>
std::string key(std::string_view name) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name); });
}

std::string zadd(std::string_view name, ZAddFlags flags, const std::vector<Scored>& list) {
    return encode<ZAddRequestEncoder>([&](ZAddRequestEncoder& e) {
        return with_keys(e.flags(flags), {name})
            .members(list.size(), [&](auto& entry, std::size_t i) {
                return entry.score(list[i].score).member(list[i].member);
            });
    });
}
template <typename Encoder>
std::string members(std::string_view name, const Words& list) {
    return encode<Encoder>([&](Encoder& e) {
        return with_keys(e, {name}).members(
            list.size(), [&](auto& entry, std::size_t i) { return entry.member(list[i]); });
    });
}
template <typename Encoder>
std::string rank(std::string_view name, std::string_view member, bool with_score) {
    return encode<Encoder>([&](Encoder& e) {
        return e.flags(RankFlags{}.with_scores(with_score)).key(name).member(member);
    });
}
template <typename Encoder>
std::string by_score(std::string_view name, double min, double max, RangeFlags flags) {
    return encode<Encoder>(
        [&](Encoder& e) { return e.min_score(min).max_score(max).flags(flags).key(name); });
}
template <typename Encoder>
std::string by_lex(std::string_view name, std::string_view min, std::string_view max) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name).min_lex(min).max_lex(max); });
}

/// The fields that ZRANGE and ZRANGESTORE share.
struct Range {
    RangeKind kind = RangeKind::kRank;
    RangeFlags flags{};
    std::int64_t start = 0;
    std::int64_t stop = 0;
    double min_score = 0;
    double max_score = 0;
    std::int64_t offset = 0;
    std::int64_t count = -1;
    std::string_view min_lex{};
    std::string_view max_lex{};
};
template <typename Encoder>
Encoder& with_range(Encoder& e, const Range& range) {
    e.start(range.start).stop(range.stop).min_score(range.min_score).max_score(range.max_score);
    return e.offset(range.offset).count(range.count).kind(range.kind).flags(range.flags);
}
std::string zrange(const Range& range) {
    return encode<ZRangeRequestEncoder>([&](ZRangeRequestEncoder& e) {
        return with_range(e, range).key("z").min_lex(range.min_lex).max_lex(range.max_lex);
    });
}
std::string zrangestore(const Range& range) {
    return encode<ZRangeStoreRequestEncoder>([&](ZRangeStoreRequestEncoder& e) {
        return with_range(e, range)
            .destination("stored")
            .key("z")
            .min_lex(range.min_lex)
            .max_lex(range.max_lex);
    });
}

template <typename Encoder>
std::string count_of(std::string_view name, std::int64_t count) {
    return encode<Encoder>([&](Encoder& e) { return e.count(count).key(name); });
}
template <typename Encoder>
std::string blocking_pop(const Words& names) {
    return encode<Encoder>([&](Encoder& e) { return with_keys(e.timeout_seconds(1.5), names); });
}
template <typename Encoder>
std::string random_pick(std::string_view name, std::int64_t count, RandomFlags flags) {
    return encode<Encoder>([&](Encoder& e) { return e.count(count).flags(flags).key(name); });
}

/// The group "keys" with weights.
template <typename Stage>
auto with_weights(const Stage& stage, const Words& names, const std::vector<double>& weights) {
    return stage.keys(names.size(), [&](auto& entry, std::size_t i) {
        return entry.weight(weights[i]).key(names[i]);
    });
}
template <typename Encoder>
std::string combined(Aggregate aggregate, bool with_scores, const std::vector<double>& weights) {
    return encode<Encoder>([&](Encoder& e) {
        e.aggregate(aggregate).flags(RankFlags{}.with_scores(with_scores));
        return with_weights(e, {"z", "y"}, weights);
    });
}
template <typename Stage>
auto with_destination(const Stage& stage) {
    return stage.destinations(
        1, [](auto& entry, std::size_t) { return entry.key(std::string_view("stored")); });
}
template <typename Encoder>
std::string combined_store(Aggregate aggregate, const std::vector<double>& weights) {
    return encode<Encoder>([&](Encoder& e) {
        return with_weights(with_destination(e.aggregate(aggregate)), {"z", "y"}, weights);
    });
}

std::vector<WireCase> member_cases() {
    return {
        {{"ZADD", "z", "1", "a", "2", "b", "3.5", "c", "-inf", "d"},
         zadd("z", {}, {{1, "a"}, {2, "b"}, {3.5, "c"}, {-kInfinity, "d"}})},
        {{"ZADD", "y", "10", "b", "20", "c", "30", "e"},
         zadd("y", {}, {{10, "b"}, {20, "c"}, {30, "e"}})},
        {{"ZADD", "s", "1", "a"}, zadd("s", {}, {{1, "a"}})},
        {{"ZADD", "z", "NX", "CH", "9", "a", "4", "f"},
         zadd("z", ZAddFlags{}.if_absent(true).count_changed(true), {{9, "a"}, {4, "f"}})},
        {{"ZADD", "z", "XX", "GT", "CH", "5", "f", "0", "a", "1", "q"},
         zadd("z",
              ZAddFlags{}.if_present(true).if_greater(true).count_changed(true),
              {{5, "f"}, {0, "a"}, {1, "q"}})},
        {{"ZADD", "z", "LT", "INCR", "1", "a"},
         zadd("z", ZAddFlags{}.if_less(true).increment(true), {{1, "a"}})},
        {{"ZADD", "z", "INCR", "0.25", "a"}, zadd("z", ZAddFlags{}.increment(true), {{0.25, "a"}})},
        {{"ZADD", "z", "INCR", "inf", "d"},
         zadd("z", ZAddFlags{}.increment(true), {{kInfinity, "d"}})},
        {{"ZINCRBY", "z", "0.5", "b"}, encode<ZIncrByRequestEncoder>([](ZIncrByRequestEncoder& e) {
             return e.increment(0.5).key("z").member("b");
         })},
        {{"ZCARD", "z"}, key<ZCardRequestEncoder>("z")},
        {{"ZSCORE", "z", "d"}, encode<ZScoreRequestEncoder>([](ZScoreRequestEncoder& e) {
             return e.key("z").member("d");
         })},
        {{"ZSCORE", "z", "q"}, encode<ZScoreRequestEncoder>([](ZScoreRequestEncoder& e) {
             return e.key("z").member("q");
         })},
        {{"ZMSCORE", "z", "a", "q"}, members<ZMScoreRequestEncoder>("z", {"a", "q"})},
        {{"ZRANK", "z", "a"}, rank<ZRankRequestEncoder>("z", "a", false)},
        {{"ZRANK", "z", "c", "WITHSCORE"}, rank<ZRankRequestEncoder>("z", "c", true)},
        {{"ZREVRANK", "z", "a", "WITHSCORE"}, rank<ZRevRankRequestEncoder>("z", "a", true)},
        {{"ZREVRANK", "z", "q", "WITHSCORE"}, rank<ZRevRankRequestEncoder>("z", "q", true)},
        {{"ZRANDMEMBER", "z"}, random_pick<ZRandMemberRequestEncoder>("z", 0, {})},
        {{"ZRANDMEMBER", "z", "-3", "WITHSCORES"},
         random_pick<ZRandMemberRequestEncoder>(
             "z", -3, RandomFlags{}.has_count(true).with_values(true))},
        {{"ZSCAN", "z", "0", "COUNT", "100", "MATCH", "*"},
         encode<ZScanRequestEncoder>(
             [](ZScanRequestEncoder& e) { return e.cursor(0).count(100).key("z").pattern("*"); })},
    };
}

std::vector<WireCase> range_cases() {
    const auto with_scores = RangeFlags{}.with_scores(true);
    return {
        {{"ZRANGE", "z", "0", "-1", "WITHSCORES"}, zrange({.flags = with_scores, .stop = -1})},
        {{"ZRANGE", "z", "0", "1", "REV"},
         zrange({.flags = RangeFlags{}.reverse(true), .stop = 1})},
        {{"ZRANGE", "z", "(1", "+inf", "BYSCORE", "LIMIT", "1", "2", "WITHSCORES"},
         zrange({.kind = RangeKind::kScore,
                 .flags = RangeFlags{}.min_exclusive(true).has_limit(true).with_scores(true),
                 .min_score = 1,
                 .max_score = kInfinity,
                 .offset = 1,
                 .count = 2})},
        {{"ZRANGE", "z", "[b", "(f", "BYLEX"},
         zrange({.kind = RangeKind::kLex, .min_lex = "[b", .max_lex = "(f"})},
        {{"ZRANGESTORE", "stored", "z", "3.5", "-inf", "BYSCORE", "REV"},
         zrangestore({.kind = RangeKind::kScore,
                      .flags = RangeFlags{}.reverse(true),
                      .min_score = -kInfinity,
                      .max_score = 3.5})},
        {{"ZCOUNT", "z", "1", "(5"},
         by_score<ZCountRequestEncoder>("z", 1, 5, RangeFlags{}.max_exclusive(true))},
        {{"ZLEXCOUNT", "z", "-", "[c"}, by_lex<ZLexCountRequestEncoder>("z", "-", "[c")},
        {{"ZREMRANGEBYRANK", "stored", "0", "0"},
         encode<ZRemRangeByRankRequestEncoder>(
             [](ZRemRangeByRankRequestEncoder& e) { return e.start(0).stop(0).key("stored"); })},
        {{"ZREMRANGEBYSCORE", "stored", "-inf", "1.25"},
         by_score<ZRemRangeByScoreRequestEncoder>("stored", -kInfinity, 1.25, {})},
        {{"ZREMRANGEBYLEX", "stored", "(b", "+"},
         by_lex<ZRemRangeByLexRequestEncoder>("stored", "(b", "+")},
    };
}

std::vector<WireCase> combination_cases() {
    return {
        {{"ZUNION", "2", "z", "y", "WITHSCORES"},
         combined<ZUnionRequestEncoder>(Aggregate::kSum, true, {1, 1})},
        {{"ZUNION", "2", "z", "y", "WEIGHTS", "2", "0.5", "AGGREGATE", "MAX"},
         combined<ZUnionRequestEncoder>(Aggregate::kMax, false, {2, 0.5})},
        {{"ZINTER", "2", "z", "y", "AGGREGATE", "MIN", "WITHSCORES"},
         combined<ZInterRequestEncoder>(Aggregate::kMin, true, {1, 1})},
        {{"ZDIFF", "2", "z", "y", "WITHSCORES"},
         encode<ZDiffRequestEncoder>([](ZDiffRequestEncoder& e) {
             return with_keys(e.flags(RankFlags{}.with_scores(true)), {"z", "y"});
         })},
        {{"ZDIFF", "2", "z", "s"}, encode<ZDiffRequestEncoder>([](ZDiffRequestEncoder& e) {
             return with_keys(e, {"z", "s"});
         })},
        {{"ZUNIONSTORE", "stored", "2", "z", "y", "WEIGHTS", "1", "-1"},
         combined_store<ZUnionStoreRequestEncoder>(Aggregate::kSum, {1, -1})},
        {{"ZINTERSTORE", "stored", "2", "z", "y", "AGGREGATE", "MAX"},
         combined_store<ZInterStoreRequestEncoder>(Aggregate::kMax, {1, 1})},
        {{"ZDIFFSTORE", "stored", "2", "z", "y"},
         encode<ZDiffStoreRequestEncoder>([](ZDiffStoreRequestEncoder& e) {
             return with_keys(with_destination(e), {"z", "y"});
         })},
        {{"ZINTERCARD", "2", "z", "y", "LIMIT", "1"},
         encode<ZInterCardRequestEncoder>([](ZInterCardRequestEncoder& e) {
             return with_keys(e.limit(1), {"z", "y"});
         })},
    };
}

std::vector<WireCase> pop_cases() {
    return {
        {{"ZPOPMIN", "z"}, count_of<ZPopMinRequestEncoder>("z", -1)},
        {{"ZPOPMAX", "z", "1"}, count_of<ZPopMaxRequestEncoder>("z", 1)},
        {{"ZPOPMAX", "none", "5"}, count_of<ZPopMaxRequestEncoder>("none", 5)},
        {{"ZMPOP", "2", "none", "y", "MAX", "COUNT", "2"},
         encode<ZMPopRequestEncoder>([](ZMPopRequestEncoder& e) {
             return with_keys(e.count(2).end(PopEnd::kMax), {"none", "y"});
         })},
        {{"ZMPOP", "1", "none", "MIN"}, encode<ZMPopRequestEncoder>([](ZMPopRequestEncoder& e) {
             return with_keys(e.count(1).end(PopEnd::kMin), {"none"});
         })},
        {{"BZPOPMIN", "none", "z", "1.5"}, blocking_pop<BZPopMinRequestEncoder>({"none", "z"})},
        {{"BZPOPMAX", "z", "1.5"}, blocking_pop<BZPopMaxRequestEncoder>({"z"})},
        {{"BZPOPMAX", "s", "1.5"}, blocking_pop<BZPopMaxRequestEncoder>({"s"})},
        {{"BZMPOP", "1.5", "2", "y", "stored", "MIN", "COUNT", "3"},
         encode<BZMPopRequestEncoder>([](BZMPopRequestEncoder& e) {
             e.timeout_seconds(1.5).count(3).end(PopEnd::kMin);
             return with_keys(e, {"y", "stored"});
         })},
        {{"ZREM", "stored", "a", "q"}, members<ZRemRequestEncoder>("stored", {"a", "q"})},
    };
}

}  // namespace

std::vector<WireCase> sorted_set_wire_cases() {
    std::vector<WireCase> all = member_cases();
    for (const auto& more : {range_cases(), combination_cases(), pop_cases()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace tern::test
