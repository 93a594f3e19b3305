#include <array>

#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

template <typename Encoder>
std::string plain() {
    return encode<Encoder>([](Encoder& e) -> Encoder& { return e; });
}
std::string watch(const Words& names) {
    return encode<WatchRequestEncoder>([&](WatchRequestEncoder& e) {
        return e.keys(names.size(),
                      [&](auto& entry, std::size_t i) { return entry.key(names[i]); });
    });
}

template <typename Encoder>
std::string names(const Words& all) {
    return encode<Encoder>([&](Encoder& e) {
        return e.names(all.size(), [&](auto& entry, std::size_t i) { return entry.name(all[i]); });
    });
}
template <typename Encoder>
std::string publish(std::string_view channel, std::string_view message) {
    return encode<Encoder>([&](Encoder& e) { return e.channel(channel).message(message); });
}

template <typename Encoder>
std::string script(std::string_view text, const Words& keys, const Words& arguments) {
    return encode<Encoder>([&](Encoder& e) {
        return e.keys(keys.size(), [&](auto& entry, std::size_t i) { return entry.key(keys[i]); })
            .arguments(arguments.size(),
                       [&](auto& entry, std::size_t i) { return entry.argument(arguments[i]); })
            .script(text);
    });
}

template <typename Encoder>
Encoder& sort_head(Encoder& e, std::int64_t offset, std::int64_t count) {
    e.offset(offset).count(count);
    return e;
}

}  // namespace

std::vector<WireCase> sort_wire_cases() {
    const auto one = [](auto& entry, std::size_t) { return entry.key("sort:list"); };
    const auto pattern = [](auto& entry, std::size_t i) {
        return entry.pattern(i == 0 ? "#" : "sort:*");
    };
    return {
        {{"RPUSH", "sort:list", "3", "1", "2"}, encode<RPushRequestEncoder>([](auto& e) {
             constexpr std::array<std::string_view, 3> kElements = {"3", "1", "2"};
             return e.keys(1, [](auto& entry, std::size_t) { return entry.key("sort:list"); })
                 .elements(3,
                           [&](auto& entry, std::size_t i) { return entry.element(kElements[i]); });
         })},
        {{"SORT_RO", "sort:list", "LIMIT", "1", "2", "DESC"},
         encode<SortRoRequestEncoder>([&](SortRoRequestEncoder& e) {
             sort_head(e, 1, 2).flags(SortFlags().descending(true));
             return e.keys(1, one).patterns(0, pattern).by("");
         })},
        {{"SORT", "sort:list", "BY", "w*", "GET", "#", "GET", "sort:*", "STORE", "sort:to"},
         encode<SortRequestEncoder>([&](SortRequestEncoder& e) {
             sort_head(e, 0, -1).flags(SortFlags().has_by(true).stores(true));
             return e.keys(1, one).patterns(2, pattern).by("w*").destination("sort:to");
         })},
        {{"SORT", "sort:to", "ALPHA"}, encode<SortRequestEncoder>([&](SortRequestEncoder& e) {
             sort_head(e, 0, -1).flags(SortFlags().alpha(true));
             return e.keys(1, [](auto& entry, std::size_t) { return entry.key("sort:to"); })
                 .patterns(0, pattern)
                 .by("")
                 .destination("");
         })},
    };
}

std::vector<WireCase> script_wire_cases() {
    constexpr std::string_view kText = "return {KEYS[1],ARGV[1]}";
    constexpr std::string_view kSha = "bfbf458525d6a0b19200bfd6db3af481156b367b";
    return {
        {{"EVAL", kText, "1", "k", "a"}, script<EvalRequestEncoder>(kText, {"k"}, {"a"})},
        {{"EVAL_RO", kText, "1", "k", "a"}, script<EvalRoRequestEncoder>(kText, {"k"}, {"a"})},
        {{"EVALSHA", kSha, "0"}, script<EvalShaRequestEncoder>(kSha, {}, {})},
        {{"EVALSHA_RO", kSha, "0"}, script<EvalShaRoRequestEncoder>(kSha, {}, {})},
    };
}

std::vector<WireCase> pubsub_wire_cases() {
    return {
        {{"SUBSCRIBE", "a", "b"}, names<SubscribeRequestEncoder>({"a", "b"})},
        {{"UNSUBSCRIBE", "a"}, names<UnsubscribeRequestEncoder>({"a"})},
        {{"UNSUBSCRIBE"}, names<UnsubscribeRequestEncoder>({})},
        {{"UNSUBSCRIBE"}, names<UnsubscribeRequestEncoder>({})},
        {{"PSUBSCRIBE", "a*"}, names<PSubscribeRequestEncoder>({"a*"})},
        {{"PUNSUBSCRIBE", "a*"}, names<PUnsubscribeRequestEncoder>({"a*"})},
        {{"SSUBSCRIBE", "a"}, names<SSubscribeRequestEncoder>({"a"})},
        {{"SUNSUBSCRIBE"}, names<SUnsubscribeRequestEncoder>({})},
        {{"PUBLISH", "a", "text"}, publish<PublishRequestEncoder>("a", "text")},
        {{"SPUBLISH", "a", "text"}, publish<SPublishRequestEncoder>("a", "text")},
    };
}

std::vector<WireCase> session_wire_cases() {
    const WireCase multi{{"MULTI"}, plain<MultiRequestEncoder>()};
    const WireCase exec{{"EXEC"}, plain<ExecRequestEncoder>()};
    const WireCase discard{{"DISCARD"}, plain<DiscardRequestEncoder>()};
    const WireCase unwatch{{"UNWATCH"}, plain<UnwatchRequestEncoder>()};
    const WireCase watches{{"WATCH", "a", "b"}, watch({"a", "b"})};
    return {
        exec,
        discard,
        watches,
        unwatch,
        multi,
        multi,
        watches,
        unwatch,
        exec,
        multi,
        discard,
        exec,
    };
}

}  // namespace tern::test
