#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

template <typename Stage>
auto with_keys(const Stage& stage, const Words& names) {
    return stage.keys(names.size(),
                      [&](auto& entry, std::size_t i) { return entry.key(names[i]); });
}
template <typename Encoder>
std::string push(std::string_view name, const Words& elements) {
    return encode<Encoder>([&](Encoder& e) {
        return with_keys(e, {name}).elements(elements.size(), [&](auto& entry, std::size_t i) {
            return entry.element(elements[i]);
        });
    });
}
template <typename Encoder>
std::string pop(std::string_view name, std::int64_t count) {
    return encode<Encoder>([&](Encoder& e) { return e.count(count).key(name); });
}
template <typename Encoder>
std::string span(std::string_view name, std::int64_t start, std::int64_t stop) {
    return encode<Encoder>([&](Encoder& e) { return e.start(start).stop(stop).key(name); });
}
std::string lindex(std::string_view name, std::int64_t index) {
    return encode<LIndexRequestEncoder>(
        [&](LIndexRequestEncoder& e) { return e.index(index).key(name); });
}
std::string lset(std::string_view name, std::int64_t index, std::string_view element) {
    return encode<LSetRequestEncoder>(
        [&](LSetRequestEncoder& e) { return e.index(index).key(name).element(element); });
}
std::string linsert(InsertSide side,
                    std::string_view name,
                    std::string_view pivot,
                    std::string_view element) {
    return encode<LInsertRequestEncoder>([&](LInsertRequestEncoder& e) {
        return e.side(side).key(name).pivot(pivot).element(element);
    });
}
std::string lrem(std::string_view name, std::int64_t count, std::string_view element) {
    return encode<LRemRequestEncoder>(
        [&](LRemRequestEncoder& e) { return e.count(count).key(name).element(element); });
}
struct Position {
    std::int64_t rank = 1;
    std::int64_t count = 0;
    std::int64_t length_max = 0;
    bool has_count = false;
};
std::string lpos(std::string_view name, std::string_view element, const Position& position) {
    return encode<LPosRequestEncoder>([&](LPosRequestEncoder& e) {
        return e.rank(position.rank)
            .count(position.count)
            .max_length(position.length_max)
            .flags(PositionFlags{}.has_count(position.has_count))
            .key(name)
            .element(element);
    });
}
template <typename Encoder>
std::string two_keys(std::string_view source, std::string_view destination) {
    return encode<Encoder>([&](Encoder& e) { return e.source(source).destination(destination); });
}

std::vector<WireCase> element_cases() {
    return {
        {{"RPUSH", "list", "a", "b", "c", "1", "b"},
         push<RPushRequestEncoder>("list", {"a", "b", "c", "1", "b"})},
        {{"LPUSH", "list", "y", "x"}, push<LPushRequestEncoder>("list", {"y", "x"})},
        {{"LPUSH", "s", "x"}, push<LPushRequestEncoder>("s", {"x"})},
        {{"LPUSHX", "list", "w"}, push<LPushXRequestEncoder>("list", {"w"})},
        {{"RPUSHX", "none", "w"}, push<RPushXRequestEncoder>("none", {"w"})},
        {{"LLEN", "list"},
         encode<LLenRequestEncoder>([](LLenRequestEncoder& e) { return e.key("list"); })},
        {{"LRANGE", "list", "0", "-1"}, span<LRangeRequestEncoder>("list", 0, -1)},
        {{"LRANGE", "list", "5", "2"}, span<LRangeRequestEncoder>("list", 5, 2)},
        {{"LINDEX", "list", "-2"}, lindex("list", -2)},
        {{"LINDEX", "list", "100"}, lindex("list", 100)},
        {{"LSET", "list", "0", "first"}, lset("list", 0, "first")},
        {{"LSET", "list", "-100", "first"}, lset("list", -100, "first")},
        {{"LSET", "none", "0", "first"}, lset("none", 0, "first")},
        {{"LINSERT", "list", "BEFORE", "c", "bb"}, linsert(InsertSide::kBefore, "list", "c", "bb")},
        {{"LINSERT", "list", "AFTER", "1", "2"}, linsert(InsertSide::kAfter, "list", "1", "2")},
        {{"LINSERT", "list", "AFTER", "none", "2"},
         linsert(InsertSide::kAfter, "list", "none", "2")},
        {{"LPOS", "list", "b"}, lpos("list", "b", {})},
        {{"LPOS", "list", "none"}, lpos("list", "none", {})},
        {{"LPOS", "list", "b", "RANK", "-1", "COUNT", "0", "MAXLEN", "9"},
         lpos("list", "b", {-1, 0, 9, true})},
        {{"LREM", "list", "-1", "b"}, lrem("list", -1, "b")},
        {{"LTRIM", "list", "1", "-1"}, span<LTrimRequestEncoder>("list", 1, -1)},
        {{"LRANGE", "list", "0", "-1"}, span<LRangeRequestEncoder>("list", 0, -1)},
    };
}

std::vector<WireCase> pop_cases() {
    return {
        {{"LMOVE", "list", "other", "LEFT", "RIGHT"},
         encode<LMoveRequestEncoder>([](LMoveRequestEncoder& e) {
             return e.from(ListEnd::kHead).to(ListEnd::kTail).source("list").destination("other");
         })},
        {{"RPOPLPUSH", "list", "other"}, two_keys<RPopLPushRequestEncoder>("list", "other")},
        {{"RPOPLPUSH", "none", "other"}, two_keys<RPopLPushRequestEncoder>("none", "other")},
        {{"BLMOVE", "other", "other", "RIGHT", "LEFT", "0"},
         encode<BLMoveRequestEncoder>([](BLMoveRequestEncoder& e) {
             return e.timeout_seconds(0)
                 .from(ListEnd::kTail)
                 .to(ListEnd::kHead)
                 .source("other")
                 .destination("other");
         })},
        {{"BRPOPLPUSH", "other", "list", "1"},
         encode<BRPopLPushRequestEncoder>([](BRPopLPushRequestEncoder& e) {
             return e.timeout_seconds(1).source("other").destination("list");
         })},
        {{"LPOP", "list"}, pop<LPopRequestEncoder>("list", -1)},
        {{"RPOP", "list", "2"}, pop<RPopRequestEncoder>("list", 2)},
        {{"RPOP", "none"}, pop<RPopRequestEncoder>("none", -1)},
        {{"LMPOP", "2", "none", "list", "RIGHT", "COUNT", "2"},
         encode<LMPopRequestEncoder>([](LMPopRequestEncoder& e) {
             return with_keys(e.count(2).end(ListEnd::kTail), {"none", "list"});
         })},
        {{"BLPOP", "none", "list", "0"}, encode<BLPopRequestEncoder>([](BLPopRequestEncoder& e) {
             return with_keys(e.timeout_seconds(0), {"none", "list"});
         })},
        {{"BRPOP", "s", "0"}, encode<BRPopRequestEncoder>([](BRPopRequestEncoder& e) {
             return with_keys(e.timeout_seconds(0), {"s"});
         })},
        {{"BLMPOP", "1.5", "1", "other", "LEFT", "COUNT", "10"},
         encode<BLMPopRequestEncoder>([](BLMPopRequestEncoder& e) {
             return with_keys(e.timeout_seconds(1.5).count(10).end(ListEnd::kHead), {"other"});
         })},
    };
}

}  // namespace

std::vector<WireCase> list_wire_cases() {
    std::vector<WireCase> all = element_cases();
    for (WireCase& more : pop_cases()) {
        all.push_back(std::move(more));
    }
    return all;
}

}  // namespace tern::test
