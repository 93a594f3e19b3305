#include "server/reply.hpp"

#include <algorithm>
#include <bit>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "base/number_text.hpp"
#include "server/wire_layout.hpp"

namespace tern::server {

namespace {

void append_integer_line(ByteSink& sink, char marker, std::int64_t value) {
    char* out = sink.reserve(32);
    out[0] = marker;
    std::size_t length = 1 + format_int64(out + 1, value);
    out[length++] = '\r';
    out[length++] = '\n';
    sink.advance(length);
}

void append_text_line(ByteSink& sink, char marker, std::string_view text) {
    char* out = sink.reserve(text.size() + 3);
    out[0] = marker;
    put_text(out + 1, text);
    // A line end inside would end the reply early.
    std::replace_if(
        out + 1, out + 1 + text.size(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    out[text.size() + 1] = '\r';
    out[text.size() + 2] = '\n';
    sink.advance(text.size() + 3);
}

void append_bulk(ByteSink& sink, char marker, std::string_view bytes) {
    char* out = sink.reserve(bytes.size() + 32);
    out[0] = marker;
    std::size_t length = 1 + format_int64(out + 1, static_cast<std::int64_t>(bytes.size()));
    out[length++] = '\r';
    out[length++] = '\n';
    put_text(out + length, bytes);
    length += bytes.size();
    out[length++] = '\r';
    out[length++] = '\n';
    sink.advance(length);
}

// Room for the count of an aggregate that is still open: marker, ten digits, line end. Unused room
// is closed by moving the children forward.
constexpr std::size_t kOpenHeaderBytes = 13;

}  // namespace

void Reply::status(std::string_view text) {
    if (protocol_ == Protocol::kSbe) {
        sbe_value(layout::kNodeStatus, 0, text);
    } else {
        append_text_line(sink_, '+', text);
    }
}

void Reply::error(std::string_view text) {
    has_error_ = true;
    const std::string_view code = text.substr(0, std::min(text.find(' '), sizeof error_code_));
    put_text(error_code_, code);
    error_code_bytes_ = static_cast<std::uint8_t>(code.size());
    if (protocol_ == Protocol::kSbe) {
        sbe_value(layout::kNodeError, 0, text);
    } else {
        append_text_line(sink_, '-', text);
    }
}

void Reply::integer(std::int64_t value) {
    if (protocol_ == Protocol::kSbe) {
        sbe_value(layout::kNodeInteger, value, {});
    } else {
        append_integer_line(sink_, ':', value);
    }
}

void Reply::number(double value) {
    if (protocol_ == Protocol::kSbe) {
        sbe_value(layout::kNodeDouble, std::bit_cast<std::int64_t>(value), {});
        return;
    }
    char text[kDoubleTextBytes];
    const std::string_view digits{text, format_double(text, value)};
    if (protocol_ == Protocol::kResp3) {
        append_text_line(sink_, ',', digits);
    } else {
        append_bulk(sink_, '$', digits);
    }
}

void Reply::bulk(std::string_view bytes) {
    if (protocol_ == Protocol::kSbe) {
        sbe_value(layout::kNodeBulk, 0, bytes);
    } else {
        append_bulk(sink_, '$', bytes);
    }
}

void Reply::bulk_integer(std::int64_t value) {
    char text[kInt64TextBytes];
    bulk({text, format_int64(text, value)});
}

void Reply::boolean(bool value) {
    switch (protocol_) {
        case Protocol::kResp2:
            append_integer_line(sink_, ':', value ? 1 : 0);
            break;
        case Protocol::kResp3:
            sink_.append(value ? "#t\r\n" : "#f\r\n");
            break;
        case Protocol::kSbe:
            sbe_value(layout::kNodeBoolean, value ? 1 : 0, {});
            break;
    }
}

void Reply::null() {
    switch (protocol_) {
        case Protocol::kResp2:
            sink_.append("$-1\r\n");
            break;
        case Protocol::kResp3:
            sink_.append("_\r\n");
            break;
        case Protocol::kSbe:
            sbe_value(layout::kNodeNull, 0, {});
            break;
    }
}

void Reply::null_array() {
    if (protocol_ == Protocol::kResp2) {
        sink_.append("*-1\r\n");
    } else {
        null();
    }
}

void Reply::big_number(std::string_view digits) {
    switch (protocol_) {
        case Protocol::kResp2:
            append_bulk(sink_, '$', digits);
            break;
        case Protocol::kResp3:
            append_text_line(sink_, '(', digits);
            break;
        case Protocol::kSbe:
            sbe_value(layout::kNodeBigNumber, 0, digits);
            break;
    }
}

void Reply::verbatim(std::string_view format, std::string_view text) {
    TERN_DCHECK(format.size() == 3);
    switch (protocol_) {
        case Protocol::kResp2:
            append_bulk(sink_, '$', text);
            break;
        case Protocol::kResp3: {
            append_integer_line(sink_, '=', static_cast<std::int64_t>(text.size() + 4));
            sink_.append(format);
            sink_.append(':');
            sink_.append(text);
            sink_.append("\r\n");
            break;
        }
        case Protocol::kSbe:
            sbe_value(layout::kNodeVerbatim, 0, text);
            break;
    }
}

void Reply::resp_header(char resp3_marker,
                        char resp2_marker,
                        std::size_t count,
                        std::size_t resp2_count) {
    const bool typed = protocol_ == Protocol::kResp3;
    append_integer_line(sink_,
                        typed ? resp3_marker : resp2_marker,
                        static_cast<std::int64_t>(typed ? count : resp2_count));
}

void Reply::array(std::size_t child_count) {
    if (protocol_ == Protocol::kSbe) {
        sbe_aggregate(layout::kNodeArray, child_count);
    } else {
        resp_header('*', '*', child_count, child_count);
    }
}

void Reply::set(std::size_t child_count) {
    if (protocol_ == Protocol::kSbe) {
        sbe_aggregate(layout::kNodeSet, child_count);
    } else {
        resp_header('~', '*', child_count, child_count);
    }
}

void Reply::map(std::size_t pair_count) {
    if (protocol_ == Protocol::kSbe) {
        sbe_aggregate(layout::kNodeMap, pair_count);
    } else {
        resp_header('%', '*', pair_count, pair_count * 2);
    }
}

void Reply::push(std::size_t child_count) {
    if (protocol_ == Protocol::kSbe) {
        sbe_aggregate(layout::kNodePush, child_count);
    } else {
        resp_header('>', '*', child_count, child_count);
    }
}

bool Reply::attribute(std::size_t pair_count) {
    if (!is_resp3()) {
        return false;
    }
    append_integer_line(sink_, '|', static_cast<std::int64_t>(pair_count));
    return true;
}

Reply::Open Reply::open_array() {
    if (protocol_ == Protocol::kSbe) {
        sbe_aggregate(layout::kNodeArray, 0);
        return {sink_.size() - layout::kNodeBytes};
    }
    const Open open{sink_.size()};
    static_cast<void>(sink_.reserve(kOpenHeaderBytes));
    sink_.advance(kOpenHeaderBytes);
    return open;
}

void Reply::close_array(Open open, std::size_t child_count) {
    close(open, '*', layout::kNodeArray, child_count, child_count);
}
void Reply::close_map(Open open, std::size_t pair_count) {
    close(open, '%', layout::kNodeMap, pair_count, pair_count * 2);
}
void Reply::close_set(Open open, std::size_t child_count) {
    close(open, '~', layout::kNodeSet, child_count, child_count);
}

void Reply::close(
    Open open, char resp3_marker, int sbe_kind, std::size_t count, std::size_t resp2_count) {
    char* header = sink_.begin() + open.offset;
    if (protocol_ == Protocol::kSbe) {
        layout::write_node(header, sbe_kind, static_cast<std::int64_t>(count), 0);
        return;
    }
    const bool typed = protocol_ == Protocol::kResp3;
    char text[kInt64TextBytes + 3];
    text[0] = typed ? resp3_marker : '*';
    std::size_t length =
        1 + format_int64(text + 1, static_cast<std::int64_t>(typed ? count : resp2_count));
    text[length++] = '\r';
    text[length++] = '\n';
    TERN_CHECK(length <= kOpenHeaderBytes);
    const std::size_t end = sink_.size();
    std::memcpy(header, text, length);
    std::memmove(header + length, header + kOpenHeaderBytes, end - open.offset - kOpenHeaderBytes);
    sink_.truncate(end - (kOpenHeaderBytes - length));
}

void Reply::discard() noexcept {
    sink_.truncate(start_);
    shape_ = start_shape_;
    node_count_ = start_node_count_;
    has_error_ = false;
}

Reply::Part Reply::begin_part() noexcept {
    const Part part{start_, start_node_count_, static_cast<std::uint8_t>(start_shape_)};
    start_ = sink_.size();
    start_shape_ = shape_;
    start_node_count_ = node_count_;
    has_error_ = false;
    return part;
}

void Reply::end_part(const Part& part) noexcept {
    start_ = part.start;
    start_shape_ = static_cast<Shape>(part.shape);
    start_node_count_ = part.node_count;
    has_error_ = false;
}

void Reply::finish() {
    if (protocol_ == Protocol::kSbe && shape_ == Shape::kAggregate) {
        layout::write_node_count(sink_.begin() + start_, node_count_);
    }
}

void Reply::sbe_value(int kind, std::int64_t value, std::string_view text) {
    if (shape_ == Shape::kAggregate) {
        sbe_node(kind, value, text);
        return;
    }
    TERN_DCHECK(shape_ == Shape::kEmpty);
    shape_ = Shape::kScalar;
    char* out = sink_.reserve(layout::kScalarMaxBytes + text.size());
    sink_.advance(layout::write_scalar(out, correlation_id_, kind, value, text));
}

void Reply::sbe_node(int kind, std::int64_t value, std::string_view text) {
    char* out = sink_.reserve(layout::kNodeBytes + text.size());
    layout::write_node(out, kind, value, static_cast<std::uint32_t>(text.size()));
    put_text(out + layout::kNodeBytes, text);
    sink_.advance(layout::kNodeBytes + text.size());
    ++node_count_;
}

void Reply::sbe_aggregate(int kind, std::size_t count) {
    if (shape_ == Shape::kEmpty) {
        shape_ = Shape::kAggregate;
        char* out = sink_.reserve(layout::kAggregateHeaderBytes);
        layout::write_aggregate_header(out, correlation_id_);
        sink_.advance(layout::kAggregateHeaderBytes);
    }
    sbe_node(kind, static_cast<std::int64_t>(count), {});
}

}  // namespace tern::server
