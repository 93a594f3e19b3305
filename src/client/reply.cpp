#include <array>
#include <bit>
#include <tern/client/reply.hpp>
#include <tern/client/result.hpp>

#include "base/number_text.hpp"
#include "client/reply_access.hpp"
#include "resp/reply_view.hpp"

namespace tern {

using detail::Decode;
using detail::ReplyAccess;

std::string_view to_string(ReplyType type) noexcept {
    constexpr std::string_view kNames[] = {"null",
                                           "status",
                                           "error",
                                           "integer",
                                           "double",
                                           "bulk",
                                           "boolean",
                                           "big number",
                                           "verbatim text",
                                           "array",
                                           "set",
                                           "map",
                                           "push"};
    return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_string(CallStatus status) noexcept {
    constexpr std::string_view kNames[] = {"ok",
                                           "missing",
                                           "server error",
                                           "unexpected reply",
                                           "timed out",
                                           "closed",
                                           "protocol error",
                                           "too large",
                                           "busy"};
    return kNames[static_cast<std::size_t>(status)];
}

std::optional<std::int64_t> ReplyView::integer() const noexcept {
    switch (type_) {
        case ReplyType::kInteger:
        case ReplyType::kBoolean:
            return value_;
        case ReplyType::kStatus:
        case ReplyType::kBulk:
        case ReplyType::kBigNumber: {
            std::int64_t value = 0;
            return parse_int64(text(), value) ? std::optional(value) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

std::optional<double> ReplyView::number() const noexcept {
    switch (type_) {
        case ReplyType::kDouble:
            return std::bit_cast<double>(value_);
        case ReplyType::kInteger:
            return static_cast<double>(value_);
        case ReplyType::kStatus:
        case ReplyType::kBulk:
        case ReplyType::kBigNumber: {
            double value = 0;
            return parse_double(text(), value) ? std::optional(value) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

std::optional<bool> ReplyView::boolean() const noexcept {
    const bool is_one = type_ == ReplyType::kBoolean || type_ == ReplyType::kInteger;
    return is_one ? std::optional(value_ != 0) : std::nullopt;
}

ReplyView ReplyView::Iterator::operator*() const noexcept {
    return node_block_bytes_ == 0 ? ReplyAccess::text_reply(at_)
                                  : ReplyAccess::wire_node(at_, node_block_bytes_);
}

ReplyView::Iterator& ReplyView::Iterator::operator++() noexcept {
    if (--left_count_ == 0) {
        return *this;
    }
    if (node_block_bytes_ == 0) {
        const std::string_view raw = resp::ReplyView::trusted(at_).raw();
        at_ = raw.data() + raw.size();
    } else {
        at_ = ReplyAccess::skip_wire_nodes(at_, node_block_bytes_, 1);
    }
    return *this;
}

namespace detail {
namespace {

constexpr ReplyType kTypesOfResp[] = {
    ReplyType::kNull,       // kNull
    ReplyType::kStatus,     // kSimple
    ReplyType::kError,      // kError
    ReplyType::kInteger,    // kInteger
    ReplyType::kBulk,       // kBulk
    ReplyType::kArray,      // kArray
    ReplyType::kMap,        // kMap
    ReplyType::kSet,        // kSet
    ReplyType::kPush,       // kPush
    ReplyType::kDouble,     // kDouble
    ReplyType::kBoolean,    // kBoolean
    ReplyType::kBigNumber,  // kBigNumber
    ReplyType::kVerbatim,   // kVerbatim
};
static_assert(static_cast<std::size_t>(resp::ReplyType::kVerbatim) + 1 == std::size(kTypesOfResp));

// A node of an AggregateReply: kind u8, value i64, whatever a later version appends; then the text.
constexpr std::size_t kNodeBlockBytesMin = 9;
constexpr std::size_t kNodeValueOffset = 1;
constexpr std::uint8_t kNodeKindMax = static_cast<std::uint8_t>(ReplyType::kPush);
/// Deeper nesting is refused, as in RESP.
constexpr std::size_t kDepthMax = 128;

/// How many nodes follow below this one; a map's value counts pairs.
std::uint64_t child_count(ReplyType type, std::int64_t value) noexcept {
    if (type < ReplyType::kArray) {
        return 0;
    }
    return static_cast<std::uint64_t>(value) * (type == ReplyType::kMap ? 2 : 1);
}

/// Walks nodes as they come and knows whether they make one tree.
class TreeCheck {
public:
    /// False when there is no place for another node, or it is nested too deeply.
    bool add(std::uint64_t children) noexcept {
        if (depth_ == 0) {
            return false;
        }
        --left_counts_[depth_ - 1];
        if (children != 0) {
            if (depth_ == kDepthMax) {
                return false;
            }
            left_counts_[depth_++] = children;
        }
        while (depth_ != 0 && left_counts_[depth_ - 1] == 0) {
            --depth_;
        }
        return true;
    }
    [[nodiscard]] bool is_complete() const noexcept { return depth_ == 0; }

private:
    std::array<std::uint64_t, kDepthMax> left_counts_{1};
    std::size_t depth_ = 1;
};

bool check_nodes(std::string_view nodes, std::size_t block_bytes, std::uint32_t count) noexcept {
    constexpr std::int64_t kChildCountMax = std::int64_t{1} << 32;
    TreeCheck tree;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (nodes.size() < block_bytes + WireWriter::kDataHeaderBytes) {
            return false;
        }
        const auto kind = load<std::uint8_t>(nodes.data());
        const auto value = load<std::int64_t>(nodes.data() + kNodeValueOffset);
        const auto text_bytes = load<std::uint32_t>(nodes.data() + block_bytes);
        nodes.remove_prefix(block_bytes + WireWriter::kDataHeaderBytes);
        if (kind > kNodeKindMax || text_bytes > nodes.size()) {
            return false;
        }
        nodes.remove_prefix(text_bytes);
        const auto type = static_cast<ReplyType>(kind);
        if (type >= ReplyType::kArray && (value < 0 || value > kChildCountMax)) {
            return false;
        }
        if (!tree.add(child_count(type, value))) {
            return false;
        }
    }
    return tree.is_complete();
}

}  // namespace

Decode ReplyAccess::wire_aggregate(const char* message,
                                   std::size_t length_bytes,
                                   std::uint64_t& correlation_id,
                                   ReplyView& view) noexcept {
    // wire_scalar has checked the header, the schema and the block's length.
    const auto block_bytes = load<std::uint16_t>(message);
    if (load<std::uint16_t>(message + 2) != wire_template::kAggregateReply) {
        return Decode::kMalformed;
    }
    const std::string_view rest =
        std::string_view(message, length_bytes).substr(WireWriter::kHeaderBytes + block_bytes);
    if (rest.size() < WireWriter::kGroupHeaderBytes) {
        return Decode::kMalformed;
    }
    const auto node_block_bytes = load<std::uint16_t>(rest.data());
    const auto node_count = load<std::uint32_t>(rest.data() + 2);
    const std::string_view nodes = rest.substr(WireWriter::kGroupHeaderBytes);
    if (node_block_bytes < kNodeBlockBytesMin ||
        !check_nodes(nodes, node_block_bytes, node_count)) {
        return Decode::kMalformed;
    }
    correlation_id = load<std::uint64_t>(message + WireWriter::kHeaderBytes);
    view = wire_node(nodes.data(), node_block_bytes);
    return Decode::kDone;
}

ReplyView ReplyAccess::wire_node(const char* at, std::uint16_t node_block_bytes) noexcept {
    ReplyView view;
    view.type_ = static_cast<ReplyType>(load<std::uint8_t>(at));
    view.value_ = load<std::int64_t>(at + kNodeValueOffset);
    view.text_bytes_ = load<std::uint32_t>(at + node_block_bytes);
    view.text_ = at + node_block_bytes + WireWriter::kDataHeaderBytes;
    if (view.is_aggregate()) {
        view.value_ = static_cast<std::int64_t>(child_count(view.type_, view.value_));
        view.children_ = view.text_ + view.text_bytes_;
        view.text_bytes_ = 0;
        view.node_block_bytes_ = node_block_bytes;
    }
    return view;
}

const char* ReplyAccess::skip_wire_nodes(const char* at,
                                         std::uint16_t node_block_bytes,
                                         std::uint64_t count) noexcept {
    for (std::uint64_t left = count; left != 0; --left) {
        left += child_count(static_cast<ReplyType>(load<std::uint8_t>(at)),
                            load<std::int64_t>(at + kNodeValueOffset));
        at += node_block_bytes + WireWriter::kDataHeaderBytes +
              load<std::uint32_t>(at + node_block_bytes);
    }
    return at;
}

ReplyView ReplyAccess::text_reply(const char* at) noexcept {
    const resp::ReplyView reply = resp::ReplyView::trusted(at);
    ReplyView view;
    view.type_ = kTypesOfResp[static_cast<std::size_t>(reply.type())];
    switch (view.type_) {
        case ReplyType::kNull:
            break;
        case ReplyType::kInteger:
            view.value_ = reply.integer().value_or(0);
            break;
        case ReplyType::kBoolean:
            view.value_ = reply.boolean().value_or(false) ? 1 : 0;
            break;
        case ReplyType::kDouble:
            view.value_ = std::bit_cast<std::int64_t>(reply.number().value_or(0));
            break;
        default:
            if (view.is_aggregate()) {
                view.value_ = static_cast<std::int64_t>(reply.size());
                // The header is one line; the children follow it.
                const std::string_view raw = reply.raw();
                view.children_ = raw.data() + raw.find('\n') + 1;
            } else {
                view.text_ = reply.text().data();
                view.text_bytes_ = reply.text().size();
            }
    }
    return view;
}

namespace {

/// The line's number, in canonical decimal.
bool read_count(std::string_view digits, std::size_t& count) noexcept {
    std::uint64_t value = 0;
    const bool is_read = parse_uint64(digits, value);
    count = value;
    return is_read;
}

}  // namespace

Decode ReplyAccess::text_scalar(const char* head,
                                std::size_t head_bytes,
                                const char* message,
                                std::size_t length_bytes,
                                ReplyView& view) noexcept {
    constexpr std::size_t kShortest = 3;
    const std::string_view start(head, head_bytes);
    const std::size_t line_end = start.find('\r', 1);
    if (head_bytes < kShortest || line_end == std::string_view::npos ||
        line_end + 1 == head_bytes || head[line_end + 1] != '\n') {
        return Decode::kNotPlain;
    }
    const std::string_view line = start.substr(1, line_end - 1);
    const std::size_t line_bytes = line_end + 2;
    if (head[0] == '$') {
        std::size_t count = 0;
        if (!read_count(line, count) || count != length_bytes - line_bytes - 2 ||
            length_bytes - line_bytes < 2) {
            return Decode::kNotPlain;
        }
        const bool is_private = head_bytes == length_bytes;
        const char* const from = is_private ? head : message;
        if (from[length_bytes - 2] != '\r' || from[length_bytes - 1] != '\n') {
            return Decode::kMalformed;
        }
        view = text(ReplyType::kBulk, {from + line_bytes, count});
        return Decode::kDone;
    }
    if (line_bytes != length_bytes) {
        return Decode::kNotPlain;
    }
    std::int64_t value = 0;
    switch (head[0]) {
        case '+':
            view = text(ReplyType::kStatus, line);
            return Decode::kDone;
        case '-':
            view = text(ReplyType::kError, line);
            return Decode::kDone;
        case ':':
            if (!parse_int64(line, value)) {
                return Decode::kNotPlain;
            }
            view = scalar(ReplyType::kInteger, value);
            return Decode::kDone;
        case '_':
            view = ReplyView();
            return line.empty() ? Decode::kDone : Decode::kNotPlain;
        default:
            return Decode::kNotPlain;
    }
}

}  // namespace detail
}  // namespace tern
