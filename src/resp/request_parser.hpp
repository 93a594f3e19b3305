#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tern/base/check.hpp>
#include <vector>

namespace tern::resp {

/// What a request may ask for. The defaults are redis-server 7.2's.
struct RequestLimits {
    std::int64_t argument_count_max = std::numeric_limits<std::int32_t>::max();
    std::int64_t bulk_bytes_max = std::int64_t{512} << 20;  ///< proto-max-bulk-len
    std::size_t inline_bytes_max = std::size_t{64} << 10;
    /// Before AUTH a stranger gets 10 arguments of 16 KiB, so that he cannot make us hold more.
    bool is_authenticated = true;
};

/// What `RequestParser::parse` found at the front of the unread bytes.
enum class RequestOutcome : std::uint8_t {
    kNeedMore,  ///< no complete command yet; `missing_bytes()` says how many more it takes at least
    kCommand,   ///< a command: `argv()`
    kProtocolError,  ///< the connection is lost; `error()` is the text for the peer
};

/// Reads RESP requests, multibulk or inline, out of a transport's own buffer, however they are
/// split.
///
/// Call `parse` with all unread bytes. Whatever it answers, `consumed_bytes()` of them are done
/// with and are not passed again; the rest is, from the same byte on and with more behind it,
/// wherever it lies in memory by then. Nothing is scanned twice: on kNeedMore the parser remembers
/// where it was. Empty commands are skipped, as Redis does.
///
/// No allocation in steady state: the argument array is reused, and given back after a command that
/// needed an unusually large one. It grows with arguments that have arrived, not with their count.
///
/// Threads:  one.
/// Lifetime: `argv()` points into the bytes passed to `parse` (inline commands: into the parser),
///           and is valid until those move or `parse` is called again.
class RequestParser {
public:
    explicit RequestParser(const RequestLimits& limits = {}) : arguments_(kKeptArgumentCountMin) {
        set_limits(limits);
    }

    /// Takes effect with the next count or length that is read.
    void set_limits(const RequestLimits& limits) noexcept;

    [[nodiscard]] RequestOutcome parse(std::string_view unread) {
        if (__builtin_expect(stage_ == Stage::kStart, 1)) {
            const char* end = parse_small(unread.data(),
                                          unread.data() + unread.size(),
                                          arguments_.data(),
                                          arguments_.size(),
                                          argument_count_);
            if (__builtin_expect(end != nullptr, 1)) {
                consumed_bytes_ = static_cast<std::size_t>(end - unread.data());
                return RequestOutcome::kCommand;
            }
        }
        return parse_in_steps(unread);
    }

    [[nodiscard]] std::span<const std::string_view> argv() const noexcept {
        return {arguments_.data(), argument_count_};
    }
    [[nodiscard]] std::size_t consumed_bytes() const noexcept { return consumed_bytes_; }

    /// After kNeedMore: at least so many bytes are missing. Exact inside a bulk, which is worth a
    /// buffer of the right size; else 1. An announcement of the peer, not a promise.
    [[nodiscard]] std::size_t missing_bytes() const noexcept { return missing_bytes_; }

    /// After kProtocolError: "Protocol error: …" in the words of redis-server, without "-ERR ".
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

    /// Reads a whole small multibulk command in canonical form at `at`, of at most `count_max`
    /// arguments, into `arguments`, under this parser's limits and whatever it is in the middle of.
    ///
    /// Returns: the first byte behind it, and how many `arguments` there are; null for anything
    ///          else, which is `parse`'s to judge.
    [[nodiscard]] const char* parse_small(const char* at,
                                          const char* end,
                                          std::string_view* arguments,
                                          std::size_t count_max,
                                          std::size_t& count) const noexcept;

    /// True between two commands: nothing of a next one has been seen.
    [[nodiscard]] bool is_at_start() const noexcept { return stage_ == Stage::kStart; }

    /// Forgets a half-read command, for a connection that begins anew.
    void reset() noexcept { start_command(); }

private:
    enum class Stage : std::uint8_t { kStart, kCountLine, kInline, kLengthLine, kBulk, kBroken };
    enum class Step : std::uint8_t { kGoOn, kNeedMore, kCommand, kEmpty, kError };

    static constexpr std::size_t kKeptArgumentCountMin = 16;
    static constexpr std::size_t kKeptArgumentCountMax = 1024;

    [[nodiscard]] RequestOutcome parse_in_steps(std::string_view unread);
    [[nodiscard]] Step step(std::string_view command);
    [[nodiscard]] Step read_count(std::string_view command);
    [[nodiscard]] Step read_length(std::string_view command);
    [[nodiscard]] Step read_bulk(std::string_view command);
    [[nodiscard]] Step read_inline(std::string_view command);
    [[nodiscard]] Step find_line(std::string_view command,
                                 std::string_view too_long,
                                 std::string_view& line);
    Step fail(std::string_view reason);
    void start_command() noexcept;
    void add_argument(std::string_view argument);
    void trim_storage();

    // What the fast path reads and writes comes first, on one line.
    Stage stage_ = Stage::kStart;
    std::size_t small_count_max_ = 0;  ///< at most 99
    std::size_t small_bulk_bytes_max_ = 0;
    std::vector<std::string_view>
        arguments_;  ///< its size is the room; `argument_count_` are in use
    std::size_t argument_count_ = 0;
    std::size_t consumed_bytes_ = 0;
    std::size_t missing_bytes_ = 0;

    RequestLimits limits_;
    // Offsets count from the first byte of the command, since the buffer may move between calls.
    std::size_t position_ = 0;       ///< before it, everything is parsed
    std::size_t scanned_ = 0;        ///< before it, there is no end of line behind `position_`
    std::int64_t unread_count_ = 0;  ///< arguments still to come
    std::size_t bulk_bytes_ = 0;     ///< of the bulk at `position_`
    std::string inline_text_;        ///< arguments of an inline command, unquoted
    std::vector<std::string_view> inline_arguments_;
    std::string error_;
};

namespace detail {

inline unsigned digit_of(char c) noexcept {
    return static_cast<unsigned>(static_cast<unsigned char>(c)) - unsigned{'0'};
}

/// Reads one bulk in canonical form that is all there; null when it is not, or longer than allowed.
[[gnu::always_inline]] inline const char* read_small_bulk(const char* at,
                                                          const char* end,
                                                          std::size_t bytes_max,
                                                          std::string_view& bulk) noexcept {
    constexpr std::ptrdiff_t kBytesMin = 6;  // "$0\r\n\r\n"
    // With a second digit the bulk itself has ten bytes: digit, CR, LF, ten, CR, LF.
    constexpr std::ptrdiff_t kLongBytesMin = 15;
    constexpr std::size_t kLengthMax = 9'999'999;  // seven digits, inside those 15 bytes
    if (end - at < kBytesMin || at[0] != '$') {
        return nullptr;
    }
    std::size_t length_bytes = digit_of(at[1]);
    if (length_bytes > 9) {
        return nullptr;
    }
    at += 2;
    if (*at != '\r') {
        if (end - at < kLongBytesMin || length_bytes == 0) {
            return nullptr;
        }
        do {
            const unsigned digit = digit_of(*at++);
            length_bytes = length_bytes * 10 + digit;
            if (digit > 9 || length_bytes > kLengthMax) {
                return nullptr;
            }
        } while (*at != '\r');
    }
    if (at[1] != '\n' || length_bytes > bytes_max) {
        return nullptr;
    }
    at += 2;
    if (static_cast<std::size_t>(end - at) < length_bytes + 2) {
        return nullptr;
    }
    bulk = {at, length_bytes};
    return at + length_bytes + 2;
}

}  // namespace detail

inline const char* RequestParser::parse_small(const char* at,
                                              const char* end,
                                              std::string_view* arguments,
                                              std::size_t count_max,
                                              std::size_t& count) const noexcept {
    constexpr std::ptrdiff_t kCountLineBytesMax = 5;  // "*99\r\n"
    if (end - at < kCountLineBytesMax || at[0] != '*') {
        return nullptr;
    }
    unsigned announced = detail::digit_of(at[1]);
    if (announced - 1 > 8) {
        return nullptr;
    }
    at += 2;
    if (*at != '\r') {
        const unsigned digit = detail::digit_of(*at++);
        if (digit > 9) {
            return nullptr;
        }
        announced = announced * 10 + digit;
    }
    if (at[0] != '\r' || at[1] != '\n' || announced > std::min(count_max, small_count_max_)) {
        return nullptr;
    }
    at += 2;
    std::string_view* argument = arguments;
    for (std::string_view* const last = argument + announced; argument != last; ++argument) {
        at = detail::read_small_bulk(at, end, small_bulk_bytes_max_, *argument);
        if (at == nullptr) {
            return nullptr;
        }
    }
    count = announced;
    return at;
}

}  // namespace tern::resp
