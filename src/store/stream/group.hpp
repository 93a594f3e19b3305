#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "store/stream/id_index.hpp"
#include "store/stream/name_index.hpp"

namespace tern::store::streams {

/// An entry that a consumer was given and nobody has acknowledged, in a slot of the arena.
struct Pending {
    EntryId id;
    std::int64_t delivered_at_ms = 0;
    std::uint64_t delivery_count = 0;
    Handle consumer;
    std::uint32_t unused = 0;  ///< a size that is a multiple of 8 is aligned so
};
static_assert(sizeof(Pending) == 40 && offsetof(Pending, id) == 0);

/// One reader of a group, in a slot of the arena.
///
/// Lifetime: owned by its group.
struct Consumer {
    explicit Consumer(Arena& arena, Handle own_name) noexcept : name(own_name), pending(arena) {}

    Handle name;
    std::uint32_t unused = 0;
    std::int64_t seen_at_ms = 0;     ///< when it last asked
    std::int64_t active_at_ms = -1;  ///< when it last got something; -1: never
    IdIndex pending;                 ///< what it was given; the slots are the group's
};

/// A group of consumers that share the entries of a stream, in a slot of the arena.
///
/// Every pending entry is in the index of the group and in that of one consumer.
///
/// Threads:  one at a time. Lifetime: owned by the stream.
class Group {
public:
    /// The number of entries read, where nobody can tell.
    static constexpr std::uint64_t kNotKnown = std::numeric_limits<std::uint64_t>::max();

    Group(Arena& arena, Handle own_name) noexcept
        : name(own_name), arena_(&arena), consumers_(arena), pending_(arena) {}
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    Handle name;
    std::uint32_t unused = 0;
    EntryId last_id;                         ///< the last one that was given out
    std::uint64_t entries_read = kNotKnown;  ///< how many of the stream's entries up to `last_id`

    /// A group with nothing in it; null without memory.
    [[nodiscard]] static Group* make(Arena& arena, std::string_view name) noexcept;
    /// Frees a group that `drain` emptied.
    static void free(Arena& arena, Group& group) noexcept;
    /// Frees about `budget` pending entries or consumers; true when none is left.
    bool drain(std::size_t budget) noexcept;
    [[nodiscard]] std::size_t memory_bytes() const noexcept;
    /// Puts a copy of what is in it into `target`, which is empty. False without memory.
    [[nodiscard]] bool copy_to(Group& target) const noexcept;

    [[nodiscard]] std::string_view name_text() const noexcept {
        return name_slot::read(*arena_, name);
    }

    [[nodiscard]] std::optional<std::uint64_t> known_entries_read() const noexcept {
        return entries_read == kNotKnown ? std::nullopt : std::optional(entries_read);
    }

    // Consumers

    [[nodiscard]] std::uint64_t consumer_count() const noexcept { return consumers_.size(); }
    [[nodiscard]] Consumer* find_consumer(std::string_view consumer_name) const noexcept {
        return consumers_.find(consumer_name);
    }
    /// Adds a consumer, whose name nobody has, seen now; null without memory.
    [[nodiscard]] Consumer* add_consumer(std::string_view consumer_name,
                                         std::int64_t now_ms) noexcept;
    /// Removes a consumer with what is pending for it, in steps in proportion to that.
    void erase_consumer(Consumer& consumer) noexcept;
    [[nodiscard]] std::string_view name_of(const Consumer& consumer) const noexcept {
        return name_slot::read(*arena_, consumer.name);
    }
    /// Calls `visit(Consumer&)` in the order of names until it says false.
    template <typename Visit>
    void walk_consumers(Visit&& visit) const {
        static_cast<void>(consumers_.walk(visit));
    }

    // Pending entries

    [[nodiscard]] std::uint64_t pending_count() const noexcept { return pending_.size(); }
    [[nodiscard]] Pending* find_pending(const EntryId& id) const noexcept {
        const Handle handle = pending_.find(id);
        return handle ? &at(handle) : nullptr;
    }
    [[nodiscard]] Consumer& consumer_of(const Pending& pending) const noexcept {
        return *arena_->as<Consumer>(pending.consumer);
    }
    /// Adds an entry that is not pending; null without memory.
    [[nodiscard]] Pending* add_pending(const EntryId& id, Consumer& consumer) noexcept;
    /// Gives a pending entry to another consumer; false without memory, and then it stays.
    [[nodiscard]] bool assign(Pending& pending, Consumer& consumer) noexcept;
    void erase_pending(Pending& pending) noexcept;
    /// The lowest and the highest; null when there is none.
    [[nodiscard]] const Pending* first_pending() const noexcept { return at(pending_.first()); }
    [[nodiscard]] const Pending* last_pending() const noexcept { return at(pending_.last()); }

    /// Calls `visit(const Pending&)` from `first` to `last` until it says false: of the group, or
    /// of one consumer. The visitor changes nothing but the entry's facts.
    template <typename Visit>
    void walk_pending(const EntryId& first, const EntryId& last, Visit&& visit) const {
        walk(pending_, first, last, visit);
    }
    template <typename Visit>
    void walk_pending(const Consumer& consumer,
                      const EntryId& first,
                      const EntryId& last,
                      Visit&& visit) const {
        walk(consumer.pending, first, last, visit);
    }

    /// Aborts when the indexes disagree; reads everything. For tests.
    void check_invariants() const;

private:
    [[nodiscard]] Pending& at(Handle handle) const noexcept { return *arena_->as<Pending>(handle); }
    [[nodiscard]] const Pending* at(const OrderedCursor& cursor) const noexcept {
        return cursor ? &at(cursor.get()) : nullptr;
    }
    [[nodiscard]] Handle handle_of(const void* object) const noexcept {
        return arena_->handle_of(static_cast<const std::byte*>(object));
    }
    template <typename Visit>
    void walk(const IdIndex& index, const EntryId& first, const EntryId& last, Visit& visit) const {
        for (OrderedCursor cursor = index.at_or_above(first); cursor; cursor.next()) {
            Pending& pending = at(cursor.get());
            if (pending.id > last || !visit(pending)) {
                return;
            }
        }
    }

    Arena* arena_;
    NameIndex<Consumer> consumers_;
    IdIndex pending_;
};

}  // namespace tern::store::streams
