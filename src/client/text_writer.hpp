#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/number_text.hpp"

namespace tern {

/// Writes one RESP request into memory that has room for it.
class TextWriter {
public:
    /// What an argument takes at most besides its bytes: '$', the length, two line ends.
    static constexpr std::size_t kArgumentBytesMax = 1 + kInt64TextBytes + 4;
    /// What the request's own header takes at most.
    static constexpr std::size_t kHeaderBytesMax = 1 + kInt64TextBytes + 2;

    explicit TextWriter(char* at) noexcept : at_(at) {}

    TextWriter& begin(std::size_t argument_count) noexcept {
        number_line('*', argument_count);
        return *this;
    }
    TextWriter& argument(std::string_view text) noexcept {
        number_line('$', text.size());
        if (!text.empty()) {
            std::memcpy(at_, text.data(), text.size());
            at_ += text.size();
        }
        line_end();
        return *this;
    }
    TextWriter& integer(std::int64_t value) noexcept {
        char digits[kInt64TextBytes];
        return argument({digits, format_int64(digits, value)});
    }
    TextWriter& number(double value) noexcept {
        char digits[kDoubleTextBytes];
        return argument({digits, format_double(digits, value)});
    }
    [[nodiscard]] char* end() const noexcept { return at_; }

private:
    void line_end() noexcept {
        std::memcpy(at_, "\r\n", 2);
        at_ += 2;
    }
    void number_line(char type, std::size_t number) noexcept {
        *at_++ = type;
        if (number < 10) {
            *at_++ = static_cast<char>('0' + number);
        } else {
            at_ += format_uint64(at_, number);
        }
        line_end();
    }

    char* at_;
};

}  // namespace tern
