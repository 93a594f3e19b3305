#include <algorithm>
#include <array>
#include <cstring>

#include "server/executor_inl.hpp"
#include "server/transaction.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

namespace {

std::string upper(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    return out;
}

/// The beginnings of an HTTP request: somebody's browser was made to talk to us. Such a connection
/// is closed without a word, as Redis does, since the rest of it may hold commands.
bool is_http(std::string_view word) {
    return equals_word(word, "POST") || equals_word(word, "HOST:");
}

std::string unknown_command_text(std::span<const std::string_view> words) {
    constexpr std::size_t kQuotedBytesMax =
        128;  // Redis cuts the name and the list of arguments there
    std::string arguments;
    for (const std::string_view word : words.subspan(1)) {
        if (arguments.size() >= kQuotedBytesMax) {
            break;
        }
        arguments +=
            fmt::format("'{}' ", c_string(word.substr(0, kQuotedBytesMax - arguments.size())));
    }
    return fmt::format("ERR unknown command '{}', with args beginning with: {}",
                       c_string(words[0].substr(0, kQuotedBytesMax)),
                       arguments);
}

/// A command that cannot be queued spoils the transaction.
void abort_transaction(Session& session) {
    if (session.transaction != nullptr) {
        session.transaction->abort();
    }
}

}  // namespace

Executor::Found Executor::find(std::span<const std::string_view> words,
                               Session& session,
                               Reply& reply) {
    const Command* command = server_.registry().find(words[0]);
    if (command == nullptr) {
        abort_transaction(session);
        reply.error(unknown_command_text(words));
        return {};
    }
    std::size_t skip = 1;
    if (!command->subcommands.empty() && words.size() > 1) {
        const Command* sub = command->find_subcommand(words[1]);
        if (sub == nullptr) {
            abort_transaction(session);
            constexpr std::size_t kQuotedBytesMax = 128;
            reply.error(fmt::format("ERR unknown subcommand '{}'. Try {} HELP.",
                                    c_string(words[1].substr(0, kQuotedBytesMax)),
                                    upper(command->full_name)));
            return {};
        }
        command = sub;
        skip = 2;
    }
    if (!arity_accepts(command->spec->info, words.size())) {
        refuse(*command,
               session,
               reply,
               fmt::format("ERR wrong number of arguments for '{}' command", command->full_name));
        return {};
    }
    return {command, skip};
}

/// Answers with an error. In a transaction it also spoils the EXEC, and an EXEC that is itself
/// refused says so and ends the transaction.
bool Executor::refuse(const Command& command,
                      Session& session,
                      Reply& reply,
                      std::string_view text) {
    ++command.stats.rejected_calls;
    if (session.transaction == nullptr) {
        reply.error(text);
    } else if (command.full_name == "exec") {
        end_transaction(server_, session);
        reply.error(fmt::format("EXECABORT Transaction discarded because of: {}", text));
    } else {
        session.transaction->abort();
        reply.error(text);
    }
    return false;
}

bool Executor::admit(const Command& command, Session& session, Reply& reply) {
    const CommandInfo& info = command.spec->info;
    if (!session.authenticated && (info.flags & kNoAuth) == 0) {
        return refuse(command, session, reply, "NOAUTH Authentication required.");
    }
    if (__builtin_expect(server_.scripts().is_busy(), 0) && (info.flags & kAllowBusy) == 0) {
        return refuse(
            command,
            session,
            reply,
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN "
            "NOSAVE.");
    }
    std::uint32_t flags = info.flags;
    if (__builtin_expect(session.transaction != nullptr, 0)) {
        if (command.full_name == "exec") {
            flags |= session.transaction->flags() & kDenyOom;
        }
        if ((info.flags & kNoMulti) != 0) {
            return refuse(command, session, reply, "ERR Command not allowed inside a transaction");
        }
    }
    if (server_.config().maxmemory != 0) {
        static_cast<void>(server_.make_room());
    }
    if ((flags & kDenyOom) != 0 && server_.is_out_of_memory()) {
        return refuse(command, session, reply, kOutOfMemory);
    }
    if (__builtin_expect(session.is_subscribed(), 0) && session.protocol == Protocol::kResp2 &&
        (flags & kRunsSubscribed) == 0) {
        return refuse(
            command,
            session,
            reply,
            fmt::format("ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / "
                        "QUIT / RESET are allowed in this context",
                        command.full_name));
    }
    return true;
}

bool Executor::is_held_back(const Command& command, const Session& session) const noexcept {
    std::uint32_t flags = command.spec->info.flags;
    if (session.transaction != nullptr) {
        // What is queued waits with its EXEC.
        flags = command.full_name == "exec" ? flags | session.transaction->flags() : 0;
    }
    return server_.is_paused(flags);
}

void Executor::settle(
    const Command& command, Session& session, Reply& reply, std::size_t start, ByteSink& output) {
    if (reply.has_error()) {
        ++command.stats.failed_calls;
        server_.count_error(reply.error_code());
    }
    apply_reply_mode(session, start, output);
}

void Executor::apply_reply_mode(Session& session, std::size_t start, ByteSink& output) {
    using Mode = Session::ReplyMode;
    if (session.reply_mode == Mode::kOff || session.reply_mode == Mode::kSkip) {
        output.truncate(start);
    }
    if (session.reply_mode == Mode::kSkip) {
        session.reply_mode = Mode::kOn;
    } else if (session.reply_mode == Mode::kSkipNext) {
        session.reply_mode = Mode::kSkip;
    }
}

void Executor::prefetch(const Session& session,
                        std::span<const resp::RequestWindow::Request> requests) const noexcept {
    const store::Database& database = server_.keyspace().database(session.database_index);
    std::array<std::uint64_t, resp::RequestWindow::kRequestsMax> hashes;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].argv.size() > 1) {
            hashes[i] = database.hash_of(requests[i].argv[1]);
            database.prefetch(hashes[i]);
        }
    }
    // By now the first line is there, and the others follow it.
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].argv.size() > 1) {
            database.prefetch_entry(hashes[i]);
        }
    }
}

Outcome Executor::run_text(Session& session,
                           std::span<const std::string_view> words,
                           ByteSink& output,
                           std::uint64_t correlation_id) {
    const std::size_t start = output.size();
    Reply reply(output, session.protocol, correlation_id);
    ++server_.stats().commands_processed;
    ++session.command_count;
    const Found found = find(words, session, reply);
    if (found.command == nullptr && is_http(words[0])) {
        reply.discard();
        session.close_requested = true;
        return Outcome::kDone;
    }
    if (found.command == nullptr) {
        reply.finish();
        server_.count_error(reply.error_code());
        apply_reply_mode(session, start, output);
        return Outcome::kDone;
    }
    const Command& command = *found.command;
    if (server_.has_pause() && is_held_back(command, session)) {
        return Outcome::kDeferred;
    }
    session.last_command = command.full_name;
    if (!admit(command, session, reply)) {
        reply.finish();
        settle(command, session, reply, start, output);
        return Outcome::kDone;
    }
    if (is_queued(command, session)) {
        session.transaction->add_text(command, words, found.skip);
        if (!queue_is_full(session)) {
            reply.status("QUEUED");
        }
        settle(command, session, reply, start, output);
        return Outcome::kDone;
    }
    const Outcome outcome = execute(command, session, words, reply, [&](Call& call) {
        Arguments arguments(words.subspan(found.skip), call.scratch);
        command.spec->text(call, arguments);
    });
    if (__builtin_expect(reply.has_error() || session.reply_mode != Session::ReplyMode::kOn, 0)) {
        settle(command, session, reply, start, output);
    }
    return outcome;
}

}  // namespace tern::server
