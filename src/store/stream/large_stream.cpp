#include "store/stream/large_stream.hpp"

#include <tern/base/check.hpp>

namespace tern::store::streams {

LargeStream::~LargeStream() {
    while (!drain(SIZE_MAX)) {}
}

bool LargeStream::drain(std::size_t budget) noexcept {
    if (entries_.node_count() != 0) {
        entries_.drain(budget);
        return false;
    }
    Group* const group = groups_.first();
    if (group == nullptr) {
        return true;
    }
    if (group->drain(budget)) {
        erase_group(*group);
    }
    return groups_.size() == 0;
}

Group* LargeStream::add_group(std::string_view name) noexcept {
    Group* const group = Group::make(*arena_, name);
    if (group != nullptr &&
        !groups_.insert(arena_->handle_of(reinterpret_cast<std::byte*>(group)))) {
        Group::free(*arena_, *group);
        return nullptr;
    }
    return group;
}

bool LargeStream::move_group(Group& group, LargeStream& other) noexcept {
    const Handle handle = arena_->handle_of(reinterpret_cast<std::byte*>(&group));
    if (!other.groups_.insert(handle)) {
        return false;
    }
    groups_.erase(handle);
    return true;
}

void LargeStream::erase_group(Group& group) noexcept {
    while (!group.drain(SIZE_MAX)) {}
    groups_.erase(arena_->handle_of(reinterpret_cast<std::byte*>(&group)));
    Group::free(*arena_, group);
}

// Counting what groups have read. What follows is what XINFO GROUPS shows of Redis 7.2: a count is
// known as long as no entry was deleted that it would have to leave out.

/// Whether an entry at or above `id` may have been deleted from between others.
bool LargeStream::has_deleted_from(const EntryId& id) const noexcept {
    if (deleted_id_max.is_zero() || id > deleted_id_max) {
        return false;
    }
    // What was deleted in front of the first entry leaves no hole.
    const std::optional<EntryId> first = entries_.first_id();
    return first && *first < deleted_id_max;
}

std::optional<std::uint64_t> LargeStream::entries_up_to(const EntryId& id) const noexcept {
    if (entries_added == 0) {
        return 0;
    }
    if (entries_.size() == 0 && id <= last_id) {
        return entries_added;
    }
    if (id >= last_id) {
        return id == last_id ? std::optional(entries_added) : std::nullopt;
    }
    const EntryId first = entries_.first_id().value_or(EntryId{});
    if ((deleted_id_max.is_zero() || deleted_id_max < first) && id <= first) {
        return entries_added - entries_.size() + (id == first ? 1 : 0);
    }
    return std::nullopt;
}

std::optional<std::uint64_t> LargeStream::lag(const Group& group) const noexcept {
    if (entries_added == 0) {
        return 0;
    }
    if (group.entries_read != Group::kNotKnown && !has_deleted_from(group.last_id)) {
        return entries_added - group.entries_read;
    }
    const std::optional<std::uint64_t> read = entries_up_to(group.last_id);
    return read ? std::optional(entries_added - *read) : std::nullopt;
}

void LargeStream::advance(Group& group, const EntryId& id) const noexcept {
    if (group.entries_read != Group::kNotKnown && !has_deleted_from(id)) {
        ++group.entries_read;
    } else if (entries_added != 0) {
        group.entries_read = entries_up_to(id).value_or(Group::kNotKnown);
    }
    group.last_id = id;
}

// All of it

std::size_t LargeStream::memory_bytes() const noexcept {
    std::size_t bytes = entries_.memory_bytes() + groups_.memory_bytes();
    // Of many groups the first stand for all: the question must not take long.
    constexpr std::uint64_t kSample = 64;
    std::uint64_t count = 0;
    std::size_t sample_bytes = 0;
    walk_groups([&](const Group& group) {
        sample_bytes += group.memory_bytes();
        return ++count < kSample;
    });
    if (count != 0) {
        bytes += static_cast<std::size_t>(sample_bytes / count * groups_.size());
    }
    return bytes;
}

bool LargeStream::copy_to(LargeStream& target) const noexcept {
    target.last_id = last_id;
    target.deleted_id_max = deleted_id_max;
    target.entries_added = entries_added;
    return entries_.copy_to(target.entries_) && groups_.walk([&](const Group& group) {
        Group* const fresh = target.add_group(group.name_text());
        return fresh != nullptr && group.copy_to(*fresh);
    });
}

void LargeStream::check_invariants() const {
    entries_.check_invariants();
    TERN_CHECK(entries_.size() == 0 || *entries_.last_id() <= last_id);
    walk_groups([&](const Group& group) {
        group.check_invariants();
        TERN_CHECK(find_group(group.name_text()) == &group);
        return true;
    });
}

}  // namespace tern::store::streams
