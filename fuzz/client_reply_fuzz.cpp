#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <tern/client/result.hpp>

#include "client/reply_access.hpp"
#include "resp/reply_parser.hpp"

/// What a hostile server can send a client: the first byte chooses SBE or RESP, the rest is one
/// message.
namespace {

using tern::ReplyView;
using tern::detail::Decode;
using tern::detail::ReplyAccess;

/// Looks at everything that a caller may look at. Returns how many nodes there were.
std::size_t walk(const ReplyView& reply) {
    std::size_t count = 1;
    volatile std::size_t sink = reply.text().size();
    for (const char c : reply.text()) {
        sink = sink + static_cast<unsigned char>(c);
    }
    static_cast<void>(reply.integer());
    static_cast<void>(reply.number());
    static_cast<void>(reply.boolean());
    std::size_t child_count = 0;
    for (const ReplyView child : reply) {
        count += walk(child);
        ++child_count;
    }
    if (child_count != reply.size()) {
        __builtin_trap();
    }
    for (const auto member : tern::MembersView(reply, tern::MembersView::Shape::kPairs)) {
        sink = sink + member.member.size();
    }
    return count;
}

void try_wire(std::string_view message) {
    std::uint64_t id = 0;
    ReplyView reply;
    Decode decoded = ReplyAccess::wire_scalar(message.data(), message.size(), id, reply);
    if (decoded == Decode::kNotPlain) {
        decoded = ReplyAccess::wire_aggregate(message.data(), message.size(), id, reply);
    }
    if (decoded == Decode::kDone) {
        walk(reply);
    }
}

void try_text(std::string_view message) {
    constexpr std::size_t kHeadBytes = 56;
    ReplyView quick;
    // As on a ring: the head is a copy of its own.
    const std::size_t head_bytes = message.size() < kHeadBytes ? message.size() : kHeadBytes;
    const std::unique_ptr<char[]> head(new char[head_bytes]);
    std::memcpy(head.get(), message.data(), head_bytes);
    const Decode decoded =
        ReplyAccess::text_scalar(head.get(), head_bytes, message.data(), message.size(), quick);
    if (decoded == Decode::kDone) {
        walk(quick);
    }
    tern::resp::ReplyParser parser;
    const bool is_whole = !message.empty() &&
                          parser.parse(message) == tern::resp::ReplyOutcome::kReply &&
                          parser.consumed_bytes() == message.size();
    if (!is_whole) {
        return;
    }
    const ReplyView reply = ReplyAccess::text_reply(message.data());
    walk(reply);
    // The quick path and the parser agree on what both can read.
    if (decoded == Decode::kDone && (quick.type() != reply.type() || quick.text() != reply.text() ||
                                     quick.integer() != reply.integer())) {
        __builtin_trap();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    // A copy of exactly this size, so that the sanitizer sees every byte read beyond it.
    const std::unique_ptr<char[]> copy(new char[size - 1]);
    std::memcpy(copy.get(), data + 1, size - 1);
    const std::string_view message(copy.get(), size - 1);
    if (data[0] % 2 == 0) {
        try_wire(message);
    } else {
        try_text(message);
    }
    return 0;
}
