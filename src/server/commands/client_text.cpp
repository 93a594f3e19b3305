#include "server/commands/client_text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "server/command/arguments.hpp"
#include "server/transaction.hpp"

namespace tern::server {

std::optional<ClientType> parse_client_type(std::string_view text) noexcept {
    struct Name {
        std::string_view text;
        ClientType type;
    };
    static constexpr std::array kNames = {Name{"NORMAL", ClientType::kNormal},
                                          Name{"MASTER", ClientType::kMaster},
                                          Name{"REPLICA", ClientType::kReplica},
                                          Name{"SLAVE", ClientType::kReplica},
                                          Name{"PUBSUB", ClientType::kPubsub}};
    for (const Name& name : kNames) {
        if (equals_word(text, name.text)) {
            return name.type;
        }
    }
    return std::nullopt;
}

ClientType client_type(const Session& session) noexcept {
    return session.is_subscribed() ? ClientType::kPubsub : ClientType::kNormal;
}

namespace {

std::string flags_of(const Session& session) {
    struct Flag {
        bool is_set;
        char letter;
    };
    const bool is_dirty = session.transaction != nullptr && session.transaction->is_aborted();
    const std::array flags = {Flag{session.is_subscribed(), 'P'},
                              Flag{session.transaction != nullptr, 'x'},
                              Flag{session.blocked, 'b'},
                              Flag{is_dirty, 'd'},
                              Flag{session.close_requested, 'c'},
                              Flag{session.no_evict, 'e'},
                              Flag{session.no_touch, 'T'},
                              Flag{session.transport != Session::Transport::kTcp, 'U'}};
    std::string text;
    for (const Flag& flag : flags) {
        if (flag.is_set) {
            text += flag.letter;
        }
    }
    return text.empty() ? "N" : text;
}

constexpr std::array<std::string_view, 3> kTransports = {"tcp", "unix", "ring"};

}  // namespace

void append_client(std::string& text, const Server& server, const Session& session) {
    constexpr std::int64_t kMsPerSecond = 1000;
    const Peer& peer = *session.peer;
    const Transaction* queue = session.transaction.get();
    const std::size_t input_bytes = peer.pending_input_bytes();
    const std::size_t capacity_bytes = peer.input_capacity_bytes();
    const std::size_t output_bytes = peer.pending_output_bytes();
    const bool is_sbe = session.protocol == Protocol::kSbe;
    fmt::format_to(
        std::back_inserter(text),
        "id={} addr={} laddr={} fd={} name={} age={} idle={} flags={} db={} sub={} psub={} ssub={} "
        "multi={} watch={} qbuf={} qbuf-free={} argv-mem=0 multi-mem={} rbs=0 rbp=0 obl=0 oll={} "
        "omem={} "
        "tot-mem={} events={} cmd={} user={} redir=-1 resp={} lib-name={} lib-ver={} transport={} "
        "cmds={}\n",
        session.id,
        session.address,
        session.local_address,
        peer.descriptor(),
        session.name,
        (server.now_ms() - session.created_ms) / kMsPerSecond,
        (server.now_ms() - session.last_interaction_ms) / kMsPerSecond,
        flags_of(session),
        session.database_index,
        session.subscription_counts[0],
        session.subscription_counts[1],
        session.subscription_counts[2],
        queue == nullptr ? -1 : static_cast<std::int64_t>(queue->items().size()),
        server.watches().count(session),
        input_bytes,
        capacity_bytes - input_bytes,
        queue == nullptr ? 0 : queue->memory_bytes(),
        output_bytes != 0 ? 1 : 0,
        output_bytes,
        sizeof(Session) + capacity_bytes + output_bytes,
        output_bytes != 0 ? "rw" : "r",
        session.last_command,
        session.authenticated ? session.user : "(superuser)",
        is_sbe ? "sbe" : (session.protocol == Protocol::kResp3 ? "3" : "2"),
        session.library_name,
        session.library_version,
        kTransports[static_cast<std::size_t>(session.transport)],
        session.command_count);
}

}  // namespace tern::server
