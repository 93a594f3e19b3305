#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <tern/base/check.hpp>
#include <vector>

#include "server/executor.hpp"
#include "server/test_executor.hpp"
#include "server/wire_layout.hpp"
#include "tern_store_wire/all.hpp"

namespace {

using namespace tern;

/// Whether these words may run here: nothing that reaches outside of the store (CONFIG REWRITE,
/// SHUTDOWN, DEBUG SLEEP …) or that runs for as long as its author likes (scripts).
bool is_tame(const server::Registry& registry, std::span<const std::string_view> words) {
    const server::Command* command = registry.find(words[0]);
    if (command == nullptr) {
        return true;
    }
    if (words.size() > 1) {
        const server::Command* sub = command->find_subcommand(words[1]);
        command = sub != nullptr ? sub : command;
    }
    const server::CommandInfo& info = command->spec->info;
    if (info.name.find("rand") != std::string_view::npos && words.size() > 2) {
        constexpr std::size_t kDigitsMax = 5;
        return words[2].size() <= kDigitsMax;
    }
    return (info.flags & server::kAdmin) == 0 && info.group != "scripting";
}

/// A negative count is answered with that many elements, however few there are: as Redis does it.
template <typename View>
bool asks_for_millions(Bytes message) {
    constexpr std::int64_t kCountMin = -10'000;
    const auto view = View::wrap(message);
    return view && view->count() < kCountMin;
}

bool is_tame(const server::Registry& registry, Bytes message) {
    if (asks_for_millions<wire::VerifiedHRandFieldRequestView>(message) ||
        asks_for_millions<wire::VerifiedZRandMemberRequestView>(message)) {
        return false;
    }
    const auto view = wire::VerifiedCommandRequestView::wrap(message);
    if (!view || view->arguments().size() == 0) {
        return true;
    }
    std::vector<std::string_view> words;
    for (const auto entry : view->arguments()) {
        words.push_back(as_text(entry.value()));
    }
    return is_tame(registry, words);
}

bool is_whole_reply(Bytes reply) {
    TERN_CHECK(reply.size() >=
               server::layout::kMessageHeaderBytes + server::layout::kCorrelationIdBytes);
    switch (load<std::uint16_t>(reply.data() + 2)) {
        case wire::LogonReplyView::kTemplateId:
            return wire::VerifiedLogonReplyView::wrap(reply).ok();
        case wire::NullReplyView::kTemplateId:
            return wire::VerifiedNullReplyView::wrap(reply).ok();
        case wire::StatusReplyView::kTemplateId:
            return wire::VerifiedStatusReplyView::wrap(reply).ok();
        case wire::ErrorReplyView::kTemplateId:
            return wire::VerifiedErrorReplyView::wrap(reply).ok();
        case wire::IntegerReplyView::kTemplateId:
            return wire::VerifiedIntegerReplyView::wrap(reply).ok();
        case wire::DoubleReplyView::kTemplateId:
            return wire::VerifiedDoubleReplyView::wrap(reply).ok();
        case wire::BulkReplyView::kTemplateId:
            return wire::VerifiedBulkReplyView::wrap(reply).ok();
        case wire::AggregateReplyView::kTemplateId:
            return wire::VerifiedAggregateReplyView::wrap(reply).ok();
        default:
            return false;
    }
}

void run_message(test::TestExecutor& target, test::TestExecutor::Client& client, Bytes message) {
    using Mode = server::Session::ReplyMode;
    const bool had_replies = client.session.reply_mode == Mode::kOn;
    const std::string reply = target.run_wire(client, as_text(message));
    if (reply.empty()) {
        TERN_CHECK(target.last_outcome != server::Outcome::kDone || !had_replies ||
                   client.session.reply_mode != Mode::kOn);
        return;
    }
    TERN_CHECK(is_whole_reply(as_bytes(reply)));
    if (message.size() >= 16) {
        TERN_CHECK(std::memcmp(reply.data() + 8, message.data() + 8, 8) == 0);
    }
}

}  // namespace

/// A session of SBE messages, each behind its length (u16): every one is answered with one whole
/// reply that carries its correlation id. The first byte says whether the session has logged on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t length_bytes) {
    static test::TestExecutor target;
    if (length_bytes == 0) {
        return 0;
    }
    test::TestExecutor::Client client;
    client.session.protocol = server::Protocol::kSbe;
    target.connect(client);
    client.session.logged_on = (data[0] & 1) != 0;
    Bytes rest = {reinterpret_cast<const std::byte*>(data + 1), length_bytes - 1};
    while (rest.size() >= 2 && !client.session.blocked && !client.session.close_requested) {
        const std::size_t wanted_bytes = load<std::uint16_t>(rest.data());
        const std::size_t message_bytes = std::min(wanted_bytes, rest.size() - 2);
        // Of exactly that size, so that a sanitizer sees a read behind the end.
        const std::unique_ptr<std::byte[]> message(new std::byte[message_bytes]);
        std::memcpy(message.get(), rest.data() + 2, message_bytes);
        rest = rest.subspan(2 + message_bytes);
        if (is_tame(target.server().registry(), Bytes{message.get(), message_bytes})) {
            run_message(target, client, {message.get(), message_bytes});
        }
    }
    target.server().blocked_clients().forget(client.session);
    target.disconnect(client);
    target.run({"FLUSHALL", "SYNC"});
    while (target.server().keyspace().maintain(target.server().now_ms())) {}
    return 0;
}
