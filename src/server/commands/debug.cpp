#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/number_text.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/client_locality.hpp"
#include "server/commands/debug_data.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server::commands {

namespace {

using Words = std::span<const std::string_view>;

/// DEBUG SLEEP seconds: the whole server stands still, which is what tests want of it.
void debug_sleep(Call& call, Words words) {
    double seconds = 0;
    constexpr double kSecondsMax = 3600;
    static_cast<void>(parse_double(words[0], seconds));
    std::this_thread::sleep_for(
        std::chrono::duration<double>(std::clamp(seconds, 0.0, kSecondsMax)));
    call.reply.ok();
}

void debug_set_active_expire(Call& call, Words words) {
    call.keyspace.set_active_expiry(words[0] != "0");
    call.reply.ok();
}

void debug_skip_checksums(Call& call, Words words) {
    call.server.set_checks_payload_sums(words[0] == "0");
    call.reply.ok();
}

void debug_error(Call& call, Words words) {
    call.reply.error(words[0]);
}

/// What concerns parts that tern has otherwise or not at all: there is nothing to switch.
void debug_nothing(Call& call, Words) {
    call.reply.ok();
}

// DEBUG PROTOCOL: one reply of each type

constexpr std::int64_t kListSize = 3;

void protocol_list(Reply& reply) {
    for (std::int64_t i = 0; i < kListSize; ++i) {
        reply.integer(i);
    }
}

struct ProtocolType {
    std::string_view name;  ///< in capitals
    void (*write)(Reply& reply);
};

constexpr std::array kProtocolTypes = {
    ProtocolType{"STRING", [](Reply& reply) { reply.bulk("Hello World"); }},
    ProtocolType{"INTEGER", [](Reply& reply) { reply.integer(12345); }},
    ProtocolType{"DOUBLE", [](Reply& reply) { reply.number(3.141); }},
    ProtocolType{"BIGNUM",
                 [](Reply& reply) { reply.big_number("1234567999999999999999999999999999999"); }},
    ProtocolType{"NULL", [](Reply& reply) { reply.null(); }},
    ProtocolType{"ARRAY",
                 [](Reply& reply) {
                     reply.array(kListSize);
                     protocol_list(reply);
                 }},
    ProtocolType{"SET",
                 [](Reply& reply) {
                     reply.set(kListSize);
                     protocol_list(reply);
                 }},
    ProtocolType{"MAP",
                 [](Reply& reply) {
                     reply.map(kListSize);
                     for (std::int64_t i = 0; i < kListSize; ++i) {
                         reply.integer(i);
                         reply.boolean(i == 1);
                     }
                 }},
    ProtocolType{"ATTRIB",
                 [](Reply& reply) {
                     if (reply.attribute(1)) {
                         reply.bulk("key-popularity");
                         reply.array(2);
                         reply.bulk("key:123");
                         reply.integer(90);
                     }
                     reply.bulk("Some real reply following the attribute");
                 }},
    ProtocolType{"PUSH",
                 [](Reply& reply) {
                     if (!reply.is_resp3()) {
                         reply.error("ERR RESP2 is not supported by this command");
                         return;
                     }
                     reply.bulk("Some real reply following the push reply");
                     reply.push(2);
                     reply.bulk("server-cpu-usage");
                     reply.integer(42);
                 }},
    ProtocolType{"VERBATIM",
                 [](Reply& reply) { reply.verbatim("txt", "This is a verbatim\nstring"); }},
    ProtocolType{"TRUE", [](Reply& reply) { reply.boolean(true); }},
    ProtocolType{"FALSE", [](Reply& reply) { reply.boolean(false); }},
};

void debug_protocol(Call& call, Words words) {
    for (const ProtocolType& type : kProtocolTypes) {
        if (equals_word(words[0], type.name)) {
            type.write(call.reply);
            return;
        }
    }
    call.reply.error(
        "ERR Wrong protocol type name. Please use one of the following: "
        "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
}

void debug_help(Call& call, Words);

struct Subcommand {
    std::string_view name;  ///< in capitals
    std::size_t word_count_min;
    std::size_t word_count_max;
    std::string_view syntax;
    std::string_view summary;
    void (*run)(Call& call, Words words);
};

constexpr std::size_t kAnyCount = SIZE_MAX;

constexpr std::array kSubcommands = {
    Subcommand{"CHANGE-REPL-ID",
               0,
               0,
               "",
               "Nothing: there is no replication id to change.",
               debug_nothing},
    Subcommand{"DICT-RESIZING",
               1,
               1,
               "<0 | 1>",
               "Nothing: tables grow and shrink by one bucket a change.",
               debug_nothing},
    Subcommand{"DIGEST", 0, 0, "", "Sums all data up in 40 digits.", debug_digest},
    Subcommand{"DIGEST-VALUE",
               0,
               kAnyCount,
               "[key ...]",
               "Sums values up in 40 digits each.",
               debug_digest_value},
    Subcommand{"ERROR", 1, 1, "string", "Answers with that error.", debug_error},
    Subcommand{"HELP", 0, 0, "", "Lists the subcommands.", debug_help},
    Subcommand{"HTSTATS", 1, 2, "dbid [full]", "Counts a database's keys.", debug_htstats},
    Subcommand{"HTSTATS-KEY", 1, 2, "key [full]", "Describes a key's table.", debug_htstats_key},
    Subcommand{
        "LOADAOF", 0, 0, "", "Takes every key through the dump format and back.", debug_reload},
    Subcommand{"LOG", 1, 1, "message", "Nothing: the log belongs to the program.", debug_nothing},
    Subcommand{"OBJECT", 1, 2, "key [fast]", "Describes a key's value.", debug_object},
    Subcommand{"PAUSE-CRON",
               1,
               1,
               "<0 | 1>",
               "Nothing: no periodic job changes what tests look at.",
               debug_nothing},
    Subcommand{"POPULATE",
               1,
               3,
               "count [prefix] [size]",
               "Makes string keys named prefix:number.",
               debug_populate},
    Subcommand{"PROTOCOL", 1, 1, "type", "Answers with a reply of that type.", debug_protocol},
    Subcommand{"QUICKLIST-PACKED-THRESHOLD",
               1,
               1,
               "size",
               "Nothing: large elements lie apart by the size of a slot.",
               debug_nothing},
    Subcommand{"RELOAD",
               0,
               3,
               "[MERGE] [NOFLUSH]",
               "Takes every key through the dump format and back.",
               debug_reload},
    Subcommand{"REPLYBUFFER",
               2,
               2,
               "<PEAK-RESET-TIME time | RESIZING <0 | 1>>",
               "Nothing: replies share a buffer of the loop.",
               debug_nothing},
    Subcommand{"SET-ACTIVE-EXPIRE",
               1,
               1,
               "<0 | 1>",
               "Says whether keys whose time is over go by themselves.",
               debug_set_active_expire},
    Subcommand{"SET-SKIP-CHECKSUM-VALIDATION",
               1,
               1,
               "<0 | 1>",
               "Says whether RESTORE overlooks checksums.",
               debug_skip_checksums},
    Subcommand{"SLEEP", 1, 1, "seconds", "Stops the server for that long.", debug_sleep},
};

void debug_help(Call& call, Words) {
    call.reply.array(1 + 2 * kSubcommands.size());
    call.reply.status("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    for (const Subcommand& one : kSubcommands) {
        call.reply.status(
            fmt::format("{}{}{}", one.name, one.syntax.empty() ? "" : " ", one.syntax));
        call.reply.status(fmt::format("    {}", one.summary));
    }
}

/// One row for all of DEBUG, as in Redis: its subcommands are no commands of their own.
void debug(Call& call, const WordsArguments& args) {
    if (!is_allowed(call.server.config().enable_debug_command, call.session)) {
        call.reply.error(
            "ERR DEBUG command not allowed. If the enable-debug-command option is set to "
            "\"local\", "
            "you can run it from a local connection, otherwise you need to set this option in the "
            "configuration file, and then restart the server.");
        return;
    }
    const Words words = args.words.subspan(1);
    for (const Subcommand& one : kSubcommands) {
        if (equals_word(args.words[0], one.name) && words.size() >= one.word_count_min &&
            words.size() <= one.word_count_max) {
            one.run(call, words);
            return;
        }
    }
    call.reply.error(
        fmt::format("ERR unknown subcommand or wrong number of arguments for '{}'. Try DEBUG HELP.",
                    args.words[0].substr(0, 128)));
}

}  // namespace

std::span<const CommandSpec> debug_table() {
    static constexpr std::array kTable = {
        row<debug>(admin_info("server",
                              0,
                              "debug",
                              -2,
                              kAdmin | kNoScript | kAnyTime,
                              "1.0.0",
                              "Depends on subcommand.",
                              "subcommand [argument [argument ...]]",
                              "What tests need; closed unless enable-debug-command opens it.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
