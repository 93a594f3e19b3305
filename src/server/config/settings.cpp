#include "server/config/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "server/command/arguments.hpp"

namespace tern::server {

std::span<const Parameter> parameters() {
    static const std::vector<Parameter> table = [] {
        std::vector<Parameter> all(used_parameters().begin(), used_parameters().end());
        all.insert(all.end(), kept_parameters().begin(), kept_parameters().end());
        std::sort(all.begin(), all.end(), [](const Parameter& a, const Parameter& b) {
            return a.name < b.name;
        });
        return all;
    }();
    return table;
}

Settings::Settings() : states_(parameters().size()) {
    for (const Parameter& parameter : parameters()) {
        ParameterValue& value = states_[index_of(parameter)].value;
        value = initial_value(parameter);
        if (parameter.apply != nullptr) {
            const std::string problem = parameter.apply(config_, value);
            TERN_CHECK(problem.empty());  // a default always applies
        }
    }
}

const Parameter* Settings::find(std::string_view name) noexcept {
    for (const Parameter& parameter : parameters()) {
        if (equals_any_case(parameter.name, name) ||
            (!parameter.alias.empty() && equals_any_case(parameter.alias, name))) {
            return &parameter;
        }
    }
    return nullptr;
}

std::string_view Settings::text(std::string_view name) const noexcept {
    const Parameter* parameter = find(name);
    TERN_CHECK(parameter != nullptr);
    return value(*parameter).text;
}

bool Settings::was_given(std::string_view name) const noexcept {
    const Parameter* parameter = find(name);
    TERN_CHECK(parameter != nullptr);
    return states_[index_of(*parameter)].is_given;
}

namespace {

/// Directives of redis.conf that are no parameters, with what tern says to them.
struct Refusal {
    std::string_view name;
    std::string_view reason;
};
constexpr std::array kRefusals = {
    Refusal{"LOADMODULE", "tern loads no modules; remove the line"},
    Refusal{"USER", "tern has no users besides default; set requirepass instead"},
    Refusal{"SENTINEL", "tern is no sentinel; remove the line"},
};

std::string refusal_of(std::string_view name) {
    for (const Refusal& refusal : kRefusals) {
        if (equals_word(name, refusal.name)) {
            return std::string(refusal.reason);
        }
    }
    return fmt::format("unknown parameter '{}'; `tern help serve` lists all", name);
}

}  // namespace

std::string Settings::set(std::string_view name,
                          ParameterWords words,
                          std::string place,
                          Mentioned& mentioned) {
    if (equals_word(name, "RENAME-COMMAND")) {
        if (words.size() != 2) {
            return "rename-command takes a command and its new name";
        }
        renames_.push_back({std::move(place), std::string(words[0]), std::string(words[1])});
        return {};
    }
    const Parameter* parameter = find(name);
    return parameter == nullptr ? refusal_of(name) : give(*parameter, words, mentioned);
}

std::string Settings::give(const Parameter& parameter, ParameterWords words, Mentioned& mentioned) {
    if (words.empty() && !parameter.is_list()) {
        return "wrong number of arguments";
    }
    State& state = states_[index_of(parameter)];
    ParameterValue value = state.value;
    std::vector<std::string> all_words;
    std::vector<std::string_view> views;
    // The first mention in one source replaces what was before, later ones add to it.
    const bool is_again =
        std::find(mentioned.begin(), mentioned.end(), &parameter) != mentioned.end();
    const bool is_empty = words.empty() || (words.size() == 1 && words[0].empty());
    if (parameter.has(Parameter::kAppends) && is_again && !is_empty) {
        all_words = split_words(state.value.text);
        views.assign(all_words.begin(), all_words.end());
    }
    views.insert(views.end(), words.begin(), words.end());
    std::string problem = parse_parameter(parameter, views, value);
    if (problem.empty() && parameter.apply != nullptr) {
        problem = parameter.apply(config_, value);
    }
    if (problem.empty()) {
        state = {std::move(value), true};
        mentioned.push_back(&parameter);
    }
    return problem;
}

Result<void> Settings::load(const ConfigSource& source, const ConfigFinder& find_files) {
    Result<std::vector<ConfigDirective>> directives = parse_config(source, find_files);
    if (!directives) {
        return std::move(directives).error();
    }
    Mentioned mentioned;
    for (const ConfigDirective& directive : *directives) {
        const std::vector<std::string_view> words(directive.words.begin(), directive.words.end());
        const std::string problem = set(directive.name, words, directive.place(), mentioned);
        if (!problem.empty()) {
            return error(Errc::kInvalidArgument,
                         "{}: {} {}: {}",
                         directive.place(),
                         directive.name,
                         fmt::join(directive.words, " "),
                         problem);
        }
    }
    return {};
}

Result<void> Settings::load_file(const std::string& path) {
    Result<std::string> text = read_config_file(path);
    if (!text) {
        return std::move(text).error();
    }
    std::error_code failure;
    file_path_ = std::filesystem::absolute(path, failure).string();
    return load({path, std::move(*text)}, find_config_files);
}

Result<void> Settings::load_options(std::span<const std::string_view> arguments) {
    const auto is_option = [](std::string_view word) {
        return word.size() > 2 && word.substr(0, 2) == "--";
    };
    Mentioned mentioned;
    std::size_t i = 0;
    while (i < arguments.size()) {
        const std::string_view option = arguments[i++];
        if (!is_option(option)) {
            return error(
                Errc::kInvalidArgument, "'{}' is no option; options look like --port 7000", option);
        }
        const std::size_t first = i;
        while (i < arguments.size() && !is_option(arguments[i])) {
            ++i;
        }
        const ParameterWords words = arguments.subspan(first, i - first);
        const std::string problem = set(option.substr(2), words, std::string(option), mentioned);
        if (!problem.empty()) {
            return error(
                Errc::kInvalidArgument, "{} {}: {}", option, fmt::join(words, " "), problem);
        }
    }
    return {};
}

std::vector<std::string_view> Settings::given_without_effect() const {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : parameters()) {
        const State& state = states_[index_of(parameter)];
        if (parameter.apply == nullptr && state.is_given &&
            state.value.text != initial_value(parameter).text) {
            names.push_back(parameter.name);
        }
    }
    return names;
}

namespace {

std::string set_failure(std::string_view name, std::string_view problem) {
    return fmt::format(
        "ERR CONFIG SET failed (possibly related to argument '{}') - {}", name, problem);
}

}  // namespace

std::string Settings::change(std::span<const Pair> pairs, bool may_change_protected) {
    std::vector<std::pair<const Parameter*, ParameterValue>> changes;
    // First every name, then every value, as Redis does: an unknown name is reported before a bad
    // value.
    for (const auto& [name, text] : pairs) {
        const Parameter* parameter = find(name);
        if (parameter == nullptr) {
            return fmt::format("ERR Unknown option or number of arguments for CONFIG SET - '{}'",
                               name);
        }
        if (parameter->has(Parameter::kImmutable)) {
            return set_failure(name, "can't set immutable config");
        }
        if (parameter->has(Parameter::kProtected) && !may_change_protected) {
            return set_failure(name, "can't set protected config");
        }
        if (std::any_of(changes.begin(), changes.end(), [parameter](const auto& one) {
                return one.first == parameter;
            })) {
            return set_failure(name, "duplicate parameter");
        }
        changes.emplace_back(parameter, value(*parameter));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto& [name, text] = pairs[i];
        std::vector<std::string> words;
        if (changes[i].first->is_list()) {
            static_cast<void>(split_config_line(text, words));
        }
        std::vector<std::string_view> views(words.begin(), words.end());
        if (views.empty()) {
            views.push_back(text);
        }
        const std::string problem = parse_parameter(*changes[i].first, views, changes[i].second);
        if (!problem.empty()) {
            return set_failure(name, problem);
        }
    }
    return apply_all(changes);
}

std::string Settings::apply_all(
    std::span<const std::pair<const Parameter*, ParameterValue>> changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto& [parameter, value] = changes[i];
        const std::string problem =
            parameter->apply == nullptr ? std::string() : parameter->apply(config_, value);
        if (problem.empty()) {
            continue;
        }
        // All or none: what was applied before goes back to its old value, which applied once.
        while (i-- > 0) {
            const Parameter& done = *changes[i].first;
            if (done.apply != nullptr) {
                static_cast<void>(done.apply(config_, states_[index_of(done)].value));
            }
        }
        return set_failure(parameter->name, problem);
    }
    for (const auto& [parameter, value] : changes) {
        states_[index_of(*parameter)].value = value;
    }
    return {};
}

}  // namespace tern::server
