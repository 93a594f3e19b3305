#pragma once

#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "base/byte_sink.hpp"

/// The reply messages of schemas/tern-store.xml as Reply writes them: piecewise, with counts that
/// become known at the end. wire_layout_test.cpp compares each byte with the generated encoders.
///
///     message header (8)   blockLength u16 | templateId u16 | schemaId u16 | version u16
///     scalar               header | correlationId u64 | value (8, Integer and Double) or length
///     u32, text AggregateReply       header | correlationId u64 | block length u16 = 9, node count
///     u32 | nodes node                 kind u8 | value i64 | text length u32 | text
namespace tern::server::layout {

inline constexpr std::uint16_t kSchemaId = 8379;
inline constexpr std::uint16_t kSchemaVersion = 2;
inline constexpr std::size_t kMessageHeaderBytes = 8;
inline constexpr std::size_t kCorrelationIdBytes = 8;

// Values of the enum ReplyKind.
inline constexpr int kNodeNull = 0;
inline constexpr int kNodeStatus = 1;
inline constexpr int kNodeError = 2;
inline constexpr int kNodeInteger = 3;
inline constexpr int kNodeDouble = 4;
inline constexpr int kNodeBulk = 5;
inline constexpr int kNodeBoolean = 6;
inline constexpr int kNodeBigNumber = 7;
inline constexpr int kNodeVerbatim = 8;
inline constexpr int kNodeArray = 9;
inline constexpr int kNodeSet = 10;
inline constexpr int kNodeMap = 11;
inline constexpr int kNodePush = 12;

inline constexpr std::uint16_t kTemplateNull = 20;
inline constexpr std::uint16_t kTemplateStatus = 21;
inline constexpr std::uint16_t kTemplateError = 22;
inline constexpr std::uint16_t kTemplateInteger = 23;
inline constexpr std::uint16_t kTemplateDouble = 24;
inline constexpr std::uint16_t kTemplateBulk = 25;
inline constexpr std::uint16_t kTemplateAggregate = 26;

inline constexpr std::size_t kNodeBlockBytes = 9;
inline constexpr std::size_t kNodeBytes = kNodeBlockBytes + 4;
inline constexpr std::size_t kGroupHeaderBytes = 6;
inline constexpr std::size_t kAggregateHeaderBytes =
    kMessageHeaderBytes + kCorrelationIdBytes + kGroupHeaderBytes;
/// The most that write_scalar adds to the text.
inline constexpr std::size_t kScalarMaxBytes = kAggregateHeaderBytes + kNodeBytes;

inline void write_message_header(char* out,
                                 std::uint16_t block_length,
                                 std::uint16_t template_id) noexcept {
    // One store: block length, template, schema and version from the low bytes up.
    store_value(out,
                std::uint64_t{block_length} | (std::uint64_t{template_id} << 16) |
                    (std::uint64_t{kSchemaId} << 32) | (std::uint64_t{kSchemaVersion} << 48));
}

inline void write_node(char* out, int kind, std::int64_t value, std::uint32_t text_bytes) noexcept {
    out[0] = static_cast<char>(kind);
    store_value(out + 1, value);
    store_value(out + kNodeBlockBytes, text_bytes);
}

inline void write_aggregate_header(char* out, std::uint64_t correlation_id) noexcept {
    write_message_header(out, kCorrelationIdBytes, kTemplateAggregate);
    store_value(out + kMessageHeaderBytes, correlation_id);
    store_value(out + kMessageHeaderBytes + kCorrelationIdBytes,
                static_cast<std::uint16_t>(kNodeBlockBytes));
    store_value(out + kAggregateHeaderBytes - 4, std::uint32_t{0});
}

inline void write_node_count(char* message, std::uint32_t node_count) noexcept {
    store_value(message + kAggregateHeaderBytes - 4, node_count);
}

/// Writes a reply that is one value: the message of its own, or (Boolean, BigNumber, Verbatim,
/// which have none) an AggregateReply of a single node. Returns the length; `out` has
/// kAggregateHeaderBytes + kNodeBytes + the text.
inline std::size_t write_scalar(char* out,
                                std::uint64_t correlation_id,
                                int kind,
                                std::int64_t value,
                                std::string_view text) noexcept {
    constexpr std::size_t kBody = kMessageHeaderBytes + kCorrelationIdBytes;
    switch (kind) {
        case kNodeNull: {
            write_message_header(out, kCorrelationIdBytes, kTemplateNull);
            store_value(out + kMessageHeaderBytes, correlation_id);
            return kBody;
        }
        case kNodeInteger:
        case kNodeDouble: {
            write_message_header(out,
                                 kCorrelationIdBytes + 8,
                                 kind == kNodeInteger ? kTemplateInteger : kTemplateDouble);
            store_value(out + kMessageHeaderBytes, correlation_id);
            store_value(out + kBody, value);
            return kBody + 8;
        }
        case kNodeStatus:
        case kNodeError:
        case kNodeBulk: {
            const std::uint16_t template_id = kind == kNodeStatus  ? kTemplateStatus
                                              : kind == kNodeError ? kTemplateError
                                                                   : kTemplateBulk;
            write_message_header(out, kCorrelationIdBytes, template_id);
            store_value(out + kMessageHeaderBytes, correlation_id);
            store_value(out + kBody, static_cast<std::uint32_t>(text.size()));
            put_text(out + kBody + 4, text);
            return kBody + 4 + text.size();
        }
        default: {
            write_aggregate_header(out, correlation_id);
            write_node_count(out, 1);
            write_node(
                out + kAggregateHeaderBytes, kind, value, static_cast<std::uint32_t>(text.size()));
            put_text(out + kAggregateHeaderBytes + kNodeBytes, text);
            return kAggregateHeaderBytes + kNodeBytes + text.size();
        }
    }
}

}  // namespace tern::server::layout
