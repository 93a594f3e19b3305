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

// TIME, LASTSAVE, SHUTDOWN

void time(Call& call, const NoArguments&) {
    // Read anew: the turn's clock is of milliseconds.
    const std::int64_t now_us = wall_ns() / kMsPerSecond;
    constexpr std::int64_t kUsPerSecond = 1'000'000;
    call.reply.array(2);
    call.reply.bulk_integer(now_us / kUsPerSecond);
    call.reply.bulk_integer(now_us % kUsPerSecond);
}

/// tern does not save: the last time at which memory and disk agreed is the start.
void lastsave(Call& call, const NoArguments&) {
    call.reply.integer(call.server.started_ms() / kMsPerSecond);
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

// Replication: tern is a master without replicas

struct MasterArguments {
    std::string_view host;
    std::string_view port;
};

bool parse_text(Arguments& in, MasterArguments& out, Reply&) {
    out.host = in.take();
    out.port = in.take();
    return true;
}

void replicaof(Call& call, const MasterArguments& args) {
    if (equals_word(args.host, "NO") && equals_word(args.port, "ONE")) {
        call.reply.ok();
    } else {
        call.reply.error("ERR this version of tern cannot be a replica");
    }
}

void role(Call& call, const NoArguments&) {
    constexpr std::size_t kFieldCount = 3;
    call.reply.array(kFieldCount);
    call.reply.bulk("master");
    call.reply.integer(0);
    call.reply.array(0);
}

struct WaitArguments {
    std::int64_t replica_count = 0;
    std::int64_t timeout_ms = 0;
};

bool parse_text(Arguments& in, WaitArguments& out, Reply& reply) {
    if (!in.read_integer(out.replica_count, reply) ||
        !in.read_integer(out.timeout_ms, reply, "ERR timeout is not an integer or out of range")) {
        return false;
    }
    if (out.timeout_ms < 0) {
        reply.error("ERR timeout is negative");
        return false;
    }
    return true;
}

/// No replica can ever answer, so that waiting would not change the count.
void wait(Call& call, const WaitArguments&) {
    call.reply.integer(0);
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
        row<lastsave>(info("lastsave",
                           1,
                           kAnyTime | kFast,
                           kAclAdmin | kAclDangerous,
                           "1.0.0",
                           "O(1)",
                           "",
                           "Tells when data was last saved; tern: when it started.")),
        row<lolwut>(info("lolwut",
                         -1,
                         kReadonly | kFast,
                         0,
                         "5.0.0",
                         "O(1)",
                         "[VERSION version]",
                         "Names the version.")),
        row<replicaof>(info("replicaof",
                            3,
                            kAdmin | kNoScript | kStale | kNoAsyncLoading,
                            0,
                            "5.0.0",
                            "O(1)",
                            "<host port | NO ONE>",
                            "Makes the server a replica or, with NO ONE, a master.")),
        row<role>(info("role",
                       1,
                       kNoScript | kAnyTime | kFast,
                       kAclAdmin | kAclDangerous,
                       "2.8.12",
                       "O(1)",
                       "",
                       "Tells the server's part in replication.")),
        row<shutdown>(info("shutdown",
                           -1,
                           kAdminOnly | kAllowBusy | kNoMulti,
                           0,
                           "1.0.0",
                           "O(1)",
                           "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
                           "Ends the server.")),
        row<replicaof>(info("slaveof",
                            3,
                            kAdmin | kNoScript | kStale | kNoAsyncLoading,
                            0,
                            "1.0.0",
                            "O(1)",
                            "<host port | NO ONE>",
                            "The older name of REPLICAOF.")),
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
        row<wait>(admin_info("generic",
                             kAclConnection,
                             "wait",
                             3,
                             kBlocking,
                             "3.0.0",
                             "O(1)",
                             "numreplicas timeout",
                             "Counts the replicas that have this connection's writes; none has.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
