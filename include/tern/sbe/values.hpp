#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>
#include <type_traits>

namespace tern::sbe {

/// An enum field's value: a named one, or a raw one that a newer peer may know.
///
/// A generated enum `E` has a function `sbe_enum_traits(E)`, found by its namespace, whose result
/// type names the values and holds the encoding's null.
template <typename E>
class EnumValue {
public:
    using Raw = std::underlying_type_t<E>;
    using Traits = decltype(sbe_enum_traits(E{}));

    constexpr EnumValue() noexcept = default;
    constexpr EnumValue(E value) noexcept  // NOLINT: a named value is one
        : raw_(static_cast<Raw>(value)) {}
    [[nodiscard]] static constexpr EnumValue from_raw(Raw raw) noexcept {
        return EnumValue(static_cast<E>(raw));
    }

    [[nodiscard]] constexpr Raw raw() const noexcept { return raw_; }
    /// The value as its enum type, for a switch with a default; it need not have a name.
    [[nodiscard]] constexpr E as_enum() const noexcept { return static_cast<E>(raw_); }
    /// Whether this version of the schema names the value.
    [[nodiscard]] constexpr bool known() const noexcept { return !Traits::name(as_enum()).empty(); }
    [[nodiscard]] constexpr bool is_null() const noexcept { return raw_ == Traits::kNull; }
    /// The schema's name of the value; empty when it has none.
    [[nodiscard]] constexpr std::string_view name() const noexcept {
        return Traits::name(as_enum());
    }

    friend constexpr bool operator==(EnumValue, EnumValue) noexcept = default;

private:
    Raw raw_{};
};

/// A fixed array of numbers in a message, read in place in byte order `Order`.
///
/// Lifetime: that of the message's bytes.
template <typename T, std::size_t Count, std::endian Order>
class EndianSpan {
public:
    class Iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;

        constexpr Iterator() noexcept = default;
        explicit constexpr Iterator(const std::byte* at) noexcept : at_(at) {}
        T operator*() const noexcept { return load<T, Order>(at_); }
        Iterator& operator++() noexcept {
            at_ += sizeof(T);
            return *this;
        }
        Iterator operator++(int) noexcept {
            Iterator before = *this;
            ++*this;
            return before;
        }
        friend constexpr bool operator==(Iterator, Iterator) noexcept = default;

    private:
        const std::byte* at_ = nullptr;
    };

    constexpr EndianSpan() noexcept = default;
    explicit constexpr EndianSpan(const std::byte* at) noexcept : at_(at) {}

    [[nodiscard]] static constexpr std::size_t size() noexcept { return Count; }
    [[nodiscard]] T operator[](std::size_t index) const noexcept {
        TERN_DCHECK(index < Count);
        return load<T, Order>(at_ + index * sizeof(T));
    }
    [[nodiscard]] Iterator begin() const noexcept { return Iterator(at_); }
    [[nodiscard]] Iterator end() const noexcept { return Iterator(at_ + Count * sizeof(T)); }
    /// The array as it lies in the message.
    [[nodiscard]] Bytes bytes() const noexcept { return {at_, Count * sizeof(T)}; }

private:
    const std::byte* at_ = nullptr;
};

/// An enum's value in a message.
template <typename E, std::endian Order>
[[nodiscard]] inline EnumValue<E> load_enum(const std::byte* at) noexcept {
    return EnumValue<E>::from_raw(load<std::underlying_type_t<E>, Order>(at));
}

/// nullopt when the enum's value is null.
template <typename E>
[[nodiscard]] constexpr std::optional<EnumValue<E>> unless_null(EnumValue<E> value) noexcept {
    return value.is_null() ? std::nullopt : std::optional<EnumValue<E>>(value);
}

template <typename Raw>
[[nodiscard]] constexpr bool has_bit(Raw raw, unsigned bit) noexcept {
    return ((raw >> bit) & 1u) != 0;
}

template <typename Raw>
[[nodiscard]] constexpr Raw with_bit(Raw raw, unsigned bit, bool on) noexcept {
    const Raw mask = static_cast<Raw>(Raw{1} << bit);
    return static_cast<Raw>(on ? raw | mask : raw & static_cast<Raw>(~mask));
}

/// A named bit of a set.
struct Choice {
    std::string_view name;
    unsigned bit;
};

/// nullopt when `value` is the field's null.
template <typename T>
[[nodiscard]] constexpr std::optional<T> unless_null(T value,
                                                     std::type_identity_t<T> null) noexcept {
    return value == null ? std::nullopt : std::optional<T>(value);
}

/// nullopt when a real number is NaN, whatever its payload.
template <typename T>
[[nodiscard]] constexpr std::optional<T> unless_nan(T value) noexcept {
    return value != value ? std::nullopt : std::optional<T>(value);
}

/// A fixed array of characters up to its first zero byte.
template <std::size_t Count>
[[nodiscard]] inline std::string_view load_text(const std::byte* at) noexcept {
    const void* zero = std::memchr(at, 0, Count);
    const std::size_t length =
        zero == nullptr ? Count
                        : static_cast<std::size_t>(static_cast<const std::byte*>(zero) - at);
    return {reinterpret_cast<const char*>(at), length};
}

/// nullopt when an optional character array begins with a zero byte.
[[nodiscard]] constexpr std::optional<std::string_view> unless_empty(
    std::string_view text) noexcept {
    return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

}  // namespace tern::sbe
