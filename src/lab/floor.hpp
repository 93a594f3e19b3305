#pragma once

#include <cstddef>
#include <tern/base/result.hpp>

#include "lab/samples.hpp"

/// The physical floors: what a round trip costs on this machine when nobody does anything with it.
namespace tern::lab {

enum class FloorKind : unsigned char {
    kCacheLine,   ///< one 64-byte line each way between two cores, both spinning
    kUnixSocket,  ///< 16 bytes each way, stream socket
    kTcpSocket,   ///< 16 bytes each way over 127.0.0.1, TCP_NODELAY
};

struct FloorOptions {
    FloorKind kind = FloorKind::kCacheLine;
    int near_core = 0;  ///< the measuring side's core
    int far_core = 1;   ///< the echoing side's core
    bool polls = true;  ///< sockets: both ends poll; else both block
    std::size_t warmup_count = 1000;
    std::size_t sample_count = 20000;
};

/// Measures round trips between two threads pinned to two cores.
///
/// Errors:   a core that this process may not use, or what the system says of the sockets.
[[nodiscard]] Result<Samples> measure_floor(const FloorOptions& options);

/// The floor's name in tables.
[[nodiscard]] const char* to_string(FloorKind kind) noexcept;

}  // namespace tern::lab
