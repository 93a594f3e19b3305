#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/random.hpp"
#include "store/hash/element_slot.hpp"
#include "store/index/key_hash.hpp"
#include "store/index/linear_hash_index.hpp"
#include "store/memory/arena.hpp"

namespace tern::store::hashes {

/// A field and its value, as visitors see them.
///
/// Lifetime: until the hash changes.
struct FieldValue {
    std::string_view field;
    std::string_view value;
};

/// What a change of one field did.
enum class SetOutcome : std::uint8_t {
    kAdded,
    kUpdated,
    kOutOfMemory,  ///< nothing changed
};

/// A hash of any size: a slot for each field, found through a linear hash index.
///
///     slot body: | field length | value length | field | value |
///
/// Threads:  one thread at a time.
/// Lifetime: `arena` and `hasher` outlive the hash.
class LargeHash {
public:
    LargeHash(Arena& arena, const KeyHasher& hasher) noexcept
        : arena_(&arena), hasher_(&hasher), index_(arena, Traits{&arena, &hasher}) {}
    LargeHash(const LargeHash&) = delete;
    LargeHash& operator=(const LargeHash&) = delete;
    ~LargeHash();

    [[nodiscard]] std::size_t size() const noexcept { return index_.size(); }
    /// Slots, extents and the index; not the object itself.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return element_bytes_ + index_.memory_bytes();
    }
    [[nodiscard]] std::optional<std::string_view> find(std::string_view field) const noexcept;
    /// Gives `field` the value, in place when the slot allows.
    SetOutcome set(std::string_view field, std::string_view value) noexcept;
    /// Whether the field was there.
    bool erase(std::string_view field) noexcept;

    /// Calls `visit(FieldValue)` for each field, in no order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        index_.for_each([&](Handle handle) { visit(read(*arena_, handle)); });
    }
    /// Calls `visit(FieldValue)` for the fields of one bucket; returns the next cursor, 0 at the
    /// end.
    template <typename Visit>
    std::uint64_t scan(std::uint64_t cursor, Visit&& visit) const {
        return index_.scan(cursor, [&](Handle handle) { visit(read(*arena_, handle)); });
    }
    /// A field at random; not for an empty hash.
    [[nodiscard]] FieldValue random(Random& random) const;

    /// Puts a copy of every field into `target`, which is empty. False without memory.
    [[nodiscard]] bool copy_to(LargeHash& target) const noexcept;
    /// Frees about `budget` fields; true when none is left.
    bool drain(std::size_t budget) noexcept;

private:
    struct Traits {
        const Arena* arena;
        const KeyHasher* hasher;
        [[nodiscard]] std::uint64_t hash(Handle handle) const noexcept {
            return (*hasher)(read(*arena, handle).field);
        }
        [[nodiscard]] bool equals(Handle handle, std::string_view field) const noexcept {
            return read(*arena, handle).field == field;
        }
        void prefetch(Handle handle) const noexcept { arena->prefetch(handle); }
    };

    [[nodiscard]] static FieldValue read(const Arena& arena, Handle handle) noexcept;
    SetOutcome overwrite(std::uint64_t hash, Handle handle, const FieldValue& element) noexcept;
    void free_element(Handle handle) noexcept;

    Arena* arena_;
    const KeyHasher* hasher_;
    std::size_t element_bytes_ = 0;
    LinearHashIndex<Traits> index_;
};

}  // namespace tern::store::hashes
