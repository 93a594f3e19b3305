#include <array>

#include "server/commands/tables.hpp"
#include "server/server.hpp"

namespace tern::server::commands {

namespace {

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

void ping(Call& call, const PingArguments& args) {
    if (args.has_message) {
        call.reply.bulk(args.message);
    } else {
        call.reply.status("PONG");
    }
}

}  // namespace

std::span<const CommandSpec> connection_table() {
    static constexpr std::array kTable = {
        row<ping>({.name = "ping",
                   .arity = -1,
                   .flags = kFast,
                   .acl_categories = kAclConnection,
                   .group = "connection",
                   .since = "1.0.0",
                   .complexity = "O(1)",
                   .summary = "Answers PONG, or the message that it was given.",
                   .syntax = "[message]"}),
    };
    return kTable;
}

}  // namespace tern::server::commands
