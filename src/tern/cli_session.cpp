#include "tern/cli_session.hpp"

#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "resp/split_arguments.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {
namespace {

void print(std::string_view text) {
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
    static_cast<void>(std::fflush(stdout));
}

bool is_command(std::string_view word, std::string_view name) {
    return word.size() == name.size() && ::strncasecmp(word.data(), name.data(), name.size()) == 0;
}

/// Commands that answer with a text for people, which is printed as it is; `second` may be empty.
struct TextCommand {
    std::string_view first;
    std::string_view second;
};
constexpr TextCommand kTextCommands[] = {
    {"INFO", {}},
    {"LOLWUT", {}},
    {"CLIENT", "INFO"},
    {"CLIENT", "LIST"},
    {"CLUSTER", "INFO"},
    {"CLUSTER", "NODES"},
    {"DEBUG", "HTSTATS"},
    {"DEBUG", "HTSTATS-KEY"},
    {"LATENCY", "DOCTOR"},
    {"LATENCY", "GRAPH"},
    {"MEMORY", "DOCTOR"},
    {"MEMORY", "MALLOC-STATS"},
};

bool answers_with_text(std::span<const std::string_view> words) {
    return std::any_of(
        std::begin(kTextCommands), std::end(kTextCommands), [&](const TextCommand& one) {
            return !words.empty() && is_command(words[0], one.first) &&
                   (one.second.empty() || (words.size() > 1 && is_command(words[1], one.second)));
        });
}

}  // namespace

Result<CliSession> CliSession::open(const ClientOptions& options, ReplyFormat format) {
    Result<Client> client = Client::connect(options);
    if (!client) {
        return std::move(client).error();
    }
    return CliSession(std::move(*client), format);
}

CliOutcome CliSession::run(std::span<const std::string_view> words) {
    if (!client_.is_connected() && database_ != client_.options().database) {
        static_cast<void>(client_.select(database_));
    }
    const ReplyResult result = client_.command(words);
    if (result.ok()) {
        note_database(words);
        const bool is_plain = answers_with_text(words) && !result->is_aggregate();
        print(is_plain ? std::string(result->text()) : format_reply(*result, format_));
        return CliOutcome::kOk;
    }
    if (result.status() == CallStatus::kServerError) {
        print(format_error(result.error(), format_));
        return CliOutcome::kErrorReply;
    }
    std::fprintf(
        stderr, "Error: %.*s\n", static_cast<int>(result.error().size()), result.error().data());
    return CliOutcome::kLost;
}

CliOutcome CliSession::run_line(std::string_view line) {
    std::string text;
    std::vector<std::string_view> words;
    if (!resp::split_arguments(line, text, words)) {
        print("Invalid argument(s)\n");
        return CliOutcome::kErrorReply;
    }
    std::span<const std::string_view> command = words;
    std::uint64_t repeat_count = 1;
    if (command.size() > 1 && parse_uint64(command.front(), repeat_count)) {
        command = command.subspan(1);
    }
    CliOutcome worst = CliOutcome::kOk;
    for (std::uint64_t i = 0; i < repeat_count && !command.empty(); ++i) {
        worst = std::max(worst, run(command));
        if (worst == CliOutcome::kLost) {
            break;
        }
    }
    return worst;
}

void CliSession::note_database(std::span<const std::string_view> words) {
    std::uint64_t database = 0;
    if (words.size() == 2 && is_command(words[0], "SELECT") && parse_uint64(words[1], database)) {
        database_ = static_cast<std::uint32_t>(database);
    } else if (words.size() == 1 && is_command(words[0], "RESET")) {
        database_ = 0;
    }
}

std::string CliSession::prompt() const {
    constexpr std::string_view kTcp = "tcp:";
    std::string_view where = client_.options().endpoint;
    if (where.starts_with(kTcp)) {
        where.remove_prefix(kTcp.size());
    }
    std::string text(where);
    if (database_ != 0) {
        text += "[" + int64_text(database_) + "]";
    }
    return text + "> ";
}

const CommandDocs& CliSession::docs() {
    if (!docs_) {
        docs_.emplace();
        if (const ReplyResult reply = client_.command({"COMMAND", "DOCS"})) {
            docs_->read(*reply);
        }
    }
    return *docs_;
}

}  // namespace tern::tool
