#include "server/server.hpp"

#include <array>
#include <optional>

#include "base/clock.hpp"
#include "server/commands/admin_rows.hpp"
#include "server/commands/tables.hpp"
#include "server/version.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server::commands {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;

// DBSIZE, FLUSHDB, FLUSHALL, SWAPDB

void dbsize(Call& call, const NoArguments&) {
    call.reply.integer(static_cast<std::int64_t>(call.database.size()));
}

struct FlushArguments {
    bool waits = false;  ///< until the memory is free
};

bool parse_text(Arguments& in, FlushArguments& out, Reply& reply) {
    if (in.is_empty()) {
        return true;
    }
    out.waits = equals_word(in.peek(), "SYNC");
    const bool is_known = out.waits || equals_word(in.peek(), "ASYNC");
    return (is_known && in.left() == 1) || syntax_error(reply);
}

/// Keys are gone at once; without SYNC their memory is freed in steps, so that nobody waits for it.
void flush(Call& call, const FlushArguments& args) {
    if (args.waits) {
        call.keyspace.drain_now();
    }
    call.reply.ok();
}

void flushdb(Call& call, const FlushArguments& args) {
    call.database.flush();
    flush(call, args);
}

void flushall(Call& call, const FlushArguments& args) {
    call.keyspace.flush_all();
    flush(call, args);
}

struct SwapArguments {
    std::int64_t first = 0;
    std::int64_t second = 0;
};

bool parse_text(Arguments& in, SwapArguments& out, Reply& reply) {
    return in.read_integer(out.first, reply, "ERR invalid first DB index") &&
           in.read_integer(out.second, reply, "ERR invalid second DB index");
}

void swapdb(Call& call, const SwapArguments& args) {
    const auto count = static_cast<std::int64_t>(call.keyspace.database_count());
    if (args.first < 0 || args.second < 0 || args.first >= count || args.second >= count) {
        call.reply.error("ERR DB index is out of range");
        return;
    }
    call.keyspace.swap_databases(static_cast<std::size_t>(args.first),
                                 static_cast<std::size_t>(args.second));
    call.reply.ok();
}

// TIME, SHUTDOWN

void time(Call& call, const NoArguments&) {
    // Read anew: the turn's clock is of milliseconds.
    const std::int64_t now_us = wall_ns() / kMsPerSecond;
    constexpr std::int64_t kUsPerSecond = 1'000'000;
    call.reply.array(2);
    call.reply.bulk_integer(now_us / kUsPerSecond);
    call.reply.bulk_integer(now_us % kUsPerSecond);
}

struct ShutdownArguments {
    bool saves = false;
    bool aborts = false;
};

bool parse_text(Arguments& in, ShutdownArguments& out, Reply& reply) {
    bool has_nosave = false;
    bool has_others = false;
    while (!in.is_empty()) {
        if (in.take_option("SAVE")) {
            out.saves = true;
        } else if (in.take_option("NOSAVE")) {
            has_nosave = true;
        } else if (in.take_option("NOW") || in.take_option("FORCE")) {
            has_others = true;
        } else if (in.take_option("ABORT")) {
            out.aborts = true;
        } else {
            return syntax_error(reply);
        }
    }
    const bool is_contradiction =
        (out.saves && has_nosave) || (out.aborts && (out.saves || has_nosave || has_others));
    return !is_contradiction || syntax_error(reply);
}

void shutdown(Call& call, const ShutdownArguments& args) {
    if (args.aborts) {
        call.reply.error("ERR No shutdown in progress.");
        return;
    }
    if (args.saves) {
        call.reply.error("ERR this version of tern cannot save; use SHUTDOWN NOSAVE");
        return;
    }
    call.server.request_stop();  // no reply: the end of the connection is the answer
}

// LOLWUT

void lolwut(Call& call, const WordsArguments&) {
    call.reply.verbatim(
        "txt",
        fmt::format("tern {}, which answers as Redis ver. {}\n", TERN_VERSION, kRedisVersion));
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::uint32_t categories,
                           std::string_view since,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info("server", categories, name, arity, flags, since, complexity, syntax, summary);
}

constexpr std::uint32_t kFlush = kAclKeyspace | kAclDangerous;

}  // namespace

std::span<const CommandSpec> server_table() {
    static constexpr std::array kTable = {
        row<dbsize>(info("dbsize",
                         1,
                         kReadonly | kFast,
                         kAclKeyspace,
                         "1.0.0",
                         "O(1)",
                         "",
                         "Counts the keys of the database.")),
        row<flushall>(info("flushall",
                           -1,
                           kWrite,
                           kFlush,
                           "1.0.0",
                           "O(1); memory is freed later, with SYNC in O(N)",
                           "[ASYNC | SYNC]",
                           "Removes all keys of all databases.")),
        row<flushdb>(info("flushdb",
                          -1,
                          kWrite,
                          kFlush,
                          "1.0.0",
                          "O(1); memory is freed later, with SYNC in O(N)",
                          "[ASYNC | SYNC]",
                          "Removes all keys of the database.")),
        row<lolwut>(info("lolwut",
                         -1,
                         kReadonly | kFast,
                         0,
                         "5.0.0",
                         "O(1)",
                         "[VERSION version]",
                         "Names the version.")),
        row<shutdown>(info("shutdown",
                           -1,
                           kAdminOnly | kAllowBusy | kNoMulti,
                           0,
                           "1.0.0",
                           "O(1)",
                           "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
                           "Ends the server.")),
        row<swapdb>(info("swapdb",
                         3,
                         kWrite | kFast,
                         kFlush,
                         "4.0.0",
                         "O(1)",
                         "index1 index2",
                         "Exchanges the keys of two databases.")),
        row<time>(
            info("time", 1, kAnyTime | kFast, 0, "2.6.0", "O(1)", "", "Tells the server's time.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
