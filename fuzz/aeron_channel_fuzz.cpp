#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/check.hpp>

#include "aeron/protocol/channel_uri.hpp"

/// What can be read is written as it was, and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto uri = tern::aeron::ChannelUri::parse(text);
    if (!uri) {
        return 0;
    }
    TERN_CHECK(uri->to_string() == text);
    for (const char* key : {"endpoint", "mtu", "linger", "eos", "session-id"}) {
        static_cast<void>(uri->integer(key));
        static_cast<void>(uri->size_bytes(key));
        static_cast<void>(uri->duration_ns(key));
        static_cast<void>(uri->boolean(key));
    }
    return 0;
}
