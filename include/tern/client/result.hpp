#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tern/base/check.hpp>
#include <tern/client/reply.hpp>

namespace tern {

/// How a call ended.
enum class CallStatus : std::uint8_t {
    kOk,
    kMissing,  ///< the server answered null: no such key, field or member, or a condition not met
    kServerError,  ///< the server answered with an error; `error()` is its text
    kUnexpected,   ///< the server answered with another type than the call returns
    kTimedOut,     ///< no reply within the limit; the connection is closed
    kClosed,       ///< there is no connection, or it was lost; the command may have been executed
    kProtocol,     ///< the server sent what its protocol does not allow; the connection is closed
    kTooLarge,     ///< an argument exceeds the protocol's limits; nothing was sent
    kBusy,         ///< a pipeline of this client has replies outstanding; nothing was sent
};

/// The name of a status, for messages: "timed out".
[[nodiscard]] std::string_view to_string(CallStatus status) noexcept;

/// What a call returns: a value, nothing (kMissing), or why there is neither. Never allocates.
///
/// Lifetime: texts and views in it are valid until the next call on the client returns.
template <typename T>
class [[nodiscard]] CallResult {
public:
    explicit CallResult(T value) noexcept : value_(value) {}
    CallResult(CallStatus status, std::string_view error) noexcept
        : error_(error), status_(status) {
        TERN_DCHECK(status != CallStatus::kOk);
    }

    [[nodiscard]] CallStatus status() const noexcept { return status_; }
    [[nodiscard]] bool ok() const noexcept { return status_ == CallStatus::kOk; }
    explicit operator bool() const noexcept { return ok(); }
    /// True when the server answered that there is nothing: not an error.
    [[nodiscard]] bool is_missing() const noexcept { return status_ == CallStatus::kMissing; }
    /// True for everything but kOk and kMissing.
    [[nodiscard]] bool is_failure() const noexcept { return status_ > CallStatus::kMissing; }

    /// The value; only when `ok()`.
    [[nodiscard]] const T& value() const noexcept {
        TERN_CHECK(ok());
        return value_;
    }
    const T& operator*() const noexcept { return value(); }
    const T* operator->() const noexcept { return &value(); }
    [[nodiscard]] std::optional<T> optional() const noexcept {
        return ok() ? std::optional<T>(value_) : std::nullopt;
    }
    [[nodiscard]] T value_or(T fallback) const noexcept { return ok() ? value_ : fallback; }

    /// Why there is no value: the server's own text, or ours. Empty when `ok()` or `is_missing()`.
    [[nodiscard]] std::string_view error() const noexcept { return error_; }

private:
    T value_{};
    std::string_view error_;
    CallStatus status_ = CallStatus::kOk;
};

using TextResult = CallResult<std::string_view>;
using IntegerResult = CallResult<std::int64_t>;
using NumberResult = CallResult<double>;
using ReplyResult = CallResult<ReplyView>;

/// A list of values of which some may be missing: MGET, HMGET.
class ValuesView {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = std::optional<std::string_view>;
        using difference_type = std::ptrdiff_t;

        Iterator() noexcept = default;
        explicit Iterator(ReplyView::Iterator at) noexcept : at_(at) {}
        value_type operator*() const noexcept {
            const ReplyView child = *at_;
            return child.is_null() ? value_type{} : value_type{child.text()};
        }
        Iterator& operator++() noexcept {
            ++at_;
            return *this;
        }
        Iterator operator++(int) noexcept { return Iterator(at_++); }
        bool operator==(const Iterator& other) const noexcept = default;

    private:
        ReplyView::Iterator at_;
    };

    ValuesView() noexcept = default;
    explicit ValuesView(ReplyView reply) noexcept : reply_(reply) {}
    [[nodiscard]] std::size_t size() const noexcept { return reply_.size(); }
    [[nodiscard]] Iterator begin() const noexcept { return Iterator(reply_.begin()); }
    [[nodiscard]] Iterator end() const noexcept { return Iterator(reply_.end()); }

private:
    ReplyView reply_;
};

/// A field of a hash and its value.
struct FieldValue {
    std::string_view field;
    std::string_view value;
};

/// The fields of a hash with their values: HGETALL. RESP2's flat list and the maps of RESP3 and SBE
/// alike.
class FieldsView {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = FieldValue;
        using difference_type = std::ptrdiff_t;

        Iterator() noexcept = default;
        explicit Iterator(ReplyView::Iterator at) noexcept : at_(at) {}
        FieldValue operator*() const noexcept {
            ReplyView::Iterator next = at_;
            ++next;
            return {(*at_).text(), (*next).text()};
        }
        Iterator& operator++() noexcept {
            ++at_;
            ++at_;
            return *this;
        }
        bool operator==(const Iterator& other) const noexcept = default;

    private:
        ReplyView::Iterator at_;
    };

    FieldsView() noexcept = default;
    /// `reply` has an even number of children.
    explicit FieldsView(ReplyView reply) noexcept : reply_(reply) {}
    [[nodiscard]] std::size_t size() const noexcept { return reply_.size() / 2; }
    [[nodiscard]] Iterator begin() const noexcept { return Iterator(reply_.begin()); }
    [[nodiscard]] Iterator end() const noexcept { return Iterator(reply_.end()); }

private:
    ReplyView reply_;
};

/// A member of a sorted set and its score.
struct ScoredMember {
    std::string_view member;
    double score = 0;
};

/// Members of a sorted set with their scores, whether the server sends a flat list (RESP2), pairs
/// (RESP3, SBE) or members alone, whose scores then are zero.
class MembersView {
public:
    /// How members and scores lie in the reply.
    enum class Shape : std::uint8_t { kMembers, kFlat, kPairs };

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = ScoredMember;
        using difference_type = std::ptrdiff_t;

        Iterator() noexcept = default;
        Iterator(ReplyView::Iterator at, Shape shape) noexcept : at_(at), shape_(shape) {}
        ScoredMember operator*() const noexcept;
        Iterator& operator++() noexcept {
            ++at_;
            if (shape_ == Shape::kFlat) {
                ++at_;
            }
            return *this;
        }
        bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

    private:
        ReplyView::Iterator at_;
        Shape shape_ = Shape::kMembers;
    };

    MembersView() noexcept = default;
    MembersView(ReplyView reply, Shape shape) noexcept : reply_(reply), shape_(shape) {}
    [[nodiscard]] std::size_t size() const noexcept {
        return shape_ == Shape::kFlat ? reply_.size() / 2 : reply_.size();
    }
    [[nodiscard]] Iterator begin() const noexcept { return {reply_.begin(), shape_}; }
    [[nodiscard]] Iterator end() const noexcept { return {reply_.end(), shape_}; }

private:
    ReplyView reply_;
    Shape shape_ = Shape::kMembers;
};

inline ScoredMember MembersView::Iterator::operator*() const noexcept {
    const ReplyView child = *at_;
    if (shape_ == Shape::kMembers) {
        return {child.text(), 0};
    }
    if (shape_ == Shape::kFlat) {
        ReplyView::Iterator next = at_;
        ++next;
        return {child.text(), (*next).number().value_or(0)};
    }
    ReplyView::Iterator inner = child.begin();
    if (child.size() < 2) {
        return {};
    }
    const std::string_view member = (*inner).text();
    ++inner;
    return {member, (*inner).number().value_or(0)};
}

}  // namespace tern
