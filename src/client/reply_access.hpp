#pragma once

#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/client/reply.hpp>

#include "client/wire_writer.hpp"

namespace tern::detail {

/// How an attempt to read a reply ended.
enum class Decode : std::uint8_t {
    kDone,
    kNotPlain,   ///< no scalar in a form that the fast path knows: the other path decides
    kMalformed,  ///< nothing that a server may send
};

/// Makes ReplyViews: the only code that knows what is in them.
struct ReplyAccess {
    [[nodiscard]] static ReplyView scalar(ReplyType type, std::int64_t value) noexcept {
        ReplyView view;
        view.type_ = type;
        view.value_ = value;
        return view;
    }
    [[nodiscard]] static ReplyView text(ReplyType type, std::string_view text) noexcept {
        ReplyView view;
        view.type_ = type;
        view.text_ = text.data();
        view.text_bytes_ = text.size();
        return view;
    }

    /// Reads a message of its own template (Null … Bulk). Each byte that a decision depends on is read
    /// once, so the message may lie in memory that the server can change.
    [[nodiscard]] static Decode wire_scalar(const char* message,
                                            std::size_t length_bytes,
                                            std::uint64_t& correlation_id,
                                            ReplyView& view) noexcept;

    /// Checks an AggregateReply, in private memory, and makes a view of its first node.
    [[nodiscard]] static Decode wire_aggregate(const char* message,
                                               std::size_t length_bytes,
                                               std::uint64_t& correlation_id,
                                               ReplyView& view) noexcept;

    /// Reads a whole reply of one line ("+OK", ":1", "-ERR …", "_", "#t", ",1.5") or a bulk, if it is all
    /// of `message`. `head` is a private copy of the first `head_bytes`; the bulk's bytes behind them
    /// stay where they are.
    [[nodiscard]] static Decode text_scalar(const char* head,
                                            std::size_t head_bytes,
                                            const char* message,
                                            std::size_t length_bytes,
                                            ReplyView& view) noexcept;

    /// A view of a reply that resp::ReplyParser has found complete.
    [[nodiscard]] static ReplyView text_reply(const char* at) noexcept;
    /// A view of a node that `wire_aggregate` has checked.
    [[nodiscard]] static ReplyView wire_node(const char* at,
                                             std::uint16_t node_block_bytes) noexcept;
    [[nodiscard]] static const char* skip_wire_nodes(const char* at,
                                                     std::uint16_t node_block_bytes,
                                                     std::uint64_t count) noexcept;
};

inline Decode ReplyAccess::wire_scalar(const char* message,
                                       std::size_t length_bytes,
                                       std::uint64_t& correlation_id,
                                       ReplyView& view) noexcept {
    constexpr std::size_t kIdBytes = 8;
    if (length_bytes < WireWriter::kHeaderBytes + kIdBytes) [[unlikely]] {
        return Decode::kMalformed;
    }
    const auto header = load<std::uint64_t>(message);
    const std::size_t block_bytes = header & 0xFFFF;
    const auto template_id = static_cast<std::uint16_t>(header >> 16);
    // A later schema may append to the block; its texts then begin further on.
    const std::size_t rest_at = WireWriter::kHeaderBytes + block_bytes;
    if (static_cast<std::uint16_t>(header >> 32) != WireWriter::kSchemaId ||
        block_bytes < kIdBytes || rest_at > length_bytes) [[unlikely]] {
        return Decode::kMalformed;
    }
    correlation_id = load<std::uint64_t>(message + WireWriter::kHeaderBytes);
    switch (template_id) {
        case wire_template::kNullReply:
            view = ReplyView();
            return Decode::kDone;
        case wire_template::kStatusReply:
        case wire_template::kErrorReply:
        case wire_template::kBulkReply: {
            if (length_bytes - rest_at < WireWriter::kDataHeaderBytes) {
                return Decode::kMalformed;
            }
            const auto text_bytes = load<std::uint32_t>(message + rest_at);
            if (text_bytes > length_bytes - rest_at - WireWriter::kDataHeaderBytes) {
                return Decode::kMalformed;
            }
            const ReplyType type = template_id == wire_template::kBulkReply    ? ReplyType::kBulk
                                   : template_id == wire_template::kErrorReply ? ReplyType::kError
                                                                               : ReplyType::kStatus;
            view = text(type, {message + rest_at + WireWriter::kDataHeaderBytes, text_bytes});
            return Decode::kDone;
        }
        case wire_template::kIntegerReply:
        case wire_template::kDoubleReply:
            if (block_bytes < kIdBytes + sizeof(std::int64_t)) {
                return Decode::kMalformed;
            }
            view = scalar(template_id == wire_template::kIntegerReply ? ReplyType::kInteger
                                                                      : ReplyType::kDouble,
                          load<std::int64_t>(message + WireWriter::kHeaderBytes + kIdBytes));
            return Decode::kDone;
        default:
            return Decode::kNotPlain;
    }
}

}  // namespace tern::detail
