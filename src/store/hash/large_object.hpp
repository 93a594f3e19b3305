#pragma once

#include <cstddef>
#include <new>

#include "store/keyspace/keyspace.hpp"
#include "store/keyspace/object_ops.hpp"
#include "store/memory/arena.hpp"

/// How the large form of a collection lives as an object of the keyspace: in an arena slot, made
/// and freed here. `Large` is constructed from the arena and the hasher, and has `memory_bytes()`,
/// `drain(budget)` and `copy_to(Large&)`.
namespace tern::store::large_object {

/// An empty object, or null when the arena is exhausted.
template <typename Large>
[[nodiscard]] Large* make(Keyspace& keyspace) noexcept {
    static_assert(sizeof(Large) % 8 == 0 && alignof(Large) <= 8,
                  "the arena aligns such sizes to 8");
    const Handle handle = keyspace.arena().allocate(sizeof(Large));
    return handle ? new (keyspace.arena().at(handle)) Large(keyspace.arena(), keyspace.hasher())
                  : nullptr;
}

/// Frees an object with everything in it.
template <typename Large>
void destroy(Keyspace& keyspace, void* object) {
    auto* const large = static_cast<Large*>(object);
    large->~Large();
    keyspace.arena().free(keyspace.arena().handle_of(static_cast<std::byte*>(object)));
}

template <typename Large>
[[nodiscard]] std::size_t memory_bytes(const void* object) {
    return Arena::class_bytes(sizeof(Large)) + static_cast<const Large*>(object)->memory_bytes();
}

template <typename Large>
[[nodiscard]] bool drain(void* object, std::size_t element_count_max) {
    return static_cast<Large*>(object)->drain(element_count_max);
}

template <typename Large>
[[nodiscard]] void* copy(Keyspace& keyspace, const void* object) {
    Large* const fresh = make<Large>(keyspace);
    if (fresh != nullptr && !static_cast<const Large*>(object)->copy_to(*fresh)) {
        destroy<Large>(keyspace, fresh);
        return nullptr;
    }
    return fresh;
}

/// The keyspace's table for objects of class `Large`.
template <typename Large>
inline constexpr ObjectOps kOps{&memory_bytes<Large>, &drain<Large>, &destroy<Large>, &copy<Large>};

}  // namespace tern::store::large_object
