#include "resp/reply_view.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/number_text.hpp"

namespace tern::resp {
namespace {

/// The first line of a reply: its type byte, what follows it, and where the next line begins.
struct Line {
    char type = 0;
    std::string_view text;
    const char* next = nullptr;
};

Line read_line(const char* at) noexcept {
    const auto* end = static_cast<const char*>(::rawmemchr(at, '\r'));
    return {*at, {at + 1, static_cast<std::size_t>(end - at - 1)}, end + 2};
}

/// A length or count; -1 for the nulls of RESP2.
std::int64_t read_length(std::string_view text) noexcept {
    std::int64_t length = 0;
    static_cast<void>(parse_int64(text, length));  // was checked
    return length;
}

bool has_bulk(char type) noexcept {
    return type == '$' || type == '=' || type == '!';
}

bool has_children(char type) noexcept {
    return type == '*' || type == '%' || type == '~' || type == '>' || type == '|';
}

std::size_t child_count(const Line& line) noexcept {
    const std::int64_t count = read_length(line.text);
    if (count <= 0) {
        return 0;
    }
    const bool has_pairs = line.type == '%' || line.type == '|';
    return static_cast<std::size_t>(count) * (has_pairs ? 2 : 1);
}

/// Skips `count` replies with all that is in them.
const char* skip(const char* at, std::size_t count) noexcept {
    while (count != 0) {
        const Line line = read_line(at);
        at = line.next;
        --count;
        if (has_bulk(line.type)) {
            const std::int64_t length = read_length(line.text);
            at += length < 0 ? 0 : length + 2;
        } else if (has_children(line.type)) {
            count += child_count(line) + (line.type == '|' ? 1 : 0);
        }
    }
    return at;
}

bool parse_resp_double(std::string_view text, double& value) noexcept {
    if (text == "nan" || text == "-nan") {
        value = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    return parse_double(text, value);
}

}  // namespace

ReplyView ReplyView::trusted(const char* at) noexcept {
    const char* const attributes = *at == '|' ? at : nullptr;
    while (*at == '|') {
        const Line line = read_line(at);
        at = skip(line.next, child_count(line));
    }
    return {attributes, at};
}

ReplyType ReplyView::type() const noexcept {
    switch (*value_) {
        case '+':
            return ReplyType::kSimple;
        case '-':
        case '!':
            return ReplyType::kError;
        case ':':
            return ReplyType::kInteger;
        case '$':
            return value_[1] == '-' ? ReplyType::kNull : ReplyType::kBulk;
        case '*':
            return value_[1] == '-' ? ReplyType::kNull : ReplyType::kArray;
        case '%':
            return ReplyType::kMap;
        case '~':
            return ReplyType::kSet;
        case '>':
            return ReplyType::kPush;
        case ',':
            return ReplyType::kDouble;
        case '#':
            return ReplyType::kBoolean;
        case '(':
            return ReplyType::kBigNumber;
        case '=':
            return ReplyType::kVerbatim;
        default:
            return ReplyType::kNull;
    }
}

bool ReplyView::is_aggregate() const noexcept {
    return has_children(*value_) && !is_null();
}

std::string_view ReplyView::text() const noexcept {
    constexpr std::int64_t kVerbatimPrefixBytes = 4;
    if (has_children(*value_) || is_null()) {
        return {};
    }
    const Line line = read_line(value_);
    if (!has_bulk(line.type)) {
        return line.text;
    }
    const std::int64_t prefix_bytes = line.type == '=' ? kVerbatimPrefixBytes : 0;
    return {line.next + prefix_bytes,
            static_cast<std::size_t>(read_length(line.text) - prefix_bytes)};
}

std::string_view ReplyView::verbatim_format() const noexcept {
    return *value_ == '=' ? std::string_view(read_line(value_).next, 3) : std::string_view();
}

std::optional<std::int64_t> ReplyView::integer() const noexcept {
    if (*value_ == '#') {
        return value_[1] == 't' ? 1 : 0;
    }
    std::string_view digits = text();
    if (*value_ == ':' && digits.starts_with('+')) {
        digits.remove_prefix(1);
    }
    std::int64_t value = 0;
    return parse_int64(digits, value) ? std::optional(value) : std::nullopt;
}

std::optional<double> ReplyView::number() const noexcept {
    double value = 0;
    return parse_resp_double(text(), value) ? std::optional(value) : std::nullopt;
}

std::optional<bool> ReplyView::boolean() const noexcept {
    if (*value_ == '#' || *value_ == ':') {
        return integer() != 0;
    }
    return std::nullopt;
}

std::size_t ReplyView::size() const noexcept {
    return has_children(*value_) ? child_count(read_line(value_)) : 0;
}

ReplyView::Iterator ReplyView::begin() const noexcept {
    if (!has_children(*value_)) {
        return end();
    }
    const Line line = read_line(value_);
    return {line.next, child_count(line)};
}

ReplyView::Iterator& ReplyView::Iterator::operator++() noexcept {
    // The child behind the last one need not be there, so nothing is read past it.
    at_ = skip(at_, 1);
    --left_count_;
    return *this;
}

std::optional<ReplyView> ReplyView::attributes() const noexcept {
    return attributes_ == nullptr ? std::nullopt : std::optional(ReplyView(nullptr, attributes_));
}

std::string_view ReplyView::raw() const noexcept {
    return {value_, static_cast<std::size_t>(skip(value_, 1) - value_)};
}

}  // namespace tern::resp
