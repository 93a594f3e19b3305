#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

template <typename Stage>
auto with_keys(const Stage& stage, const Words& names) {
    return stage.keys(names.size(),
                      [&](auto& entry, std::size_t i) { return entry.key(names[i]); });
}
std::string pfadd(std::string_view name, const Words& elements) {
    return encode<PfAddRequestEncoder>([&](PfAddRequestEncoder& e) {
        return with_keys(e, {name}).elements(elements.size(), [&](auto& entry, std::size_t i) {
            return entry.element(elements[i]);
        });
    });
}
std::string pfcount(const Words& names) {
    return encode<PfCountRequestEncoder>(
        [&](PfCountRequestEncoder& e) { return with_keys(e, names); });
}
std::string pfmerge(std::string_view destination, const Words& names) {
    return encode<PfMergeRequestEncoder>([&](PfMergeRequestEncoder& e) {
        return with_keys(
            e.destinations(1, [&](auto& entry, std::size_t) { return entry.key(destination); }),
            names);
    });
}

}  // namespace

std::vector<WireCase> hyperloglog_wire_cases() {
    return {
        {{"PFADD", "hll", "a", "b"}, pfadd("hll", {"a", "b"})},
        {{"PFADD", "hll", "b"}, pfadd("hll", {"b"})},
        {{"PFADD", "hll2"}, pfadd("hll2", {})},
        {{"PFADD", "h", "b"}, pfadd("h", {"b"})},
        {{"PFCOUNT", "hll"}, pfcount({"hll"})},
        {{"PFCOUNT", "none", "hll"}, pfcount({"none", "hll"})},
        {{"PFMERGE", "merged", "hll", "hll2"}, pfmerge("merged", {"hll", "hll2"})},
        {{"PFMERGE", "hll2"}, pfmerge("hll2", {})},
        {{"GET", "merged"},
         encode<GetRequestEncoder>([](GetRequestEncoder& e) { return e.key("merged"); })},
    };
}

}  // namespace tern::test
