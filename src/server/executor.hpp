#pragma once

#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "server/server.hpp"

namespace tern::server {

/// What became of one request.
enum class Outcome : std::uint8_t {
    kDone,      ///< executed or refused; the reply is in the sink
    kBlocked,   ///< the session waits; the reply comes later, through its peer
    kDeferred,  ///< CLIENT PAUSE holds it back: offer the same request again later
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

    /// One SBE message, complete. A message that is malformed or unknown is answered with an
    /// ErrorReply; before Logon everything but Logon is.
    Outcome run_wire(Session& session, Bytes message, ByteSink& output);

    [[nodiscard]] Server& server() noexcept { return server_; }

private:
    struct Found {
        const Command* command = nullptr;
        std::size_t skip = 0;  ///< words of the name: 1, or 2 with a subcommand
    };

    Found find(std::span<const std::string_view> words, Reply& reply);
    bool admit(const Command& command, Session& session, Reply& reply);
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
