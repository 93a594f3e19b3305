#include <array>
#include <optional>

#include "base/number_text.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/client_names.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"
#include "server/transaction.hpp"
#include "server/version.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

constexpr std::string_view kWrongPassword =
    "WRONGPASS invalid username-password pair or user is disabled.";

// PING, ECHO

struct PingArguments {
    bool has_message = false;
    std::string_view message;
};

bool parse_text(Arguments& in, PingArguments& out, Reply& reply) {
    if (in.left() > 1) {
        reply.error("ERR wrong number of arguments for 'ping' command");
        return false;
    }
    out.has_message = !in.is_empty();
    if (out.has_message) {
        out.message = in.take();
    }
    return true;
}

bool decode_wire(const wire::VerifiedPingRequestView&, PingArguments&, Scratch&) {
    return true;
}

void ping(Call& call, const PingArguments& args) {
    if (call.session.is_subscribed() && call.session.protocol == Protocol::kResp2) {
        call.reply.array(2);  // so that it can be told from a message
        call.reply.bulk("pong");
        call.reply.bulk(args.message);
    } else if (args.has_message) {
        call.reply.bulk(args.message);
    } else {
        call.reply.status("PONG");
    }
}

struct MessageArguments {
    std::string_view message;
};

bool parse_text(Arguments& in, MessageArguments& out, Reply&) {
    out.message = in.take();
    return true;
}

bool decode_wire(const wire::VerifiedEchoRequestView& view, MessageArguments& out, Scratch&) {
    out.message = as_text(view.message());
    return true;
}

void echo(Call& call, const MessageArguments& args) {
    call.reply.bulk(args.message);
}

// SELECT, QUIT, RESET

struct SelectArguments {
    std::int64_t database = 0;
};

bool parse_text(Arguments& in, SelectArguments& out, Reply& reply) {
    return in.read_integer(out.database, reply);
}

bool decode_wire(const wire::VerifiedSelectRequestView& view, SelectArguments& out, Scratch&) {
    out.database = view.database();
    return true;
}

void select(Call& call, const SelectArguments& args) {
    if (args.database < 0 ||
        static_cast<std::uint64_t>(args.database) >= call.keyspace.database_count()) {
        call.reply.error("ERR DB index is out of range");
        return;
    }
    call.session.database_index = static_cast<std::uint32_t>(args.database);
    call.reply.ok();
}

void quit(Call& call, const WordsArguments&) {
    call.session.close_requested = true;
    call.reply.ok();
}

void reset(Call& call, const NoArguments&) {
    Session& session = call.session;
    end_transaction(call.server, session);
    call.server.pubsub().forget(session);
    session.database_index = 0;
    session.name.clear();
    session.no_evict = false;
    session.no_touch = false;
    session.reply_mode = Session::ReplyMode::kOn;
    session.user = "default";
    session.authenticated = call.server.config().requirepass.empty();
    call.reply.status("RESET");
    if (session.protocol == Protocol::kResp3) {
        session.protocol =
            Protocol::kResp2;  // from the next reply on; this one has no type of RESP3
    }
}

// AUTH, HELLO

struct AuthArguments {
    std::string_view user = "default";
    std::string_view password;
    bool has_user = false;
};

bool parse_text(Arguments& in, AuthArguments& out, Reply& reply) {
    if (in.left() > 2) {
        return syntax_error(reply);
    }
    if (in.left() == 2) {
        out.user = in.take();
        out.has_user = true;
    }
    out.password = in.take();
    return true;
}

bool log_on(Call& call, std::string_view user, std::string_view password) {
    if (!call.server.authenticate(user, password)) {
        call.reply.error(kWrongPassword);
        return false;
    }
    call.session.user = "default";
    call.session.authenticated = true;
    return true;
}

void auth(Call& call, const AuthArguments& args) {
    if (!args.has_user && call.server.config().requirepass.empty()) {
        call.reply.error(
            "ERR AUTH <password> called without any password configured for the default user. Are "
            "you sure your configuration is correct?");
        return;
    }
    if (log_on(call, args.user, args.password)) {
        call.reply.ok();
    }
}

struct HelloArguments {
    std::int64_t version = 0;  ///< 0: as it is
    bool has_credentials = false;
    std::string_view user;
    std::string_view password;
    std::optional<std::string_view> name;
};

bool parse_text(Arguments& in, HelloArguments& out, Reply& reply) {
    if (in.is_empty()) {
        return true;
    }
    if (!in.read_integer(
            out.version, reply, "ERR Protocol version is not an integer or out of range")) {
        return false;
    }
    if (out.version != 2 && out.version != 3) {
        reply.error("NOPROTO unsupported protocol version");
        return false;
    }
    while (!in.is_empty()) {
        if (in.left() >= 3 && in.take_option("AUTH")) {
            out.has_credentials = true;
            out.user = in.take();
            out.password = in.take();
        } else if (in.left() >= 2 && in.take_option("SETNAME")) {
            out.name = in.take();
            if (!is_client_text(*out.name)) {
                reply.error(kBadClientName);
                return false;
            }
        } else {
            reply.error(fmt::format("ERR Syntax error in HELLO option '{}'", in.take()));
            return false;
        }
    }
    return true;
}

void write_hello(Call& call) {
    const bool is_resp3 = call.session.protocol == Protocol::kResp3;
    // The reply is in the language that it announces.
    Reply& reply = call.reply;
    constexpr std::size_t kFieldCount = 7;
    reply.switch_protocol(call.session.protocol);
    reply.map(kFieldCount);
    reply.bulk("server");
    reply.bulk("redis");
    reply.bulk("version");
    reply.bulk(kRedisVersion);
    reply.bulk("proto");
    reply.integer(is_resp3 ? 3 : 2);
    reply.bulk("id");
    reply.integer(static_cast<std::int64_t>(call.session.id));
    reply.bulk("mode");
    reply.bulk("standalone");
    reply.bulk("role");
    reply.bulk("master");
    reply.bulk("modules");
    reply.array(0);
}

void hello(Call& call, const HelloArguments& args) {
    Session& session = call.session;
    if (args.has_credentials && !log_on(call, args.user, args.password)) {
        return;
    }
    if (!session.authenticated) {
        call.reply.error(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the "
            "HELLO "
            "<proto> AUTH <user> <pass> option can be used to authenticate the client and select "
            "the "
            "RESP protocol version at the same time");
        return;
    }
    if (session.protocol == Protocol::kSbe && args.version != 0) {
        call.reply.error("NOPROTO this connection speaks SBE until it ends");
        return;
    }
    if (args.name) {
        session.name = *args.name;
    }
    if (args.version != 0) {
        session.protocol = args.version == 3 ? Protocol::kResp3 : Protocol::kResp2;
    }
    write_hello(call);
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

constexpr std::uint32_t kBeforeLogon = kNoScript | kAnyTime | kFast | kNoAuth | kAllowBusy;

}  // namespace

std::span<const CommandSpec> connection_table() {
    static constexpr std::array kTable = {
        row<auth>(info(
            "auth", -2, kBeforeLogon, "1.0.0", "[username] password", "Logs the connection on.")),
        row<echo, wire::VerifiedEchoRequestView>(
            info("echo", 2, kAnyTime | kFast, "1.0.0", "message", "Answers the message.")),
        row<hello>(
            info("hello",
                 -1,
                 kBeforeLogon,
                 "6.0.0",
                 "[protover [AUTH username password] [SETNAME clientname]]",
                 "Greets the server: chooses RESP2 or RESP3, logs on, names the connection.")),
        row<ping, wire::VerifiedPingRequestView>(
            info("ping",
                 -1,
                 kFast | kRunsSubscribed,
                 "1.0.0",
                 "[message]",
                 "Answers PONG, or the message that it was given.")),
        row<quit>(info("quit",
                       -1,
                       kBeforeLogon | kRunsInMulti | kRunsSubscribed,
                       "1.0.0",
                       "",
                       "Closes the connection after the replies that are due.")),
        row<reset>(info("reset",
                        1,
                        kBeforeLogon | kRunsInMulti | kRunsSubscribed,
                        "6.2.0",
                        "",
                        "Makes the connection as it was when it began.")),
        row<select, wire::VerifiedSelectRequestView>(info(
            "select", 2, kAnyTime | kFast, "1.0.0", "index", "Chooses the connection's database.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
