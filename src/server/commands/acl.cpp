#include <array>
#include <string>

#include "base/number_text.hpp"
#include "base/random.hpp"
#include "server/command/acl_categories.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"

/// ACL as far as a server has it that knows one user, `default`, who may do everything: what is
/// asked is answered as Redis answers for that user, what would make or change users is refused.
/// The seam for users with rights of their own is Server::authenticate and Executor::admit.
namespace tern::server::commands {

namespace {

constexpr std::string_view kOnlyUser = "default";

void acl_whoami(Call& call, const NoArguments&) {
    call.reply.bulk(call.session.user);
}

void acl_users(Call& call, const NoArguments&) {
    call.reply.array(1);
    call.reply.bulk(kOnlyUser);
}

void acl_list(Call& call, const NoArguments&) {
    const bool has_password = !call.server.config().requirepass.empty();
    call.reply.array(1);
    call.reply.bulk(fmt::format("user default on {} sanitize-payload ~* &* +@all",
                                has_password ? "#(hidden)" : "nopass"));
}

/// ACL GETUSER: passwords are kept as they are, not as hashes, and so are not shown.
void acl_getuser(Call& call, const WordsArguments& args) {
    if (args.words[0] != kOnlyUser) {
        call.reply.null();
        return;
    }
    Reply& reply = call.reply;
    const bool has_password = !call.server.config().requirepass.empty();
    constexpr std::size_t kFieldCount = 6;
    reply.map(kFieldCount);
    reply.bulk("flags");
    reply.set(has_password ? 2 : 3);
    reply.bulk("on");
    if (!has_password) {
        reply.bulk("nopass");
    }
    reply.bulk("sanitize-payload");
    reply.bulk("passwords");
    reply.array(0);
    for (const auto& [name, rights] :
         {std::pair{"commands", "+@all"}, std::pair{"keys", "~*"}, std::pair{"channels", "&*"}}) {
        reply.bulk(name);
        reply.bulk(rights);
    }
    reply.bulk("selectors");
    reply.array(0);
}

void acl_cat(Call& call, const WordsArguments& args) {
    const auto names = acl_category_names();
    if (args.words.empty()) {
        call.reply.array(names.size());
        for (const std::string_view name : names) {
            call.reply.bulk(name);
        }
        return;
    }
    const std::size_t category = find_acl_category(args.words[0]);
    if (args.words.size() > 1) {
        call.reply.error(
            "ERR unknown subcommand or wrong number of arguments for 'CAT'. Try ACL HELP.");
        return;
    }
    if (category == names.size()) {
        call.reply.error(fmt::format("ERR Unknown category '{}'", args.words[0]));
        return;
    }
    const Reply::Open list = call.reply.open_array();
    std::size_t count = 0;
    const auto consider = [&](const Command& command) {
        if (is_in_category(command.spec->info, category)) {
            call.reply.bulk(command.full_name);
            ++count;
        }
    };
    for (const Command& command : call.server.registry().commands()) {
        consider(command);
        for (const Command& sub : command.subcommands) {
            consider(sub);
        }
    }
    call.reply.close_array(list, count);
}

/// Nobody is ever denied, so that the log is empty.
void acl_log(Call& call, const WordsArguments& args) {
    std::int64_t count = 0;
    if (args.words.size() > 1) {
        call.reply.error(
            "ERR unknown subcommand or wrong number of arguments for 'LOG'. Try ACL HELP.");
    } else if (args.words.size() == 1 && equals_word(args.words[0], "RESET")) {
        call.reply.ok();
    } else if (args.words.size() == 1 && !parse_int64(args.words[0], count)) {
        call.reply.error(kNotInteger);
    } else {
        call.reply.array(0);
    }
}

void acl_genpass(Call& call, const WordsArguments& args) {
    constexpr std::int64_t kBitsDefault = 256;
    constexpr std::int64_t kBitsMax = 4096;
    constexpr std::int64_t kBitsPerDigit = 4;
    constexpr unsigned kDigitMask = 15;
    std::int64_t bits = kBitsDefault;
    if (args.words.size() > 1) {
        call.reply.error(
            "ERR unknown subcommand or wrong number of arguments for 'GENPASS'. Try ACL HELP.");
        return;
    }
    if (!args.words.empty() && !parse_int64(args.words[0], bits)) {
        call.reply.error(kNotInteger);
        return;
    }
    if (bits <= 0 || bits > kBitsMax) {
        call.reply.error(
            "ERR ACL GENPASS argument must be the number of bits for the output password, a "
            "positive number up to 4096");
        return;
    }
    std::string text(static_cast<std::size_t>((bits + kBitsPerDigit - 1) / kBitsPerDigit), '0');
    fill_with_entropy({reinterpret_cast<std::byte*>(text.data()), text.size()});
    for (char& c : text) {
        c = "0123456789abcdef"[static_cast<unsigned char>(c) & kDigitMask];
    }
    call.reply.bulk(text);
}

void acl_deluser(Call& call, const WordsArguments& args) {
    for (const std::string_view name : args.words) {
        if (name == kOnlyUser) {
            call.reply.error("ERR The 'default' user cannot be removed");
            return;
        }
    }
    call.reply.integer(0);
}

void acl_dryrun(Call& call, const WordsArguments& args) {
    if (args.words[0] != kOnlyUser) {
        call.reply.error(fmt::format("ERR User '{}' not found", args.words[0]));
        return;
    }
    const auto words = args.words.subspan(1);
    const Command* command = call.server.registry().find(words[0]);
    if (command != nullptr && !command->subcommands.empty() && words.size() > 1) {
        const Command* sub = command->find_subcommand(words[1]);
        command = sub != nullptr ? sub : command;
    }
    if (command == nullptr) {
        call.reply.error(fmt::format("ERR Command '{}' not found", words[0]));
    } else if (!arity_accepts(command->spec->info, words.size())) {
        call.reply.error(
            fmt::format("ERR wrong number of arguments for '{}' command", command->full_name));
    } else {
        call.reply.ok();
    }
}

void acl_setuser(Call& call, const WordsArguments&) {
    call.reply.error(
        "ERR this version of tern has no users besides default; CONFIG SET "
        "requirepass gives it a password");
}

void acl_file(Call& call, const NoArguments&) {
    call.reply.error(
        "ERR This Redis instance is not configured to use an ACL file. You may want to specify "
        "users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a "
        "Redis configuration file set) in order to store users in the Redis configuration.");
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, "6.0.0", "O(1)", syntax, summary);
}

constexpr std::uint32_t kOpen = kNoScript | kAnyTime;

constexpr std::array kSubcommands = {
    row<acl_cat>(
        info("cat", -2, kOpen, "[category]", "Names the categories, or the commands of one.")),
    row<acl_deluser>(info("deluser",
                          -3,
                          kAdminOnly,
                          "username [username ...]",
                          "Removes users; there is none to remove.")),
    row<acl_dryrun>(admin_info("server",
                               0,
                               "dryrun",
                               -4,
                               kAdminOnly,
                               "7.0.0",
                               "O(1)",
                               "username command [arg [arg ...]]",
                               "Says whether a user may run a command, without running it.")),
    row<acl_genpass>(info("genpass", -2, kOpen, "[bits]", "Makes a password at random.")),
    row<acl_getuser>(info("getuser", 3, kAdminOnly, "username", "Shows a user's rights.")),
    row<container_help>(info("help", 2, kAnyTime, "", "Lists the subcommands.")),
    row<acl_list>(info("list", 2, kAdminOnly, "", "Shows the users with their rights.")),
    row<acl_file>(info("load", 2, kAdminOnly, "", "Reads the ACL file; tern has none.")),
    row<acl_log>(info("log", -2, kAdminOnly, "[count | RESET]", "Lists what was denied.")),
    row<acl_file>(info("save", 2, kAdminOnly, "", "Writes the ACL file; tern has none.")),
    row<acl_setuser>(info("setuser",
                          -3,
                          kAdminOnly,
                          "username [rule [rule ...]]",
                          "Makes or changes a user; this version cannot.")),
    row<acl_users>(info("users", 2, kAdminOnly, "", "Names the users.")),
    row<acl_whoami>(info("whoami", 2, kOpen, "", "Names this connection's user.")),
};

}  // namespace

std::span<const CommandSpec> acl_table() {
    static constexpr std::array kTable = {
        container_row(info("acl", -2, 0, "", "Tells about users and their rights."), kSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
