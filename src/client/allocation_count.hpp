#pragma once

#include <cstddef>

namespace tern::test {

/// How often this thread has called operator new. Programs that link allocation_count.cpp only.
[[nodiscard]] std::size_t allocation_count() noexcept;

}  // namespace tern::test
