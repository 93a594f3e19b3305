#include "server/config/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"
#include "server/config/memory_text.hpp"

namespace tern::server {

namespace {

std::string range_text(const Parameter& parameter) {
    if (parameter.kind == Parameter::Kind::kOctal) {
        return fmt::format("argument must be between {:o} and {:o} inclusive",
                           static_cast<std::uint64_t>(parameter.min),
                           parameter.max);
    }
    return fmt::format(
        "argument must be between {} and {} inclusive", parameter.min, parameter.max);
}

std::string parse_switch(std::string_view word, ParameterValue& value) {
    const bool is_on = equals_word(word, "YES");
    if (!is_on && !equals_word(word, "NO")) {
        return "argument must be 'yes' or 'no'";
    }
    value = {is_on ? "yes" : "no", is_on ? 1 : 0};
    return {};
}

std::string parse_integer(const Parameter& parameter,
                          std::string_view word,
                          ParameterValue& value) {
    std::int64_t number = 0;
    if (!parse_int64(word, number)) {
        return "argument couldn't be parsed into an integer";
    }
    if (number < parameter.min ||
        (number >= 0 && static_cast<std::uint64_t>(number) > parameter.max)) {
        return range_text(parameter);
    }
    value = {std::string(word), number};
    return {};
}

std::string parse_size(const Parameter& parameter, std::string_view word, ParameterValue& value) {
    std::uint64_t bytes = 0;
    if (!parse_memory(word, bytes)) {
        return "argument must be a memory value";
    }
    if (bytes < static_cast<std::uint64_t>(parameter.min) || bytes > parameter.max) {
        return range_text(parameter);
    }
    value = {std::to_string(bytes), static_cast<std::int64_t>(bytes)};
    return {};
}

std::string parse_octal(const Parameter& parameter, std::string_view word, ParameterValue& value) {
    constexpr std::size_t kDigitsMax = 10;
    std::uint64_t mode = 0;
    for (const char c : word) {
        if (c < '0' || c > '7' || word.size() > kDigitsMax) {
            return "argument couldn't be parsed as an octal number";
        }
        mode = mode * 8 + static_cast<std::uint64_t>(c - '0');
    }
    if (word.empty()) {
        return "argument couldn't be parsed as an octal number";
    }
    if (mode > parameter.max) {
        return range_text(parameter);
    }
    value = {fmt::format("{:o}", mode), static_cast<std::int64_t>(mode)};
    return {};
}

std::string parse_choice(const Parameter& parameter, std::string_view word, ParameterValue& value) {
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
        if (equals_any_case(parameter.choices[i], word)) {
            value = {std::string(parameter.choices[i]), static_cast<std::int64_t>(i)};
            return {};
        }
    }
    return fmt::format("argument(s) must be one of the following: {}",
                       fmt::join(parameter.choices, ", "));
}

}  // namespace

std::string parse_parameter(const Parameter& parameter,
                            ParameterWords words,
                            ParameterValue& value) {
    using Kind = Parameter::Kind;
    if (parameter.parse != nullptr) {
        return parameter.parse(words, value);
    }
    if (parameter.kind == Kind::kWords) {
        if (!are_plain_words(words)) {
            return std::string(kNotPlainWords);
        }
        // An empty word is none: `bind ""` clears the list, and a rewritten line has no place for
        // it.
        std::vector<std::string_view> kept(words.begin(), words.end());
        std::erase(kept, std::string_view());
        value.text = fmt::format("{}", fmt::join(kept, " "));
        return {};
    }
    if (words.size() != 1) {
        return "wrong number of arguments";
    }
    switch (parameter.kind) {
        case Kind::kSwitch:
            return parse_switch(words[0], value);
        case Kind::kInteger:
            return parse_integer(parameter, words[0], value);
        case Kind::kMemory:
            return parse_size(parameter, words[0], value);
        case Kind::kOctal:
            return parse_octal(parameter, words[0], value);
        case Kind::kChoice:
            return parse_choice(parameter, words[0], value);
        case Kind::kText:
        case Kind::kWords:
        case Kind::kChoices:
        case Kind::kOwn:
            break;
    }
    value.text = words[0];
    return {};
}

ParameterValue initial_value(const Parameter& parameter) {
    ParameterValue value;
    std::vector<std::string_view> words;
    const std::vector<std::string> parts = split_words(parameter.initial);
    if (parameter.is_list() && !parts.empty()) {
        words.assign(parts.begin(), parts.end());
    } else {
        words.push_back(parameter.initial);
    }
    const std::string error = parse_parameter(parameter, words, value);
    TERN_CHECK(error.empty());  // the table contradicts itself
    return value;
}

}  // namespace tern::server
