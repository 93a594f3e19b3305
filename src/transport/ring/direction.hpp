#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/ring/layout.hpp"

namespace tern::transport {

/// One direction of a ring, as plain memory: what a producer or consumer is made from.
///
/// Lifetime: the memory outlives the producer and the consumer.
struct RingDirection {
    std::byte* data = nullptr;       ///< on a page; `capacity_bytes` long
    std::size_t capacity_bytes = 0;  ///< is_valid_ring_capacity
    SideLine* own_line = nullptr;    ///< of the side that calls
    SideLine* peer_line = nullptr;   ///< of the other side
    bool peer_can_sleep = true;      ///< false when the peer's policy is kSpin
};

namespace detail {

inline std::atomic_ref<std::uint64_t> ring_word(std::byte* at) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(at));
}

}  // namespace detail

}  // namespace tern::transport
