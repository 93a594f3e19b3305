#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/result.hpp>
#include <utility>

#include "base/unique_fd.hpp"
#include "transport/ring/layout.hpp"
#include "transport/ring/ring.hpp"

namespace tern::transport {

/// All that describes a ring besides its bytes. Each side keeps this copy and trusts no other.
struct RingSpec {
    RingGeometry geometry;
    std::uint64_t instance_id = 0;
    RingProtocol protocol = RingProtocol::kResp;
    WaitPolicy client_policy = WaitPolicy::kAdaptive;
    WaitPolicy server_policy = WaitPolicy::kAdaptive;
};

/// A ring's memory, mapped into this process; unmapped by the destructor.
///
/// Threads:  a value; the ends made from it may be used by one thread each.
/// Lifetime: outlives its ends.
class RingMapping {
public:
    RingMapping() = default;
    RingMapping(RingMapping&& other) noexcept { *this = std::move(other); }
    RingMapping& operator=(RingMapping&& other) noexcept;
    ~RingMapping();

    /// Creates the memory as the server does: sized, header written, sealed against any change of
    /// size, mapped. Nothing appears in a file system.
    static Result<RingMapping> create(const RingSpec& spec);

    /// Maps memory that a server sent. Refuses what is not sealed, has another size than `spec`, or
    /// whose header is not that of `spec`: another magic, version, instance or geometry.
    static Result<RingMapping> attach(UniqueFd memory_fd, const RingSpec& spec);

    [[nodiscard]] bool is_mapped() const noexcept { return memory_ != nullptr; }
    [[nodiscard]] const RingSpec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
    /// The memory's descriptor, to be sent; -1 after `close_fd`.
    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    /// Closes the descriptor; the mapping stays. A server does so once the client has it.
    void close_fd() noexcept { fd_.reset(); }

    /// A fresh end; make one per side, once.
    [[nodiscard]] RingEnd end(RingSide side) const noexcept;

    /// Has the kernel supply every page now, so that the first lap takes no page fault. Memory that
    /// an idle ring would not use; false when the kernel cannot (before Linux 5.14).
    bool prefault() const noexcept;

private:
    Result<void> map();

    RingSpec spec_;
    UniqueFd fd_;
    std::byte* memory_ = nullptr;
};

}  // namespace tern::transport
