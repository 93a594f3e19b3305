#include <array>
#include <vector>

#include "server/command/acl_categories.hpp"
#include "server/command/key_usage.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/command_docs.hpp"
#include "server/commands/tables.hpp"
#include "server/glob.hpp"
#include "server/server.hpp"

namespace tern::server::commands {

namespace {

void command_count(Call& call, const NoArguments&) {
    call.reply.integer(static_cast<std::int64_t>(call.server.registry().commands().size()));
}

void write_all_infos(Call& call) {
    const auto all = call.server.registry().commands();
    call.reply.array(all.size());
    for (const Command& command : all) {
        write_command_info(call.reply, command);
    }
}

void command_info(Call& call, const WordsArguments& args) {
    if (args.words.empty()) {
        write_all_infos(call);
        return;
    }
    call.reply.array(args.words.size());
    for (const std::string_view name : args.words) {
        const Command* command = call.server.registry().find_full(name);
        if (command == nullptr) {
            call.reply.null();
        } else {
            write_command_info(call.reply, *command);
        }
    }
}

void command_docs(Call& call, const WordsArguments& args) {
    std::vector<const Command*> commands;
    if (args.words.empty()) {
        for (const Command& command : call.server.registry().commands()) {
            commands.push_back(&command);
        }
    }
    for (const std::string_view name : args.words) {
        const Command* command = call.server.registry().find_full(name);
        if (command != nullptr) {
            commands.push_back(command);
        }
    }
    call.reply.map(commands.size());
    for (const Command* command : commands) {
        call.reply.bulk(command->full_name);
        write_command_docs(call.reply, *command);
    }
}

// COMMAND LIST

/// The filter of COMMAND LIST as a predicate; false: answered with an error.
bool select_commands(Call& call,
                     std::span<const std::string_view> words,
                     std::vector<std::string_view>& names) {
    enum class By : std::uint8_t { kAll, kModule, kCategory, kPattern } by = By::kAll;
    std::string_view value;
    if (!words.empty()) {
        if (words.size() != 3 || !equals_word(words[0], "FILTERBY")) {
            return syntax_error(call.reply);
        }
        value = words[2];
        if (equals_word(words[1], "MODULE")) {
            by = By::kModule;
        } else if (equals_word(words[1], "ACLCAT")) {
            by = By::kCategory;
        } else if (equals_word(words[1], "PATTERN")) {
            by = By::kPattern;
        } else {
            return syntax_error(call.reply);
        }
    }
    const std::size_t category = find_acl_category(value);
    const bool is_category = category < acl_category_names().size();
    const auto matches = [&](const Command& command) {
        switch (by) {
            case By::kAll:
                return true;
            case By::kModule:
                return false;  // there are no modules
            case By::kCategory:
                return is_category && is_in_category(command.spec->info, category);
            case By::kPattern:
                return glob_match_any_case(value, command.full_name);
        }
        return false;
    };
    for (const Command& command : call.server.registry().commands()) {
        if (matches(command)) {
            names.push_back(command.full_name);
        }
        for (const Command& sub : command.subcommands) {
            if (matches(sub)) {
                names.push_back(sub.full_name);
            }
        }
    }
    return true;
}

void command_list(Call& call, const WordsArguments& args) {
    std::vector<std::string_view> names;
    if (!select_commands(call, args.words, names)) {
        return;
    }
    call.reply.array(names.size());
    for (const std::string_view name : names) {
        call.reply.bulk(name);
    }
}

// COMMAND GETKEYS

bool keys_of_call(Call& call, std::span<const std::string_view> words, std::vector<UsedKey>& keys) {
    const Command* command = call.server.registry().find(words[0]);
    if (command != nullptr && !command->subcommands.empty() && words.size() > 1) {
        command = command->find_subcommand(words[1]);
    }
    if (command == nullptr) {
        call.reply.error("ERR Invalid command specified");
        return false;
    }
    const CommandInfo& info = command->spec->info;
    if (info.keys.is_empty()) {
        call.reply.error("ERR The command has no key arguments");
        return false;
    }
    if (!arity_accepts(info, words.size())) {
        call.reply.error("ERR Invalid number of arguments specified for command");
        return false;
    }
    switch (find_keys(*command, words, keys)) {
        case KeyLookup::kFound:
            return true;
        case KeyLookup::kNoKeys:
            call.reply.error("ERR The command has no key arguments");
            return false;
        case KeyLookup::kInvalid:
            call.reply.error("ERR Invalid arguments specified for command");
            return false;
    }
    return false;
}

void command_getkeys(Call& call, const WordsArguments& args) {
    std::vector<UsedKey> keys;
    if (!keys_of_call(call, args.words, keys)) {
        return;
    }
    call.reply.array(keys.size());
    for (const UsedKey& key : keys) {
        call.reply.bulk(key.key);
    }
}

void command_getkeysandflags(Call& call, const WordsArguments& args) {
    std::vector<UsedKey> keys;
    if (!keys_of_call(call, args.words, keys)) {
        return;
    }
    call.reply.array(keys.size());
    for (const UsedKey& key : keys) {
        call.reply.array(2);
        call.reply.bulk(key.key);
        write_flag_words(call.reply, key.flags);
    }
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::string_view since,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info(
        "server", kAclConnection, name, arity, kAnyTime, since, complexity, syntax, summary);
}

constexpr std::array kSubcommands = {
    row<command_count>(info("count", 2, "2.8.13", "O(1)", "", "Counts the commands.")),
    row<command_docs>(info("docs",
                           -2,
                           "7.0.0",
                           "O(N)",
                           "[command-name [command-name ...]]",
                           "Documents commands; without names, all of them.")),
    row<command_getkeys>(info("getkeys",
                              -3,
                              "2.8.13",
                              "O(N)",
                              "command [arg [arg ...]]",
                              "Names the keys of a whole call.")),
    row<command_getkeysandflags>(info("getkeysandflags",
                                      -3,
                                      "7.0.0",
                                      "O(N)",
                                      "command [arg [arg ...]]",
                                      "Names the keys of a whole call and what happens to them.")),
    row<container_help>(info("help", 2, "5.0.0", "O(1)", "", "Lists the subcommands.")),
    row<command_info>(info("info",
                           -2,
                           "2.8.13",
                           "O(N)",
                           "[command-name [command-name ...]]",
                           "Describes commands for clients; without names, all of them.")),
    row<command_list>(info("list",
                           -2,
                           "7.0.0",
                           "O(N)",
                           "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
                           "Names the commands.")),
};

/// COMMAND without a subcommand.
void command_all(Call& call, const NoArguments&) {
    write_all_infos(call);
}

constexpr CommandSpec command_row() {
    CommandSpec spec = row<command_all>(
        info("command", -1, "2.8.13", "O(N)", "", "Describes all commands for clients."));
    spec.subcommands = kSubcommands;
    return spec;
}

}  // namespace

std::span<const CommandSpec> command_table() {
    static constexpr std::array kTable = {command_row()};
    return kTable;
}

void container_help(Call& call, const NoArguments&) {
    const auto to_upper = [](std::string_view text) {
        std::string out(text);
        for (char& c : out) {
            c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        }
        return out;
    };
    for (const Command& command : call.server.registry().commands()) {
        const auto subs = std::span(command.subcommands);
        const bool is_mine = std::any_of(
            subs.begin(), subs.end(), [&](const Command& sub) { return sub.spec == call.spec; });
        if (!is_mine) {
            continue;
        }
        call.reply.array(1 + 2 * subs.size());
        call.reply.status(fmt::format("{} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
                                      to_upper(command.full_name)));
        for (const Command& sub : subs) {
            const CommandInfo& info = sub.spec->info;
            const std::string_view gap = info.syntax.empty() ? "" : " ";
            call.reply.status(to_upper(info.name) + std::string(gap) + std::string(info.syntax));
            call.reply.status("    " + std::string(info.summary));
        }
        return;
    }
}

}  // namespace tern::server::commands
