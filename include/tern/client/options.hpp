#pragma once

#include <cstdint>
#include <string>

namespace tern {

/// The language of a connection. All three carry the same commands.
enum class Protocol : std::uint8_t {
    kResp2,  ///< Redis's text protocol, as every Redis server speaks it
    kResp3,  ///< its typed version, Redis 6 and later
    kSbe,    ///< tern's binary messages (docs/formats/sbe-wire.md)
};

/// How a client waits for the reply.
enum class Wait : std::uint8_t {
    kSpin,      ///< polls without a pause: lowest latency, occupies a core while it waits
    kAdaptive,  ///< polls for a budget, then sleeps until the reply comes
    kBlock,     ///< sleeps at once
};

/// What a client does after its connection was lost.
enum class Reconnect : std::uint8_t {
    kNever,       ///< every later call fails
    kOnNextCall,  ///< the call after the failed one connects anew; no command is ever sent twice
};

/// How to reach a server and how to talk to it.
struct ClientOptions {
    /// tcp:host:port, unix:/path or ring:/path (a shared-memory ring asked for over that socket).
    std::string endpoint = "tcp:127.0.0.1:6379";
    Protocol protocol = Protocol::kResp3;

    std::string user = {};      ///< empty: the server's default user
    std::string password = {};  ///< empty: none
    std::string client_name = {};
    std::uint32_t database = 0;
    int connect_timeout_ms = 5'000;

    Wait wait = Wait::kAdaptive;
    /// kAdaptive: polls of the ring before sleeping; a socket is polled once for a thousand of
    /// them.
    /// The default is about twice what a sleep and a wake-up cost on a virtual machine.
    std::uint32_t spin_poll_count = 50'000;
    /// How long a call may wait for its reply; 0 is for ever. Measured with the kernel's coarse
    /// clock, and only once a reply is late: a prompt reply costs no clock reading. The connection
    /// is closed when it is exceeded, because the reply may still come.
    std::int64_t reply_timeout_ms = 0;

    Reconnect reconnect = Reconnect::kNever;
    int reconnect_tries = 5;       ///< per call
    int reconnect_pause_ms = 100;  ///< between two tries

    /// Bytes of the two directions of a ring, powers of two from 4096 to 67108864; 0 leaves them to
    /// the server. A message longer than 3/8 of its ring travels in fragments.
    std::uint32_t ring_request_bytes = 0;
    std::uint32_t ring_reply_bytes = 0;
};

}  // namespace tern
