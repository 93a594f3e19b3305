#pragma once

#include <cstdint>

namespace tern::server {

/// Bytes that malloc has handed out. Some microseconds a call.
[[nodiscard]] std::uint64_t heap_bytes_in_use() noexcept;

}  // namespace tern::server
