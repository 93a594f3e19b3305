// Keys that move out of sparsely used slabs.

#include <array>

#include "store/keyspace/database.hpp"

namespace tern::store {

/// Moves one entry; false when it lies well, or there is no memory.
bool Database::move_out(Handle handle) noexcept {
    const Handle copy = arena_->copy_from_sparse(handle);
    if (!copy) {
        return false;
    }
    const EntryRef ref = ref_of(handle);
    if (ref.has_expiry()) {
        if (!add_deadline(copy)) {
            arena_->free(copy);
            return false;
        }
        drop_deadline(handle);
    }
    TERN_CHECK(tables_->keys.replace(ref.hash(), handle, copy));
    arena_->free(handle);
    return true;
}

std::uint64_t Database::defrag_bucket(std::uint64_t cursor, DefragStats& stats) {
    if (tables_->keys.empty()) {
        return 0;
    }
    // The index may not change while it is visited. Longer chains do not occur in practice; what is
    // beyond stays where it is.
    std::array<Handle, 64> handles;
    std::size_t count = 0;
    const std::uint64_t next = tables_->keys.scan(cursor, [&](Handle handle) {
        if (count < handles.size()) {
            handles[count++] = handle;
        }
    });
    for (std::size_t i = 0; i < count; ++i) {
        ++(move_out(handles[i]) ? stats.hits : stats.misses);
    }
    return next;
}

}  // namespace tern::store
