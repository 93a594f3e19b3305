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

    /// Reads a message of its own template (Null … Bulk). Each byte that a decision depends on is
    /// read once, so the message may lie in memory that the server can change. `view` is null
    /// before; it is meaningful only after kDone.
    [[nodiscard]] static Decode wire_scalar(const char* message,
                                            std::size_t length_bytes,
                                            std::uint64_t& correlation_id,
                                            ReplyView& view) noexcept;

    /// Checks an AggregateReply, in private memory, and makes a view of its first node.
    [[nodiscard]] static Decode wire_aggregate(const char* message,
                                               std::size_t length_bytes,
                                               std::uint64_t& correlation_id,
                                               ReplyView& view) noexcept;

    /// Reads a whole reply of one line ("+OK", ":1", "-ERR …", "_", "#t", ",1.5") or a bulk, if it
    /// is all of `message`. `head` is a private copy of the first `head_bytes`; the bulk's bytes
    /// behind them stay where they are.
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
    // The scalar templates stand in the order of the types.
    const unsigned index = template_id - unsigned{wire_template::kNullReply};
    if (index > wire_template::kBulkReply - wire_template::kNullReply) [[unlikely]] {
        return Decode::kNotPlain;
    }
    const auto type = static_cast<ReplyType>(index);
    view.type_ = type;
    if (type == ReplyType::kInteger || type == ReplyType::kDouble) {
        if (block_bytes < kIdBytes + sizeof(std::int64_t)) [[unlikely]] {
            return Decode::kMalformed;
        }
        view.value_ = load<std::int64_t>(message + WireWriter::kHeaderBytes + kIdBytes);
        return Decode::kDone;
    }
    if (type == ReplyType::kNull) {
        return Decode::kDone;
    }
    if (length_bytes - rest_at < WireWriter::kDataHeaderBytes) [[unlikely]] {
        return Decode::kMalformed;
    }
    const auto text_bytes = load<std::uint32_t>(message + rest_at);
    if (text_bytes > length_bytes - rest_at - WireWriter::kDataHeaderBytes) [[unlikely]] {
        return Decode::kMalformed;
    }
    view.text_ = message + rest_at + WireWriter::kDataHeaderBytes;
    view.text_bytes_ = text_bytes;
    return Decode::kDone;
}

static_assert(wire_template::kStatusReply - wire_template::kNullReply ==
              static_cast<int>(ReplyType::kStatus));
static_assert(wire_template::kErrorReply - wire_template::kNullReply ==
              static_cast<int>(ReplyType::kError));
static_assert(wire_template::kIntegerReply - wire_template::kNullReply ==
              static_cast<int>(ReplyType::kInteger));
static_assert(wire_template::kDoubleReply - wire_template::kNullReply ==
              static_cast<int>(ReplyType::kDouble));
static_assert(wire_template::kBulkReply - wire_template::kNullReply ==
              static_cast<int>(ReplyType::kBulk));

}  // namespace tern::detail
