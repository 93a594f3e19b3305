#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "server/command/command_spec.hpp"

/// What the groups that look after connections and the server share.
namespace tern::server::commands {

inline constexpr std::uint32_t kAnyTime = kLoading | kStale;
inline constexpr std::uint32_t kAdminOnly = kAdmin | kNoScript | kAnyTime;

/// One row's facts, in the order in which a reader asks for them.
constexpr CommandInfo admin_info(std::string_view group,
                                 std::uint32_t acl_categories,
                                 std::string_view name,
                                 int arity,
                                 std::uint32_t flags,
                                 std::string_view since,
                                 std::string_view complexity,
                                 std::string_view syntax,
                                 std::string_view summary) {
    return GroupInfo(group, acl_categories)(
        name, arity, flags, {}, since, complexity, syntax, summary);
}

/// A row that only holds subcommands.
constexpr CommandSpec container_row(const CommandInfo& info,
                                    std::span<const CommandSpec> subcommands) {
    CommandSpec spec;
    spec.info = info;
    spec.subcommands = subcommands;
    return spec;
}

/// HELP of a container, made from the rows of its subcommands.
void container_help(Call& call, const NoArguments&);

/// The words of a command whose options are read by its function.
struct WordsArguments {
    std::span<const std::string_view> words;
};
inline bool parse_text(Arguments& in, WordsArguments& out, Reply&) {
    out.words = in.take_rest();
    return true;
}

}  // namespace tern::server::commands
