#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/check.hpp>
#include <type_traits>

namespace tern::sbe {

/// Why a message cannot be read. Bytes from outside are never an assertion.
enum class DecodeStatus : std::uint8_t {
    kOk,
    kBufferTooShort,    ///< the message claims more bytes than there are
    kBlockTooShort,     ///< a block length below what its version needs
    kTemplateMismatch,  ///< another message of the schema, or none
    kSchemaMismatch,    ///< a message of another schema
    kCountOutOfRange,   ///< a group's count is null or outside the schema's bounds
    kLengthOutOfRange,  ///< a var data length is null or above the schema's maximum
};

[[nodiscard]] constexpr std::string_view to_string(DecodeStatus status) noexcept {
    constexpr std::string_view kNames[] = {"ok",
                                           "buffer_too_short",
                                           "block_too_short",
                                           "template_mismatch",
                                           "schema_mismatch",
                                           "count_out_of_range",
                                           "length_out_of_range"};
    return kNames[static_cast<std::size_t>(status)];
}

/// Why a message could not be written. Sticky: the first one stays, later calls write nothing.
enum class EncodeStatus : std::uint8_t {
    kOk,
    kBufferTooShort,    ///< the caller's memory is full
    kCountOutOfRange,   ///< more entries than the schema's numInGroup allows
    kLengthOutOfRange,  ///< text longer than its array, or var data above the schema's maximum
};

[[nodiscard]] constexpr std::string_view to_string(EncodeStatus status) noexcept {
    constexpr std::string_view kNames[] = {
        "ok", "buffer_too_short", "count_out_of_range", "length_out_of_range"};
    return kNames[static_cast<std::size_t>(status)];
}

/// A view, or the reason why there is none. Trivially copyable, no allocation.
template <typename T>
class [[nodiscard]] Decoded {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    constexpr Decoded(T value) noexcept : value_(value) {}  // NOLINT: conversion is the point
    constexpr Decoded(DecodeStatus failure) noexcept        // NOLINT: conversion is the point
        : status_(failure) {
        TERN_DCHECK(failure != DecodeStatus::kOk);
    }

    [[nodiscard]] constexpr bool ok() const noexcept { return status_ == DecodeStatus::kOk; }
    explicit constexpr operator bool() const noexcept { return ok(); }
    [[nodiscard]] constexpr DecodeStatus status() const noexcept { return status_; }

    [[nodiscard]] constexpr const T& value() const noexcept {
        TERN_DCHECK(ok());
        return value_;
    }
    constexpr const T& operator*() const noexcept { return value(); }
    constexpr const T* operator->() const noexcept { return &value(); }

private:
    T value_{};
    DecodeStatus status_ = DecodeStatus::kOk;
};

}  // namespace tern::sbe
