#include "store/set/set.hpp"

#include <algorithm>

#include "store/hash/large_object.hpp"

namespace tern::store::sets {

void register_type(Keyspace& keyspace) noexcept {
    keyspace.register_type(Type::kSet, large_object::kOps<LargeSet>);
}

std::string_view encoding_name(const EntryRef& ref) noexcept {
    if (ref.is_object()) {
        return "hashtable";
    }
    return PackedSet::is_packed(ref.value()) ? "listpack" : "intset";
}

std::size_t Set::size() const noexcept {
    if (!exists()) {
        return 0;
    }
    if (is_large()) {
        return large().size();
    }
    return is_integers() ? IntegerSet(bytes()).size() : PackedSet(bytes()).size();
}

bool Set::contains(std::string_view member) const noexcept {
    if (!exists()) {
        return false;
    }
    if (is_large()) {
        return large().contains(member);
    }
    if (is_integers()) {
        std::int64_t value = 0;
        return parse_int64(member, value) && IntegerSet(bytes()).find(value).is_present;
    }
    return PackedSet(bytes()).find(member).has_value();
}

bool Set::expect(std::size_t count, const SetLimits& limits) {
    if (!exists() || is_large()) {
        return true;
    }
    const std::size_t count_max =
        is_integers() ? limits.integer_count_max : limits.packed.entry_count_max;
    return count <= count_max || become_large();
}

AddOutcome Set::add(std::string_view member, const SetLimits& limits, std::size_t expected_count) {
    if (!exists()) {
        return create(member, limits, expected_count);
    }
    if (is_large()) {
        return large().add(member);
    }
    if (!is_integers()) {
        return add_packed(member, limits);
    }
    std::int64_t value = 0;
    return parse_int64(member, value) ? add_integer(value, member, limits)
                                      : add_to_integers(member, limits);
}

AddOutcome Set::create(std::string_view member,
                       const SetLimits& limits,
                       std::size_t expected_count) {
    std::int64_t value = 0;
    if (parse_int64(member, value) && expected_count <= limits.integer_count_max) {
        const std::size_t width = IntegerSet::width_of(value);
        if (!create_compact(IntegerSet::bytes_for(1, width))) {
            return AddOutcome::kOutOfMemory;
        }
        IntegerSet::write_width(data(), width);
        IntegerSet::write(data(), width, 0, value);
        return AddOutcome::kAdded;
    }
    if (expected_count > limits.packed.entry_count_max ||
        member.size() > limits.packed.text_bytes_max || member.size() > kCompactBytesMax / 2) {
        return add_as_large(member);
    }
    if (!create_compact(PackedSet::kHeaderBytes + PackedSet::entry_bytes(member.size()))) {
        return AddOutcome::kOutOfMemory;
    }
    PackedSet::write_header(data(), 1);
    PackedSet::write_entry(data() + PackedSet::kHeaderBytes, member);
    return AddOutcome::kAdded;
}

AddOutcome Set::add_integer(std::int64_t value, std::string_view text, const SetLimits& limits) {
    const IntegerSet integers(bytes());
    const IntegerSet::Place place = integers.find(value);
    if (place.is_present) {
        return AddOutcome::kPresent;
    }
    const std::size_t count = integers.size();
    const std::size_t old_width = integers.width();
    const std::size_t width = std::max(old_width, IntegerSet::width_of(value));
    const std::size_t size_bytes = IntegerSet::bytes_for(count + 1, width);
    if (count >= limits.integer_count_max || size_bytes > kCompactBytesMax) {
        return add_as_large(text);
    }
    if (width == old_width) {
        if (!splice(integers.insert(place.index))) {
            return AddOutcome::kOutOfMemory;
        }
    } else {
        if (!resize(size_bytes)) {
            return AddOutcome::kOutOfMemory;
        }
        // What is wider than all others is less or greater than all of them.
        IntegerSet::widen(data(), count, width, place.index);
    }
    IntegerSet::write(data(), width, place.index, value);
    return AddOutcome::kAdded;
}

AddOutcome Set::add_packed(std::string_view member, const SetLimits& limits) {
    const PackedSet packed(bytes());
    if (packed.find(member)) {
        return AddOutcome::kPresent;
    }
    const std::size_t count = packed.size();
    const Splice change = packed.append(member);
    if (count >= limits.packed.entry_count_max || count >= PackedSet::kCountMax ||
        member.size() > limits.packed.text_bytes_max ||
        change.size_after(bytes().size()) > kCompactBytesMax) {
        return add_as_large(member);
    }
    if (!splice(change)) {
        return AddOutcome::kOutOfMemory;
    }
    PackedSet::write_entry(data() + change.offset, member);
    PackedSet::write_header(data(), count + 1);
    return AddOutcome::kAdded;
}

/// A text joins integers.
AddOutcome Set::add_to_integers(std::string_view member, const SetLimits& limits) {
    std::size_t text_bytes_max = member.size();
    std::size_t packed_bytes = PackedSet::kHeaderBytes;
    for_each([&](std::string_view text) {
        text_bytes_max = std::max(text_bytes_max, text.size());
        packed_bytes += PackedSet::entry_bytes(text.size());
    });
    if (size() >= limits.packed.entry_count_max || size() >= PackedSet::kCountMax ||
        text_bytes_max > limits.packed.text_bytes_max ||
        packed_bytes + PackedSet::entry_bytes(member.size()) > kCompactBytesMax) {
        return add_as_large(member);
    }
    return become_packed(packed_bytes) ? add_packed(member, limits) : AddOutcome::kOutOfMemory;
}

AddOutcome Set::add_as_large(std::string_view member) {
    if (!become_large()) {
        return AddOutcome::kOutOfMemory;
    }
    const AddOutcome outcome = large().add(member);
    if (large().size() == 0) {
        erase_key();
    }
    return outcome;
}

/// Turns integers into texts; a bounded step, as the compact form is small. The integers move
/// behind the place of the texts first: some texts are longer than their integers, others shorter.
bool Set::become_packed(std::size_t packed_bytes) {
    const std::size_t old_bytes = bytes().size();
    const std::size_t count = size();
    const std::size_t room_bytes = packed_bytes + old_bytes;
    if (!resize(room_bytes)) {
        return false;
    }
    std::byte* const moved = data() + packed_bytes;
    std::memmove(moved, data(), old_bytes);
    const IntegerSet integers(Bytes{moved, old_bytes});
    std::byte* to = data() + PackedSet::kHeaderBytes;
    IntegerText text;
    for (std::size_t i = 0; i < count; ++i) {
        to = PackedSet::write_entry(to, {text.data(), format_int64(text.data(), integers.at(i))});
    }
    PackedSet::write_header(data(), count);
    TERN_CHECK(to == moved && resize(packed_bytes));
    return true;
}

/// Gives the set its large form; a bounded step, as the compact forms are small.
bool Set::become_large() {
    Keyspace& keyspace = database().keyspace();
    auto* const object = large_object::make<LargeSet>(keyspace);
    if (object == nullptr) {
        return false;
    }
    bool is_complete = true;
    for_each([&](std::string_view member) {
        is_complete = is_complete && object->add(member) != AddOutcome::kOutOfMemory;
    });
    if (!is_complete || !adopt(object)) {
        large_object::destroy<LargeSet>(keyspace, object);
        return false;
    }
    return true;
}

bool Set::erase(std::string_view member) {
    if (!exists()) {
        return false;
    }
    if (!is_large()) {
        return is_integers() ? erase_integer(member) : erase_packed(member);
    }
    const bool erased = large().erase(member);
    if (erased && large().size() == 0) {
        erase_key();
    }
    return erased;
}

bool Set::erase_integer(std::string_view member) {
    const IntegerSet integers(bytes());
    std::int64_t value = 0;
    if (!parse_int64(member, value)) {
        return false;
    }
    const IntegerSet::Place place = integers.find(value);
    if (!place.is_present) {
        return false;
    }
    if (integers.size() == 1) {
        erase_key();
    } else {
        TERN_CHECK(splice(integers.erase(place.index)));
    }
    return true;
}

bool Set::erase_packed(std::string_view member) {
    const PackedSet packed(bytes());
    const auto found = packed.find(member);
    if (!found) {
        return false;
    }
    const std::size_t count = packed.size();
    if (count == 1) {
        erase_key();
        return true;
    }
    TERN_CHECK(splice(PackedSet::erase(*found)));
    PackedSet::write_header(data(), count - 1);
    return true;
}

std::string_view Set::random_member(Random& random, IntegerText& text) const {
    TERN_CHECK(exists());
    if (is_large()) {
        return large().random(random);
    }
    if (is_integers()) {
        const IntegerSet integers(bytes());
        const std::int64_t value = integers.at(random.below(integers.size()));
        return {text.data(), format_int64(text.data(), value)};
    }
    const PackedSet packed(bytes());
    return packed.at(random.below(packed.size())).text;
}

}  // namespace tern::store::sets
