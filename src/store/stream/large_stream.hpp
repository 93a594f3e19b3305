#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "store/index/key_hash.hpp"
#include "store/stream/entry_log.hpp"
#include "store/stream/group.hpp"

namespace tern::store::streams {

/// A stream: its entries, what is known of those that went, and its groups.
///
/// Threads:  one at a time. Lifetime: `arena` outlives the stream.
class LargeStream {
public:
    LargeStream(Arena& arena, const KeyHasher&) noexcept
        : arena_(&arena), entries_(arena), groups_(arena) {}
    LargeStream(const LargeStream&) = delete;
    LargeStream& operator=(const LargeStream&) = delete;
    ~LargeStream();

    // What outlives the entries; the commands keep it.
    EntryId last_id;                  ///< the highest id that ever was
    EntryId deleted_id_max;           ///< the highest id that XDEL took out
    std::uint64_t entries_added = 0;  ///< how many ever were

    [[nodiscard]] EntryLog& entries() noexcept { return entries_; }
    [[nodiscard]] const EntryLog& entries() const noexcept { return entries_; }

    // Groups

    [[nodiscard]] std::uint64_t group_count() const noexcept { return groups_.size(); }
    [[nodiscard]] Group* find_group(std::string_view name) const noexcept {
        return groups_.find(name);
    }
    /// Adds a group, whose name no other has; null without memory.
    [[nodiscard]] Group* add_group(std::string_view name) noexcept;
    /// Hands a group over to `other`, which has none of its name: to be freed there. False without
    /// memory.
    [[nodiscard]] bool move_group(Group& group, LargeStream& other) noexcept;
    /// Removes a group with all in it, at once.
    void erase_group(Group& group) noexcept;
    /// Calls `visit(Group&)` in the order of names until it says false.
    template <typename Visit>
    void walk_groups(Visit&& visit) const {
        static_cast<void>(groups_.walk(visit));
    }

    /// How many entries there ever were up to `id`, where that can be told.
    [[nodiscard]] std::optional<std::uint64_t> entries_up_to(const EntryId& id) const noexcept;
    /// How many entries a group has not read yet, where that can be told.
    [[nodiscard]] std::optional<std::uint64_t> lag(const Group& group) const noexcept;
    /// Notes that the group was given the entry `id`, which is above its last one.
    void advance(Group& group, const EntryId& id) const noexcept;

    // As an object of the keyspace

    /// Entries and groups; not the object itself.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;
    [[nodiscard]] bool copy_to(LargeStream& target) const noexcept;
    /// Frees about `budget` nodes, consumers or pending entries; true when nothing is left.
    bool drain(std::size_t budget) noexcept;

    /// Aborts when something does not fit; reads everything. For tests.
    void check_invariants() const;

private:
    [[nodiscard]] bool has_deleted_from(const EntryId& id) const noexcept;

    Arena* arena_;
    EntryLog entries_;
    NameIndex<Group> groups_;
};

}  // namespace tern::store::streams
