#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"
#include "server/glob.hpp"
#include "server/reply.hpp"

/// What SCAN, HSCAN and ZSCAN share.
namespace tern::server {

struct ScanOptions {
    static constexpr std::int64_t kDefaultCount = 10;

    std::uint64_t cursor = 0;
    std::size_t count = kDefaultCount;
    std::string_view pattern;
    bool has_pattern = false;

    /// Whether an element is wanted.
    [[nodiscard]] bool matches(std::string_view text) const noexcept {
        return !has_pattern || glob_match(pattern, text);
    }
};

/// The cursor, or "ERR invalid cursor".
inline bool parse_cursor(Arguments& in, ScanOptions& out, Reply& reply) {
    // As strtoul reads it: a sign and leading zeros are fine, and a negative number wraps.
    std::string_view text = in.take();
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    while (text.size() > 1 && text.front() == '0') {
        text.remove_prefix(1);
    }
    if (!text.empty() && !parse_uint64(text, out.cursor)) {
        reply.error("ERR invalid cursor");
        return false;
    }
    out.cursor = is_negative ? 0 - out.cursor : out.cursor;
    return true;
}

/// MATCH or COUNT, or a syntax error.
inline bool parse_scan_option(Arguments& in, ScanOptions& out, Reply& reply) {
    if (in.left() < 2) {
        return syntax_error(reply);
    }
    if (in.take_option("MATCH")) {
        out.pattern = in.take();
        out.has_pattern = true;
        return true;
    }
    if (!in.take_option("COUNT")) {
        return syntax_error(reply);
    }
    std::int64_t count = 0;
    if (!in.read_integer(count, reply)) {
        return false;
    }
    if (count < 1) {
        return syntax_error(reply);
    }
    out.count = static_cast<std::size_t>(count);
    return true;
}

/// What the SBE scan requests share. An empty pattern is none.
template <typename View>
void decode_scan(const View& view, ScanOptions& out) {
    out.cursor = view.cursor();
    if (view.count() > 0) {
        out.count = static_cast<std::size_t>(view.count());
    }
    out.pattern = as_text(view.pattern());
    out.has_pattern = !out.pattern.empty();
}

/// A list in scratch memory that doubles when it is full.
///
/// Lifetime: the command's.
template <typename T>
class ScratchList {
public:
    explicit ScratchList(Scratch& scratch) noexcept : scratch_(scratch) {}

    void push_back(const T& item) {
        if (size_ == items_.size()) {
            const std::span<T> larger = scratch_.array<T>(std::max<std::size_t>(16, size_ * 2));
            std::copy(items_.begin(), items_.end(), larger.begin());
            items_ = larger;
        }
        items_[size_++] = item;
    }
    [[nodiscard]] std::span<T> items() const noexcept { return items_.first(size_); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    Scratch& scratch_;
    std::span<T> items_;
    std::size_t size_ = 0;
};

/// Writes the reply of a scan: the next cursor as text, then the list.
inline void write_scan_reply(Reply& reply,
                             std::uint64_t next_cursor,
                             std::span<const std::string_view> items) {
    char text[kInt64TextBytes + 1];
    reply.array(2);
    reply.bulk({text, format_uint64(text, next_cursor)});
    reply.array(items.size());
    for (const std::string_view item : items) {
        reply.bulk(item);
    }
}

}  // namespace tern::server
