#pragma once

#include <cstddef>
#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store {

/// A change to a compact value: `removed_bytes` at `offset` make way for `added_bytes`.
struct Splice {
    std::size_t offset = 0;
    std::size_t removed_bytes = 0;
    std::size_t added_bytes = 0;

    [[nodiscard]] bool keeps_size() const noexcept { return removed_bytes == added_bytes; }
    [[nodiscard]] std::size_t size_after(std::size_t size_bytes) const noexcept {
        return size_bytes - removed_bytes + added_bytes;
    }
};

/// Moves what lies behind the change of a value of `size_bytes`. The memory at `bytes` holds the
/// larger of both sizes: grow before, shrink behind.
inline void move_tail(std::byte* bytes, std::size_t size_bytes, const Splice& splice) noexcept {
    const std::size_t tail = splice.offset + splice.removed_bytes;
    TERN_CHECK(tail <= size_bytes);
    std::memmove(bytes + splice.offset + splice.added_bytes, bytes + tail, size_bytes - tail);
}

}  // namespace tern::store
