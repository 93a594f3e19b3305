#include <fmt/format.h>

#include "server/executor_inl.hpp"
#include "server/transaction.hpp"
#include "server/wire_layout.hpp"
#include "tern_store_wire/all.hpp"

/// The SBE half of Executor: session messages, requests of their own, and any command as text.
namespace tern::server {

Outcome Executor::run_wire(Session& session, Bytes message, ByteSink& output) {
    constexpr std::size_t kShortestBytes =
        layout::kMessageHeaderBytes + layout::kCorrelationIdBytes;
    ++server_.stats().commands_processed;
    ++session.command_count;
    if (message.size() < kShortestBytes) {
        Reply reply(output, Protocol::kSbe, 0);
        reply.error("ERR SBE message is shorter than its header and correlation id");
        return Outcome::kDone;
    }
    const auto template_id = load<std::uint16_t>(message.data() + 2);
    const auto correlation_id = load<std::uint64_t>(message.data() + layout::kMessageHeaderBytes);
    if (__builtin_expect(!session.logged_on || template_id == wire::LogonView::kTemplateId, 0)) {
        log_on(session, message, output);
        return Outcome::kDone;
    }
    if (template_id == wire::CommandRequestView::kTemplateId) {
        return run_command_request(session, message, output, correlation_id);
    }
    const std::size_t start = output.size();
    Reply reply(output, Protocol::kSbe, correlation_id);
    const Command* command = server_.registry().find_template(template_id);
    if (command == nullptr) {
        reply.error(fmt::format("ERR unknown SBE template {}", template_id));
        server_.count_error("ERR");
        return Outcome::kDone;
    }
    if (server_.has_pause() && is_held_back(*command, session)) {
        return Outcome::kDeferred;
    }
    session.last_command = command->full_name;
    if (!admit(*command, session, reply)) {
        settle(*command, session, reply, start, output);
        return Outcome::kDone;
    }
    if (is_queued(*command, session)) {
        session.transaction->add_wire(*command, message);
        if (!queue_is_full(session)) {
            reply.status("QUEUED");
        }
        return Outcome::kDone;
    }
    const Outcome outcome = execute(
        *command, session, {}, reply, [&](Call& call) { command->spec->wire(call, message); });
    if (__builtin_expect(reply.has_error(), 0)) {
        settle(*command, session, reply, start, output);
    }
    return outcome;
}

Outcome Executor::run_command_request(Session& session,
                                      Bytes message,
                                      ByteSink& output,
                                      std::uint64_t correlation_id) {
    const auto view = wire::VerifiedCommandRequestView::wrap(message);
    std::span<std::string_view> words;
    bool is_whole = static_cast<bool>(view);
    if (is_whole) {
        const auto entries = view->arguments();
        words = server_.scratch().array<std::string_view>(entries.size());
        std::size_t i = 0;
        for (const auto entry : entries) {
            words[i++] = as_text(entry.value());
        }
        is_whole = !words.empty();
    }
    if (!is_whole) {
        Reply reply(output, Protocol::kSbe, correlation_id);
        reply.error("ERR malformed SBE request");
        server_.count_error("ERR");
        return Outcome::kDone;
    }
    return run_text(session, words, output, correlation_id);
}

void Executor::log_on(Session& session, Bytes message, ByteSink& output) {
    const std::uint64_t correlation_id =
        load<std::uint64_t>(message.data() + layout::kMessageHeaderBytes);
    Reply reply(output, Protocol::kSbe, correlation_id);
    const auto refuse = [&](std::string_view text) {
        reply.error(text);
        server_.count_error(text.substr(0, text.find(' ')));
        session.close_requested = true;
    };
    const auto view = wire::VerifiedLogonView::wrap(message);
    if (!view) {
        return refuse("NOAUTH the first message of an SBE session is Logon");
    }
    if (session.logged_on) {
        return refuse("ERR the session is logged on");
    }
    if (view->schema_version() == 0) {
        return refuse("ERR SBE schema version 0 does not exist; the oldest is 1");
    }
    if (view->database() >= server_.keyspace().database_count()) {
        return refuse("ERR DB index is out of range");
    }
    const std::string_view user = view->user().empty() ? "default" : as_text(view->user());
    if (!server_.authenticate(user, as_text(view->password()))) {
        return refuse("WRONGPASS invalid username-password pair or user is disabled.");
    }
    session.authenticated = true;
    session.logged_on = true;
    session.database_index = view->database();
    session.name = as_text(view->client_name());
    const std::string_view server = "tern " TERN_VERSION;
    char* out =
        output.reserve(wire::LogonReplyEncoder::encoded_length({.server_bytes = server.size()}));
    auto encoder =
        wire::LogonReplyEncoder::wrap({reinterpret_cast<std::byte*>(out), output.room()});
    encoder.correlation_id(correlation_id)
        .schema_version(std::min(view->schema_version(), layout::kSchemaVersion))
        .instance_id(server_.instance_id())
        .client_id(session.id);
    output.advance(encoder.server(server).encoded_bytes());
}

}  // namespace tern::server
