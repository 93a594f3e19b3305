#pragma once

#include <span>
#include <string_view>

/// The subcommands of `tern`: a table in main.cpp, one function each.
namespace tern::tool {

/// Arguments behind the subcommand's name. Lifetime: the process.
using ArgumentList = std::span<const std::string_view>;

struct Subcommand {
    std::string_view name;
    std::string_view summary;  ///< one line for `tern help`
    /// Returns the exit status of the process.
    int (*run)(ArgumentList arguments);
    /// Prints `tern help <name>`; null: the summary is all there is.
    void (*help)();
};

/// All of them, in the order in which help shows them.
[[nodiscard]] std::span<const Subcommand> subcommands();

/// `tern serve [redis.conf] [--listen ENDPOINT]… [--name value …]`
int run_serve(ArgumentList arguments);
void help_serve();

/// `tern cli [-e ENDPOINT] [--sbe] [COMMAND …]`
int run_cli(ArgumentList arguments);
void help_cli();

/// `tern lab quick|local …`
int run_lab(ArgumentList arguments);
void help_lab();

/// `tern codegen SCHEMA [-o FOLDER] [--check-against OLD] …`
int run_codegen(ArgumentList arguments);
void help_codegen();
/// `tern commands [--markdown]`
int run_commands(ArgumentList arguments);

/// `tern help [subcommand]`
int run_help(ArgumentList arguments);

/// Prints one line of error on stderr, with `tern: ` in front.
void print_error(std::string_view text);

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

}  // namespace tern::tool
