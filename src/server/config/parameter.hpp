#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "server/config/config.hpp"

namespace tern::server {

/// What a parameter currently is.
struct ParameterValue {
    std::string text;  ///< as CONFIG GET shows it
    std::int64_t number =
        0;  ///< of numbers, switches (0 or 1) and enumerations (the index); a memory
            ///< size above 2^63 is kept modulo 2^64
    bool operator==(const ParameterValue&) const = default;
};

/// The words of one setting: one for most parameters, several for lists ("save 60 100 300 10").
using ParameterWords = std::span<const std::string_view>;

/// One row of the table of parameters: the source of CONFIG, of the configuration file's reader, of
/// the command line and of `tern help serve`.
struct Parameter {
    enum class Kind : std::uint8_t {
        kSwitch,   ///< yes or no
        kInteger,  ///< from `min` to `max`
        kMemory,   ///< a size with a unit, from `min` to `max`
        kOctal,    ///< file permissions
        kChoice,   ///< one of `choices`
        kChoices,  ///< some of `choices`
        kText,
        kWords,  ///< a list of any words
        kOwn,    ///< what `parse` takes
    };
    enum Flag : std::uint8_t {
        kImmutable = 1,  ///< CONFIG SET refuses it
        kProtected = 2,  ///< CONFIG SET needs enable-protected-configs
        kHidden = 4,     ///< CONFIG GET shows it by its whole name only
        kAppends = 8,    ///< a file or command line may give it several times, each adds words
        kOurs = 16,      ///< tern's, not Redis's
    };
    /// Reads `words` over the current value, which is what a list that is changed in part needs.
    /// Returns Redis's error text, or nothing.
    using Parse = std::string (*)(ParameterWords words, ParameterValue& value);
    /// Writes the value where tern reads it. Returns an error text, or nothing.
    using Apply = std::string (*)(Config& config, const ParameterValue& value);

    std::string_view name;
    std::string_view initial;  ///< the default, as a file would write it
    Kind kind = Kind::kText;
    std::string_view alias{};  ///< the older name
    std::uint8_t flags = 0;
    std::int64_t min = 0;
    std::uint64_t max = std::numeric_limits<std::int64_t>::max();
    std::span<const std::string_view> choices{};
    Parse parse = nullptr;
    Apply apply = nullptr;       ///< null: accepted, kept and shown, without effect in this version
    std::string_view summary{};  ///< for help; in our words

    [[nodiscard]] bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
    /// Whether CONFIG SET splits its value into words.
    [[nodiscard]] bool is_list() const noexcept {
        return kind == Kind::kWords || kind == Kind::kChoices || kind == Kind::kOwn;
    }
};

/// Every parameter: those of Redis 7.2 and tern's own, by name.
[[nodiscard]] std::span<const Parameter> parameters();

/// Those that tern uses, and those that it keeps for compatibility; parts of the above.
[[nodiscard]] std::span<const Parameter> used_parameters();
[[nodiscard]] std::span<const Parameter> kept_parameters();

/// Reads `words` for `parameter`. Returns Redis's error text, or nothing.
[[nodiscard]] std::string parse_parameter(const Parameter& parameter,
                                          ParameterWords words,
                                          ParameterValue& value);

/// The default as a value.
[[nodiscard]] ParameterValue initial_value(const Parameter& parameter);

/// Parsers of the parameters with rules of their own (value_parsers.cpp).
[[nodiscard]] std::string parse_save(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_output_limits(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_keyspace_events(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_percentiles(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_oom_scores(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_memory_or_percent(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_directory(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_file_name(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_shutdown_words(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_master(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_locale(ParameterWords words, ParameterValue& value);
[[nodiscard]] std::string parse_listen(ParameterWords words, ParameterValue& value);

/// What a value of client-output-buffer-limit says.
[[nodiscard]] OutputLimits output_limits_of(std::string_view limits);

/// Whether the words of a list can be kept as one text: none has a space or a control byte in it.
[[nodiscard]] bool are_plain_words(ParameterWords words) noexcept;
inline constexpr std::string_view kNotPlainWords = "arguments can't contain spaces";

/// Splits at spaces.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);

}  // namespace tern::server
