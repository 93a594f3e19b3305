#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tern/base/bytes.hpp>
#include <tern/base/result.hpp>

#include "transport/ring/layout.hpp"
#include "transport/ring/mapping.hpp"

/// How a ring comes to be over a Unix socket. Bytes: docs/formats/ring.md, "Handshake".
///
///     client                                    server
///       | RingRequest, 32 bytes ------------------> |  sniffed by its first 8 bytes
///       | <---- RingAnswer, 128 bytes + memory fd   |  or a refusal with a reason, without fd
///       | <====== doorbells, one byte each =======> |  until either side hangs up
namespace tern::transport {

inline constexpr std::size_t kRingRequestBytes = 32;
inline constexpr std::size_t kRingAnswerBytes = 128;
inline constexpr std::size_t kRingReasonBytesMax = 80;

/// What a client asks for. A capacity of 0 means the server's default.
struct RingRequest {
    std::uint32_t version = kRingVersion;
    RingProtocol protocol = RingProtocol::kResp;
    WaitPolicy client_policy = WaitPolicy::kAdaptive;
    std::uint32_t request_capacity_bytes = 0;
    std::uint32_t reply_capacity_bytes = 0;
};

enum class RingStatus : std::uint32_t {
    kGranted = 0,
    kUnsupportedVersion = 1,  ///< the answer's version is the one the server speaks
    kBadRequest = 2,          ///< a field has a value that means nothing
    kAlreadyGranted = 3,  ///< this socket has a ring: one live owner per ring, one ring a socket
    kRefused = 4,         ///< the server's limits or rights forbid it
    kOutOfMemory = 5,
};

/// What the server says.
struct RingAnswer {
    std::uint32_t version = kRingVersion;
    RingStatus status = RingStatus::kGranted;
    RingSpec spec;       ///< meaningful when granted; protocol and client_policy are the request's
    std::string reason;  ///< meaningful otherwise; at most kRingReasonBytesMax bytes
};

using RingRequestBytes = std::array<std::byte, kRingRequestBytes>;
using RingAnswerBytes = std::array<std::byte, kRingAnswerBytes>;

[[nodiscard]] RingRequestBytes encode(const RingRequest& request) noexcept;
[[nodiscard]] RingAnswerBytes encode(const RingAnswer& answer) noexcept;

/// Reads a request; the magic has been seen. Values are not judged here: RingGate does.
[[nodiscard]] RingRequest decode_ring_request(const RingRequestBytes& bytes) noexcept;
/// Reads an answer to `request`.
///
/// Errors:   kProtocol for what no server sends; the server's reason when it refused.
Result<RingSpec> decode_ring_answer(const RingAnswerBytes& bytes, const RingRequest& request);

/// The bounds a server keeps.
struct RingLimits {
    std::size_t capacity_bytes_min = kRingCapacityBytesMin;
    std::size_t capacity_bytes_max = kRingCapacityBytesMax;
    std::size_t capacity_bytes_default = kRingCapacityBytesDefault;
    WaitPolicy server_policy = WaitPolicy::kAdaptive;
};

/// The server's side of the handshake on one socket: grants one ring, then refuses.
///
/// Threads:  one; belongs to the socket's session.
class RingGate {
public:
    /// The 128 bytes to send, and the ring when it was granted: send its fd with them
    /// (`send_ring_answer`), then close it and keep the mapping.
    struct Outcome {
        RingAnswerBytes answer;
        std::optional<RingMapping> mapping;
    };

    /// Answers one request. `instance_id`: random, not 0, fresh for each ring.
    [[nodiscard]] Outcome answer(const RingRequestBytes& request,
                                 const RingLimits& limits,
                                 std::uint64_t instance_id);
    /// Refuses for a reason of the server's own (too many rings, no right to one).
    [[nodiscard]] static Outcome refuse(RingStatus status, std::string reason);
    /// What a socket is told that asks again.
    [[nodiscard]] static Outcome has_ring();

    [[nodiscard]] bool has_granted() const noexcept { return has_granted_; }

private:
    bool has_granted_ = false;
};

/// Sends an answer, with the ring's memory when there is one, in one message.
///
/// Errors:   kUnavailable when the socket does not take it at once; drop the peer.
Result<void> send_ring_answer(int socket_fd, const RingGate::Outcome& outcome);

/// The client's whole handshake on a connected Unix socket, blocking or not. Waits at most
/// `timeout_ms` for the answer.
Result<RingMapping> request_ring(int socket_fd, const RingRequest& request, int timeout_ms);

}  // namespace tern::transport
