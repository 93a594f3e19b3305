#include <array>

#include "server/commands/admin_rows.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "server/executor.hpp"
#include "server/transaction.hpp"
#include "tern_store_wire/all.hpp"

/// MULTI, EXEC, DISCARD, WATCH, UNWATCH.
namespace tern::server::commands {

namespace {

void multi(Call& call, const NoArguments&) {
    Session& session = call.session;
    if (session.transaction != nullptr) {
        call.reply.error("ERR MULTI calls can not be nested");
        return;
    }
    session.transaction = std::make_unique<Transaction>();
    call.reply.ok();
}

void exec(Call& call, const NoArguments&) {
    Session& session = call.session;
    if (session.transaction == nullptr) {
        call.reply.error("ERR EXEC without MULTI");
        return;
    }
    const bool is_dirty = call.server.watches().is_dirty(session);
    // Its own from here: what it runs may not meet the transaction or the watching.
    const std::unique_ptr<Transaction> queue = std::move(session.transaction);
    end_transaction(call.server, session);
    if (queue->is_aborted()) {
        call.reply.error("EXECABORT Transaction discarded because of previous errors.");
    } else if (is_dirty) {
        call.reply.null_array();
    } else {
        call.reply.array(queue->items().size());
        Executor(call.server).run_queued(session, *queue, call.reply);
    }
}

void discard(Call& call, const NoArguments&) {
    if (call.session.transaction == nullptr) {
        call.reply.error("ERR DISCARD without MULTI");
        return;
    }
    end_transaction(call.server, call.session);
    call.reply.ok();
}

void watch(Call& call, const KeysArguments& args) {
    if (call.session.transaction != nullptr) {
        call.reply.error("ERR WATCH inside MULTI is not allowed");
        return;
    }
    for (const std::string_view key : args.keys) {
        call.server.watches().add(call.session, key);
    }
    call.server.key_events().update();
    call.reply.ok();
}

void unwatch(Call& call, const NoArguments&) {
    call.server.watches().forget(call.session);
    call.server.key_events().update();
    call.reply.ok();
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view since,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info("transactions",
                      kAclTransaction,
                      name,
                      arity,
                      flags | kNoScript | kAnyTime,
                      since,
                      complexity,
                      syntax,
                      summary);
}

constexpr std::uint32_t kQuick = kFast | kAllowBusy;

constexpr CommandInfo watch_info() {
    CommandInfo watch = info("watch",
                             -2,
                             kQuick | kRunsInMulti,
                             "2.2.0",
                             "O(1) for every key.",
                             "key [key ...]",
                             "Lets the next EXEC do nothing when one of the keys changes before.");
    watch.keys = {1, -1, 1};
    return watch;
}

}  // namespace

std::span<const CommandSpec> transaction_table() {
    static constexpr std::array kTable = {
        row<discard, wire::VerifiedDiscardRequestView>(
            info("discard",
                 1,
                 kQuick | kRunsInMulti,
                 "2.0.0",
                 "O(N), when N is the number of queued commands",
                 "",
                 "Forgets the queued commands and ends the transaction.")),
        row<exec, wire::VerifiedExecRequestView>(
            info("exec",
                 1,
                 kSkipSlowlog | kRunsInMulti,
                 "1.2.0",
                 "Depends on commands in the transaction",
                 "",
                 "Runs the queued commands, with none of another client between them.")),
        row<multi, wire::VerifiedMultiRequestView>(
            info("multi",
                 1,
                 kQuick | kRunsInMulti,
                 "1.2.0",
                 "O(1)",
                 "",
                 "Begins a transaction: the commands that follow wait for EXEC.")),
        row<unwatch, wire::VerifiedUnwatchRequestView>(
            info("unwatch", 1, kQuick, "2.2.0", "O(1)", "", "Watches no key any more.")),
        row<watch, wire::VerifiedWatchRequestView>(watch_info()),
    };
    return kTable;
}

}  // namespace tern::server::commands
