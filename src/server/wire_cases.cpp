#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema, a hundred of them

// Requests whose parts are the same in many messages.

template <typename Encoder>
std::string key(std::string_view name) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name); });
}
template <typename Encoder>
std::string key_value(std::string_view name, std::string_view value) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name).value(value); });
}
template <typename Encoder>
std::string key_field(std::string_view name, std::string_view field) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name).field(field); });
}
template <typename Encoder>
std::string key_member(std::string_view name, std::string_view member) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name).member(member); });
}

/// Fills the group "keys" of a stage.
template <typename Stage>
auto with_keys(const Stage& stage, const Words& names) {
    return stage.keys(names.size(),
                      [&](auto& entry, std::size_t i) { return entry.key(names[i]); });
}
template <typename Encoder>
std::string keys(const Words& names) {
    return encode<Encoder>([&](Encoder& e) { return with_keys(e, names); });
}
template <typename Encoder>
std::string fields(std::string_view name, const Words& list) {
    return encode<Encoder>([&](Encoder& e) {
        return with_keys(e, {name}).fields(
            list.size(), [&](auto& entry, std::size_t i) { return entry.field(list[i]); });
    });
}
template <typename Encoder>
std::string members(std::string_view name, const Words& list) {
    return encode<Encoder>([&](Encoder& e) {
        return with_keys(e, {name}).members(
            list.size(), [&](auto& entry, std::size_t i) { return entry.member(list[i]); });
    });
}
/// Fields and values in turn.
template <typename Encoder>
std::string field_values(std::string_view name, const Words& list) {
    return encode<Encoder>([&](Encoder& e) {
        return with_keys(e, {name}).fields(list.size() / 2, [&](auto& entry, std::size_t i) {
            return entry.field(list[2 * i]).value(list[2 * i + 1]);
        });
    });
}
template <typename Encoder>
std::string pairs(const Words& list) {
    return encode<Encoder>([&](Encoder& e) {
        return e.pairs(list.size() / 2, [&](auto& entry, std::size_t i) {
            return entry.key(list[2 * i]).value(list[2 * i + 1]);
        });
    });
}

std::string set_request(std::string_view name,
                        std::string_view value,
                        ExpiryKind kind = ExpiryKind::kClear,
                        std::int64_t expiry_ms = 0,
                        SetCondition condition = SetCondition::kAlways,
                        bool returns_old = false) {
    return encode<SetRequestEncoder>([&](SetRequestEncoder& e) {
        e.expiry_ms(expiry_ms).expiry_kind(kind).condition(condition);
        return e.flags(SetFlags{}.return_old(returns_old)).key(name).value(value);
    });
}
std::string getex_request(std::string_view name, ExpiryKind kind, std::int64_t expiry_ms) {
    return encode<GetExRequestEncoder>(
        [&](GetExRequestEncoder& e) { return e.expiry_ms(expiry_ms).expiry_kind(kind).key(name); });
}
template <typename Encoder>
std::string range_of_text(std::string_view name, std::int64_t start, std::int64_t end) {
    return encode<Encoder>([&](Encoder& e) { return e.start(start).end(end).key(name); });
}
std::string lcs_request(LcsFlags flags, std::int64_t min_length) {
    return encode<LcsRequestEncoder>([&](LcsRequestEncoder& e) {
        return e.min_match_length(min_length).flags(flags).key("s").other_key("t");
    });
}
template <typename Encoder>
std::string expire(std::string_view name,
                   std::int64_t time,
                   ExpireCondition condition = ExpireCondition::kAlways) {
    return encode<Encoder>([&](Encoder& e) { return e.time(time).condition(condition).key(name); });
}
template <typename Encoder>
std::string random_pick(std::string_view name, std::int64_t count, RandomFlags flags) {
    return encode<Encoder>([&](Encoder& e) { return e.count(count).flags(flags).key(name); });
}
template <typename Encoder>
std::string scan_of_key(std::string_view name, std::string_view pattern) {
    return encode<Encoder>(
        [&](Encoder& e) { return e.cursor(0).count(100).key(name).pattern(pattern); });
}

}  // namespace

std::vector<WireCase> string_wire_cases() {
    using Kind = ExpiryKind;
    return {
        {{"PING"}, encode<PingRequestEncoder>([](PingRequestEncoder& e) { return e; })},
        {{"ECHO", "hi"},
         encode<EchoRequestEncoder>([](EchoRequestEncoder& e) { return e.message("hi"); })},
        {{"SELECT", "3"},
         encode<SelectRequestEncoder>([](SelectRequestEncoder& e) { return e.database(3); })},
        {{"SELECT", "16"},
         encode<SelectRequestEncoder>([](SelectRequestEncoder& e) { return e.database(16); })},
        {{"SET", "s", "hello"}, set_request("s", "hello")},
        {{"SET", "s", "other", "NX"},
         set_request("s", "other", Kind::kClear, 0, SetCondition::kIfAbsent)},
        {{"SET", "none", "other", "XX"},
         set_request("none", "other", Kind::kClear, 0, SetCondition::kIfPresent)},
        {{"SET", "s", "hallo", "GET", "PX", "5000"},
         set_request("s", "hallo", Kind::kAfter, 5000, SetCondition::kAlways, true)},
        {{"SET", "s", "hello", "KEEPTTL"}, set_request("s", "hello", Kind::kKeep)},
        {{"SET", "s", "hello", "PXAT", "1800000000000"},
         set_request("s", "hello", Kind::kAt, 1'800'000'000'000)},
        {{"SET", "s", "hello", "PX", "0"}, set_request("s", "hello", Kind::kAfter, 0)},
        {{"GET", "s"}, key<GetRequestEncoder>("s")},
        {{"GET", "none"}, key<GetRequestEncoder>("none")},
        {{"GETEX", "s"}, getex_request("s", Kind::kKeep, 0)},
        {{"GETEX", "s", "PX", "9000"}, getex_request("s", Kind::kAfter, 9000)},
        {{"PTTL", "s"}, key<PTtlRequestEncoder>("s")},
        {{"GETEX", "s", "PERSIST"}, getex_request("s", Kind::kPersist, 0)},
        {{"GETSET", "g", "one"}, key_value<GetSetRequestEncoder>("g", "one")},
        {{"GETSET", "g", "two"}, key_value<GetSetRequestEncoder>("g", "two")},
        {{"GETDEL", "g"}, key<GetDelRequestEncoder>("g")},
        {{"SETNX", "g", "x"}, key_value<SetNxRequestEncoder>("g", "x")},
        {{"SETNX", "g", "y"}, key_value<SetNxRequestEncoder>("g", "y")},
        {{"APPEND", "g", "yz"}, key_value<AppendRequestEncoder>("g", "yz")},
        {{"STRLEN", "g"}, key<StrLenRequestEncoder>("g")},
        {{"GETRANGE", "s", "1", "-2"}, range_of_text<GetRangeRequestEncoder>("s", 1, -2)},
        {{"SUBSTR", "s", "-3", "-1"}, range_of_text<SubStrRequestEncoder>("s", -3, -1)},
        {{"SETRANGE", "g", "5", "end"},
         encode<SetRangeRequestEncoder>(
             [](SetRangeRequestEncoder& e) { return e.offset(5).key("g").value("end"); })},
        {{"SETRANGE", "g", "-1", "end"},
         encode<SetRangeRequestEncoder>(
             [](SetRangeRequestEncoder& e) { return e.offset(-1).key("g").value("end"); })},
        {{"INCR", "n"}, key<IncrRequestEncoder>("n")},
        {{"INCR", "s"}, key<IncrRequestEncoder>("s")},
        {{"DECR", "n"}, key<DecrRequestEncoder>("n")},
        {{"INCRBY", "n", "-42"}, encode<IncrByRequestEncoder>([](IncrByRequestEncoder& e) {
             return e.increment(-42).key("n");
         })},
        {{"DECRBY", "n", "-9223372036854775808"},
         encode<DecrByRequestEncoder>(
             [](DecrByRequestEncoder& e) { return e.decrement(INT64_MIN).key("n"); })},
        {{"DECRBY", "n", "8"}, encode<DecrByRequestEncoder>([](DecrByRequestEncoder& e) {
             return e.decrement(8).key("n");
         })},
        {{"INCRBYFLOAT", "n", "0.5"},
         encode<IncrByFloatRequestEncoder>(
             [](IncrByFloatRequestEncoder& e) { return e.increment(0.5).key("n"); })},
        {{"MSET", "t", "yellow", "u", ""}, pairs<MSetRequestEncoder>({"t", "yellow", "u", ""})},
        {{"MSETNX", "v", "1", "t", "2"}, pairs<MSetNxRequestEncoder>({"v", "1", "t", "2"})},
        {{"MSETNX", "v", "1", "w", "2"}, pairs<MSetNxRequestEncoder>({"v", "1", "w", "2"})},
        {{"MGET", "s", "none", "u"}, keys<MGetRequestEncoder>({"s", "none", "u"})},
        {{"SETEX", "v", "10", "x"}, encode<SetExRequestEncoder>([](SetExRequestEncoder& e) {
             return e.expiry_seconds(10).key("v").value("x");
         })},
        {{"SETEX", "v", "0", "x"}, encode<SetExRequestEncoder>([](SetExRequestEncoder& e) {
             return e.expiry_seconds(0).key("v").value("x");
         })},
        {{"PSETEX", "v", "1500", "x"}, encode<PSetExRequestEncoder>([](PSetExRequestEncoder& e) {
             return e.expiry_ms(1500).key("v").value("x");
         })},
        {{"LCS", "s", "t"}, lcs_request({}, 0)},
        {{"LCS", "s", "t", "LEN"}, lcs_request(LcsFlags{}.length_only(true), 0)},
        {{"LCS", "s", "t", "IDX", "MINMATCHLEN", "2", "WITHMATCHLEN"},
         lcs_request(LcsFlags{}.matches(true).match_lengths(true), 2)},
    };
}

std::vector<WireCase> key_wire_cases() {
    return {
        {{"EXISTS", "s", "s", "none"}, keys<ExistsRequestEncoder>({"s", "s", "none"})},
        {{"TOUCH", "s", "none"}, keys<TouchRequestEncoder>({"s", "none"})},
        {{"EXPIRE", "s", "100"}, expire<ExpireRequestEncoder>("s", 100)},
        {{"EXPIRE", "s", "50", "GT"},
         expire<ExpireRequestEncoder>("s", 50, ExpireCondition::kIfGreater)},
        {{"EXPIRE", "s", "9223372036854775807"}, expire<ExpireRequestEncoder>("s", INT64_MAX)},
        {{"PEXPIRE", "s", "90000", "XX"},
         expire<PExpireRequestEncoder>("s", 90000, ExpireCondition::kIfAny)},
        {{"TTL", "s"}, key<TtlRequestEncoder>("s")},
        {{"EXPIREAT", "s", "1900000000", "NX"},
         expire<ExpireAtRequestEncoder>("s", 1'900'000'000, ExpireCondition::kIfNone)},
        {{"PEXPIREAT", "s", "1700000050000", "LT"},
         expire<PExpireAtRequestEncoder>("s", 1'700'000'050'000, ExpireCondition::kIfLess)},
        {{"EXPIRETIME", "s"}, key<ExpireTimeRequestEncoder>("s")},
        {{"PEXPIRETIME", "s"}, key<PExpireTimeRequestEncoder>("s")},
        {{"PERSIST", "s"}, key<PersistRequestEncoder>("s")},
        {{"TTL", "s"}, key<TtlRequestEncoder>("s")},
        {{"TTL", "none"}, key<TtlRequestEncoder>("none")},
        {{"TYPE", "s"}, key<TypeRequestEncoder>("s")},
        {{"TYPE", "none"}, key<TypeRequestEncoder>("none")},
        {{"COPY", "s", "copied", "DB", "5"}, encode<CopyRequestEncoder>([](CopyRequestEncoder& e) {
             return e.database(5).key("s").destination("copied");
         })},
        {{"COPY", "s", "t", "REPLACE"}, encode<CopyRequestEncoder>([](CopyRequestEncoder& e) {
             return e.database(-1).flags(CopyFlags{}.replace(true)).key("s").destination("t");
         })},
        {{"COPY", "s", "s"}, encode<CopyRequestEncoder>([](CopyRequestEncoder& e) {
             return e.database(-1).key("s").destination("s");
         })},
        {{"MOVE", "t", "4"},
         encode<MoveRequestEncoder>([](MoveRequestEncoder& e) { return e.database(4).key("t"); })},
        {{"MOVE", "s", "99"},
         encode<MoveRequestEncoder>([](MoveRequestEncoder& e) { return e.database(99).key("s"); })},
        {{"RENAME", "v", "v2"}, encode<RenameRequestEncoder>([](RenameRequestEncoder& e) {
             return e.key("v").new_key("v2");
         })},
        {{"RENAME", "none", "v2"}, encode<RenameRequestEncoder>([](RenameRequestEncoder& e) {
             return e.key("none").new_key("v2");
         })},
        {{"RENAMENX", "v2", "s"}, encode<RenameNxRequestEncoder>([](RenameNxRequestEncoder& e) {
             return e.key("v2").new_key("s");
         })},
        {{"OBJECT", "ENCODING", "n"}, key<ObjectEncodingRequestEncoder>("n")},
        {{"OBJECT", "FREQ", "n"}, key<ObjectFreqRequestEncoder>("n")},
        {{"OBJECT", "IDLETIME", "n"}, key<ObjectIdleTimeRequestEncoder>("n")},
        {{"OBJECT", "REFCOUNT", "n"}, key<ObjectRefCountRequestEncoder>("n")},
        {{"KEYS", "[s-w]*"},
         encode<KeysRequestEncoder>([](KeysRequestEncoder& e) { return e.pattern("[s-w]*"); })},
        {{"SCAN", "0", "MATCH", "?", "COUNT", "1000", "TYPE", "string"},
         encode<ScanRequestEncoder>([](ScanRequestEncoder& e) {
             return e.cursor(0).count(1000).pattern("?").type("string");
         })},
        {{"SCAN", "0"}, encode<ScanRequestEncoder>([](ScanRequestEncoder& e) {
             return e.cursor(0).count(0).pattern(std::string_view{}).type(std::string_view{});
         })},
        {{"RANDOMKEY"},
         encode<RandomKeyRequestEncoder>([](RandomKeyRequestEncoder& e) { return e; })},
        {{"DEL", "g", "none", "u"}, keys<DelRequestEncoder>({"g", "none", "u"})},
        {{"UNLINK", "w", "w"}, keys<UnlinkRequestEncoder>({"w", "w"})},
    };
}

std::vector<WireCase> hash_wire_cases() {
    const auto counted = RandomFlags{}.has_count(true);
    return {
        {{"HSET", "h", "a", "1", "b", "x"},
         field_values<HSetRequestEncoder>("h", {"a", "1", "b", "x"})},
        {{"HSET", "s", "a", "1"}, field_values<HSetRequestEncoder>("s", {"a", "1"})},
        {{"HMSET", "h", "c", "", "b", "y"},
         field_values<HMSetRequestEncoder>("h", {"c", "", "b", "y"})},
        {{"HSETNX", "h", "a", "2"}, encode<HSetNxRequestEncoder>([](HSetNxRequestEncoder& e) {
             return e.key("h").field("a").value("2");
         })},
        {{"HGET", "h", "b"}, key_field<HGetRequestEncoder>("h", "b")},
        {{"HGET", "none", "b"}, key_field<HGetRequestEncoder>("none", "b")},
        {{"HMGET", "h", "a", "q", "c"}, fields<HMGetRequestEncoder>("h", {"a", "q", "c"})},
        {{"HGETALL", "h"}, key<HGetAllRequestEncoder>("h")},
        {{"HGETALL", "none"}, key<HGetAllRequestEncoder>("none")},
        {{"HKEYS", "h"}, key<HKeysRequestEncoder>("h")},
        {{"HVALS", "h"}, key<HValsRequestEncoder>("h")},
        {{"HLEN", "h"}, key<HLenRequestEncoder>("h")},
        {{"HLEN", "s"}, key<HLenRequestEncoder>("s")},
        {{"HEXISTS", "h", "a"}, key_field<HExistsRequestEncoder>("h", "a")},
        {{"HSTRLEN", "h", "a"}, key_field<HStrLenRequestEncoder>("h", "a")},
        {{"HINCRBY", "h", "a", "41"}, encode<HIncrByRequestEncoder>([](HIncrByRequestEncoder& e) {
             return e.increment(41).key("h").field("a");
         })},
        {{"HINCRBY", "h", "b", "1"}, encode<HIncrByRequestEncoder>([](HIncrByRequestEncoder& e) {
             return e.increment(1).key("h").field("b");
         })},
        {{"HINCRBYFLOAT", "h", "a", "-0.25"},
         encode<HIncrByFloatRequestEncoder>(
             [](HIncrByFloatRequestEncoder& e) { return e.increment(-0.25).key("h").field("a"); })},
        {{"HRANDFIELD", "h"}, random_pick<HRandFieldRequestEncoder>("h", 0, {})},
        {{"HRANDFIELD", "h", "5", "WITHVALUES"},
         random_pick<HRandFieldRequestEncoder>("h", 5, RandomFlags{counted}.with_values(true))},
        {{"HRANDFIELD", "h", "-4"}, random_pick<HRandFieldRequestEncoder>("h", -4, counted)},
        {{"HRANDFIELD", "none", "2"}, random_pick<HRandFieldRequestEncoder>("none", 2, counted)},
        {{"HSCAN", "h", "0", "COUNT", "100", "MATCH", "[ab]"},
         scan_of_key<HScanRequestEncoder>("h", "[ab]")},
        {{"HDEL", "h", "c", "q"}, fields<HDelRequestEncoder>("h", {"c", "q"})},
    };
}

std::vector<WireCase> all_wire_cases() {
    std::vector<WireCase> all = string_wire_cases();
    for (const auto& more : {key_wire_cases(),
                             hash_wire_cases(),
                             set_wire_cases(),
                             sorted_set_wire_cases(),
                             bitmap_wire_cases(),
                             hyperloglog_wire_cases(),
                             payload_wire_cases(),
                             session_wire_cases(),
                             pubsub_wire_cases(),
                             script_wire_cases(),
                             stream_wire_cases(),
                             sort_wire_cases(),
                             list_wire_cases()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace tern::test
