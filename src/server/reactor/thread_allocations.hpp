#pragma once

#include <cstdint>

namespace tern::test {

/// How often the calling thread has called operator new.
std::uint64_t thread_allocation_count() noexcept;

}  // namespace tern::test
