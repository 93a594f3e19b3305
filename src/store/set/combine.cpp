#include "store/set/combine.hpp"

#include <algorithm>
#include <vector>

#include "store/hash/large_object.hpp"

namespace tern::store::sets {

void sort_by_size(std::span<const Set*> sets) noexcept {
    std::sort(sets.begin(), sets.end(), [](const Set* left, const Set* right) {
        return left->size() < right->size();
    });
}

SetResult::~SetResult() {
    if (set_ != nullptr) {
        keyspace_->dispose(Type::kSet, set_);
    }
}

AddOutcome SetResult::add(std::string_view member) {
    if (set_ == nullptr) {
        set_ = large_object::make<LargeSet>(*keyspace_);
        if (set_ == nullptr) {
            return AddOutcome::kOutOfMemory;
        }
    }
    const AddOutcome outcome = set_->add(member);
    if (outcome != AddOutcome::kAdded) {
        return outcome;
    }
    packed_bytes_ += PackedSet::entry_bytes(member.size());
    member_bytes_max_ = std::max(member_bytes_max_, member.size());
    std::int64_t value = 0;
    if (are_integers_ && parse_int64(member, value)) {
        integer_width_ = std::max(integer_width_, IntegerSet::width_of(value));
    } else {
        are_integers_ = false;
    }
    return outcome;
}

bool SetResult::fits_integers(const SetLimits& limits) const noexcept {
    return are_integers_ && size() <= limits.integer_count_max &&
           IntegerSet::bytes_for(size(), integer_width_) <= kCompactBytesMax;
}

bool SetResult::fits_packed(const SetLimits& limits) const noexcept {
    return size() <= limits.packed.entry_count_max && size() <= PackedSet::kCountMax &&
           member_bytes_max_ <= limits.packed.text_bytes_max && packed_bytes_ <= kCompactBytesMax;
}

bool SetResult::store_as(Database& database, std::string_view key, const SetLimits& limits) {
    if (size() == 0) {
        database.erase(key);
        return true;
    }
    if (fits_integers(limits)) {
        return store_integers(database, key);
    }
    return fits_packed(limits) ? store_packed(database, key) : store_large(database, key);
}

bool SetResult::store_integers(Database& database, std::string_view key) const {
    std::vector<std::int64_t> values;
    values.reserve(size());
    for_each(
        [&](std::string_view member) { TERN_CHECK(parse_int64(member, values.emplace_back())); });
    std::sort(values.begin(), values.end());
    const std::uint64_t hash = database.hash_of(key);
    const EntryRef ref = database.assign(database.find(key, hash),
                                         key,
                                         hash,
                                         Type::kSet,
                                         IntegerSet::bytes_for(values.size(), integer_width_),
                                         Deadline::none());
    if (!ref) {
        return false;
    }
    std::byte* const to = ref.value().data();
    IntegerSet::write_width(to, integer_width_);
    for (std::size_t i = 0; i < values.size(); ++i) {
        IntegerSet::write(to, integer_width_, i, values[i]);
    }
    return true;
}

bool SetResult::store_packed(Database& database, std::string_view key) const {
    const std::uint64_t hash = database.hash_of(key);
    const EntryRef ref = database.assign(
        database.find(key, hash), key, hash, Type::kSet, packed_bytes_, Deadline::none());
    if (!ref) {
        return false;
    }
    std::byte* to = ref.value().data();
    PackedSet::write_header(to, size());
    to += PackedSet::kHeaderBytes;
    for_each([&](std::string_view member) { to = PackedSet::write_entry(to, member); });
    return true;
}

bool SetResult::store_large(Database& database, std::string_view key) {
    EntryRef ref = database.find(key);
    if (!ref) {
        if (!database.create_object(key, Type::kSet, set_)) {
            return false;
        }
    } else {
        // An empty value of the right type takes the name first, then the object takes its place.
        ref = database.assign(ref, key, database.hash_of(key), Type::kSet, 0, Deadline::none());
        if (!ref) {
            return false;
        }
        if (!database.set_object(ref, set_)) {
            database.erase(ref);
            return false;
        }
    }
    set_ = nullptr;
    return true;
}

}  // namespace tern::store::sets
