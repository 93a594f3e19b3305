/// Feeds one input to the request parser twice, whole and in pieces cut by the input's own bytes,
/// and demands the same commands and the same error from both.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "resp/request_parser.hpp"

namespace {

using tern::resp::RequestOutcome;
using tern::resp::RequestParser;

constexpr tern::resp::RequestLimits kLimits{
    .argument_count_max = 1'000'000, .bulk_bytes_max = 1 << 20, .inline_bytes_max = 256};

/// Everything that a connection would have executed, in one text.
struct Transcript {
    std::string text;
    std::size_t consumed_bytes = 0;
    bool is_broken = false;
};

void run(RequestParser& parser, std::string_view unread, Transcript& transcript) {
    for (;;) {
        const RequestOutcome outcome = parser.parse(unread);
        if (parser.consumed_bytes() > unread.size()) {
            std::abort();
        }
        unread.remove_prefix(parser.consumed_bytes());
        transcript.consumed_bytes += parser.consumed_bytes();
        if (outcome == RequestOutcome::kNeedMore) {
            return;
        }
        if (outcome == RequestOutcome::kProtocolError) {
            transcript.text += parser.error();
            transcript.is_broken = true;
            return;
        }
        for (const std::string_view argument : parser.argv()) {
            transcript.text += std::to_string(argument.size());
            transcript.text += ':';
            transcript.text += argument;
        }
        transcript.text += ';';
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    const std::string_view input(reinterpret_cast<const char*>(data), size_bytes);
    RequestParser whole_parser(kLimits);
    Transcript whole;
    run(whole_parser, input, whole);

    RequestParser parser(kLimits);
    Transcript pieces;
    std::size_t seen_bytes = 0;
    while (seen_bytes < size_bytes && !pieces.is_broken) {
        seen_bytes += 1 + data[seen_bytes] % 7;
        seen_bytes = seen_bytes < size_bytes ? seen_bytes : size_bytes;
        // A fresh exact block, so that a sanitizer catches a stale pointer and a read past the end.
        const std::size_t unread_bytes = seen_bytes - pieces.consumed_bytes;
        const auto block = std::make_unique<char[]>(unread_bytes);
        input.copy(block.get(), unread_bytes, pieces.consumed_bytes);
        run(parser, {block.get(), unread_bytes}, pieces);
    }
    if (whole.text != pieces.text ||
        (!whole.is_broken && whole.consumed_bytes != pieces.consumed_bytes)) {
        std::abort();
    }
    return 0;
}
