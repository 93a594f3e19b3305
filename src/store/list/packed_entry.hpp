#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "base/number_text.hpp"

/// One element of a list, packed so that it can be read from both ends: the entry of Redis's
/// published listpack format, which DUMP shows as it is. Canonical integers are stored as numbers.
///
///     +--------+-------------------+------+---------+
///     | first  | length or number  | text | back    |
///     | byte 1 | 0 to 8            |      | 1 to 5  |
///     +--------+-------------------+------+---------+
///     first: 0xxxxxxx 7 bits unsigned; 10xxxxxx text of up to 63; 110xxxxx 13 bits signed;
///            1110xxxx text of up to 4095; 0xF0 text, 4 bytes of length; 0xF1 to 0xF4 integers of
///            2, 3, 4 and 8 bytes
///     back:  how long the entry is without it, seven bits a byte, the lowest last; every byte but
///            the first has its highest bit set
namespace tern::store::packed_entry {

/// A list's element as it goes in: its text, and the number that it says.
struct Value {
    Value() = default;
    explicit Value(std::string_view from) noexcept
        : text(from), is_integer(parse_int64(from, number)) {}

    std::string_view text{};
    std::int64_t number = 0;
    bool is_integer = false;
};

/// An entry as it was read.
///
/// Lifetime: of the bytes.
struct Entry {
    std::string_view text{};  ///< of an entry that is no integer
    std::int64_t number = 0;
    std::size_t size_bytes = 0;  ///< of the whole entry
    bool is_integer = false;

    /// The same as it goes in.
    [[nodiscard]] Value value() const noexcept {
        Value same;
        same.text = text;
        same.number = number;
        same.is_integer = is_integer;
        return same;
    }
    [[nodiscard]] bool equals(const Value& other) const noexcept {
        return is_integer ? other.is_integer && other.number == number
                          : !other.is_integer && other.text == text;
    }
};

/// The text of an entry, made in place where it is a number.
class Text {
public:
    explicit Text(const Entry& entry) noexcept
        : text_(entry.is_integer
                    ? std::string_view(digits_.data(), format_int64(digits_.data(), entry.number))
                    : entry.text) {}
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    [[nodiscard]] std::string_view view() const noexcept { return text_; }

private:
    std::array<char, kInt64TextBytes> digits_;
    std::string_view text_;
};

/// How long the entry of a value is.
[[nodiscard]] std::size_t size_of(const Value& value) noexcept;
/// Writes the entry, `size_of(value)` bytes.
void write(std::byte* to, const Value& value) noexcept;
/// The entry that begins at `from`.
[[nodiscard]] Entry read(const std::byte* from) noexcept;
/// How long the entry is that ends before `end`.
[[nodiscard]] std::size_t size_before(const std::byte* end) noexcept;

}  // namespace tern::store::packed_entry
