#pragma once

#include <atomic>
#include <cstddef>

#include "transport/ring/consumer.hpp"
#include "transport/ring/layout.hpp"
#include "transport/ring/producer.hpp"

namespace tern::transport {

/// A side's two directions.
struct RingEnd {
    RingProducer producer;
    RingConsumer consumer;
    SideLine* own_line = nullptr;
    SideLine* peer_line = nullptr;

    /// Tells the peer that this side is done; ring its doorbell afterwards.
    void close() noexcept {
        // release: what was committed before is visible to a peer that sees the state.
        std::atomic_ref<std::uint32_t>(own_line->state)
            .store(kSideClosed, std::memory_order_release);
    }
    /// True after the peer's orderly end. A peer that died says nothing: its socket hangs up.
    [[nodiscard]] bool is_peer_closed() const noexcept {
        // acquire: pairs with the release in close(); look for records once more after true.
        return std::atomic_ref<std::uint32_t>(peer_line->state).load(std::memory_order_acquire) !=
               kSideOpen;
    }
};

/// The end of `side` over ring memory of a known geometry.
///
/// Lifetime: `memory` outlives the end.
[[nodiscard]] inline RingEnd make_ring_end(std::byte* memory,
                                           const RingGeometry& geometry,
                                           RingSide side,
                                           WaitPolicy peer_policy) noexcept {
    auto* server_line = reinterpret_cast<SideLine*>(memory + kRingServerLineOffset);
    auto* client_line = reinterpret_cast<SideLine*>(memory + kRingClientLineOffset);
    const bool is_server = side == RingSide::kServer;
    RingDirection request{memory + geometry.request_offset(), geometry.request_capacity_bytes};
    RingDirection reply{memory + geometry.reply_offset(), geometry.reply_capacity_bytes};
    for (RingDirection* direction : {&request, &reply}) {
        direction->own_line = is_server ? server_line : client_line;
        direction->peer_line = is_server ? client_line : server_line;
        direction->peer_can_sleep = peer_policy != WaitPolicy::kSpin;
    }
    return RingEnd{RingProducer(is_server ? reply : request),
                   RingConsumer(is_server ? request : reply),
                   request.own_line,
                   request.peer_line};
}

}  // namespace tern::transport
