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
std::string key(std::string_view name) {
    return encode<Encoder>([&](Encoder& e) { return e.key(name); });
}
template <typename Encoder>
std::string keys(const Words& names) {
    return encode<Encoder>([&](Encoder& e) { return with_keys(e, names); });
}
template <typename Encoder>
std::string stored(const Words& names) {
    return encode<Encoder>([&](Encoder& e) {
        return with_keys(e.destinations(1,
                                        [](auto& entry, std::size_t) {
                                            return entry.key(std::string_view("sets-out"));
                                        }),
                         names);
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
std::string random_pick(std::string_view name, std::int64_t count, bool has_count) {
    return encode<Encoder>([&](Encoder& e) {
        return e.count(count).flags(RandomFlags{}.has_count(has_count)).key(name);
    });
}
std::string sintercard(std::int64_t limit, const Words& names) {
    return encode<SInterCardRequestEncoder>(
        [&](SInterCardRequestEncoder& e) { return with_keys(e.limit(limit), names); });
}

}  // namespace

std::vector<WireCase> set_wire_cases() {
    return {
        {{"SADD", "ints", "3", "1", "2", "1"},
         members<SAddRequestEncoder>("ints", {"3", "1", "2", "1"})},
        {{"SADD", "texts", "a", "b", "1"}, members<SAddRequestEncoder>("texts", {"a", "b", "1"})},
        {{"SADD", "h", "a"}, members<SAddRequestEncoder>("h", {"a"})},
        {{"SREM", "texts", "b", "q"}, members<SRemRequestEncoder>("texts", {"b", "q"})},
        {{"SMEMBERS", "ints"}, key<SMembersRequestEncoder>("ints")},
        {{"SMEMBERS", "none"}, key<SMembersRequestEncoder>("none")},
        {{"SISMEMBER", "ints", "3"},
         encode<SIsMemberRequestEncoder>(
             [](SIsMemberRequestEncoder& e) { return e.key("ints").member("3"); })},
        {{"SMISMEMBER", "ints", "3", "4"}, members<SMIsMemberRequestEncoder>("ints", {"3", "4"})},
        {{"SCARD", "texts"}, key<SCardRequestEncoder>("texts")},
        {{"SINTER", "ints", "texts"}, keys<SInterRequestEncoder>({"ints", "texts"})},
        {{"SDIFF", "ints", "texts"}, keys<SDiffRequestEncoder>({"ints", "texts"})},
        {{"SUNION", "ints"}, keys<SUnionRequestEncoder>({"ints"})},
        {{"SINTERCARD", "2", "ints", "ints", "LIMIT", "2"}, sintercard(2, {"ints", "ints"})},
        {{"SINTERCARD", "1", "ints"}, sintercard(0, {"ints"})},
        {{"SUNIONSTORE", "sets-out", "ints", "texts"},
         stored<SUnionStoreRequestEncoder>({"ints", "texts"})},
        {{"SINTERSTORE", "sets-out", "ints", "texts"},
         stored<SInterStoreRequestEncoder>({"ints", "texts"})},
        {{"SDIFFSTORE", "sets-out", "texts", "ints"},
         stored<SDiffStoreRequestEncoder>({"texts", "ints"})},
        {{"SRANDMEMBER", "sets-out"}, random_pick<SRandMemberRequestEncoder>("sets-out", 0, false)},
        {{"SRANDMEMBER", "sets-out", "-3"},
         random_pick<SRandMemberRequestEncoder>("sets-out", -3, true)},
        {{"SPOP", "sets-out"}, random_pick<SPopRequestEncoder>("sets-out", 0, false)},
        {{"SPOP", "none", "4"}, random_pick<SPopRequestEncoder>("none", 4, true)},
        {{"SMOVE", "texts", "ints", "a"}, encode<SMoveRequestEncoder>([](SMoveRequestEncoder& e) {
             return e.key("texts").destination("ints").member("a");
         })},
        {{"SSCAN", "ints", "0", "COUNT", "100", "MATCH", "*"},
         encode<SScanRequestEncoder>([](SScanRequestEncoder& e) {
             return e.cursor(0).count(100).key("ints").pattern("*");
         })},
        {{"ZUNION", "2", "ints", "none"}, encode<ZUnionRequestEncoder>([](ZUnionRequestEncoder& e) {
             const Words names = {"ints", "none"};
             return e.aggregate(Aggregate::kSum)
                 .flags(RankFlags{})
                 .keys(2,
                       [&](auto& entry, std::size_t i) { return entry.weight(1).key(names[i]); });
         })},
    };
}

}  // namespace tern::test
