#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "lab/study_local.hpp"
#include "lab/study_upkeep.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

/// The program that runs: what the lab starts its servers from.
std::string own_program() {
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", failed);
    return failed ? "tern" : path.string();
}

std::string default_directory(const char* study) {
    std::array<char, 32> text{};
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
    return fmt::format("lab-{}-{}", study, text.data());
}

/// Accepts the names of `values`; the help shows them instead of the numbers behind them.
template <typename Value>
CLI::Validator one_of(const std::map<std::string, Value>& values) {
    CLI::Validator check = CLI::CheckedTransformer(values);
    std::vector<std::string> names;
    for (const auto& [name, value] : values) {
        names.push_back(name);
    }
    return check.description(fmt::format("{}", fmt::join(names, "|")));
}

int report(const Result<std::string>& table) {
    if (!table) {
        print_error("lab: " + table.error().message);
        return kExitFailure;
    }
    fmt::print("{}", *table);
    return 0;
}

struct LabCommand {
    CLI::App app{"Measures tern from outside, beside the floors of this machine.", "tern lab"};
    CLI::App* quick = app.add_subcommand("quick", "a few seconds against running servers");
    CLI::App* local = app.add_subcommand(
        "local", "every protocol, endpoint and operation, a fresh server each, beside the floor");
    CLI::App* upkeep = app.add_subcommand(
        "upkeep", "GETs while the keyspace grows, keys expire and a large collection goes");
    std::vector<std::string> endpoints;
    Wait quick_wait = Wait::kAdaptive;
    lab::LocalOptions options;
    lab::UpkeepOptions upkeep_options;

    LabCommand() {
        app.require_subcommand(1);
        add_upkeep_options();
        quick
            ->add_option(
                "-e,--endpoint", endpoints, "tcp:, unix: or ring: endpoint; may be repeated")
            ->required();
        options.tern_program = own_program();
        options.out_directory = default_directory("local");
        options.shuffle_seed = entropy_u64() % 1'000'000;
        const std::map<std::string, Wait> waits = {
            {"spin", Wait::kSpin}, {"adaptive", Wait::kAdaptive}, {"block", Wait::kBlock}};
        local->add_option("--out", options.out_directory, "run directory")->capture_default_str();
        local->add_option("--warmup", options.timing.warmup_count, "round trips before the samples")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        local
            ->add_option("--samples", options.timing.sample_count, "measured round trips of a case")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        local->add_option("--runs", options.run_count, "complete runs; the figure is their mean")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        local->add_option("--server-core", options.server_core, "where the server runs")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        local->add_option("--client-core", options.client_core, "where the client runs")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        local->add_option("--filter", options.filter, "only cases with this in their name");
        local->add_option("--redis", options.redis_program, "a redis-server to measure beside us");
        local->add_option("--seed", options.shuffle_seed, "of the order of cases");
        local->add_option("--wait", options.wait, "how both ends wait: spin, adaptive or block")
            ->transform(one_of(waits));
        quick->add_option("--wait", quick_wait, "how the client waits: spin, adaptive or block")
            ->transform(one_of(waits));
    }

    void add_upkeep_options() {
        lab::UpkeepOptions& to = upkeep_options;
        to.tern_program = own_program();
        to.out_directory = default_directory("upkeep");
        const auto add = [&](const char* name, auto& value, const char* what) {
            return upkeep->add_option(name, value, what)->capture_default_str();
        };
        add("--out", to.out_directory, "run directory");
        add("--keys", to.key_count, "the keyspace grows from nothing to this")
            ->check(CLI::PositiveNumber);
        add("--expiring", to.expiry_count, "keys whose time is over in the same second")
            ->check(CLI::PositiveNumber);
        add("--members", to.member_count, "of the collection that goes")
            ->check(CLI::PositiveNumber);
        add("--collection", to.collection, "what it is")
            ->check(CLI::IsMember({"set", "hash", "zset", "list"}));
        add("--overwritten", to.overwritten_count, "keys of 64 B that are overwritten at random")
            ->check(CLI::PositiveNumber);
        add("--server-core", to.server_core, "where the server runs")
            ->check(CLI::NonNegativeNumber);
        add("--client-core", to.client_core, "where the client runs")
            ->check(CLI::NonNegativeNumber);
    }
};

}  // namespace

int run_lab(ArgumentList arguments) {
    LabCommand command;
    std::vector<std::string> words(arguments.rbegin(), arguments.rend());
    try {
        command.app.parse(words);
    } catch (const CLI::ParseError& failure) {
        return command.app.exit(failure) == 0 ? 0 : kExitUsage;
    }
    if (command.quick->parsed()) {
        return report(lab::run_quick_study(command.endpoints, command.quick_wait));
    }
    const std::string line = fmt::format("tern lab {}", fmt::join(arguments, " "));
    const bool is_local = command.local->parsed();
    const int status = report(is_local ? lab::run_local_study(command.options, line)
                                       : lab::run_upkeep_study(command.upkeep_options, line));
    if (status == 0) {
        fmt::print("run directory: {}\n",
                   is_local ? command.options.out_directory : command.upkeep_options.out_directory);
    }
    return status;
}

void help_lab() {
    LabCommand command;
    fmt::print("{}", command.app.help("", CLI::AppFormatMode::All));
}

}  // namespace tern::tool
