#pragma once

#include <cstddef>

namespace tern::codegen::test {

/// How often this program has called operator new. Single-threaded tests only.
std::size_t allocation_count() noexcept;

}  // namespace tern::codegen::test
