#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <tern/base/check.hpp>
#include <utility>
#include <variant>

namespace tern {

/// What kind of thing went wrong. The text says the rest.
enum class Errc {
    kInvalidArgument,   ///< what the caller or user gave cannot mean anything
    kNotFound,          ///< a named thing does not exist
    kAlreadyExists,     ///< a named thing exists and may not
    kPermissionDenied,  ///< the operating system or the peer refuses
    kUnavailable,       ///< the peer is gone, or not there yet
    kTimedOut,          ///< the bounded wait is over
    kProtocol,          ///< the peer sent bytes that the protocol does not allow
    kTooLarge,          ///< a stated limit is exceeded
    kOutOfMemory,       ///< memory or another bounded resource is exhausted
    kServer,            ///< the server answered with an error; the message is its text
    kOs,                ///< a system call failed; see os_errno
};

/// The kind's name as users read it, for example "permission denied".
std::string_view to_string(Errc code) noexcept;

/// An error of set-up and control: one line per layer that it passed through.
///
/// Threads:  a value; no sharing.
struct Error {
    Errc code = Errc::kOs;
    std::string message;  ///< what was attempted, on what, the value met, the remedy
    int os_errno = 0;     ///< errno where a system call failed, else 0

    /// Adds what the caller was doing, in front: "context: message".
    Error& add_context(std::string_view context) &;
    Error&& add_context(std::string_view context) && { return std::move(add_context(context)); }
};

/// Makes an Error with a formatted message.
template <typename... Args>
[[nodiscard]] Error error(Errc code, fmt::format_string<Args...> format, Args&&... args) {
    return Error{code, fmt::format(format, std::forward<Args>(args)...), 0};
}

/// Makes an Error from errno: the formatted message, then ": " and the system's text.
///
/// Units:    `os_errno` is an errno value; read it before anything else can change it.
[[nodiscard]] Error os_error_text(int os_errno, std::string message);

template <typename... Args>
[[nodiscard]] Error os_error(int os_errno, fmt::format_string<Args...> format, Args&&... args) {
    return os_error_text(os_errno, fmt::format(format, std::forward<Args>(args)...));
}

/// A T or an Error. For set-up and control; hot paths return small enums instead.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value)
        : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: conversion is the point
    Result(Error failure) : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }

    [[nodiscard]] T& value() & {
        TERN_CHECK(ok());
        return *std::get_if<0>(&state_);
    }
    [[nodiscard]] const T& value() const& {
        TERN_CHECK(ok());
        return *std::get_if<0>(&state_);
    }
    [[nodiscard]] T&& value() && {
        TERN_CHECK(ok());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const& {
        TERN_CHECK(!ok());
        return *std::get_if<1>(&state_);
    }
    [[nodiscard]] Error&& error() && {
        TERN_CHECK(!ok());
        return std::move(*std::get_if<1>(&state_));
    }

private:
    std::variant<T, Error> state_;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error failure) : failure_(std::move(failure)) {}  // NOLINT: conversion is the point

    [[nodiscard]] bool ok() const noexcept { return !failure_.has_value(); }
    explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] const Error& error() const& {
        TERN_CHECK(!ok());
        return *failure_;
    }
    [[nodiscard]] Error&& error() && {
        TERN_CHECK(!ok());
        return std::move(*failure_);
    }

private:
    std::optional<Error> failure_;
};

}  // namespace tern
