#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/byte_sink.hpp"
#include "base/number_text.hpp"

namespace tern::resp {

/// Encodes replies (and requests) into a ByteSink. `version` is the protocol of the connection, 2
/// or 3; what RESP2 cannot say is written the way redis-server falls back.
///
/// Threads:  one per sink.
/// Errors:   none; a sink that is full is its owner's to deal with.

namespace detail {

/// Type, number, CRLF: "*3\r\n". Also integers.
inline void write_number_line(ByteSink& sink, char type, std::int64_t number) {
    char* const start = sink.reserve(1 + kInt64TextBytes + 2);
    *start = type;
    std::size_t length = 2;
    if (static_cast<std::uint64_t>(number) < 10) {
        start[1] = static_cast<char>('0' + number);
    } else {
        length = 1 + format_int64(start + 1, number);
    }
    start[length] = '\r';
    start[length + 1] = '\n';
    sink.advance(length + 2);
}

inline void write_count(ByteSink& sink, char type, std::size_t count) {
    write_number_line(sink, type, static_cast<std::int64_t>(count));
}

/// Type, text, CRLF: "+OK\r\n".
inline void write_text_line(ByteSink& sink, char type, std::string_view text) {
    char* const start = sink.reserve(text.size() + 3);
    *start = type;
    std::memcpy(start + 1, text.data(), text.size());
    start[text.size() + 1] = '\r';
    start[text.size() + 2] = '\n';
    sink.advance(text.size() + 3);
}

}  // namespace detail

/// "+OK". `text` has no line break.
inline void write_simple(ByteSink& sink, std::string_view text) {
    detail::write_text_line(sink, '+', text);
}

/// "-ERR …". `text` begins with its code ("ERR", "WRONGTYPE" …); line breaks in it become spaces.
void write_error(ByteSink& sink, std::string_view text);

/// ":42".
inline void write_integer(ByteSink& sink, std::int64_t value) {
    detail::write_number_line(sink, ':', value);
}

/// "$5 hello".
inline void write_bulk(ByteSink& sink, std::string_view text) {
    char* start = sink.reserve(text.size() + kInt64TextBytes + 5);
    *start = '$';
    std::size_t at = 2;
    if (text.size() < 10) {
        start[1] = static_cast<char>('0' + text.size());
    } else {
        at = 1 + format_uint64(start + 1, text.size());
    }
    start[at] = '\r';
    start[at + 1] = '\n';
    std::memcpy(start + at + 2, text.data(), text.size());
    at += text.size() + 2;
    start[at] = '\r';
    start[at + 1] = '\n';
    sink.advance(at + 2);
}

/// The header of a bulk whose `length_bytes` and CRLF the caller writes itself, for values that are
/// copied from elsewhere into the sink in one go.
inline void write_bulk_header(ByteSink& sink, std::size_t length_bytes) {
    detail::write_count(sink, '$', length_bytes);
}

/// An integer as a bulk: "$2 10", the form of values and of HLEN's kin inside arrays of texts.
void write_bulk_integer(ByteSink& sink, std::int64_t value);

/// No value: "$-1" or "_".
inline void write_null(ByteSink& sink, int version) {
    sink.append(version >= 3 ? std::string_view("_\r\n") : std::string_view("$-1\r\n"));
}

/// No array: "*-1" or "_".
inline void write_null_array(ByteSink& sink, int version) {
    sink.append(version >= 3 ? std::string_view("_\r\n") : std::string_view("*-1\r\n"));
}

/// `count` elements follow.
inline void write_array_header(ByteSink& sink, std::size_t count) {
    detail::write_count(sink, '*', count);
}

/// `pair_count` keys, each with its value, follow: "%2" or "*4".
inline void write_map_header(ByteSink& sink, int version, std::size_t pair_count) {
    detail::write_count(sink, version >= 3 ? '%' : '*', version >= 3 ? pair_count : pair_count * 2);
}

/// `count` members follow: "~2" or "*2".
inline void write_set_header(ByteSink& sink, int version, std::size_t count) {
    detail::write_count(sink, version >= 3 ? '~' : '*', count);
}

/// `count` elements of an out-of-band message follow: ">2" or "*2".
inline void write_push_header(ByteSink& sink, int version, std::size_t count) {
    detail::write_count(sink, version >= 3 ? '>' : '*', count);
}

/// `pair_count` attributes of the reply behind them follow: "|1". RESP2 has none; do not call it
/// there.
inline void write_attribute_header(ByteSink& sink, std::size_t pair_count) {
    detail::write_count(sink, '|', pair_count);
}

/// ",3.3", or a bulk of the same text.
void write_double(ByteSink& sink, int version, double value);

/// "#t", or ":1".
inline void write_boolean(ByteSink& sink, int version, bool value) {
    if (version >= 3) {
        sink.append(value ? std::string_view("#t\r\n") : std::string_view("#f\r\n"));
    } else {
        sink.append(value ? std::string_view(":1\r\n") : std::string_view(":0\r\n"));
    }
}

/// "(123…", or a bulk. `digits` is a decimal with an optional sign.
void write_big_number(ByteSink& sink, int version, std::string_view digits);

/// Text of a format that has a three-letter name ("txt", "mkd"): "=9 txt:hello", or a bulk.
void write_verbatim(ByteSink& sink, int version, std::string_view format, std::string_view text);

/// A long error: "!5 ERR x", or a simple error.
void write_bulk_error(ByteSink& sink, int version, std::string_view text);

/// Puts a header in front of what was written from `offset_bytes` on, for replies whose count is
/// known only at the end. Moves those bytes; prefer a count that is known.
///
/// `type` is '*', '%', '~' or '>', as the caller has chosen it for its version.
void insert_header(ByteSink& sink, std::size_t offset_bytes, char type, std::size_t count);

/// A request: what a client sends for `argv`.
template <typename Arguments>
void write_request(ByteSink& sink, const Arguments& argv) {
    write_array_header(sink, std::size(argv));
    for (const std::string_view argument : argv) {
        write_bulk(sink, argument);
    }
}

}  // namespace tern::resp
