#include "store/list/large_list.hpp"

#include <algorithm>
#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store::lists {

using packed_entry::Entry;
using packed_entry::Value;

LargeList::~LargeList() {
    while (!drain(SIZE_MAX)) {}
}

bool LargeList::drain(std::size_t budget) noexcept {
    for (; budget > 0 && !tree_.empty(); --budget) {
        drop_chunk(tree_.last());
    }
    return tree_.empty();
}

void LargeList::drop_chunk(const Place& place) noexcept {
    Chunk::free(*arena_, tree_.chunk(place));
    tree_.erase(place);
}

LargeList::Place LargeList::find(std::uint64_t index, std::size_t& in_chunk) const noexcept {
    const Place place = tree_.find(index);
    in_chunk = static_cast<std::size_t>(index);
    return place;
}

std::size_t LargeList::memory_bytes() const noexcept {
    constexpr unsigned kSample = 16;
    constexpr std::size_t kNodeBytesPerChunk = 16;
    std::size_t bytes = 0;
    std::uint64_t elements = 0;
    std::size_t chunks = 0;
    if (!tree_.empty()) {
        Place place = tree_.first();
        do {
            bytes += Chunk::memory_bytes(*arena_, tree_.chunk(place)) + kNodeBytesPerChunk;
            elements += tree_.count(place);
        } while (++chunks < kSample && tree_.next(place));
    }
    return elements == size()
               ? bytes
               : static_cast<std::size_t>(static_cast<double>(bytes) * static_cast<double>(size()) /
                                          static_cast<double>(elements));
}

bool LargeList::fits_one_run(const ListLimits& limits, Bytes& bytes) const noexcept {
    if (!tree_.has_one_chunk()) {
        return false;
    }
    const Place place = tree_.first();
    const Chunk chunk = chunk_at(place);
    if (chunk.is_alone() || limits.exceeds(chunk.bytes().size(), tree_.count(place))) {
        return false;
    }
    bytes = chunk.bytes();
    return true;
}

// Adding

/// How much a new chunk should hold from the start: a list of few chunks must not be mostly room.
std::size_t LargeList::capacity_for(const ListLimits& limits) const noexcept {
    constexpr std::size_t kBytesPerChunk = 512;
    const std::size_t chunks = tree_.chunk_count_min();
    const std::size_t whole = limits.bytes_max - kListpackFrameBytes;
    return limits.count_max != SIZE_MAX || chunks == 0 ? 0
                                                       : std::min(chunks * kBytesPerChunk, whole);
}

bool LargeList::accepts(const Place& place,
                        std::size_t entry_bytes,
                        const ListLimits& limits) const noexcept {
    const Chunk chunk = chunk_at(place);
    return !chunk.is_alone() && chunk.bytes().size() + entry_bytes <= Chunk::kPackedBytesMax &&
           !limits.exceeds(chunk.bytes().size() + entry_bytes, tree_.count(place) + 1);
}

/// Sees that the chunk has room for `entry_bytes` more: twice its slot, up to the limit.
bool LargeList::make_room(const Place& place,
                          std::size_t entry_bytes,
                          bool room_in_front,
                          const ListLimits& limits) noexcept {
    const Chunk chunk = chunk_at(place);
    if (chunk.room_bytes() >= entry_bytes) {
        return true;
    }
    const std::size_t needed = chunk.bytes().size() + entry_bytes;
    const std::size_t whole =
        std::min(limits.bytes_max - kListpackFrameBytes, Chunk::kPackedBytesMax);
    const std::size_t capacity = std::max(needed, std::min(2 * chunk.capacity_bytes(), whole));
    const Handle fresh = Chunk::resize(*arena_, tree_.chunk(place), capacity, room_in_front);
    if (fresh) {
        tree_.set_chunk(place, fresh);
    }
    return static_cast<bool>(fresh);
}

/// Adds an entry to a chunk that accepts it.
bool LargeList::add_to(const Place& place,
                       std::size_t offset,
                       const Value& value,
                       const ListLimits& limits) noexcept {
    const std::size_t entry_bytes = packed_entry::size_of(value);
    if (!make_room(place, entry_bytes, offset == 0, limits)) {
        return false;
    }
    packed_entry::write(chunk_at(place).open(offset, entry_bytes), value);
    tree_.add_count(place, 1);
    return true;
}

bool LargeList::add_chunk(const Place& place,
                          bool behind,
                          const Value& value,
                          const ListLimits& limits) noexcept {
    const Handle fresh = Chunk::make_with(*arena_, value, capacity_for(limits), !behind);
    if (!fresh) {
        return false;
    }
    if (!tree_.insert(place, behind, fresh, 1)) {
        Chunk::free(*arena_, fresh);
        return false;
    }
    return true;
}

bool LargeList::push(End end, const Value& value, const ListLimits& limits) noexcept {
    const bool at_tail = end == End::kTail;
    const Place place = at_tail ? tree_.last() : tree_.first();
    if (place && accepts(place, packed_entry::size_of(value), limits)) {
        return add_to(place, at_tail ? chunk_at(place).bytes().size() : 0, value, limits);
    }
    return add_chunk(place, at_tail, value, limits);
}

bool LargeList::take_run(const PackedRun& run,
                         std::size_t count,
                         const ListLimits& limits) noexcept {
    TERN_CHECK(tree_.empty());
    if (run.size_bytes() > Chunk::kPackedBytesMax) {
        return run.walk(0, count, false, [&](const Entry& entry) {
            return push(End::kTail, entry.value(), limits);
        });
    }
    const Handle fresh = Chunk::make(*arena_, run.size_bytes(), false);
    if (!fresh) {
        return false;
    }
    std::memcpy(
        Chunk(*arena_, fresh).open(0, run.size_bytes()), run.bytes().data(), run.size_bytes());
    if (!tree_.insert(tree_.last(), true, fresh, count)) {
        Chunk::free(*arena_, fresh);
        return false;
    }
    return true;
}

/// Cuts a packed chunk in two in front of the entry at `offset`; `left_count` stay.
bool LargeList::split_chunk(const Place& place,
                            std::size_t offset,
                            std::size_t left_count) noexcept {
    Chunk left = chunk_at(place);
    const std::size_t right_bytes = left.bytes().size() - offset;
    const std::size_t right_count = tree_.count(place) - left_count;
    const Handle fresh = Chunk::make(*arena_, right_bytes, false);
    if (!fresh) {
        return false;
    }
    std::memcpy(
        Chunk(*arena_, fresh).open(0, right_bytes), left.bytes().data() + offset, right_bytes);
    tree_.add_count(place, -static_cast<std::int64_t>(right_count));
    if (!tree_.insert(place, true, fresh, right_count)) {
        tree_.add_count(place, static_cast<std::int64_t>(right_count));
        Chunk::free(*arena_, fresh);
        return false;
    }
    left.close(offset, right_bytes);
    return true;
}

bool LargeList::insert(std::uint64_t index, const Value& value, const ListLimits& limits) noexcept {
    if (index == 0 || index == size()) {
        return push(index == 0 ? End::kHead : End::kTail, value, limits);
    }
    const std::size_t entry_bytes = packed_entry::size_of(value);
    std::size_t in_chunk = 0;
    Place place = find(index, in_chunk);
    if (in_chunk == 0) {
        Place before = place;
        if (tree_.previous(before) && accepts(before, entry_bytes, limits)) {
            return add_to(before, chunk_at(before).bytes().size(), value, limits);
        }
    }
    const Chunk chunk = chunk_at(place);
    const std::size_t offset =
        in_chunk == 0 ? 0 : chunk.run().offset_of(in_chunk, tree_.count(place));
    if (accepts(place, entry_bytes, limits)) {
        return add_to(place, offset, value, limits);
    }
    if (in_chunk == 0) {
        return add_chunk(place, false, value, limits);
    }
    if (!split_chunk(place, offset, in_chunk)) {
        return false;
    }
    place = find(index - 1, in_chunk);
    return accepts(place, entry_bytes, limits)
               ? add_to(place, chunk_at(place).bytes().size(), value, limits)
               : add_chunk(place, true, value, limits);
}

// Changing

/// Gives the entry at `offset` of a packed chunk another value, where the chunk may keep it.
bool LargeList::replace_in_chunk(const Place& place,
                                 std::size_t offset,
                                 const Value& value,
                                 const ListLimits& limits) noexcept {
    const std::size_t old_bytes = chunk_at(place).run().read(offset).size_bytes;
    const std::size_t new_bytes = packed_entry::size_of(value);
    if (new_bytes > old_bytes) {
        if (!make_room(place, new_bytes - old_bytes, false, limits)) {
            return false;
        }
        static_cast<void>(chunk_at(place).open(offset, new_bytes - old_bytes));
    } else if (new_bytes < old_bytes) {
        chunk_at(place).close(offset, old_bytes - new_bytes);
    }
    packed_entry::write(chunk_at(place).bytes().data() + offset, value);
    return true;
}

bool LargeList::replace(std::uint64_t index,
                        const Value& value,
                        const ListLimits& limits) noexcept {
    std::size_t in_chunk = 0;
    const Place place = find(index, in_chunk);
    const Chunk chunk = chunk_at(place);
    if (tree_.count(place) == 1) {
        const Handle fresh = Chunk::make_with(*arena_, value, 0, false);
        if (!fresh) {
            return false;
        }
        Chunk::free(*arena_, tree_.chunk(place));
        tree_.set_chunk(place, fresh);
        return true;
    }
    const std::size_t offset = chunk.run().offset_of(in_chunk, tree_.count(place));
    const std::size_t size_after =
        chunk.bytes().size() - chunk.run().read(offset).size_bytes + packed_entry::size_of(value);
    if (size_after <= Chunk::kPackedBytesMax && !limits.exceeds(size_after, tree_.count(place))) {
        return replace_in_chunk(place, offset, value, limits);
    }
    if (!insert(index, value, limits)) {
        return false;
    }
    erase(index + 1);
    return true;
}

// Removing

/// Gives back what a chunk that lost elements in its middle no longer needs, if memory allows.
void LargeList::shrink(const Place& place) noexcept {
    const Chunk chunk = chunk_at(place);
    if (chunk.room_bytes() <= chunk.capacity_bytes() / 2) {
        return;
    }
    const Handle fresh = Chunk::resize(*arena_, tree_.chunk(place), chunk.bytes().size(), false);
    if (fresh) {
        tree_.set_chunk(place, fresh);
    }
}

void LargeList::erase(std::uint64_t index) noexcept {
    std::size_t in_chunk = 0;
    const Place place = find(index, in_chunk);
    const std::size_t count = tree_.count(place);
    if (count == 1) {
        drop_chunk(place);
        return;
    }
    Chunk chunk = chunk_at(place);
    const std::size_t offset = chunk.run().offset_of(in_chunk, count);
    chunk.close(offset, chunk.run().read(offset).size_bytes);
    tree_.add_count(place, -1);
    shrink(place);
}

void LargeList::erase_end(End end, std::uint64_t count) noexcept {
    while (count > 0) {
        const Place place = end == End::kHead ? tree_.first() : tree_.last();
        const std::size_t present = tree_.count(place);
        if (present <= count) {
            count -= present;
            drop_chunk(place);
            continue;
        }
        const auto removed = static_cast<std::size_t>(count);
        Chunk chunk = chunk_at(place);
        if (end == End::kHead) {
            chunk.close(0, chunk.run().offset_of(removed, present));
        } else {
            const std::size_t offset = chunk.run().offset_of(present - removed, present);
            chunk.close(offset, chunk.bytes().size() - offset);
        }
        tree_.add_count(place, -static_cast<std::int64_t>(removed));
        return;
    }
}

bool LargeList::cut_end(End end, std::uint64_t count, LargeList& other) noexcept {
    TERN_CHECK(count < size());
    std::size_t in_chunk = 0;
    const std::uint64_t first_of_right = end == End::kHead ? count : size() - count;
    const Place place = find(first_of_right, in_chunk);
    if (in_chunk != 0) {
        const std::size_t offset = chunk_at(place).run().offset_of(in_chunk, tree_.count(place));
        if (!split_chunk(place, offset, in_chunk)) {
            return false;
        }
    }
    if (!tree_.split_before(find(first_of_right, in_chunk), other.tree_)) {
        return false;
    }
    if (end == End::kHead) {
        tree_.swap(other.tree_);
    }
    return true;
}

std::size_t LargeList::count_equal(const Place& place, const Value& value) const noexcept {
    const Chunk chunk = chunk_at(place);
    if (chunk.is_alone()) {
        return chunk.alone().equals(value) ? 1 : 0;
    }
    return chunk.run().count_equal(value);
}

std::uint64_t LargeList::erase_equal(const Value& value,
                                     std::uint64_t count,
                                     bool from_tail) noexcept {
    std::uint64_t removed = 0;
    std::uint64_t passed = 0;  // elements of chunks that were looked at and stay
    while (removed < count && passed < size()) {
        std::size_t in_chunk = 0;
        const Place place = find(from_tail ? size() - 1 - passed : passed, in_chunk);
        const std::size_t present = tree_.count(place);
        const std::size_t equal = count_equal(place, value);
        const std::size_t take =
            count - removed < equal ? static_cast<std::size_t>(count - removed) : equal;
        removed += take;
        if (take == present) {
            drop_chunk(place);
            continue;
        }
        if (take > 0) {
            Chunk chunk = chunk_at(place);
            const MutableBytes bytes = chunk.bytes();
            const std::size_t kept =
                PackedRun::remove_equal(bytes, value, from_tail ? equal - take : 0, take);
            chunk.close(kept, bytes.size() - kept);
            tree_.add_count(place, -static_cast<std::int64_t>(take));
            shrink(place);
        }
        passed += present - take;
    }
    return removed;
}

bool LargeList::copy_to(LargeList& target) const noexcept {
    if (tree_.empty()) {
        return true;
    }
    Place place = tree_.first();
    do {
        const Handle fresh = Chunk::copy(*arena_, tree_.chunk(place));
        if (!fresh) {
            return false;
        }
        if (!target.tree_.insert(target.tree_.last(), true, fresh, tree_.count(place))) {
            Chunk::free(*arena_, fresh);
            return false;
        }
    } while (tree_.next(place));
    return true;
}

}  // namespace tern::store::lists
