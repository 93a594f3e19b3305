/// Feeds one input to the reply parser whole and in pieces, demands the same outcome, and walks
/// every part of a reply that was found.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "resp/reply_parser.hpp"

namespace {

using tern::resp::ReplyOutcome;
using tern::resp::ReplyParser;
using tern::resp::ReplyView;

std::size_t walk(ReplyView reply, std::string_view input) {
    const std::string_view raw = reply.raw();
    if (raw.data() < input.data() || raw.data() + raw.size() > input.data() + input.size()) {
        std::abort();
    }
    std::size_t sum = reply.text().size() + reply.verbatim_format().size();
    sum += reply.integer().has_value() + reply.number().has_value() + reply.boolean().has_value();
    if (const auto attributes = reply.attributes()) {
        for (const ReplyView child : *attributes) {
            sum += walk(child, input);
        }
    }
    std::size_t child_count = 0;
    for (const ReplyView child : reply) {
        sum += walk(child, input);
        ++child_count;
    }
    if (child_count != reply.size()) {
        std::abort();
    }
    return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    const std::string_view input(reinterpret_cast<const char*>(data), size_bytes);
    ReplyParser whole;
    const ReplyOutcome outcome = whole.parse(input);
    std::size_t sum = 0;
    if (outcome == ReplyOutcome::kReply) {
        sum = walk(whole.reply(), input.substr(0, whole.consumed_bytes()));
    }

    ReplyParser pieces;
    std::size_t seen_bytes = 0;
    for (;;) {
        const auto block = std::make_unique<char[]>(seen_bytes);
        input.copy(block.get(), seen_bytes);
        const std::string_view unread(block.get(), seen_bytes);
        const ReplyOutcome piece_outcome = pieces.parse(unread);
        if (piece_outcome == ReplyOutcome::kNeedMore && seen_bytes < size_bytes) {
            seen_bytes += 1 + data[seen_bytes] % 7;
            seen_bytes = seen_bytes < size_bytes ? seen_bytes : size_bytes;
            continue;
        }
        if (piece_outcome != outcome || pieces.error() != whole.error() ||
            pieces.consumed_bytes() != whole.consumed_bytes()) {
            std::abort();
        }
        if (outcome == ReplyOutcome::kReply && walk(pieces.reply(), unread) != sum) {
            std::abort();
        }
        return 0;
    }
}
