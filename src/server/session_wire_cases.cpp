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

}  // namespace

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
