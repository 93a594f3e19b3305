#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/sbe/decode.hpp>
#include <type_traits>

/// Printing messages as JSON. `Out` is anything with `append(std::string_view)`; nothing here
/// allocates.
namespace tern::sbe {

namespace detail {

/// Length of the UTF-8 sequence at the front of `text`, 0 when it is malformed.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) noexcept {
    const auto at = [text](std::size_t index) {
        return index < text.size() ? static_cast<unsigned char>(text[index]) : 0u;
    };
    const auto is_tail = [&at](std::size_t index) { return (at(index) & 0xc0u) == 0x80u; };
    const unsigned lead = at(0);
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return is_tail(1) ? 2 : 0;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
        const bool overlong = lead == 0xe0 && at(1) < 0xa0;
        const bool surrogate = lead == 0xed && at(1) > 0x9f;
        return is_tail(1) && is_tail(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        const bool overlong = lead == 0xf0 && at(1) < 0x90;
        const bool too_large = lead == 0xf4 && at(1) > 0x8f;
        return is_tail(1) && is_tail(2) && is_tail(3) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

template <typename Out>
void append_escaped(Out& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto c = static_cast<unsigned char>(text[0]);
    switch (c) {
        case '"':
            out.append(std::string_view("\\\""));
            return;
        case '\\':
            out.append(std::string_view("\\\\"));
            return;
        case '\n':
            out.append(std::string_view("\\n"));
            return;
        case '\r':
            out.append(std::string_view("\\r"));
            return;
        case '\t':
            out.append(std::string_view("\\t"));
            return;
        default:
            break;
    }
    const std::array<char, 6> code{'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
    out.append(std::string_view(code.data(), code.size()));
}

}  // namespace detail

/// Text as a JSON string; bytes that are no UTF-8 become U+FFFD.
template <typename Out>
void json_text(Out& out, std::string_view text) {
    out.append(std::string_view("\""));
    std::size_t plain = 0;  // start of the run that is copied as it stands
    std::size_t at = 0;
    while (at < text.size()) {
        const auto c = static_cast<unsigned char>(text[at]);
        const std::size_t length = detail::utf8_length(text.substr(at));
        if (length != 0 && c >= 0x20 && c != '"' && c != '\\') {
            at += length;
            continue;
        }
        out.append(text.substr(plain, at - plain));
        if (length == 0) {
            out.append(std::string_view("\\ufffd"));
        } else {
            detail::append_escaped(out, text.substr(at, 1));
        }
        plain = ++at;
    }
    out.append(text.substr(plain));
    out.append(std::string_view("\""));
}

/// Bytes as a JSON string of hexadecimal digits.
template <typename Out>
void json_hex(Out& out, Bytes bytes) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out.append(std::string_view("\""));
    for (const std::byte byte : bytes) {
        const auto value = std::to_integer<unsigned>(byte);
        const std::array<char, 2> digits{kHex[value >> 4], kHex[value & 15]};
        out.append(std::string_view(digits.data(), digits.size()));
    }
    out.append(std::string_view("\""));
}

/// A number; NaN is the string "0/0", the infinities "1/0" and "-1/0".
template <typename Out, typename T>
requires std::is_arithmetic_v<T>
void json_number(Out& out, T value) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) {
            out.append(std::string_view("\"0/0\""));
            return;
        }
        if (std::isinf(value)) {
            out.append(value > 0 ? std::string_view("\"1/0\"") : std::string_view("\"-1/0\""));
            return;
        }
    }
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out.append(std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data())));
}

/// A character as a JSON string; empty for the zero byte.
template <typename Out>
void json_char(Out& out, char value) {
    json_text(out, std::string_view(&value, value == '\0' ? 0 : 1));
}

template <typename T>
concept Visitable = requires(const T& view) {
    view.visit([](std::string_view, const auto&) {});
};
template <typename T>
concept ChoiceSet = requires(const T& set) {
    T::kChoices;
    set.raw();
};

template <typename Out, Visitable View>
void to_json(const View& view, Out& out);
template <typename Out, typename T>
void json_value(Out& out, const T& value);

namespace detail {

template <typename>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename>
inline constexpr bool kIsEnum = false;
template <typename E>
inline constexpr bool kIsEnum<EnumValue<E>> = true;

template <typename Out, typename Range>
void json_list(Out& out, const Range& range) {
    std::string_view separator = "[";
    for (const auto& element : range) {
        out.append(separator);
        json_value(out, element);
        separator = ",";
    }
    out.append(range.size() == 0 ? std::string_view("[]") : std::string_view("]"));
}

template <typename Out, typename Set>
void json_choices(Out& out, const Set& set) {
    std::string_view separator = "{";
    for (const Choice& choice : Set::kChoices) {
        out.append(separator);
        json_text(out, choice.name);
        out.append(has_bit(set.raw(), choice.bit) ? std::string_view(":true")
                                                  : std::string_view(":false"));
        separator = ",";
    }
    out.append(Set::kChoices.empty() ? std::string_view("{}") : std::string_view("}"));
}

}  // namespace detail

/// Any value that a view's `visit` names, in the shapes of docs/formats/sbe-codegen.md.
template <typename Out, typename T>
void json_value(Out& out, const T& value) {
    if constexpr (detail::kIsOptional<T>) {
        if (value) {
            json_value(out, *value);
        } else {
            out.append(std::string_view("null"));
        }
    } else if constexpr (detail::kIsEnum<T>) {
        if (value.known()) {
            json_text(out, value.name());
        } else if constexpr (std::is_same_v<typename T::Raw, char>) {
            json_number(out, static_cast<int>(static_cast<unsigned char>(value.raw())));
        } else {
            json_number(out, value.raw());
        }
    } else if constexpr (std::is_same_v<T, char>) {
        json_char(out, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        json_number(out, value);
    } else if constexpr (std::is_same_v<T, std::string_view>) {
        json_text(out, value);
    } else if constexpr (std::is_same_v<T, Bytes>) {
        json_hex(out, value);
    } else if constexpr (ChoiceSet<T>) {
        detail::json_choices(out, value);
    } else if constexpr (Visitable<T>) {
        to_json(value, out);
    } else {
        detail::json_list(out, value);
    }
}

/// Prints a verified message, an entry or a composite as a JSON object: fields in schema order,
/// what the acting version does not have left out.
template <typename Out, Visitable View>
void to_json(const View& view, Out& out) {
    std::string_view separator = "{";
    view.visit([&](std::string_view name, const auto& value) {
        out.append(separator);
        json_text(out, name);
        out.append(std::string_view(":"));
        json_value(out, value);
        separator = ",";
    });
    out.append(separator == "{" ? std::string_view("{}") : std::string_view("}"));
}

}  // namespace tern::sbe
