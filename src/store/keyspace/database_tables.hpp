#pragma once

#include <cstdint>
#include <string_view>

#include "store/index/key_hash.hpp"
#include "store/index/linear_hash_index.hpp"
#include "store/keyspace/entry.hpp"
#include "store/memory/arena.hpp"
#include "store/ordered/ordered_index.hpp"

namespace tern::store {

/// How the index of keys sees entries.
struct EntryTraits {
    const Arena* arena = nullptr;
    const KeyHasher* hasher = nullptr;

    [[nodiscard]] std::uint64_t hash(Handle handle) const noexcept {
        return (*hasher)(Entry(arena->at(handle)).key(*arena));
    }
    [[nodiscard]] bool equals(Handle handle, std::string_view key) const noexcept {
        return Entry(arena->at(handle)).key(*arena) == key;
    }
    void prefetch(Handle handle) const noexcept { arena->prefetch(handle); }
};

/// How the index of deadlines sorts entries: by time, then by handle.
struct DeadlineOrder {
    const Arena* arena = nullptr;

    [[nodiscard]] std::uint64_t prefix_of(Handle handle) const noexcept {
        return sort_key(Entry(arena->at(handle)).expire_at_ms());
    }
    [[nodiscard]] static std::uint64_t sort_key(ExpireAtMs time) noexcept {
        return static_cast<std::uint64_t>(time) ^ (std::uint64_t{1} << 63);
    }
};

/// The indexes of one database, apart so that a flush can put fresh ones in their place.
struct DatabaseTables {
    DatabaseTables(Arena& arena, const KeyHasher& hasher)
        : keys(arena, EntryTraits{&arena, &hasher}), deadlines(arena, DeadlineOrder{&arena}) {}

    LinearHashIndex<EntryTraits> keys;
    OrderedIndex<DeadlineOrder> deadlines;
};

}  // namespace tern::store
