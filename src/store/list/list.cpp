#include "store/list/list.hpp"

#include <cstring>

#include "store/hash/large_object.hpp"

namespace tern::store::lists {

void register_type(Keyspace& keyspace) noexcept {
    keyspace.register_type(Type::kList, large_object::kOps<LargeList>);
}

std::uint64_t List::size() const noexcept {
    if (!exists()) {
        return 0;
    }
    return is_large() ? large().size() : compact_count();
}

// Forms

bool List::prepare_growth(std::size_t added_bytes,
                          std::size_t added_count,
                          const ListLimits& limits) {
    if (is_large()) {
        return true;
    }
    const std::size_t bytes_present = exists() ? run().size_bytes() : 0;
    const std::size_t count_present = exists() ? compact_count() : 0;
    return !limits.exceeds(bytes_present + added_bytes, count_present + added_count) ||
           become_large(limits);
}

/// Gives the list its large form; a bounded step, as the compact form is small.
bool List::become_large(const ListLimits& limits) {
    Keyspace& keyspace = database().keyspace();
    auto* const object = large_object::make<LargeList>(keyspace);
    if (object == nullptr) {
        return false;
    }
    if ((exists() && !object->take_run(run(), compact_count(), limits)) || !adopt(object)) {
        large_object::destroy<LargeList>(keyspace, object);
        return false;
    }
    return true;
}

void List::settle(const ListLimits& limits) {
    Bytes entries;
    if (!is_large() || !large().fits_one_run(limits.half(), entries)) {
        return;
    }
    // The object goes when the bytes come: what they are is copied before.
    const std::uint64_t count = large().size();
    TERN_CHECK(entries.size() <= Chunk::kPackedBytesMax && count <= UINT16_MAX);
    std::byte copy[Chunk::kPackedBytesMax];
    std::memcpy(copy, entries.data(), entries.size());
    if (become_bytes(kHeaderBytes + entries.size())) {
        write_count(static_cast<std::size_t>(count));
        std::memcpy(data() + kHeaderBytes, copy, entries.size());
    }
}

bool List::is_compact_with(std::size_t more_bytes) const noexcept {
    return !is_large() && bytes().size() + more_bytes <= kCompactBytesMax &&
           compact_count() < UINT16_MAX;
}

// Adding

bool List::create(const Value& value, const ListLimits& limits) {
    const std::size_t size_bytes = kHeaderBytes + packed_entry::size_of(value);
    if (size_bytes > kCompactBytesMax) {
        const bool pushed = become_large(limits) && large().push(End::kTail, value, limits);
        erase_key_if_empty();
        return pushed;
    }
    if (!create_compact(size_bytes)) {
        return false;
    }
    write_count(1);
    packed_entry::write(data() + kHeaderBytes, value);
    return true;
}

bool List::push(End end, const Value& value, const ListLimits& limits) {
    if (!exists()) {
        return create(value, limits);
    }
    const bool pushed = insert(end == End::kHead ? 0 : size(), value, limits);
    erase_key_if_empty();  // prepare_growth may have made the key
    return pushed;
}

bool List::insert(std::uint64_t index, const Value& value, const ListLimits& limits) {
    const std::size_t entry_bytes = packed_entry::size_of(value);
    if (is_large() || !is_compact_with(entry_bytes)) {
        if (!is_large() && !become_large(limits)) {
            return false;
        }
        return large().insert(index, value, limits);
    }
    const std::size_t count = compact_count();
    const std::size_t offset = kHeaderBytes + offset_of(index);
    if (!splice({offset, 0, entry_bytes})) {
        return false;
    }
    packed_entry::write(data() + offset, value);
    write_count(count + 1);
    return true;
}

bool List::replace(std::uint64_t index, const Value& value, const ListLimits& limits) {
    const std::size_t entry_bytes = packed_entry::size_of(value);
    if (is_large() || !is_compact_with(entry_bytes)) {
        if (!is_large() && !become_large(limits)) {
            return false;
        }
        return large().replace(index, value, limits);
    }
    const std::size_t offset = offset_of(index);
    const std::size_t old_bytes = run().read(offset).size_bytes;
    if (old_bytes != entry_bytes && !splice({kHeaderBytes + offset, old_bytes, entry_bytes})) {
        return false;
    }
    packed_entry::write(data() + kHeaderBytes + offset, value);
    return true;
}

// Removing

void List::erase_key_if_empty() {
    if (exists() && size() == 0) {
        erase_key();
    }
}

/// Takes entries out of the compact form.
void List::cut(std::size_t offset, std::size_t removed_bytes, std::size_t removed_count) {
    const std::size_t count = compact_count() - removed_count;
    if (count == 0) {
        erase_key();
        return;
    }
    TERN_CHECK(splice({kHeaderBytes + offset, removed_bytes, 0}));
    write_count(count);
}

void List::erase_end(End end, std::uint64_t count) {
    if (count == 0) {
        return;
    }
    if (is_large()) {
        large().erase_end(end, count);
        erase_key_if_empty();
        return;
    }
    const auto removed = static_cast<std::size_t>(count);
    if (end == End::kHead) {
        cut(0, offset_of(removed), removed);
    } else {
        const std::size_t offset = offset_of(compact_count() - removed);
        cut(offset, run().size_bytes() - offset, removed);
    }
}

/// Removes elements from an end of a large list and has them freed in steps.
void List::cut_large(End end, std::uint64_t count) {
    Keyspace& keyspace = database().keyspace();
    auto* const removed = large_object::make<LargeList>(keyspace);
    if (removed == nullptr || !large().cut_end(end, count, *removed)) {
        if (removed != nullptr) {
            large_object::destroy<LargeList>(keyspace, removed);
        }
        large().erase_end(end, count);  // without memory for the short way, the long one
        return;
    }
    keyspace.dispose(Type::kList, removed);
}

void List::trim(std::uint64_t index, std::uint64_t count) {
    if (!exists()) {
        return;
    }
    if (count == 0) {
        erase_key();
        return;
    }
    const std::uint64_t behind = size() - index - count;
    if (is_large()) {
        if (behind != 0) {
            cut_large(End::kTail, behind);
        }
        if (index != 0) {
            cut_large(End::kHead, index);
        }
        return;
    }
    erase_end(End::kTail, behind);
    erase_end(End::kHead, index);
}

std::uint64_t List::erase_equal_compact(const Value& value, std::uint64_t count, bool from_tail) {
    const std::size_t equal = run().count_equal(value);
    const std::size_t take = count < equal ? static_cast<std::size_t>(count) : equal;
    if (take == 0) {
        return 0;
    }
    const MutableBytes entries{data() + kHeaderBytes, run().size_bytes()};
    const std::size_t kept =
        PackedRun::remove_equal(entries, value, from_tail ? equal - take : 0, take);
    cut(kept, entries.size() - kept, take);
    return take;
}

std::uint64_t List::erase_equal(const Value& value, std::uint64_t count, bool from_tail) {
    if (!exists()) {
        return 0;
    }
    if (!is_large()) {
        return erase_equal_compact(value, count, from_tail);
    }
    const std::uint64_t removed = large().erase_equal(value, count, from_tail);
    erase_key_if_empty();
    return removed;
}

}  // namespace tern::store::lists
