#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <type_traits>
#include <vector>

#include "base/byte_sink.hpp"

namespace tern::server {

/// Memory for one command's decoded arguments: bump allocation, everything dropped by `reset`,
/// capacity kept, so that the steady state allocates nothing.
///
/// Threads: the server's one thread. Lifetime: spans are valid until `reset`.
class Scratch {
public:
    /// An uninitialised array of `count` trivially destructible items.
    template <typename T>
    requires std::is_trivially_destructible_v<T>
    [[nodiscard]] std::span<T> array(std::size_t count) {
        void* memory = allocate(count * sizeof(T), alignof(T));
        return {new (memory) T[count], count};
    }

    /// A copy of `text` that lives until `reset`.
    [[nodiscard]] std::string_view copy(std::string_view text);

    /// Drops everything. Chunks beyond the first go back to the heap.
    void reset() noexcept {
        used_bytes_ = 0;
        if (!overflow_.empty()) {
            overflow_.clear();
        }
    }

private:
    static constexpr std::size_t kFirstChunkBytes = 64 * 1024;

    void* allocate(std::size_t size_bytes, std::size_t alignment) {
        const std::size_t offset = align_up(used_bytes_, alignment);
        if (offset + size_bytes > kFirstChunkBytes) {
            return allocate_overflow(size_bytes);
        }
        used_bytes_ = offset + size_bytes;
        return first_.get() + offset;
    }
    void* allocate_overflow(std::size_t size_bytes) {
        overflow_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_bytes + 1));
        return overflow_.back().get();
    }

    std::unique_ptr<std::byte[]> first_ =
        std::make_unique_for_overwrite<std::byte[]>(kFirstChunkBytes);
    std::size_t used_bytes_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> overflow_;
};

inline std::string_view Scratch::copy(std::string_view text) {
    const std::span<char> memory = array<char>(text.size());
    put_text(memory.data(), text);
    return {memory.data(), memory.size()};
}

}  // namespace tern::server
