/// Any text: parse_endpoint refuses it, or its spelling reads back equal. Sniffing any first bytes
/// decides once and for all.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/check.hpp>

#include "transport/endpoint.hpp"
#include "transport/magic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    const std::string_view text(reinterpret_cast<const char*>(data), size_bytes);
    using tern::transport::Sniffed;
    Sniffed decided = Sniffed::kUndecided;
    for (std::size_t length = 0; length <= text.size() && length <= 16; ++length) {
        const Sniffed sniffed = tern::transport::sniff(text.substr(0, length));
        TERN_CHECK(decided == Sniffed::kUndecided || sniffed == decided);
        decided = sniffed;
    }
    const auto endpoint = tern::transport::parse_endpoint(text);
    if (endpoint) {
        const auto again = tern::transport::parse_endpoint(to_string(*endpoint));
        TERN_CHECK(again);
        TERN_CHECK(*again == *endpoint);
    } else {
        TERN_CHECK(!endpoint.error().message.empty());
    }
    return 0;
}
