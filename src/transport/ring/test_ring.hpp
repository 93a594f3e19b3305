#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "transport/ring/ring.hpp"

namespace tern::transport {

/// Ring memory in this process, for tests and benchmarks: both ends over ordinary memory.
class TestRing {
public:
    explicit TestRing(std::size_t capacity_bytes = kRingCapacityBytesMin,
                      WaitPolicy policy = WaitPolicy::kAdaptive)
        : geometry_{capacity_bytes, capacity_bytes},
          memory_(static_cast<std::byte*>(
              ::operator new (geometry_.total_bytes(), std::align_val_t{kRingHeaderPageBytes}))) {
        std::memset(memory_.get(), 0, geometry_.total_bytes());
        client = make_ring_end(memory_.get(), geometry_, RingSide::kClient, policy);
        server = make_ring_end(memory_.get(), geometry_, RingSide::kServer, policy);
    }

    [[nodiscard]] std::byte* memory() noexcept { return memory_.get(); }
    [[nodiscard]] std::byte* requests() noexcept {
        return memory_.get() + geometry_.request_offset();
    }
    [[nodiscard]] const RingGeometry& geometry() const noexcept { return geometry_; }

    // Apart, as in two processes: each is written by its own thread.
    alignas(128) RingEnd client;
    alignas(128) RingEnd server;

private:
    struct Free {
        void operator()(std::byte* memory) const noexcept {
            ::operator delete (memory, std::align_val_t{kRingHeaderPageBytes});
        }
    };
    RingGeometry geometry_;
    std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace tern::transport
