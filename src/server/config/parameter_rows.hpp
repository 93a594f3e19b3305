#pragma once

#include "server/config/parameter.hpp"

/// How the tables of parameters are written: `number("timeout", "0", 0, kIntMax).fixed()`.
namespace tern::server::rows {

inline constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kIntMin = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t kUnsignedMax = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kLongMax = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kPortMax = 65535;

/// A row with modifiers that read as a sentence.
struct Row : Parameter {
    [[nodiscard]] constexpr Row also(std::string_view older_name) const {
        Row row = *this;
        row.alias = older_name;
        return row;
    }
    /// CONFIG SET refuses it.
    [[nodiscard]] constexpr Row fixed() const { return with(kImmutable); }
    /// CONFIG SET needs enable-protected-configs.
    [[nodiscard]] constexpr Row guarded() const { return with(kProtected); }
    [[nodiscard]] constexpr Row hidden() const { return with(kHidden); }
    /// Each mention in a file adds to those before.
    [[nodiscard]] constexpr Row repeatable() const { return with(kAppends); }
    [[nodiscard]] constexpr Row up_to(std::uint64_t most) const {
        Row row = *this;
        row.max = most;
        return row;
    }
    /// tern's own.
    [[nodiscard]] constexpr Row ours() const { return with(kOurs); }
    [[nodiscard]] constexpr Row read_by(Parse function) const {
        Row row = *this;
        row.parse = function;
        return row;
    }
    /// What it does, and where tern reads it.
    [[nodiscard]] constexpr Row does(std::string_view text, Apply function) const {
        Row row = *this;
        row.summary = text;
        row.apply = function;
        return row;
    }

private:
    [[nodiscard]] constexpr Row with(Flag flag) const {
        Row row = *this;
        row.flags = static_cast<std::uint8_t>(row.flags | flag);
        return row;
    }
};

constexpr Row make(std::string_view name, std::string_view initial, Parameter::Kind kind) {
    Row row;
    row.name = name;
    row.initial = initial;
    row.kind = kind;
    return row;
}
constexpr Row on_off(std::string_view name, std::string_view initial) {
    return make(name, initial, Parameter::Kind::kSwitch);
}
constexpr Row number(std::string_view name,
                     std::string_view initial,
                     std::int64_t min,
                     std::int64_t max) {
    Row row = make(name, initial, Parameter::Kind::kInteger);
    row.min = min;
    row.max = static_cast<std::uint64_t>(max);
    return row;
}
constexpr Row size(std::string_view name,
                   std::string_view initial,
                   std::int64_t min,
                   std::uint64_t max = static_cast<std::uint64_t>(kLongMax)) {
    Row row = make(name, initial, Parameter::Kind::kMemory);
    row.min = min;
    row.max = max;
    return row;
}
constexpr Row text(std::string_view name, std::string_view initial) {
    return make(name, initial, Parameter::Kind::kText);
}
constexpr Row words(std::string_view name, std::string_view initial) {
    return make(name, initial, Parameter::Kind::kWords);
}
constexpr Row choice(std::string_view name,
                     std::string_view initial,
                     std::span<const std::string_view> choices) {
    Row row = make(name, initial, Parameter::Kind::kChoice);
    row.choices = choices;
    return row;
}
/// One word with a grammar of its own.
constexpr Row own_word(std::string_view name, std::string_view initial, Parameter::Parse parse) {
    return make(name, initial, Parameter::Kind::kText).read_by(parse);
}
/// Several words with a grammar of their own.
constexpr Row own(std::string_view name, std::string_view initial, Parameter::Parse parse) {
    return make(name, initial, Parameter::Kind::kOwn).read_by(parse);
}

}  // namespace tern::server::rows
