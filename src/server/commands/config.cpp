#include <algorithm>
#include <array>
#include <vector>

#include "server/commands/admin_rows.hpp"
#include "server/commands/client_locality.hpp"
#include "server/commands/tables.hpp"
#include "server/glob.hpp"
#include "server/server.hpp"

namespace tern::server::commands {

namespace {

/// A name with its value as CONFIG GET answers it.
struct Shown {
    std::string name;
    const ParameterValue* value;
};

void collect(const Settings& settings, std::string_view pattern, std::vector<Shown>& shown) {
    const bool is_pattern = is_glob(pattern);
    const auto consider = [&](const Parameter& parameter, std::string_view name) {
        const bool matches =
            is_pattern ? !parameter.has(Parameter::kHidden) && glob_match_any_case(pattern, name)
                       : equals_any_case(pattern, name);
        const bool is_new = std::none_of(shown.begin(), shown.end(), [name](const Shown& one) {
            return equals_any_case(one.name, name);
        });
        if (!name.empty() && matches && is_new) {
            // An exact name comes back as it was asked for.
            shown.push_back({std::string(is_pattern ? name : pattern), &settings.value(parameter)});
        }
    };
    for (const Parameter& parameter : parameters()) {
        consider(parameter, parameter.name);
        consider(parameter, parameter.alias);
    }
}

void config_get(Call& call, const WordsArguments& args) {
    std::vector<Shown> shown;
    for (const std::string_view pattern : args.words) {
        collect(call.server.settings(), pattern, shown);
    }
    call.reply.map(shown.size());
    for (const Shown& one : shown) {
        call.reply.bulk(one.name);
        call.reply.bulk(one.value->text);
    }
}

void config_set(Call& call, const WordsArguments& args) {
    if (args.words.size() % 2 != 0) {
        syntax_error(call.reply);
        return;
    }
    std::vector<Settings::Pair> pairs;
    for (std::size_t i = 0; i < args.words.size(); i += 2) {
        pairs.emplace_back(args.words[i], args.words[i + 1]);
    }
    const bool may_change_protected =
        is_allowed(call.server.config().enable_protected_configs, call.session);
    const std::string problem = call.server.settings().change(pairs, may_change_protected);
    if (problem.empty()) {
        call.server.apply_settings();
        call.reply.ok();
    } else {
        call.reply.error(problem);
    }
}

void config_rewrite(Call& call, const NoArguments&) {
    const std::string problem = call.server.settings().rewrite();
    if (problem.empty()) {
        call.reply.ok();
    } else {
        call.reply.error(problem);
    }
}

void config_resetstat(Call& call, const NoArguments&) {
    call.server.reset_stats();
    call.reply.ok();
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, "2.0.0", complexity, syntax, summary);
}

constexpr std::array kSubcommands = {
    row<config_get>(info("get",
                         -3,
                         kAdminOnly,
                         "O(N)",
                         "parameter [parameter ...]",
                         "Shows the parameters that match a pattern.")),
    row<container_help>(info("help", 2, kAnyTime, "O(1)", "", "Lists the subcommands.")),
    row<config_resetstat>(
        info("resetstat", 2, kAdminOnly, "O(1)", "", "Sets the counters of INFO to zero.")),
    row<config_rewrite>(info(
        "rewrite", 2, kAdminOnly, "O(N)", "", "Writes the parameters to the configuration file.")),
    row<config_set>(info("set",
                         -4,
                         kAdminOnly,
                         "O(N)",
                         "parameter value [parameter value ...]",
                         "Changes parameters, all of them or none.")),
};

}  // namespace

std::span<const CommandSpec> config_table() {
    static constexpr std::array kTable = {
        container_row(
            info("config", -2, 0, "Depends on subcommand.", "", "Shows and changes parameters."),
            kSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
