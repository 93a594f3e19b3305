#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_sink.hpp"

namespace tern::server {

/// The language of one connection.
enum class Protocol : std::uint8_t {
    kResp2 = 2,
    kResp3 = 3,
    kSbe = 8,
};

/// Writes one reply in the connection's language, straight into the transport's memory.
///
/// A handler calls it the same way for every protocol. Exactly one value is written per command: a
/// scalar, or an aggregate header followed by as many values as it announced (a map: twice as
/// many). RESP2 shows maps and sets as arrays, doubles as bulk text and booleans as 0 or 1, as
/// Redis does; SBE shows a scalar as a message of its own and an aggregate as one AggregateReply
/// (docs/formats/sbe-wire.md).
///
/// Threads:  the connection's own. Lifetime: one command; `sink` outlives it.
/// Errors:   none: the sink takes everything (its owner limits output).
class Reply {
public:
    Reply(ByteSink& sink, Protocol protocol, std::uint64_t correlation_id = 0) noexcept
        : sink_(sink), start_(sink.size()), correlation_id_(correlation_id), protocol_(protocol) {}
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;

    [[nodiscard]] Protocol protocol() const noexcept { return protocol_; }
    /// HELLO: the reply that tells of another RESP version is written in it. Before anything is
    /// written.
    void switch_protocol(Protocol protocol) noexcept { protocol_ = protocol; }
    [[nodiscard]] bool is_resp3() const noexcept { return protocol_ == Protocol::kResp3; }
    /// True for RESP3 and SBE, which tell maps, sets and doubles from arrays and text.
    [[nodiscard]] bool is_typed() const noexcept { return protocol_ != Protocol::kResp2; }

    void ok() { status("OK"); }
    void status(std::string_view text);
    /// `text` is Redis's whole error text without the leading minus: "ERR syntax error". Line ends
    /// in it become spaces.
    void error(std::string_view text);
    void integer(std::int64_t value);
    void number(double value);
    void bulk(std::string_view bytes);
    /// A 64-bit integer as bulk text (in SBE too: the command's answer is text).
    void bulk_integer(std::int64_t value);
    void boolean(bool value);
    void null();
    /// The absent array of RESP2 ("*-1"); elsewhere the same as null().
    void null_array();
    void big_number(std::string_view digits);
    /// `format` has three characters, "txt" or "mkd".
    void verbatim(std::string_view format, std::string_view text);
    void array(std::size_t child_count);
    void set(std::size_t child_count);
    void map(std::size_t pair_count);
    void push(std::size_t child_count);
    /// Begins an attribute of the value that follows. False outside RESP3, which has none: write
    /// nothing.
    [[nodiscard]] bool attribute(std::size_t pair_count);

    /// Opens an array (or map, set) whose size is not known yet; the matching `close_*` writes the
    /// size. At most one may be open at a time in RESP unless nested ones close first.
    struct Open {
        std::size_t offset = 0;
    };
    [[nodiscard]] Open open_array();
    void close_array(Open open, std::size_t child_count);
    void close_map(Open open, std::size_t pair_count);
    void close_set(Open open, std::size_t child_count);

    /// Drops everything this reply wrote; the next value starts it anew. For a handler that meets
    /// an error after it began an aggregate.
    void discard() noexcept;

    /// What `begin_part` sets aside.
    struct Part {
        std::size_t start = 0;
        std::uint32_t node_count = 0;
        std::uint8_t shape = 0;
    };
    /// Lets another command write one child of an aggregate (EXEC): until `end_part`, `discard`
    /// takes back the child only and `has_error` tells of the child.
    [[nodiscard]] Part begin_part() noexcept;
    void end_part(const Part& part) noexcept;

    /// Whether an error was written, and the last one's code ("ERR", "WRONGTYPE"), for INFO's
    /// counters.
    [[nodiscard]] bool has_error() const noexcept { return has_error_; }
    [[nodiscard]] std::string_view error_code() const noexcept {
        return {error_code_, error_code_bytes_};
    }
    /// Bytes written so far.
    [[nodiscard]] std::size_t size_bytes() const noexcept { return sink_.size() - start_; }
    [[nodiscard]] std::string_view written() const noexcept { return sink_.view().substr(start_); }
    /// Writes the count of an aggregate message; call once when the command is done. A no-op in
    /// RESP.
    void finish();
    [[nodiscard]] std::uint64_t correlation_id() const noexcept { return correlation_id_; }

private:
    enum class Shape : std::uint8_t { kEmpty, kScalar, kAggregate };

    void sbe_value(int kind, std::int64_t value, std::string_view text);
    void sbe_node(int kind, std::int64_t value, std::string_view text);
    void sbe_aggregate(int kind, std::size_t count);
    void resp_header(char resp3_marker,
                     char resp2_marker,
                     std::size_t count,
                     std::size_t resp2_count);
    void close(
        Open open, char resp3_marker, int sbe_kind, std::size_t count, std::size_t resp2_count);

    ByteSink& sink_;
    std::size_t start_;
    std::uint64_t correlation_id_;
    Protocol protocol_;
    Shape shape_ = Shape::kEmpty;
    bool has_error_ = false;
    std::uint8_t error_code_bytes_ = 0;
    char error_code_[32] = {};
    std::uint32_t node_count_ = 0;
    // What `discard` returns to: of a part, what was there when it began.
    Shape start_shape_ = Shape::kEmpty;
    std::uint32_t start_node_count_ = 0;
};

}  // namespace tern::server
