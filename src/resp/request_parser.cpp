#include "resp/request_parser.hpp"

#include <algorithm>

#include "base/number_text.hpp"
#include "resp/split_arguments.hpp"

namespace tern::resp {
namespace {

/// Redis gives up on a count or a length that has no end after this many bytes.
constexpr std::size_t kLineBytesMax = std::size_t{64} << 10;

// redis-server's bounds for a peer that has yet to authenticate.
constexpr std::int64_t kStrangerArgumentCountMax = 10;
constexpr std::int64_t kStrangerBulkBytesMax = 16384;

/// How much of an argument array or an inline text is kept between commands.
constexpr std::size_t kKeptInlineBytes = 1024;

// While a command is incomplete the buffer may move, so its arguments are kept as offsets, in the
// place of the pointer that they become when it is complete: half the memory of a second array.
std::string_view as_offset(std::size_t offset, std::size_t length) noexcept {
    return {reinterpret_cast<const char*>(offset), length};
}
std::string_view as_pointer(std::string_view argument, const char* base) noexcept {
    return {base + reinterpret_cast<std::uintptr_t>(argument.data()), argument.size()};
}

}  // namespace

void RequestParser::set_limits(const RequestLimits& limits) noexcept {
    limits_ = limits;
    std::int64_t count_max = std::min<std::int64_t>(limits.argument_count_max, 99);
    std::int64_t bulk_max = limits.bulk_bytes_max;
    if (!limits.is_authenticated) {
        count_max = std::min(count_max, kStrangerArgumentCountMax);
        bulk_max = std::min(bulk_max, kStrangerBulkBytesMax);
    }
    small_count_max_ = static_cast<std::size_t>(count_max);
    small_bulk_bytes_max_ = static_cast<std::size_t>(bulk_max);
}

RequestOutcome RequestParser::parse_in_steps(std::string_view unread) {
    consumed_bytes_ = 0;
    missing_bytes_ = 1;
    for (;;) {
        const std::string_view command = unread.substr(consumed_bytes_);
        switch (step(command)) {
            case Step::kGoOn:
                break;
            case Step::kNeedMore:
                return RequestOutcome::kNeedMore;
            case Step::kEmpty:
                consumed_bytes_ += position_;
                start_command();
                break;
            case Step::kCommand:
                consumed_bytes_ += position_;
                stage_ = Stage::kStart;
                return RequestOutcome::kCommand;
            case Step::kError:
                return RequestOutcome::kProtocolError;
        }
    }
}

RequestParser::Step RequestParser::step(std::string_view command) {
    // The caller passes a half-read command again from its first byte on.
    TERN_DCHECK(stage_ == Stage::kStart || stage_ == Stage::kBroken || command.size() >= position_);
    switch (stage_) {
        case Stage::kStart:
            trim_storage();
            start_command();
            if (command.empty()) {
                return Step::kNeedMore;
            }
            stage_ = command.front() == '*' ? Stage::kCountLine : Stage::kInline;
            return Step::kGoOn;
        case Stage::kCountLine:
            return read_count(command);
        case Stage::kInline:
            return read_inline(command);
        case Stage::kLengthLine:
            return read_length(command);
        case Stage::kBulk:
            return read_bulk(command);
        case Stage::kBroken:
            break;
    }
    return Step::kError;
}

RequestParser::Step RequestParser::read_count(std::string_view command) {
    std::string_view line;
    const Step found = find_line(command, "too big mbulk count string", line);
    if (found != Step::kGoOn) {
        return found;
    }
    std::int64_t count = 0;
    if (!parse_int64(line.substr(1), count) || count > limits_.argument_count_max) {
        return fail("invalid multibulk length");
    }
    if (!limits_.is_authenticated && count > kStrangerArgumentCountMax) {
        return fail("unauthenticated multibulk length");
    }
    if (count <= 0) {
        return Step::kEmpty;
    }
    unread_count_ = count;
    stage_ = Stage::kLengthLine;
    return Step::kGoOn;
}

RequestParser::Step RequestParser::read_length(std::string_view command) {
    std::string_view line;
    const Step found = find_line(command, "too big bulk count string", line);
    if (found != Step::kGoOn) {
        return found;
    }
    const char first = line.empty() ? '\r' : line.front();
    if (first != '$') {
        return fail(std::string("expected '$', got '") + first + '\'');
    }
    std::int64_t length = 0;
    if (!parse_int64(line.substr(1), length) || length < 0 || length > limits_.bulk_bytes_max) {
        return fail("invalid bulk length");
    }
    if (!limits_.is_authenticated && length > kStrangerBulkBytesMax) {
        return fail("unauthenticated bulk length");
    }
    bulk_bytes_ = static_cast<std::size_t>(length);
    stage_ = Stage::kBulk;
    return Step::kGoOn;
}

RequestParser::Step RequestParser::read_bulk(std::string_view command) {
    constexpr std::size_t kLineEndBytes = 2;  // two bytes; like Redis we do not look which
    const std::size_t end = position_ + bulk_bytes_ + kLineEndBytes;
    if (command.size() < end) {
        missing_bytes_ = end - command.size();
        return Step::kNeedMore;
    }
    add_argument(as_offset(position_, bulk_bytes_));
    position_ = end;
    scanned_ = end;
    stage_ = Stage::kLengthLine;
    if (--unread_count_ != 0) {
        return Step::kGoOn;
    }
    for (std::size_t i = 0; i < argument_count_; ++i) {
        arguments_[i] = as_pointer(arguments_[i], command.data());
    }
    return Step::kCommand;
}

RequestParser::Step RequestParser::read_inline(std::string_view command) {
    const std::string_view window = command.substr(0, limits_.inline_bytes_max + 1);
    const std::size_t end = window.find('\n', scanned_);
    if (end == std::string_view::npos) {
        scanned_ = window.size();
        return window.size() > limits_.inline_bytes_max ? fail("too big inline request")
                                                        : Step::kNeedMore;
    }
    position_ = end + 1;
    std::string_view line = window.substr(0, end);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    inline_arguments_.clear();
    if (!split_arguments(line, inline_text_, inline_arguments_)) {
        return fail("unbalanced quotes in request");
    }
    for (const std::string_view argument : inline_arguments_) {
        add_argument(argument);
    }
    return argument_count_ == 0 ? Step::kEmpty : Step::kCommand;
}

/// Finds the line at `position_`, moves behind it, or says why not.
RequestParser::Step RequestParser::find_line(std::string_view command,
                                             std::string_view too_long,
                                             std::string_view& line) {
    const std::string_view window = command.substr(0, position_ + kLineBytesMax + 1);
    const std::size_t end = window.find('\r', scanned_);
    if (end == std::string_view::npos) {
        scanned_ = window.size();
        return window.size() - position_ > kLineBytesMax ? fail(too_long) : Step::kNeedMore;
    }
    scanned_ = end;
    if (end + 1 >= command.size()) {
        return Step::kNeedMore;  // the byte behind CR has to be there; Redis does not look at it
    }
    line = command.substr(position_, end - position_);
    position_ = end + 2;
    scanned_ = position_;
    return Step::kGoOn;
}

RequestParser::Step RequestParser::fail(std::string_view reason) {
    error_ = "Protocol error: ";
    error_ += reason;
    stage_ = Stage::kBroken;
    return Step::kError;
}

void RequestParser::start_command() noexcept {
    stage_ = Stage::kStart;
    position_ = 0;
    scanned_ = 0;
    argument_count_ = 0;
}

void RequestParser::add_argument(std::string_view argument) {
    if (argument_count_ == arguments_.size()) {
        arguments_.resize(arguments_.size() * 2);
        set_limits(limits_);  // the fast path may use the new room
    }
    arguments_[argument_count_++] = argument;
}

/// Gives back what an unusually large command needed, once nobody looks at its arguments any more.
void RequestParser::trim_storage() {
    if (arguments_.size() > kKeptArgumentCountMax) {
        std::vector<std::string_view>(kKeptArgumentCountMin).swap(arguments_);
    }
    if (inline_text_.capacity() > kKeptInlineBytes) {
        std::string().swap(inline_text_);
    }
    if (inline_arguments_.capacity() > kKeptArgumentCountMax) {
        std::vector<std::string_view>().swap(inline_arguments_);
    }
}

}  // namespace tern::resp
