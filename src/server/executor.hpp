#pragma once

#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "resp/request_window.hpp"
#include "server/server.hpp"

namespace tern::server {

/// What became of one request.
enum class Outcome : std::uint8_t {
    kDone,      ///< executed or refused; the reply is in the sink
    kBlocked,   ///< the session waits; the reply comes later, through its peer
    kDeferred,  ///< CLIENT PAUSE holds it back: offer the same request again later
};

/// For whom a command runs another one.
struct NestedOptions {
    bool is_script = true;              ///< refuse what scripts may not call (kNoScript)
    bool is_read_only = false;          ///< refuse writes: EVAL_RO, a function with no-writes
    bool ignores_memory_limit = false;  ///< allow-oom, or the script has written before
};

/// What came of it.
struct NestedResult {
    const Command* command = nullptr;  ///< null: there is no such command
    bool is_error = false;             ///< the reply is an error
    bool is_refused = false;           ///< it was not executed: the error is the executor's
};

/// Runs requests of either language against the one command table.
///
/// Both entries do the same in the same order: find the row, check the count of arguments, the
/// user's rights and the memory limit, execute, count. Redis's texts for what fails.
///
/// Threads: the server's one thread.
class Executor {
public:
    explicit Executor(Server& server) noexcept : server_(server) {}

    /// One command as text, the name first. The views need to live for the call only.
    Outcome run_text(Session& session,
                     std::span<const std::string_view> words,
                     ByteSink& output,
                     std::uint64_t correlation_id = 0);

    /// Has the lines fetched that these requests of a pipeline will look for first: what follows
    /// the command's name is taken for a key. Changes nothing; of no use for a single request.
    void prefetch(const Session& session,
                  std::span<const resp::RequestWindow::Request> requests) const noexcept;

    /// One SBE message, complete. A message that is malformed or unknown is answered with an
    /// ErrorReply; before Logon everything but Logon is.
    Outcome run_wire(Session& session, Bytes message, ByteSink& output);

    /// One command for a command that is executing: what a script calls. `Executor(call.server)`
    /// makes an executor for it.
    ///
    /// `session` is the caller's own (no peer needed): its database, its protocol (RESP2 or RESP3)
    /// and its user are the command's. The reply, errors included, goes to `output` in that
    /// protocol. Errors of the executor have Redis's texts without a place in the script: unknown
    /// command, count of arguments, not allowed from script, write in a read-only script, memory
    /// limit. A command that would wait answers as if its time were over. The command is counted
    /// (commandstats, errorstats); clients that wait for keys are served when the outermost command
    /// ends.
    ///
    /// Lifetime: `words` and `output` for the call. It may itself run nested commands.
    NestedResult run_nested(Session& session,
                            std::span<const std::string_view> words,
                            ByteSink& output,
                            const NestedOptions& options = {});

    /// EXEC: runs what was queued, each reply one child of an aggregate that `reply` has begun.
    void run_queued(Session& session, const Transaction& queue, Reply& reply);

    [[nodiscard]] Server& server() noexcept { return server_; }

private:
    struct Found {
        const Command* command = nullptr;
        std::size_t skip = 0;  ///< words of the name: 1, or 2 with a subcommand
    };

    Found find(std::span<const std::string_view> words, Session& session, Reply& reply);
    bool admit(const Command& command, Session& session, Reply& reply);
    bool refuse(const Command& command, Session& session, Reply& reply, std::string_view text);
    [[nodiscard]] bool is_held_back(const Command& command, const Session& session) const noexcept;
    [[nodiscard]] static bool is_queued(const Command& command, const Session& session) noexcept {
        return __builtin_expect(session.transaction != nullptr, 0) &&
               (command.spec->info.flags & kRunsInMulti) == 0;
    }
    /// True when the transaction outgrew its limit; the session is then closed.
    bool queue_is_full(Session& session);
    template <typename Handle>
    void invoke(const Command& command,
                Call& call,
                std::span<const std::string_view> words,
                Handle& handle);
    template <typename Handle>
    Outcome execute(const Command& command,
                    Session& session,
                    std::span<const std::string_view> words,
                    Reply& reply,
                    Handle handle);
    void settle(const Command& command,
                Session& session,
                Reply& reply,
                std::size_t start,
                ByteSink& output);
    /// CLIENT REPLY: takes back what was written since `start` when the client wants no replies.
    static void apply_reply_mode(Session& session, std::size_t start, ByteSink& output);
    Outcome run_command_request(Session& session,
                                Bytes message,
                                ByteSink& output,
                                std::uint64_t correlation_id);
    void log_on(Session& session, Bytes message, ByteSink& output);

    Server& server_;
};

}  // namespace tern::server
