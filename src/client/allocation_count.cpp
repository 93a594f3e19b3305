#include "client/allocation_count.hpp"

#include <cstdlib>
#include <new>

/// Apart from the tests that ask, so that no compiler sees a `new` and a `free` as a pair.
namespace {

thread_local std::size_t count_of_thread = 0;

}  // namespace

void* operator new(std::size_t size) {
    ++count_of_thread;
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace tern::test {

std::size_t allocation_count() noexcept {
    return count_of_thread;
}

}  // namespace tern::test
