#include "resp/reply_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tern/base/check.hpp>

#include "base/number_text.hpp"

namespace tern::resp {
namespace {

constexpr std::size_t kLineEndBytes = 2;
constexpr std::int64_t kVerbatimPrefixBytes = 4;  // "txt:"

bool is_digits(std::string_view text) noexcept {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_sign(std::string_view text) noexcept {
    return text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
}

bool is_integer(std::string_view text) noexcept {
    std::int64_t value = 0;
    return parse_int64(text.starts_with('+') ? text.substr(1) : text, value) &&
           !text.starts_with("+-");
}

bool is_double(std::string_view text) noexcept {
    double value = 0;
    return text == "nan" || text == "-nan" || parse_double(text, value);
}

}  // namespace

ReplyOutcome ReplyParser::parse_in_steps(std::string_view unread) {
    if (is_complete_) {
        reset();
    }
    if (is_broken_) {
        return ReplyOutcome::kProtocolError;
    }
    TERN_DCHECK(unread.size() >= position_);
    consumed_bytes_ = 0;
    missing_bytes_ = 1;
    do {
        switch (read_element(unread)) {
            case Step::kGoOn:
                break;
            case Step::kNeedMore:
                return ReplyOutcome::kNeedMore;
            case Step::kError:
                return ReplyOutcome::kProtocolError;
        }
    } while (!is_complete_);
    start_ = unread.data();
    consumed_bytes_ = position_;
    return ReplyOutcome::kReply;
}

void ReplyParser::reset() noexcept {
    position_ = 0;
    scanned_ = 0;
    depth_ = 0;
    consumed_bytes_ = 0;
    is_broken_ = false;
    is_complete_ = false;
}

ReplyParser::Step ReplyParser::read_element(std::string_view unread) {
    element_offset_ = position_;
    std::string_view line;
    const Step found = read_line(unread, line);
    if (found != Step::kGoOn) {
        return found;
    }
    const char type = line.front();
    const std::string_view text = line.substr(1);
    Step step = Step::kGoOn;
    switch (type) {
        case '$':
        case '=':
        case '!':
            step = read_bulk(unread, type, text);
            break;
        case '*':
        case '%':
        case '~':
        case '>':
        case '|':
            step = open_aggregate(type, text);
            break;
        default:
            step = check_scalar(type, text);
    }
    if (step == Step::kNeedMore) {
        position_ = element_offset_;  // next time from the line, which is short, not from its bulk
        scanned_ = element_offset_;
    }
    return step;
}

/// Reads one line with its type byte; a line break is CRLF and nothing else.
ReplyParser::Step ReplyParser::read_line(std::string_view unread, std::string_view& line) {
    const std::string_view window = unread.substr(0, position_ + limits_.line_bytes_max + 1);
    const std::size_t end = window.find('\r', scanned_);
    if (end == std::string_view::npos) {
        scanned_ = window.size();
        return window.size() - position_ > limits_.line_bytes_max ? fail("line is too long")
                                                                  : Step::kNeedMore;
    }
    scanned_ = end;
    if (end + 1 == unread.size()) {
        return Step::kNeedMore;
    }
    if (unread[end + 1] != '\n') {
        return fail("carriage return without line feed");
    }
    if (end == position_) {
        return fail("empty line instead of a type");
    }
    line = unread.substr(position_, end - position_);
    position_ = end + kLineEndBytes;
    scanned_ = position_;
    return Step::kGoOn;
}

ReplyParser::Step ReplyParser::read_bulk(std::string_view unread,
                                         char type,
                                         std::string_view length_text) {
    std::int64_t length = 0;
    if (type == '$' && length_text == "-1") {
        close_element();
        return Step::kGoOn;
    }
    if (!parse_int64(length_text, length) || length < 0 || length > limits_.bulk_bytes_max) {
        return fail("invalid length of a bulk");
    }
    const std::size_t end = position_ + static_cast<std::size_t>(length) + kLineEndBytes;
    if (unread.size() < end) {
        missing_bytes_ = end - unread.size();
        return Step::kNeedMore;
    }
    if (unread[end - 2] != '\r' || unread[end - 1] != '\n') {
        return fail("bulk does not end where its length says");
    }
    if (type == '=' && (length < kVerbatimPrefixBytes || unread[position_ + 3] != ':')) {
        return fail("verbatim text without a format");
    }
    position_ = end;
    scanned_ = end;
    close_element();
    return Step::kGoOn;
}

ReplyParser::Step ReplyParser::open_aggregate(char type, std::string_view count_text) {
    if (type == '*' && count_text == "-1") {
        close_element();
        return Step::kGoOn;
    }
    std::int64_t count = 0;
    if (!parse_int64(count_text, count) || count < 0 || count > limits_.child_count_max) {
        return fail("invalid count of an aggregate");
    }
    std::uint64_t child_count = static_cast<std::uint64_t>(count);
    if (type == '%') {
        child_count *= 2;
    } else if (type == '|') {
        child_count = child_count * 2 + 1;  // the reply that the attributes belong to is one more
    }
    if (child_count == 0) {
        close_element();
        return Step::kGoOn;
    }
    if (depth_ == kDepthMax) {
        return fail("nested too deeply");
    }
    left_counts_[depth_++] = child_count;
    return Step::kGoOn;
}

ReplyParser::Step ReplyParser::check_scalar(char type, std::string_view text) {
    bool is_valid = false;
    switch (type) {
        case '+':
        case '-':
            is_valid = text.find('\n') == std::string_view::npos;
            break;
        case ':':
            is_valid = is_integer(text);
            break;
        case ',':
            is_valid = is_double(text);
            break;
        case '#':
            is_valid = text == "t" || text == "f";
            break;
        case '(':
            is_valid = is_digits(without_sign(text));
            break;
        case '_':
            is_valid = text.empty();
            break;
        default:
            return fail("unknown type");
    }
    if (!is_valid) {
        return fail("invalid value");
    }
    close_element();
    return Step::kGoOn;
}

/// Counts one element off its aggregate, and the aggregate off its own when that was the last.
void ReplyParser::close_element() noexcept {
    while (depth_ != 0) {
        if (--left_counts_[depth_ - 1] != 0) {
            return;
        }
        --depth_;
    }
    is_complete_ = true;
}

ReplyParser::Step ReplyParser::fail(std::string_view reason) {
    error_ = fmt::format("reply is not RESP at byte {}: {}", element_offset_, reason);
    is_broken_ = true;
    return Step::kError;
}

}  // namespace tern::resp
