#pragma once

/// The Unix socket that a ring was asked for over, after the handshake: doorbells and liveness.
namespace tern::transport {

enum class LinkState : unsigned char {
    kOpen,
    kHungUp,     ///< the peer closed or died: read what the ring still holds, then drop it
    kAsksAgain,  ///< among the bells was a request for a second ring
};

/// Wakes the peer: one byte. Never blocks; a full socket is fine, the peer has bells unread.
///
/// Units:    `socket_fd`: the ring's socket.
LinkState ring_doorbell(int socket_fd) noexcept;

/// Takes all doorbells that have arrived. Call when the socket is readable.
LinkState drain_doorbells(int socket_fd) noexcept;

/// Looks whether the peer is still there, without taking doorbells. For a side that spins and so
/// never waits on the socket: call it once in many thousand empty polls.
LinkState check_link(int socket_fd) noexcept;

}  // namespace tern::transport
