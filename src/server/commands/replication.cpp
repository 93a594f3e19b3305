#include <array>

#include "server/commands/admin_rows.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"

/// Replication and saving, as a server answers that is a master without replicas and keeps its data
/// in memory only.
namespace tern::server::commands {

namespace {

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

bool read_timeout(Arguments& in, std::int64_t& timeout_ms, Reply& reply) {
    if (!in.read_integer(timeout_ms, reply, "ERR timeout is not an integer or out of range")) {
        return false;
    }
    if (timeout_ms < 0) {
        reply.error("ERR timeout is negative");
        return false;
    }
    return true;
}

struct WaitArguments {
    std::int64_t replica_count = 0;
    std::int64_t timeout_ms = 0;
};

bool parse_text(Arguments& in, WaitArguments& out, Reply& reply) {
    return in.read_integer(out.replica_count, reply) && read_timeout(in, out.timeout_ms, reply);
}

/// No replica can ever answer, so that waiting would not change the count.
void wait(Call& call, const WaitArguments&) {
    call.reply.integer(0);
}

struct WaitAofArguments {
    std::int64_t local_count = 0;
    std::int64_t replica_count = 0;
    std::int64_t timeout_ms = 0;
};

bool parse_text(Arguments& in, WaitAofArguments& out, Reply& reply) {
    if (!in.read_integer(out.local_count, reply)) {
        return false;
    }
    if (out.local_count < 0 || out.local_count > 1) {
        reply.error("ERR value is out of range, value must between 0 and 1");
        return false;
    }
    if (!in.read_integer(out.replica_count, reply)) {
        return false;
    }
    if (out.replica_count < 0) {
        reply.error("ERR value is out of range, must be positive");
        return false;
    }
    return read_timeout(in, out.timeout_ms, reply);
}

void waitaof(Call& call, const WaitAofArguments& args) {
    if (args.local_count > 0) {
        call.reply.error(
            "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.");
        return;
    }
    call.reply.array(2);
    call.reply.integer(0);
    call.reply.integer(0);
}

struct FailoverArguments {
    bool aborts = false;
};

bool parse_text(Arguments& in, FailoverArguments& out, Reply& reply) {
    bool is_forced = false;
    while (!in.is_empty()) {
        std::int64_t number = 0;
        if (in.left() == 1 && in.take_option("ABORT")) {
            out.aborts = true;
        } else if (in.left() >= 3 && in.take_option("TO")) {
            static_cast<void>(in.take());
            if (!in.read_integer(number, reply)) {
                return false;
            }
        } else if (!is_forced && in.take_option("FORCE")) {
            is_forced = true;
        } else if (in.left() >= 2 && in.take_option("TIMEOUT")) {
            if (!in.read_integer(number, reply)) {
                return false;
            }
            if (number <= 0) {
                reply.error("ERR FAILOVER timeout must be greater than 0");
                return false;
            }
        } else {
            return syntax_error(reply);
        }
    }
    return true;
}

void failover(Call& call, const FailoverArguments& args) {
    call.reply.error(args.aborts ? "ERR No failover in progress."
                                 : "ERR FAILOVER requires connected replicas.");
}

void no_replicas(Call& call, const WordsArguments&) {
    call.reply.error("ERR this version of tern has no replicas");
}

void no_files(Call& call, const WordsArguments&) {
    call.reply.error("ERR this version of tern cannot save");
}

constexpr std::int64_t kMsPerSecond = 1000;

/// tern does not save: the last time at which memory and disk agreed is the start.
void lastsave(Call& call, const NoArguments&) {
    call.reply.integer(call.server.started_ms() / kMsPerSecond);
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view since,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, since, "O(1)", syntax, summary);
}

constexpr std::uint32_t kSaves = kAdmin | kNoScript | kNoAsyncLoading;
constexpr std::uint32_t kSyncs = kSaves | kNoMulti;

}  // namespace

std::span<const CommandSpec> replication_table() {
    static constexpr std::array kTable = {
        row<no_files>(info("bgrewriteaof",
                           1,
                           kSaves,
                           "1.0.0",
                           "",
                           "Rewrites the append-only file; tern has none.")),
        row<no_files>(info("bgsave",
                           -1,
                           kSaves,
                           "1.0.0",
                           "[SCHEDULE]",
                           "Saves in the background; this version of tern cannot.")),
        row<failover>(info("failover",
                           -1,
                           kAdmin | kNoScript | kStale,
                           "6.2.0",
                           "[TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]",
                           "Hands the master's part to a replica; there is none.")),
        row<lastsave>(admin_info("server",
                                 kAclAdmin | kAclDangerous,
                                 "lastsave",
                                 1,
                                 kAnyTime | kFast,
                                 "1.0.0",
                                 "O(1)",
                                 "",
                                 "Tells when data was last saved; tern: when it started.")),
        row<no_replicas>(info("psync",
                              -3,
                              kSyncs,
                              "2.8.0",
                              "replicationid offset",
                              "Of replication; this version of tern has none.")),
        row<no_replicas>(info("replconf",
                              -1,
                              kAdminOnly | kAllowBusy,
                              "3.0.0",
                              "",
                              "Of replication; this version of tern has none.")),
        row<replicaof>(info("replicaof",
                            3,
                            kAdmin | kNoScript | kStale | kNoAsyncLoading,
                            "5.0.0",
                            "<host port | NO ONE>",
                            "Makes the server a replica or, with NO ONE, a master.")),
        row<role>(admin_info("server",
                             kAclAdmin | kAclDangerous,
                             "role",
                             1,
                             kNoScript | kAnyTime | kFast,
                             "2.8.12",
                             "O(1)",
                             "",
                             "Tells the server's part in replication.")),
        row<no_files>(info("save", 1, kSyncs, "1.0.0", "", "Saves; this version cannot.")),
        row<replicaof>(info("slaveof",
                            3,
                            kAdmin | kNoScript | kStale | kNoAsyncLoading,
                            "1.0.0",
                            "<host port | NO ONE>",
                            "The older name of REPLICAOF.")),
        row<no_replicas>(
            info("sync", 1, kSyncs, "1.0.0", "", "Of replication; this version of tern has none.")),
        row<wait>(admin_info("generic",
                             kAclConnection,
                             "wait",
                             3,
                             kBlocking,
                             "3.0.0",
                             "O(1)",
                             "numreplicas timeout",
                             "Counts the replicas that have this connection's writes; none has.")),
        row<waitaof>(admin_info("generic",
                                kAclConnection,
                                "waitaof",
                                4,
                                kNoScript | kBlocking,
                                "7.2.0",
                                "O(1)",
                                "numlocal numreplicas timeout",
                                "Waits until writes are in append-only files; there are none.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
