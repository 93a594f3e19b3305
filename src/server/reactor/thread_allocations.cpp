#include "server/reactor/thread_allocations.hpp"

#include <cstdlib>
#include <new>

// Replaces the allocator of the program it is linked into. In a file of its own, so that the
// compiler does not inline one half of a pair and take the other for a mismatch.
namespace {

thread_local std::uint64_t t_count = 0;

void* allocate(std::size_t size, std::size_t alignment) {
    ++t_count;
    const std::size_t padded = (size + alignment) & ~(alignment - 1);
    void* memory = std::aligned_alloc(alignment, padded);
    if (memory == nullptr) {
        std::abort();
    }
    return memory;
}

}  // namespace

std::uint64_t tern::test::thread_allocation_count() noexcept {
    return t_count;
}

void* operator new(std::size_t size) {
    return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
