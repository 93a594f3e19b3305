#include "allocation_count.hpp"

#include <cstdlib>
#include <new>

// Replaces the allocator of the program it is linked into. In a file of its own, so that the
// compiler does not inline one half of a pair and take the other for a mismatch.
namespace {

std::size_t count = 0;

}  // namespace

std::size_t tern::codegen::test::allocation_count() noexcept {
    return count;
}

void* operator new(std::size_t size) {
    ++count;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    std::abort();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
