#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_sink.hpp"
#include "server/reply.hpp"

namespace tern::server {

struct Session;
class Transaction;

/// What a session may ask of the transport that carries it, outside the request path.
class Peer {
public:
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Where replies that no request is waiting for in the current call go (unblocked clients,
    /// pushes). In SBE each message written there is framed by `begin_message` and `end_message`.
    virtual ByteSink& late_output() = 0;
    virtual void begin_message() = 0;
    virtual void end_message() = 0;
    /// Something was written to `late_output` or the session was unblocked: look at it again soon.
    virtual void schedule() = 0;
    /// Close when everything written so far has gone out, or at once.
    virtual void close_after_output() = 0;
    virtual void close_now() = 0;
    /// Output waiting for the peer, in bytes.
    [[nodiscard]] virtual std::size_t pending_output_bytes() const = 0;
    /// Unparsed input held for the peer, and the capacity of the buffer that holds it, in bytes.
    [[nodiscard]] virtual std::size_t pending_input_bytes() const = 0;
    [[nodiscard]] virtual std::size_t input_capacity_bytes() const = 0;
    [[nodiscard]] virtual int descriptor() const = 0;

protected:
    Peer() = default;
    ~Peer() = default;
};

/// One client as the commands see it, whatever carries it.
///
/// Threads: the server's one thread. Lifetime: owned by its connection; registered in Clients.
struct Session {
    enum class ReplyMode : std::uint8_t { kOn, kOff, kSkipNext, kSkip };
    enum class Transport : std::uint8_t { kTcp, kUnix, kRing };

    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    std::uint64_t id = 0;
    Peer* peer = nullptr;
    Protocol protocol = Protocol::kResp2;
    Transport transport = Transport::kTcp;
    ReplyMode reply_mode = ReplyMode::kOn;
    bool authenticated = false;
    bool logged_on = false;        ///< SBE: the Logon message was accepted
    bool blocked = false;          ///< waits in BlockedClients; its input is not executed meanwhile
    bool close_requested = false;  ///< QUIT, or killed by its own command: close after the reply
    bool no_evict = false;
    bool no_touch = false;
    bool denies_blocking =
        false;               ///< inside EXEC or a script: a command that would wait answers at
                             ///< once as if the time were over
    bool is_paused = false;  ///< held back by CLIENT PAUSE
    std::uint32_t database_index = 0;
    std::string user = "default";
    std::string name;
    std::string library_name;
    std::string library_version;
    std::string address;  ///< peer as Redis prints it: "127.0.0.1:50000", "/path:0"
    std::string local_address;
    std::string_view last_command = "NULL";  ///< a name of the command table
    std::int64_t created_ms = 0;
    std::int64_t last_interaction_ms = 0;
    std::uint64_t command_count = 0;
    /// Channels, patterns and shard channels that it listens to, by server::Topic.
    std::array<std::uint32_t, 3> subscription_counts{};
    std::int64_t soft_limit_since_ms = 0;      ///< its output is above the soft limit; 0: it is not
    std::unique_ptr<Transaction> transaction;  ///< from MULTI to EXEC

    /// In RESP2 nothing but the commands of a subscriber is accepted meanwhile.
    [[nodiscard]] bool is_subscribed() const noexcept {
        return (subscription_counts[0] | subscription_counts[1] | subscription_counts[2]) != 0;
    }
};

}  // namespace tern::server
