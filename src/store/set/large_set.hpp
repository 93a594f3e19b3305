#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/random.hpp"
#include "store/hash/element_slot.hpp"
#include "store/index/key_hash.hpp"
#include "store/index/linear_hash_index.hpp"
#include "store/memory/arena.hpp"

namespace tern::store::sets {

/// What adding one member did.
enum class AddOutcome : std::uint8_t {
    kAdded,
    kPresent,
    kOutOfMemory,  ///< nothing changed
};

/// A set of any size: a slot for each member, found through linear hash indexes.
///
/// A member that fills a slot to the byte (16 bytes, say) needs no length, as the slot's size is
/// its length. All others have one. So that nobody has to tell them apart, each kind has an index
/// of its own; the length of a text says which one it belongs to.
///
///     exact slot: | member |      coded slot body: | length | member |
///
/// Threads:  one thread at a time.
/// Lifetime: `arena` and `hasher` outlive the set.
class LargeSet {
public:
    LargeSet(Arena& arena, const KeyHasher& hasher) noexcept
        : arena_(&arena),
          hasher_(&hasher),
          exact_(arena, {{&arena, &hasher}}),
          coded_(arena, {{&arena, &hasher}}) {}
    LargeSet(const LargeSet&) = delete;
    LargeSet& operator=(const LargeSet&) = delete;
    ~LargeSet();

    [[nodiscard]] std::size_t size() const noexcept { return exact_.size() + coded_.size(); }
    /// Slots, extents and the indexes; not the object itself.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return member_bytes_ + exact_.memory_bytes() + coded_.memory_bytes();
    }
    [[nodiscard]] bool contains(std::string_view member) const noexcept;
    [[nodiscard]] AddOutcome add(std::string_view member) noexcept;
    /// Whether the member was there. `member` may lie in the set.
    bool erase(std::string_view member) noexcept;

    /// Calls `visit(std::string_view)` for each member, in no order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        exact_.for_each([&](Handle handle) { visit(ExactForm::read(*arena_, handle)); });
        coded_.for_each([&](Handle handle) { visit(CodedForm::read(*arena_, handle)); });
    }
    /// Calls `visit(std::string_view)` for the members of one bucket; returns the next cursor, 0
    /// at the end. The lowest bit of a cursor says which index it is about.
    template <typename Visit>
    std::uint64_t scan(std::uint64_t cursor, Visit&& visit) const;
    /// A member at random; not for an empty set.
    [[nodiscard]] std::string_view random(Random& random) const;

    /// Puts a copy of every member into `target`, which is empty. False without memory.
    [[nodiscard]] bool copy_to(LargeSet& target) const noexcept;
    /// Frees about `budget` members; true when none is left.
    bool drain(std::size_t budget) noexcept;

private:
    struct ExactForm {
        [[nodiscard]] static std::string_view read(const Arena& arena, Handle handle) noexcept {
            return as_text({arena.at(handle), arena.slot_bytes(handle)});
        }
        static void free(Arena& arena, Handle handle) noexcept { arena.free(handle); }
        [[nodiscard]] static std::size_t memory_bytes(const Arena& arena, Handle handle) noexcept {
            return arena.slot_bytes(handle);
        }
        [[nodiscard]] static Handle make(Arena& arena, std::string_view member) noexcept;
    };
    struct CodedForm {
        [[nodiscard]] static std::string_view read(const Arena& arena, Handle handle) noexcept {
            const std::byte* at = element_slot::body(arena, handle, 0);
            const std::size_t member_bytes = length_code::read(at);
            return as_text({at, member_bytes});
        }
        static void free(Arena& arena, Handle handle) noexcept {
            element_slot::free(arena, handle, 0);
        }
        [[nodiscard]] static std::size_t memory_bytes(const Arena& arena, Handle handle) noexcept {
            return element_slot::memory_bytes(arena, handle, 0);
        }
        [[nodiscard]] static Handle make(Arena& arena, std::string_view member) noexcept;
    };
    struct Store {
        const Arena* arena;
        const KeyHasher* hasher;
    };
    template <typename Form>
    struct Traits : Store {
        [[nodiscard]] std::uint64_t hash(Handle handle) const noexcept {
            return (*hasher)(Form::read(*arena, handle));
        }
        [[nodiscard]] bool equals(Handle handle, std::string_view member) const noexcept {
            return Form::read(*arena, handle) == member;
        }
        void prefetch(Handle handle) const noexcept { arena->prefetch(handle); }
    };
    template <typename Form>
    using Index = LinearHashIndex<Traits<Form>>;

    /// Whether a member of that length fills its slot.
    [[nodiscard]] static bool is_exact(std::size_t member_bytes) noexcept {
        return member_bytes <= kSlotBytesMax && Arena::class_bytes(member_bytes) == member_bytes;
    }
    template <typename Form>
    [[nodiscard]] AddOutcome add_to(Index<Form>& index, std::string_view member) noexcept;
    template <typename Form>
    bool erase_from(Index<Form>& index, std::string_view member) noexcept;
    template <typename Form>
    void free_member(Handle handle) noexcept;

    Arena* arena_;
    const KeyHasher* hasher_;
    std::size_t member_bytes_ = 0;
    Index<ExactForm> exact_;
    Index<CodedForm> coded_;
};

template <typename Visit>
std::uint64_t LargeSet::scan(std::uint64_t cursor, Visit&& visit) const {
    const bool is_coded = (cursor & 1) != 0 || (cursor == 0 && exact_.empty());
    if (!is_coded) {
        const std::uint64_t next = exact_.scan(
            cursor >> 1, [&](Handle handle) { visit(ExactForm::read(*arena_, handle)); });
        if (next != 0) {
            return next << 1;
        }
        return coded_.empty() ? 0 : 1;
    }
    const std::uint64_t next =
        coded_.scan(cursor >> 1, [&](Handle handle) { visit(CodedForm::read(*arena_, handle)); });
    return next == 0 ? 0 : (next << 1) | 1;
}

}  // namespace tern::store::sets
