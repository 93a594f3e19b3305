#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace tern::resp {

/// What a reply is. RESP2's null bulk and null array are kNull, as RESP3's own.
enum class ReplyType : std::uint8_t {
    kNull,
    kSimple,
    kError,  ///< simple or bulk
    kInteger,
    kBulk,
    kArray,
    kMap,
    kSet,
    kPush,
    kDouble,
    kBoolean,
    kBigNumber,
    kVerbatim,
};

/// A cursor on one complete reply, or on a part of one, in somebody else's memory. Two words;
/// copying and walking allocate nothing.
///
/// The bytes were checked by a ReplyParser, which makes the first view. Attributes in front of a
/// reply are not part of its value: see `attributes()`.
///
/// Lifetime: valid as long as the bytes are.
class ReplyView {
public:
    class Iterator;

    /// `at` is the first byte of a reply that a ReplyParser has found complete.
    [[nodiscard]] static ReplyView trusted(const char* at) noexcept;

    [[nodiscard]] ReplyType type() const noexcept;
    [[nodiscard]] bool is_null() const noexcept { return type() == ReplyType::kNull; }
    [[nodiscard]] bool is_error() const noexcept { return type() == ReplyType::kError; }
    /// True for arrays, maps, sets and pushes.
    [[nodiscard]] bool is_aggregate() const noexcept;

    /// The text of anything that is not an aggregate: the bulk's bytes, the line behind the type, a
    /// verbatim text without its format. Empty for null.
    [[nodiscard]] std::string_view text() const noexcept;
    /// The three letters of a verbatim text's format; else empty.
    [[nodiscard]] std::string_view verbatim_format() const noexcept;

    /// An integer, or a boolean as 0 or 1, or a text that is a canonical integer.
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
    /// A double or an integer, or a text that is one: RESP2 has no other doubles.
    [[nodiscard]] std::optional<double> number() const noexcept;
    /// A boolean, or an integer as zero or not.
    [[nodiscard]] std::optional<bool> boolean() const noexcept;

    /// How many children `begin()` to `end()` gives: a map's keys and values count one each. Zero
    /// for what has none.
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;

    /// The attributes in front of this reply, as a view whose children are keys and values.
    [[nodiscard]] std::optional<ReplyView> attributes() const noexcept;

    /// All bytes of the reply, without its attributes.
    [[nodiscard]] std::string_view raw() const noexcept;

private:
    ReplyView(const char* attributes, const char* value) noexcept
        : attributes_(attributes), value_(value) {}

    const char* attributes_;  ///< null when there are none
    const char* value_;       ///< the type byte
};

/// Walks the children of an aggregate, front to back. A step over a child takes time in proportion
/// to the lines in it, not to its bytes.
class ReplyView::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = ReplyView;
    using difference_type = std::ptrdiff_t;

    Iterator() noexcept = default;
    ReplyView operator*() const noexcept { return trusted(at_); }
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
    Iterator(const char* at, std::size_t left_count) noexcept : at_(at), left_count_(left_count) {}

    const char* at_ = nullptr;
    std::size_t left_count_ = 0;
};

inline ReplyView::Iterator ReplyView::end() const noexcept {
    return {nullptr, 0};
}

}  // namespace tern::resp
