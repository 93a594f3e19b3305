#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <tern/base/check.hpp>

#include "resp/request_parser.hpp"

namespace tern::resp {

/// The next requests of a pipeline, parsed before their turn, so that whoever executes them can
/// have the lines that they will touch fetched meanwhile.
///
/// Holds what RequestParser::parse_small accepts, at most kRequestsMax requests and
/// kArgumentsMax arguments; anything else ends the window and is the parser's. Taking a request out
/// of the window does not tell the parser: that is left between two commands.
///
/// Threads:  one.
/// Lifetime: the requests point into the bytes passed to `fill`.
class RequestWindow {
public:
    static constexpr std::size_t kRequestsMax = 8;
    static constexpr std::size_t kArgumentsMax = 64;

    struct Request {
        std::span<const std::string_view> argv;
        std::size_t length_bytes = 0;
    };

    RequestWindow() noexcept {}  // NOLINT(modernize-use-equals-default): see the members
    RequestWindow(const RequestWindow&) = delete;
    RequestWindow& operator=(const RequestWindow&) = delete;
    ~RequestWindow() = default;

    /// Parses what lies at the front of `unread`. The window must be empty, and `parser` between
    /// two commands; its limits hold.
    void fill(const RequestParser& parser, std::string_view unread) noexcept {
        TERN_DCHECK(empty() && parser.is_at_start());
        next_ = 0;
        count_ = 0;
        std::size_t used = 0;
        const char* at = unread.data();
        const char* const end = at + unread.size();
        while (count_ < kRequestsMax) {
            std::string_view* const arguments = this->arguments() + used;
            std::size_t argument_count = 0;
            const char* const behind =
                parser.parse_small(at, end, arguments, kArgumentsMax - used, argument_count);
            if (behind == nullptr) {
                break;
            }
            requests_[count_++] = {{arguments, argument_count},
                                   static_cast<std::size_t>(behind - at)};
            used += argument_count;
            at = behind;
        }
    }

    [[nodiscard]] bool empty() const noexcept { return next_ == count_; }
    /// Those that wait, the first one first.
    [[nodiscard]] std::span<const Request> requests() const noexcept {
        return {requests_.data() + next_, count_ - next_};
    }
    void pop() noexcept {
        TERN_DCHECK(!empty());
        ++next_;
    }

private:
    [[nodiscard]] std::string_view* arguments() noexcept {
        return std::launder(reinterpret_cast<std::string_view*>(arguments_.data()));
    }

    // Left as they are until they are filled: a window is made for every read.
    alignas(std::string_view)
        std::array<std::byte, kArgumentsMax * sizeof(std::string_view)> arguments_;
    union {
        std::array<Request, kRequestsMax> requests_;
    };
    std::size_t next_ = 0;
    std::size_t count_ = 0;
};

}  // namespace tern::resp
