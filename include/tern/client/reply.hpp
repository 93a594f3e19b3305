#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace tern {

/// What a reply is. The same over every protocol, but for what RESP2 cannot say: there a map or set
/// is an array, a double is a bulk and a boolean is an integer.
enum class ReplyType : std::uint8_t {
    kNull,
    kStatus,  ///< "OK" and its like
    kError,   ///< the server's text, code first: "WRONGTYPE Operation against …"
    kInteger,
    kDouble,
    kBulk,  ///< any bytes
    kBoolean,
    kBigNumber,  ///< an integer of any length, as decimal text
    kVerbatim,   ///< text for people
    kArray,
    kSet,
    kMap,
    kPush,  ///< a message that answers no request
};

/// The name of a type, for messages: "integer".
[[nodiscard]] std::string_view to_string(ReplyType type) noexcept;

namespace detail {
struct ReplyAccess;
}

/// A reply or a part of one, where it lies in the client's memory. Copying and walking allocate
/// nothing.
///
/// Lifetime: until the next call on the client or pipeline that returned it.
class ReplyView {
public:
    class Iterator;

    /// A null.
    ReplyView() noexcept = default;

    [[nodiscard]] ReplyType type() const noexcept { return type_; }
    [[nodiscard]] bool is_null() const noexcept { return type_ == ReplyType::kNull; }
    [[nodiscard]] bool is_error() const noexcept { return type_ == ReplyType::kError; }
    /// True for arrays, sets, maps and pushes.
    [[nodiscard]] bool is_aggregate() const noexcept { return type_ >= ReplyType::kArray; }

    /// The bytes of a status, error, bulk, big number or verbatim text; else empty.
    [[nodiscard]] std::string_view text() const noexcept { return {text_, text_bytes_}; }
    /// An integer, a boolean as 0 or 1, or a text that is a canonical integer.
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
    /// A double, an integer, or a text that is a number.
    [[nodiscard]] std::optional<double> number() const noexcept;
    /// A boolean, or an integer as zero or not.
    [[nodiscard]] std::optional<bool> boolean() const noexcept;

    /// How many children `begin()` to `end()` gives; a map's keys and values count one each.
    [[nodiscard]] std::size_t size() const noexcept {
        return is_aggregate() ? static_cast<std::size_t>(value_) : 0;
    }
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;

private:
    friend struct detail::ReplyAccess;

    const char* text_ = nullptr;
    std::size_t text_bytes_ = 0;
    std::int64_t value_ = 0;  ///< integer, boolean; a double's bits; an aggregate's children
    const char* children_ = nullptr;      ///< the first child's bytes, which have been checked
    std::uint16_t node_block_bytes_ = 0;  ///< SBE: fixed part of a child; 0: the children are RESP
    ReplyType type_ = ReplyType::kNull;
};

/// Walks the children of an aggregate, front to back.
class ReplyView::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = ReplyView;
    using difference_type = std::ptrdiff_t;

    Iterator() noexcept = default;
    ReplyView operator*() const noexcept;
    Iterator& operator++() noexcept;
    Iterator operator++(int) noexcept {
        Iterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Iterator& other) const noexcept {
        return left_count_ == other.left_count_;
    }

private:
    friend class ReplyView;
    Iterator(const char* at, std::size_t left_count, std::uint16_t node_block_bytes) noexcept
        : at_(at), left_count_(left_count), node_block_bytes_(node_block_bytes) {}

    const char* at_ = nullptr;
    std::size_t left_count_ = 0;
    std::uint16_t node_block_bytes_ = 0;
};

inline ReplyView::Iterator ReplyView::begin() const noexcept {
    return {children_, size(), node_block_bytes_};
}
inline ReplyView::Iterator ReplyView::end() const noexcept {
    return {nullptr, 0, node_block_bytes_};
}

}  // namespace tern
