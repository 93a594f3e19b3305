#include <fmt/format.h>

#include "server/executor_inl.hpp"
#include "server/transaction.hpp"

/// Commands that other commands run: what MULTI queued, and what a script calls.
namespace tern::server {

namespace {

/// Sets a session up for a command inside a command, and back.
class DeniesBlocking {
public:
    explicit DeniesBlocking(Session& session) noexcept
        : session_(session), before_(session.denies_blocking) {
        session_.denies_blocking = true;
    }
    ~DeniesBlocking() { session_.denies_blocking = before_; }
    DeniesBlocking(const DeniesBlocking&) = delete;
    DeniesBlocking& operator=(const DeniesBlocking&) = delete;

private:
    Session& session_;
    bool before_;
};

/// Why a script may not call `command`, or nothing.
std::string_view script_refusal(const CommandInfo& info,
                                const NestedOptions& options,
                                bool is_out_of_memory) {
    if (options.is_script && (info.flags & kNoScript) != 0) {
        return "ERR This Redis command is not allowed from script";
    }
    if (options.is_read_only && (info.flags & kWrite) != 0) {
        return "ERR Write commands are not allowed from read-only scripts.";
    }
    if (is_out_of_memory && !options.ignores_memory_limit && (info.flags & kDenyOom) != 0) {
        return kOutOfMemory;
    }
    return {};
}

}  // namespace

NestedResult Executor::run_nested(Session& session,
                                  std::span<const std::string_view> words,
                                  ByteSink& output,
                                  const NestedOptions& options) {
    Reply reply(output, session.protocol);
    const auto refuse = [&](const Command* command, std::string_view text) {
        reply.error(text);
        server_.count_error(reply.error_code());
        if (command != nullptr) {
            ++command->stats.rejected_calls;
        }
        return NestedResult{command, true, true};
    };
    if (words.empty()) {
        return refuse(nullptr, "ERR Please specify at least one argument for this redis.call()");
    }
    const Command* command = server_.registry().find(words[0]);
    std::size_t name_words = 1;
    if (command != nullptr && !command->subcommands.empty() && words.size() > 1) {
        command = command->find_subcommand(words[1]);
        name_words = 2;
    }
    if (command == nullptr) {
        return refuse(nullptr, "ERR Unknown Redis command called from script");
    }
    if (!arity_accepts(command->spec->info, words.size())) {
        return refuse(command, "ERR Wrong number of args calling Redis command from script");
    }
    const std::string_view refusal =
        script_refusal(command->spec->info, options, server_.is_out_of_memory());
    if (!refusal.empty()) {
        return refuse(command, refusal);
    }
    ++server_.stats().commands_processed;
    const Server::Nesting nesting(server_);
    const DeniesBlocking denies_blocking(session);
    Call call = server_.make_call(session, reply, command->spec);
    auto handle = [&](Call& in) {
        Arguments arguments(words.subspan(name_words), in.scratch);
        command->spec->text(in, arguments);
    };
    invoke(*command, call, words, handle);
    reply.finish();
    if (reply.has_error()) {
        ++command->stats.failed_calls;
        server_.count_error(reply.error_code());
    }
    return {command, reply.has_error(), false};
}

void Executor::run_queued(Session& session, const Transaction& queue, Reply& reply) {
    const DeniesBlocking denies_blocking(session);
    for (const Transaction::Item& item : queue.items()) {
        ++server_.stats().commands_processed;
        const Server::Nesting nesting(server_);
        const Reply::Part part = reply.begin_part();
        Call call = server_.make_call(session, reply, item.command->spec);
        std::span<const std::string_view> words;
        if (item.word_count != 0) {
            words = Transaction::words_of(item, call.scratch);
        }
        auto handle = [&](Call& in) {
            if (words.empty()) {
                item.command->spec->wire(in, as_bytes({item.bytes, item.size_bytes}));
                return;
            }
            Arguments arguments(words.subspan(item.name_words), in.scratch);
            item.command->spec->text(in, arguments);
        };
        invoke(*item.command, call, words, handle);
        if (reply.has_error()) {
            ++item.command->stats.failed_calls;
            server_.count_error(reply.error_code());
        }
        reply.end_part(part);
    }
}

bool Executor::queue_is_full(Session& session) {
    const std::uint64_t limit_bytes = server_.config().query_buffer_limit_bytes;
    if (limit_bytes == 0 || session.transaction->memory_bytes() <= limit_bytes) {
        return false;
    }
    // As Redis does with a client whose input outgrows the limit: it is closed without a word.
    ++server_.stats().query_limit_disconnections;
    session.close_requested = true;
    return true;
}

}  // namespace tern::server
