#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

/// "abc" as DUMP has it.
constexpr std::string_view kPayload(
    "\x00\x03"
    "abc\x0b\x00\xb0s\x8dN\xbc\xedKk",
    15);

std::string restore(std::string_view name, std::int64_t ttl_ms, RestoreFlags flags) {
    return encode<RestoreRequestEncoder>([&](RestoreRequestEncoder& e) {
        e.ttl_ms(ttl_ms).idle_seconds(-1).frequency(-1).flags(flags);
        return e.key(name).payload(kPayload);
    });
}
std::string dump(std::string_view name) {
    return encode<DumpRequestEncoder>([&](DumpRequestEncoder& e) { return e.key(name); });
}

}  // namespace

std::vector<WireCase> payload_wire_cases() {
    const auto replaces = RestoreFlags{}.replace(true);
    return {
        {{"RESTORE", "restored", "0", kPayload}, restore("restored", 0, {})},
        {{"RESTORE", "restored", "0", kPayload}, restore("restored", 0, {})},
        {{"RESTORE", "restored", "5000", kPayload, "REPLACE"}, restore("restored", 5000, replaces)},
        {{"DUMP", "restored"}, dump("restored")},
        {{"DUMP", "none"}, dump("none")},
        {{"RESTORE", "restored", "1", kPayload, "REPLACE", "ABSTTL"},
         restore("restored", 1, RestoreFlags{replaces}.absolute_ttl(true))},
        {{"DUMP", "restored"}, dump("restored")},
    };
}

}  // namespace tern::test
