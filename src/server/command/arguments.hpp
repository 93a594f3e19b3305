#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "server/command/scratch.hpp"
#include "server/reply.hpp"

namespace tern::server {

/// True when `text` equals `upper_word`, which is in capitals, in any case.
[[nodiscard]] bool equals_word(std::string_view text, std::string_view upper_word) noexcept;

/// True when the two are equal but for the case of their letters.
[[nodiscard]] bool equals_any_case(std::string_view a, std::string_view b) noexcept;

/// What printf's %s shows of `text`: the part before the first NUL byte. Redis quotes arguments so
/// in the texts of some errors.
[[nodiscard]] inline std::string_view c_string(std::string_view text) noexcept {
    return text.substr(0, text.find('\0'));
}

/// A cursor over the text arguments of one command, the name already taken.
///
/// `take_*` move on only when they succeed. `read_*` answer with Redis's own error when the
/// argument does not parse, and return false; the caller returns at once. Reading past the end is a
/// syntax error.
class Arguments {
public:
    Arguments(std::span<const std::string_view> words, Scratch& scratch) noexcept
        : words_(words), scratch_(scratch) {}

    [[nodiscard]] std::size_t left() const noexcept { return words_.size() - next_; }
    [[nodiscard]] bool is_empty() const noexcept { return next_ == words_.size(); }
    [[nodiscard]] std::string_view peek() const noexcept { return words_[next_]; }
    [[nodiscard]] std::string_view take() noexcept { return words_[next_++]; }
    [[nodiscard]] std::span<const std::string_view> take_rest() noexcept {
        const auto rest = words_.subspan(next_);
        next_ = words_.size();
        return rest;
    }
    [[nodiscard]] std::span<const std::string_view> take(std::size_t count) noexcept {
        const auto part = words_.subspan(next_, count);
        next_ += count;
        return part;
    }
    /// Takes the next argument if it is the option `upper_word`, in any case.
    [[nodiscard]] bool take_option(std::string_view upper_word) noexcept {
        if (is_empty() || !equals_word(peek(), upper_word)) {
            return false;
        }
        ++next_;
        return true;
    }

    /// An int64, or "ERR value is not an integer or out of range".
    [[nodiscard]] bool read_integer(std::int64_t& value, Reply& reply);
    /// The same with another error text.
    [[nodiscard]] bool read_integer(std::int64_t& value, Reply& reply, std::string_view error);
    /// A double, or "ERR value is not a valid float".
    [[nodiscard]] bool read_double(double& value, Reply& reply);

    [[nodiscard]] Scratch& scratch() noexcept { return scratch_; }

private:
    std::span<const std::string_view> words_;
    std::size_t next_ = 0;
    Scratch& scratch_;
};

inline constexpr std::string_view kSyntaxError = "ERR syntax error";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kOutOfMemory =
    "OOM command not allowed when used memory > 'maxmemory'.";

/// Answers "ERR syntax error" and returns false, for the end of a parser.
inline bool syntax_error(Reply& reply) {
    reply.error(kSyntaxError);
    return false;
}

}  // namespace tern::server
