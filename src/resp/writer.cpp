#include "resp/writer.hpp"

#include <algorithm>
#include <tern/base/check.hpp>

namespace tern::resp {
namespace {

constexpr std::size_t kFormatNameBytes = 3;

}  // namespace

void write_error(ByteSink& sink, std::string_view text) {
    char* const start = sink.reserve(text.size() + 3);
    *start = '-';
    std::transform(text.begin(), text.end(), start + 1, [](char c) {
        return c == '\r' || c == '\n' ? ' ' : c;
    });
    start[text.size() + 1] = '\r';
    start[text.size() + 2] = '\n';
    sink.advance(text.size() + 3);
}

void write_bulk_integer(ByteSink& sink, std::int64_t value) {
    char text[kInt64TextBytes];
    write_bulk(sink, {text, format_int64(text, value)});
}

void write_double(ByteSink& sink, int version, double value) {
    char text[kDoubleTextBytes];
    const std::string_view digits(text, format_double(text, value));
    if (version >= 3) {
        detail::write_text_line(sink, ',', digits);
    } else {
        write_bulk(sink, digits);
    }
}

void write_big_number(ByteSink& sink, int version, std::string_view digits) {
    if (version >= 3) {
        detail::write_text_line(sink, '(', digits);
    } else {
        write_bulk(sink, digits);
    }
}

void write_verbatim(ByteSink& sink, int version, std::string_view format, std::string_view text) {
    if (version < 3) {
        write_bulk(sink, text);
        return;
    }
    TERN_DCHECK(format.size() == kFormatNameBytes);
    detail::write_count(sink, '=', kFormatNameBytes + 1 + text.size());
    sink.append(format);
    sink.append(':');
    sink.append(text);
    sink.append("\r\n");
}

void write_bulk_error(ByteSink& sink, int version, std::string_view text) {
    if (version < 3) {
        write_error(sink, text);
        return;
    }
    detail::write_count(sink, '!', text.size());
    sink.append(text);
    sink.append("\r\n");
}

void insert_header(ByteSink& sink, std::size_t offset_bytes, char type, std::size_t count) {
    const std::size_t body_bytes = sink.size() - offset_bytes;
    const std::size_t before_bytes = sink.size();
    detail::write_count(sink, type, count);
    // The header now lies behind the body; a copy of it and one move put it in front.
    char header[1 + kInt64TextBytes + 2];
    const std::size_t header_bytes = sink.size() - before_bytes;
    char* const body = sink.begin() + offset_bytes;
    std::memcpy(header, body + body_bytes, header_bytes);
    std::memmove(body + header_bytes, body, body_bytes);
    std::memcpy(body, header, header_bytes);
}

}  // namespace tern::resp
