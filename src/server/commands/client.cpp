#include <array>
#include <optional>
#include <vector>

#include "server/commands/admin_rows.hpp"
#include "server/commands/client_filter.hpp"
#include "server/commands/client_names.hpp"
#include "server/commands/client_text.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"

namespace tern::server::commands {

namespace {

struct NameArguments {
    std::string_view name;
};
bool parse_text(Arguments& in, NameArguments& out, Reply&) {
    out.name = in.take();
    return true;
}

/// One of two words, else a syntax error.
bool read_switch(std::string_view word, bool& is_on, Reply& reply) {
    is_on = equals_word(word, "ON");
    return is_on || equals_word(word, "OFF") || syntax_error(reply);
}

// Who I am

void client_id(Call& call, const NoArguments&) {
    call.reply.integer(static_cast<std::int64_t>(call.session.id));
}

void client_getname(Call& call, const NoArguments&) {
    if (call.session.name.empty()) {
        call.reply.null();
    } else {
        call.reply.bulk(call.session.name);
    }
}

void client_setname(Call& call, const NameArguments& args) {
    if (!is_client_text(args.name)) {
        call.reply.error(kBadClientName);
        return;
    }
    call.session.name = args.name;
    call.reply.ok();
}

void client_setinfo(Call& call, const WordsArguments& args) {
    const std::string_view option = args.words[0];
    const std::string_view text = args.words[1];
    const bool is_name = equals_word(option, "LIB-NAME");
    if (!is_name && !equals_word(option, "LIB-VER")) {
        call.reply.error(fmt::format("ERR Unrecognized option '{}'", option));
        return;
    }
    if (!is_client_text(text)) {
        call.reply.error(
            fmt::format("ERR {} cannot contain spaces, newlines or special characters.", option));
        return;
    }
    (is_name ? call.session.library_name : call.session.library_version) = text;
    call.reply.ok();
}

void client_info(Call& call, const NoArguments&) {
    std::string text;
    append_client(text, call.server, call.session);
    call.reply.verbatim("txt", text);
}

// All clients

void client_list(Call& call, const WordsArguments& args) {
    ClientFilter filter;
    if (!parse_list_filter(args.words, filter, call.reply)) {
        return;
    }
    std::string text;
    for (const auto& [id, session] : call.server.clients()) {
        if (filter.matches(*session)) {
            append_client(text, call.server, *session);
        }
    }
    call.reply.verbatim("txt", text);
}

/// Ends `session`; the caller's own connection after its reply.
void kill(Call& call, Session& session) {
    if (&session == &call.session) {
        session.close_requested = true;
    } else {
        session.peer->close_now();
    }
}

void client_kill(Call& call, const WordsArguments& args) {
    ClientFilter filter;
    if (!parse_kill_filter(args.words, filter, call.reply)) {
        return;
    }
    // Collected first: closing takes a session off the list.
    std::vector<Session*> victims;
    for (const auto& [id, session] : call.server.clients()) {
        const bool is_spared = filter.skips_caller && session == &call.session;
        if (!is_spared && filter.matches(*session)) {
            victims.push_back(session);
        }
    }
    for (Session* session : victims) {
        kill(call, *session);
    }
    if (!filter.is_old_form) {
        call.reply.integer(static_cast<std::int64_t>(victims.size()));
    } else if (victims.empty()) {
        call.reply.error("ERR No such client");
    } else {
        call.reply.ok();
    }
}

struct UnblockArguments {
    std::int64_t id = 0;
    bool with_error = false;
};
bool parse_text(Arguments& in, UnblockArguments& out, Reply& reply) {
    const std::string_view id = in.take();
    if (!in.is_empty()) {
        out.with_error = equals_word(in.peek(), "ERROR");
        if (!out.with_error && !equals_word(in.peek(), "TIMEOUT")) {
            reply.error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
            return false;
        }
    }
    Arguments one({&id, 1}, in.scratch());
    return one.read_integer(out.id, reply);
}

void client_unblock(Call& call, const UnblockArguments& args) {
    Session* session = call.server.clients().find(static_cast<std::uint64_t>(args.id));
    const bool is_done =
        session != nullptr && call.server.blocked_clients().unblock(*session, args.with_error);
    call.reply.integer(is_done ? 1 : 0);
}

// Pause, replies, marks

struct PauseArguments {
    std::int64_t duration_ms = 0;
    bool writes_only = false;
};
bool parse_text(Arguments& in, PauseArguments& out, Reply& reply) {
    const std::string_view duration = in.take();
    if (!in.is_empty()) {
        out.writes_only = equals_word(in.peek(), "WRITE");
        if (!out.writes_only && !equals_word(in.peek(), "ALL")) {
            reply.error("ERR CLIENT PAUSE mode must be WRITE or ALL");
            return false;
        }
    }
    Arguments one({&duration, 1}, in.scratch());
    if (!one.read_integer(
            out.duration_ms, reply, "ERR timeout is not an integer or out of range")) {
        return false;
    }
    if (out.duration_ms < 0) {
        reply.error("ERR timeout is negative");
        return false;
    }
    return true;
}

void client_pause(Call& call, const PauseArguments& args) {
    std::int64_t until_ms = 0;
    if (__builtin_add_overflow(call.now_ms, args.duration_ms, &until_ms)) {
        call.reply.error("ERR timeout is out of range");
        return;
    }
    Server::Pause& pause = call.server.pause();
    // A pause that is under way is never shortened, and the stricter kind holds.
    const bool is_under_way = pause.until_ms > call.now_ms;
    pause.writes_only = args.writes_only && (!is_under_way || pause.writes_only);
    pause.until_ms = is_under_way ? std::max(pause.until_ms, until_ms) : until_ms;
    call.reply.ok();
}

void client_unpause(Call& call, const NoArguments&) {
    // The reactor lets the held clients go when it finds the time over.
    if (call.server.has_pause()) {
        call.server.pause().until_ms = call.now_ms;
    }
    call.reply.ok();
}

void client_reply(Call& call, const NameArguments& args) {
    using Mode = Session::ReplyMode;
    Session& session = call.session;
    if (equals_word(args.name, "ON")) {
        session.reply_mode = Mode::kOn;
        call.reply.ok();
    } else if (equals_word(args.name, "OFF")) {
        session.reply_mode = Mode::kOff;
    } else if (equals_word(args.name, "SKIP")) {
        // With replies off there is nothing to skip.
        session.reply_mode = session.reply_mode == Mode::kOff ? Mode::kOff : Mode::kSkipNext;
    } else {
        syntax_error(call.reply);
    }
}

void client_no_evict(Call& call, const NameArguments& args) {
    if (read_switch(args.name, call.session.no_evict, call.reply)) {
        call.reply.ok();
    }
}

void client_no_touch(Call& call, const NameArguments& args) {
    if (read_switch(args.name, call.session.no_touch, call.reply)) {
        call.reply.ok();
    }
}

// Tracking: always off in this version

void client_getredir(Call& call, const NoArguments&) {
    call.reply.integer(-1);
}

void client_trackinginfo(Call& call, const NoArguments&) {
    constexpr std::size_t kFieldCount = 3;
    call.reply.map(kFieldCount);
    call.reply.bulk("flags");
    call.reply.set(1);
    call.reply.bulk("off");
    call.reply.bulk("redirect");
    call.reply.integer(-1);
    call.reply.bulk("prefixes");
    call.reply.array(0);
}

void client_caching(Call& call, const NameArguments&) {
    call.reply.error(
        "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
        "OPTOUT mode enabled");
}

void client_tracking(Call& call, const WordsArguments& args) {
    bool is_on = false;
    if (!read_switch(args.words[0], is_on, call.reply)) {
        return;
    }
    if (is_on) {
        call.reply.error("ERR CLIENT TRACKING is not supported by this version of tern");
    } else {
        call.reply.ok();
    }
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view since,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info(
        "connection", kAclConnection, name, arity, flags, since, "O(1)", syntax, summary);
}

constexpr std::uint32_t kMine = kNoScript | kAnyTime;

constexpr std::array kSubcommands = {
    row<client_caching>(info("caching",
                             3,
                             kMine,
                             "6.0.0",
                             "<YES | NO>",
                             "Says whether the next command's keys are tracked.")),
    row<client_getname>(info("getname", 2, kMine, "2.6.9", "", "Names the connection.")),
    row<client_getredir>(info("getredir",
                              2,
                              kMine,
                              "6.0.0",
                              "",
                              "Tells which client gets the messages of tracking; -1: none.")),
    row<container_help>(info("help", 2, kAnyTime, "5.0.0", "", "Lists the subcommands.")),
    row<client_id>(info("id", 2, kMine, "5.0.0", "", "Tells the connection's number.")),
    row<client_info>(info("info", 2, kMine, "6.2.0", "", "Describes this connection.")),
    row<client_kill>(
        info("kill",
             -3,
             kAdminOnly,
             "2.4.0",
             "<ip:port | <[ID client-id] | [TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] | "
             "[USER username] | [ADDR ip:port] | [LADDR ip:port] | [SKIPME <YES | NO>] ...>>",
             "Closes the connections that match all filters.")),
    row<client_list>(
        info("list",
             -2,
             kAdminOnly,
             "2.4.0",
             "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
             "Describes the connections, one a line.")),
    row<client_no_evict>(info("no-evict",
                              3,
                              kAdminOnly,
                              "7.0.0",
                              "<ON | OFF>",
                              "Spares this connection when memory for clients runs out.")),
    row<client_no_touch>(info("no-touch",
                              3,
                              kMine,
                              "7.2.0",
                              "<ON | OFF>",
                              "Says whether this connection's commands count as uses of keys.")),
    row<client_pause>(info("pause",
                           -3,
                           kAdminOnly,
                           "3.0.0",
                           "timeout [WRITE | ALL]",
                           "Lets the commands of all clients wait.")),
    row<client_reply>(info("reply",
                           3,
                           kMine,
                           "3.2.0",
                           "<ON | OFF | SKIP>",
                           "Says whether this connection gets replies.")),
    row<client_setinfo>(info("setinfo",
                             4,
                             kMine,
                             "7.2.0",
                             "<LIB-NAME libname | LIB-VER libver>",
                             "Tells which client library this is.")),
    row<client_setname>(
        info("setname", 3, kMine, "2.6.9", "connection-name", "Gives the connection a name.")),
    row<client_tracking>(
        info("tracking",
             -3,
             kMine,
             "6.0.0",
             "<ON | OFF> [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] "
             "[BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
             "Helps clients to keep copies of keys; cannot be on in this version.")),
    row<client_trackinginfo>(
        info("trackinginfo", 2, kMine, "6.2.0", "", "Tells the state of tracking.")),
    row<client_unblock>(info("unblock",
                             -3,
                             kAdminOnly,
                             "5.0.0",
                             "client-id [TIMEOUT | ERROR]",
                             "Ends the wait of a client that is blocked.")),
    row<client_unpause>(
        info("unpause", 2, kAdminOnly, "6.2.0", "", "Ends a pause of the clients.")),
};

}  // namespace

std::span<const CommandSpec> client_table() {
    static constexpr std::array kTable = {
        container_row(admin_info("connection",
                                 0,
                                 "client",
                                 -2,
                                 0,
                                 "2.4.0",
                                 "Depends on subcommand.",
                                 "",
                                 "Looks after the connections of clients."),
                      kSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
