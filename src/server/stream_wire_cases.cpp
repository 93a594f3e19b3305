#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

struct Id {
    std::uint64_t ms = 0;
    std::uint64_t sequence = 0;
};
constexpr Id kIdMax{UINT64_MAX, UINT64_MAX};
using Ids = std::vector<Id>;

template <typename Stage>
auto with_key(const Stage& stage, std::string_view name) {
    return stage.keys(1, [&](auto& entry, std::size_t) { return entry.key(name); });
}
template <typename Stage>
auto with_ids(const Stage& stage, const Ids& ids) {
    return stage.ids(ids.size(), [&](auto& entry, std::size_t i) {
        return entry.ms(ids[i].ms).sequence(ids[i].sequence);
    });
}

struct TrimOf {
    TrimKind kind = TrimKind::kNone;
    std::uint64_t length = 0;
    Id id_min{};
    std::int64_t limit = -1;
};
template <typename Encoder>
Encoder& with_trim(Encoder& e, const TrimOf& trim) {
    return e.trim(trim.kind)
        .trim_length(trim.length)
        .trim_ms(trim.id_min.ms)
        .trim_sequence(trim.id_min.sequence)
        .trim_limit(trim.limit);
}

std::string xadd(std::string_view name,
                 EntryIdKind kind,
                 Id id,
                 const Words& fields,
                 const TrimOf& trim = {},
                 XAddFlags flags = {}) {
    return encode<XAddRequestEncoder>([&](XAddRequestEncoder& e) {
        with_trim(e.id_kind(kind).ms(id.ms).sequence(id.sequence), trim).flags(flags);
        return with_key(e, name).fields(fields.size() / 2, [&](auto& entry, std::size_t i) {
            return entry.field(fields[2 * i]).value(fields[2 * i + 1]);
        });
    });
}
std::string xtrim(std::string_view name, const TrimOf& trim, bool is_approximate) {
    return encode<XTrimRequestEncoder>([&](XTrimRequestEncoder& e) {
        return with_trim(e, trim).flags(XTrimFlags{}.approximate(is_approximate)).key(name);
    });
}
template <typename Encoder>
std::string range(std::string_view name, Id start, Id end, std::int64_t count) {
    return encode<Encoder>([&](Encoder& e) {
        return e.start_ms(start.ms)
            .start_sequence(start.sequence)
            .end_ms(end.ms)
            .end_sequence(end.sequence)
            .count(count)
            .key(name);
    });
}
template <typename Encoder>
std::string only_key(std::string_view name) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name); });
}
template <typename Encoder>
std::string with_group(std::string_view name, std::string_view group) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name).group(group); });
}
template <typename Encoder>
std::string with_consumer(std::string_view name,
                          std::string_view group,
                          std::string_view consumer) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name).group(group).consumer(consumer); });
}

struct ReadOf {
    ReadFrom from = ReadFrom::kAfter;
    Id id{};
    std::string_view key;
};
template <typename Encoder>
auto with_sources(Encoder& e, std::int64_t count, const std::vector<ReadOf>& sources) {
    return e.count(count).block_ms(-1).keys(sources.size(), [&](auto& entry, std::size_t i) {
        const ReadOf& source = sources[i];
        return entry.from(source.from)
            .ms(source.id.ms)
            .sequence(source.id.sequence)
            .key(source.key);
    });
}
std::string xread(std::int64_t count, const std::vector<ReadOf>& sources) {
    return encode<XReadRequestEncoder>(
        [&](XReadRequestEncoder& e) { return with_sources(e, count, sources); });
}
std::string xreadgroup(std::string_view group,
                       std::string_view consumer,
                       std::int64_t count,
                       const std::vector<ReadOf>& sources,
                       bool no_ack = false) {
    return encode<XReadGroupRequestEncoder>([&](XReadGroupRequestEncoder& e) {
        e.flags(XReadGroupFlags{}.no_ack(no_ack));
        return with_sources(e, count, sources).group(group).consumer(consumer);
    });
}
template <typename Encoder>
std::string group_start(std::string_view name,
                        std::string_view group,
                        GroupStart start,
                        Id id,
                        std::int64_t entries_read,
                        bool makes_stream = false) {
    return encode<Encoder>([&](Encoder& e) {
        e.start(start).ms(id.ms).sequence(id.sequence).entries_read(entries_read);
        if constexpr (requires { e.flags(XGroupFlags{}); }) {
            e.flags(XGroupFlags{}.make_stream(makes_stream));
        }
        return e.key(name).group(group);
    });
}

struct PendingOf {
    std::int64_t idle_ms_min = 0;
    Id start{};
    Id end = kIdMax;
    std::int64_t count = 0;
    bool has_range = false;
    std::string_view consumer{};
};
std::string xpending(std::string_view name, std::string_view group, const PendingOf& of) {
    return encode<XPendingRequestEncoder>([&](XPendingRequestEncoder& e) {
        return e.flags(XPendingFlags{}.has_range(of.has_range).has_consumer(!of.consumer.empty()))
            .min_idle_ms(of.idle_ms_min)
            .start_ms(of.start.ms)
            .start_sequence(of.start.sequence)
            .end_ms(of.end.ms)
            .end_sequence(of.end.sequence)
            .count(of.count)
            .key(name)
            .group(group)
            .consumer(of.consumer);
    });
}

struct ClaimOf {
    ClaimTime time = ClaimTime::kNow;
    std::int64_t time_ms = 0;
    std::int64_t retry_count = -1;
    Id last{};
    XClaimFlags flags{};
};
std::string xclaim(std::string_view consumer, const Ids& ids, const ClaimOf& of) {
    return encode<XClaimRequestEncoder>([&](XClaimRequestEncoder& e) {
        e.min_idle_ms(0)
            .time(of.time)
            .time_ms(of.time_ms)
            .retry_count(of.retry_count)
            .last_ms(of.last.ms)
            .last_sequence(of.last.sequence)
            .flags(of.flags);
        return with_ids(with_key(e, "x"), ids).group("g").consumer(consumer);
    });
}
std::string xautoclaim(std::string_view consumer, Id start, std::int64_t count, bool just_id) {
    return encode<XAutoClaimRequestEncoder>([&](XAutoClaimRequestEncoder& e) {
        return e.min_idle_ms(0)
            .start_ms(start.ms)
            .start_sequence(start.sequence)
            .count(count)
            .flags(XClaimFlags{}.just_id(just_id))
            .key("x")
            .group("g")
            .consumer(consumer);
    });
}

std::vector<WireCase> entry_cases() {
    const auto no_create = XAddFlags{}.no_create(true);
    return {
        {{"XADD", "x", "1-1", "f", "v"}, xadd("x", EntryIdKind::kGiven, {1, 1}, {"f", "v"})},
        {{"XADD", "x", "1-1", "f", "v"}, xadd("x", EntryIdKind::kGiven, {1, 1}, {"f", "v"})},
        {{"XADD", "x", "0-0", "f", "v"}, xadd("x", EntryIdKind::kGiven, {}, {"f", "v"})},
        {{"XADD", "x", "1-*", "f", "w", "n", "17"},
         xadd("x", EntryIdKind::kAutoSequence, {1, 0}, {"f", "w", "n", "17"})},
        {{"XADD", "x", "*", "f", "x"}, xadd("x", EntryIdKind::kAuto, {}, {"f", "x"})},
        {{"XADD", "none", "NOMKSTREAM", "*", "f", "x"},
         xadd("none", EntryIdKind::kAuto, {}, {"f", "x"}, {}, no_create)},
        {{"XADD", "s", "*", "f", "x"}, xadd("s", EntryIdKind::kAuto, {}, {"f", "x"})},
        {{"XADD", "x", "MAXLEN", "10", "*", "f", "y"},
         xadd("x",
              EntryIdKind::kAuto,
              {},
              {"f", "y"},
              {.kind = TrimKind::kMaxLength, .length = 10})},
        {{"XLEN", "x"}, only_key<XLenRequestEncoder>("x")},
        {{"XRANGE", "x", "-", "+"}, range<XRangeRequestEncoder>("x", {}, kIdMax, -1)},
        {{"XRANGE", "x", "1-2", "1", "COUNT", "1"},
         range<XRangeRequestEncoder>("x", {1, 2}, {1, UINT64_MAX}, 1)},
        {{"XREVRANGE", "x", "+", "-", "COUNT", "2"},
         range<XRevRangeRequestEncoder>("x", {}, kIdMax, 2)},
        {{"XREAD", "COUNT", "2", "STREAMS", "none", "x", "0", "1-1"},
         xread(2, {{.key = "none"}, {.id = {1, 1}, .key = "x"}})},
        {{"XREAD", "STREAMS", "x", "$"}, xread(0, {{.from = ReadFrom::kNewest, .key = "x"}})},
        {{"XDEL", "x", "1-2", "9-9"}, encode<XDelRequestEncoder>([](XDelRequestEncoder& e) {
             return with_ids(with_key(e, "x"), {{1, 2}, {9, 9}});
         })},
        {{"XTRIM", "x", "MINID", "~", "1", "LIMIT", "5"},
         xtrim("x", {.kind = TrimKind::kMinId, .id_min = {1, 0}, .limit = 5}, true)},
        {{"XTRIM", "x", "MAXLEN", "2"},
         xtrim("x", {.kind = TrimKind::kMaxLength, .length = 2}, false)},
        {{"XSETID", "x", "1900000000000-5", "ENTRIESADDED", "7", "MAXDELETEDID", "1-2"},
         encode<XSetIdRequestEncoder>([](XSetIdRequestEncoder& e) {
             return e.ms(1'900'000'000'000)
                 .sequence(5)
                 .entries_added(7)
                 .max_deleted_ms(1)
                 .max_deleted_sequence(2)
                 .key("x");
         })},
        {{"XINFO", "STREAM", "x"}, encode<XInfoStreamRequestEncoder>([](auto& e) {
             return e.flags(XInfoFlags{}).count(0).key("x");
         })},
    };
}

std::vector<WireCase> group_cases() {
    constexpr auto kUnread = ReadFrom::kUnread;
    return {
        {{"XGROUP", "CREATE", "x", "g", "0", "ENTRIESREAD", "3"},
         group_start<XGroupCreateRequestEncoder>("x", "g", GroupStart::kAfter, {}, 3)},
        {{"XGROUP", "CREATE", "x", "g", "$"},
         group_start<XGroupCreateRequestEncoder>("x", "g", GroupStart::kNewest, {}, -1)},
        {{"XGROUP", "CREATE", "fresh", "g", "$", "MKSTREAM"},
         group_start<XGroupCreateRequestEncoder>("fresh", "g", GroupStart::kNewest, {}, -1, true)},
        {{"XGROUP", "CREATECONSUMER", "x", "g", "idle"},
         with_consumer<XGroupCreateConsumerRequestEncoder>("x", "g", "idle")},
        {{"XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", "x", ">"},
         xreadgroup("g", "c", 1, {{.from = kUnread, .key = "x"}})},
        {{"XREADGROUP", "GROUP", "g", "d", "STREAMS", "x", ">"},
         xreadgroup("g", "d", 0, {{.from = kUnread, .key = "x"}})},
        {{"XREADGROUP", "GROUP", "g", "d", "STREAMS", "x", "0"},
         xreadgroup("g", "d", 0, {{.key = "x"}})},
        {{"XREADGROUP", "GROUP", "none", "d", "NOACK", "STREAMS", "x", ">"},
         xreadgroup("none", "d", 0, {{.from = kUnread, .key = "x"}}, true)},
        {{"XPENDING", "x", "g"}, xpending("x", "g", {})},
        {{"XPENDING", "x", "g", "IDLE", "0", "-", "+", "10", "c"},
         xpending("x", "g", {.count = 10, .has_range = true, .consumer = "c"})},
        {{"XCLAIM",
          "x",
          "g",
          "c",
          "0",
          "1-1",
          "IDLE",
          "1000",
          "RETRYCOUNT",
          "9",
          "FORCE",
          "JUSTID"},
         xclaim("c",
                {{1, 1}},
                {.time = ClaimTime::kIdle,
                 .time_ms = 1000,
                 .retry_count = 9,
                 .flags = XClaimFlags{}.force(true).just_id(true)})},
        {{"XAUTOCLAIM", "x", "g", "e", "0", "0", "COUNT", "1"}, xautoclaim("e", {}, 1, false)},
        {{"XAUTOCLAIM", "x", "g", "e", "0", "0", "COUNT", "100", "JUSTID"},
         xautoclaim("e", {}, 100, true)},
        {{"XACK", "x", "g", "1-1", "1900000000000-1"},
         encode<XAckRequestEncoder>([](XAckRequestEncoder& e) {
             return with_ids(with_key(e, "x"), {{1, 1}, {1'900'000'000'000, 1}}).group("g");
         })},
        {{"XINFO", "GROUPS", "x"}, only_key<XInfoGroupsRequestEncoder>("x")},
        {{"XINFO", "CONSUMERS", "x", "g"}, with_group<XInfoConsumersRequestEncoder>("x", "g")},
        {{"XINFO", "STREAM", "x", "FULL", "COUNT", "1"},
         encode<XInfoStreamRequestEncoder>(
             [](auto& e) { return e.flags(XInfoFlags{}.full(true)).count(1).key("x"); })},
        {{"XGROUP", "SETID", "x", "g", "1-1"},
         group_start<XGroupSetIdRequestEncoder>("x", "g", GroupStart::kAfter, {1, 1}, -1)},
        {{"XGROUP", "DELCONSUMER", "x", "g", "e"},
         with_consumer<XGroupDelConsumerRequestEncoder>("x", "g", "e")},
        {{"XGROUP", "DESTROY", "x", "g"}, with_group<XGroupDestroyRequestEncoder>("x", "g")},
    };
}

}  // namespace

std::vector<WireCase> stream_wire_cases() {
    std::vector<WireCase> all = entry_cases();
    for (WireCase& more : group_cases()) {
        all.push_back(std::move(more));
    }
    return all;
}

}  // namespace tern::test
