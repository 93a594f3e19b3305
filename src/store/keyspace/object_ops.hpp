#pragma once

#include <cstddef>

#include "store/keyspace/entry.hpp"

namespace tern::store {

class Keyspace;

/// What the keyspace does with objects of one type: how its module frees, copies and measures them.
/// One table for each type, registered at the start.
struct ObjectOps {
    /// What the object takes in the arena, itself included.
    std::size_t (*memory_bytes)(const void* object);
    /// Frees about `element_count_max` elements; true when none is left.
    bool (*drain)(void* object, std::size_t element_count_max);
    /// Frees the object itself, which `drain` emptied.
    void (*destroy)(Keyspace& keyspace, void* object);
    /// A copy with everything in it; null when the arena is exhausted.
    void* (*copy)(Keyspace& keyspace, const void* object);
};

/// What happened to a key.
enum class KeyEvent : std::uint8_t {
    kAdded,
    kModified,
    kRemoved,
    kExpired,
    kEvicted,  ///< removed for want of memory
};

/// Whoever wants to know about every change: WATCH, notifications, tracking, blocked clients.
///
/// Threads:  the store's. The callback may not change the keyspace.
class KeyspaceObserver {
public:
    virtual ~KeyspaceObserver() = default;
    virtual void on_key_event(KeyEvent event, std::size_t database, std::string_view key) = 0;
    /// All keys of a database went at once; `swapped` when others took their place.
    virtual void on_database_replaced(std::size_t database) = 0;
};

}  // namespace tern::store
