#include "store/list/packed_entry.hpp"

#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store::packed_entry {
namespace {

constexpr std::size_t kTextBytesMax6 = 63;
constexpr std::size_t kTextBytesMax12 = 4095;
constexpr unsigned kText6 = 0x80;
constexpr unsigned kInteger13 = 0xC0;
constexpr unsigned kText12 = 0xE0;
constexpr unsigned kText32 = 0xF0;
constexpr unsigned kInteger16 = 0xF1;
constexpr unsigned kInteger24 = 0xF2;
constexpr unsigned kInteger32 = 0xF3;
constexpr unsigned kInteger64 = 0xF4;

[[nodiscard]] constexpr bool fits(std::int64_t number, unsigned bits) noexcept {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    return number >= -half && number < half;
}

/// How many bytes follow the first one of a number, and what the first one is.
struct Form {
    unsigned first = 0;
    unsigned number_bytes = 0;
};

[[nodiscard]] Form form_of(std::int64_t number) noexcept {
    constexpr unsigned kBits13 = 13;
    if (number >= 0 && number < kText6) {
        return {static_cast<unsigned>(number), 0};
    }
    if (fits(number, kBits13)) {
        return {kInteger13, 1};
    }
    if (fits(number, 16)) {
        return {kInteger16, 2};
    }
    if (fits(number, 24)) {
        return {kInteger24, 3};
    }
    return fits(number, 32) ? Form{kInteger32, 4} : Form{kInteger64, 8};
}

[[nodiscard]] std::size_t text_head_bytes(std::size_t text_bytes) noexcept {
    return text_bytes <= kTextBytesMax6 ? 1 : text_bytes <= kTextBytesMax12 ? 2 : 5;
}

/// The entry without its back length.
[[nodiscard]] std::size_t front_bytes(const Value& value) noexcept {
    return value.is_integer ? 1 + form_of(value.number).number_bytes
                            : text_head_bytes(value.text.size()) + value.text.size();
}

/// The steps of Redis's own writer, which is one short of what two, three and four bytes can say.
[[nodiscard]] std::size_t back_bytes(std::size_t front) noexcept {
    return front <= 127 ? 1 : front < 16383 ? 2 : front < 2097151 ? 3 : front < 268435455 ? 4 : 5;
}

void write_back(std::byte* to, std::size_t front) noexcept {
    const std::size_t length = back_bytes(front);
    for (std::size_t i = 0; i < length; ++i) {
        const unsigned bits = static_cast<unsigned>(front >> (7 * (length - 1 - i))) & 0x7FU;
        to[i] = static_cast<std::byte>(i == 0 ? bits : bits | 0x80U);
    }
}

std::byte* write_number(std::byte* to, std::int64_t number) noexcept {
    const Form form = form_of(number);
    const auto bits = static_cast<std::uint64_t>(number);
    if (form.first == kInteger13) {
        to[0] = static_cast<std::byte>(kInteger13 | ((bits >> 8) & 0x1FU));
        to[1] = static_cast<std::byte>(bits & 0xFFU);
        return to + 2;
    }
    *to++ = static_cast<std::byte>(form.first);
    for (unsigned i = 0; i < form.number_bytes; ++i) {
        *to++ = static_cast<std::byte>((bits >> (8 * i)) & 0xFFU);
    }
    return to;
}

std::byte* write_text(std::byte* to, std::string_view text) noexcept {
    if (text.size() <= kTextBytesMax6) {
        *to++ = static_cast<std::byte>(kText6 | text.size());
    } else if (text.size() <= kTextBytesMax12) {
        *to++ = static_cast<std::byte>(kText12 | text.size() >> 8);
        *to++ = static_cast<std::byte>(text.size() & 0xFFU);
    } else {
        *to++ = static_cast<std::byte>(kText32);
        store_value(to, static_cast<std::uint32_t>(text.size()));
        to += 4;
    }
    if (!text.empty()) {
        std::memcpy(to, text.data(), text.size());
    }
    return to + text.size();
}

/// A number of `length` bytes, the lowest first, with its sign.
[[nodiscard]] std::int64_t read_number(const std::byte* from, unsigned length) noexcept {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < length; ++i) {
        bits |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
    }
    const unsigned shift = 64 - 8 * length;
    return static_cast<std::int64_t>(bits << shift) >> shift;
}

[[nodiscard]] Entry text_entry(const std::byte* from,
                               std::size_t head,
                               std::size_t length) noexcept {
    return {.text = as_text({from + head, length}),
            .size_bytes = head + length + back_bytes(head + length)};
}

[[nodiscard]] Entry number_entry(std::int64_t number, std::size_t front) noexcept {
    return {.number = number, .size_bytes = front + 1, .is_integer = true};
}

[[nodiscard]] Entry read_wide(const std::byte* from, unsigned first) noexcept {
    if (first == kText32) {
        return text_entry(from, 5, load<std::uint32_t>(from + 1));
    }
    TERN_CHECK(first >= kInteger16 && first <= kInteger64);
    const unsigned length = first == kInteger64 ? 8 : first - kInteger16 + 2;
    return number_entry(read_number(from + 1, length), 1 + length);
}

}  // namespace

std::size_t size_of(const Value& value) noexcept {
    const std::size_t front = front_bytes(value);
    return front + back_bytes(front);
}

void write(std::byte* to, const Value& value) noexcept {
    std::byte* const end =
        value.is_integer ? write_number(to, value.number) : write_text(to, value.text);
    write_back(end, static_cast<std::size_t>(end - to));
}

Entry read(const std::byte* from) noexcept {
    const auto first = std::to_integer<unsigned>(*from);
    if (first < kText6) {
        return number_entry(first, 1);
    }
    if (first < kInteger13) {
        return text_entry(from, 1, first & 0x3FU);
    }
    const auto second = [from] { return std::to_integer<unsigned>(from[1]); };
    if (first < kText12) {
        constexpr unsigned kUnusedBits = 64 - 13;
        const std::uint64_t bits = std::uint64_t{first & 0x1FU} << 8 | second();
        return number_entry(static_cast<std::int64_t>(bits << kUnusedBits) >> kUnusedBits, 2);
    }
    if (first < kText32) {
        return text_entry(from, 2, (first & 0x0FU) << 8 | second());
    }
    return read_wide(from, first);
}

std::size_t size_before(const std::byte* end) noexcept {
    std::size_t front = 0;
    unsigned shift = 0;
    while (true) {
        const auto byte = std::to_integer<std::size_t>(*--end);
        front |= (byte & 0x7FU) << shift;
        shift += 7;
        if ((byte & 0x80U) == 0) {
            return front + shift / 7;
        }
    }
}

}  // namespace tern::store::packed_entry
