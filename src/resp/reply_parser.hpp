#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "resp/reply_view.hpp"

namespace tern::resp {

/// What a reply may ask of its reader.
struct ReplyLimits {
    std::int64_t bulk_bytes_max = std::int64_t{512} << 20;
    std::int64_t child_count_max = std::int64_t{1} << 32;
    std::size_t line_bytes_max = std::size_t{1} << 20;  ///< simple texts, errors, numbers
};

enum class ReplyOutcome : std::uint8_t {
    kNeedMore,
    kReply,          ///< a complete reply: `reply()`
    kProtocolError,  ///< not RESP: `error()` says where and why; the connection is lost
};

/// Finds one complete RESP2 or RESP3 reply at the front of the unread bytes and checks all of it,
/// so that a ReplyView may walk it without looking twice. Attributes belong to the reply behind
/// them. Streamed strings and aggregates ("$?", "*?") are refused: redis-server has none.
///
/// As with RequestParser: pass all unread bytes, each time from the same one on; nothing is scanned
/// twice. Allocates nothing (but for the text of an error).
///
/// Threads:  one.
/// Lifetime: `reply()` points into the bytes passed to `parse`.
class ReplyParser {
public:
    /// Deeper nesting is refused; redis-server's deepest replies have less than ten levels.
    static constexpr std::size_t kDepthMax = 128;

    explicit ReplyParser(const ReplyLimits& limits = {}) noexcept : limits_(limits) {}

    [[nodiscard]] ReplyOutcome parse(std::string_view unread) {
        if (__builtin_expect((position_ == 0 || is_complete_) && !is_broken_, 1)) {
            const std::size_t length_bytes = measure_small(unread);
            if (__builtin_expect(length_bytes != 0, 1)) {
                start_ = unread.data();
                consumed_bytes_ = length_bytes;
                is_complete_ = true;
                return ReplyOutcome::kReply;
            }
        }
        return parse_in_steps(unread);
    }

    /// After kReply.
    [[nodiscard]] ReplyView reply() const noexcept { return ReplyView::trusted(start_); }
    /// After kReply: the length of the reply; else 0.
    [[nodiscard]] std::size_t consumed_bytes() const noexcept { return consumed_bytes_; }
    /// After kNeedMore: at least so many bytes are missing; exact inside a bulk.
    [[nodiscard]] std::size_t missing_bytes() const noexcept { return missing_bytes_; }
    /// After kProtocolError.
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

    /// Forgets a half-read reply, for a connection that begins anew.
    void reset() noexcept;

private:
    enum class Step : std::uint8_t { kGoOn, kNeedMore, kError };

    /// The length of a complete "+…", ":…" or "$…" reply in canonical form; 0 leaves it to the
    /// steps.
    [[nodiscard]] std::size_t measure_small(std::string_view unread) const noexcept;

    [[nodiscard]] ReplyOutcome parse_in_steps(std::string_view unread);
    [[nodiscard]] Step read_element(std::string_view unread);
    [[nodiscard]] Step read_line(std::string_view unread, std::string_view& line);
    [[nodiscard]] Step read_bulk(std::string_view unread, char type, std::string_view length_text);
    [[nodiscard]] Step open_aggregate(char type, std::string_view count_text);
    [[nodiscard]] Step check_scalar(char type, std::string_view text);
    void close_element() noexcept;
    Step fail(std::string_view reason);

    ReplyLimits limits_;
    const char* start_ = nullptr;
    std::size_t consumed_bytes_ = 0;
    std::size_t missing_bytes_ = 0;
    std::size_t element_offset_ = 0;  ///< of the element being read, for the text of an error
    std::size_t position_ = 0;        ///< before it, everything is checked
    std::size_t scanned_ = 0;         ///< before it, there is no end of line behind `position_`
    bool is_broken_ = false;
    bool is_complete_ = false;
    std::size_t depth_ = 0;
    std::array<std::uint64_t, kDepthMax> left_counts_{};  ///< children to come, per open aggregate
    std::string error_;
};

namespace detail {

inline bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// The length of the bulk reply at the front, 0 when it is not all there or not in canonical form.
inline std::size_t measure_small_bulk(std::string_view unread, std::size_t bytes_max) noexcept {
    constexpr std::size_t kDigitsMax = 7;
    const char* const start = unread.data();
    std::size_t at = 1;
    std::size_t length = 0;
    for (; at < unread.size() && at <= kDigitsMax && is_digit(start[at]); ++at) {
        length = length * 10 + static_cast<std::size_t>(start[at] - '0');
    }
    const bool is_canonical = at == 2 || (at > 2 && start[1] != '0');
    const std::size_t end = at + length + 4;
    if (!is_canonical || end > unread.size() || start[at] != '\r' || start[at + 1] != '\n' ||
        start[end - 2] != '\r' || start[end - 1] != '\n' || length > bytes_max) {
        return 0;
    }
    return end;
}

/// The same for a simple text or an integer of at most 18 digits.
inline std::size_t measure_small_line(std::string_view unread) noexcept {
    constexpr std::size_t kLineBytesMax = 64;
    constexpr std::size_t kDigitsMax = 18;
    const char* const start = unread.data();
    const std::size_t window_bytes = unread.size() < kLineBytesMax ? unread.size() : kLineBytesMax;
    std::size_t at = 1;
    if (start[0] == '+') {
        while (at < window_bytes && start[at] != '\r' && start[at] != '\n') {
            ++at;
        }
    } else {
        at += start[1] == '-' && start[2] != '0' ? 1 : 0;
        const std::size_t first = at;
        while (at < window_bytes && is_digit(start[at])) {
            ++at;
        }
        const std::size_t digit_count = at - first;
        if (digit_count == 0 || digit_count > kDigitsMax ||
            (digit_count > 1 && start[first] == '0')) {
            return 0;
        }
    }
    return at + 2 <= window_bytes && start[at] == '\r' && start[at + 1] == '\n' ? at + 2 : 0;
}

}  // namespace detail

inline std::size_t ReplyParser::measure_small(std::string_view unread) const noexcept {
    constexpr std::size_t kReplyBytesMin = 4;  // ":1\r\n"
    if (unread.size() < kReplyBytesMin) {
        return 0;
    }
    switch (unread.front()) {
        case '$':
            return detail::measure_small_bulk(unread,
                                              static_cast<std::size_t>(limits_.bulk_bytes_max));
        case '+':
        case ':':
            return detail::measure_small_line(unread);
        default:
            return 0;
    }
}

}  // namespace tern::resp
