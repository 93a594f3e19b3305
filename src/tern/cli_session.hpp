#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <tern/client/client.hpp>

#include "tern/cli_docs.hpp"
#include "tern/cli_format.hpp"

namespace tern::tool {

/// How a command of `tern cli` ended; the worse one is the greater one.
enum class CliOutcome { kOk, kErrorReply, kLost };

/// A connection of `tern cli`: executes commands and prints their replies.
///
/// A lost connection is made anew by the next command, with the database that was selected.
class CliSession {
public:
    static Result<CliSession> open(const ClientOptions& options, ReplyFormat format);

    /// Executes one command and prints the reply on standard output, or on standard error that the
    /// connection was lost.
    CliOutcome run(std::span<const std::string_view> words);

    /// Splits a line as the prompt does, executes it and prints. A number in front of a command
    /// repeats it. An empty line does nothing.
    CliOutcome run_line(std::string_view line);

    /// "127.0.0.1:6379[1]> "
    [[nodiscard]] std::string prompt() const;

    /// The server's commands, asked for with the first call.
    const CommandDocs& docs();

private:
    CliSession(Client client, ReplyFormat format) noexcept
        : client_(std::move(client)), format_(format), database_(client_.options().database) {}

    void note_database(std::span<const std::string_view> words);

    Client client_;
    ReplyFormat format_;
    std::uint32_t database_;
    std::optional<CommandDocs> docs_;
};

}  // namespace tern::tool
