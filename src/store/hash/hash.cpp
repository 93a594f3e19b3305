#include "store/hash/hash.hpp"

#include <cmath>

#include "store/hash/large_object.hpp"

namespace tern::store::hashes {

void register_type(Keyspace& keyspace) noexcept {
    keyspace.register_type(Type::kHash, large_object::kOps<LargeHash>);
}

std::size_t Hash::size() const noexcept {
    if (!exists()) {
        return 0;
    }
    return is_large() ? large().size() : CompactHash(bytes()).size();
}

std::optional<std::string_view> Hash::get(std::string_view field) const noexcept {
    if (!exists()) {
        return std::nullopt;
    }
    if (is_large()) {
        return large().find(field);
    }
    const auto found = CompactHash(bytes()).find(field);
    return found ? std::optional(found->value) : std::nullopt;
}

SetOutcome Hash::set(std::string_view field, std::string_view value, const CompactLimits& limits) {
    if (is_large()) {
        return large().set(field, value);
    }
    const bool is_too_long =
        field.size() > limits.text_bytes_max || value.size() > limits.text_bytes_max;
    const std::size_t size_bytes = exists() ? bytes().size() : CompactHash::kHeaderBytes;
    if (is_too_long || size_bytes + CompactHash::entry_bytes(field, value) > kCompactBytesMax ||
        (!exists() && limits.entry_count_max == 0)) {
        return set_as_large(field, value);
    }
    return exists() ? set_compact(field, value, limits) : create(field, value);
}

SetOutcome Hash::create(std::string_view field, std::string_view value) {
    if (!create_compact(CompactHash::kHeaderBytes + CompactHash::entry_bytes(field, value))) {
        return SetOutcome::kOutOfMemory;
    }
    CompactHash::write_count(data(), 1);
    CompactHash::write_entry(data() + CompactHash::kHeaderBytes, field, value);
    return SetOutcome::kAdded;
}

SetOutcome Hash::set_compact(std::string_view field,
                             std::string_view value,
                             const CompactLimits& limits) {
    const CompactHash compact(bytes());
    const std::size_t count = compact.size();
    const auto found = compact.find(field);
    // Also an update makes the hash large when the limit has come down since, as in Redis.
    const std::size_t count_after = found ? count : count + 1;
    if (count_after > limits.entry_count_max || count_after > CompactHash::kCountMax) {
        return set_as_large(field, value);
    }
    const Splice change =
        found ? CompactHash::overwrite(*found, value) : compact.append(field, value);
    if (!change.keeps_size() && !splice(change)) {
        return SetOutcome::kOutOfMemory;
    }
    CompactHash::write_entry(data() + change.offset, field, value);
    CompactHash::write_count(data(), count_after);
    return found ? SetOutcome::kUpdated : SetOutcome::kAdded;
}

SetOutcome Hash::set_as_large(std::string_view field, std::string_view value) {
    if (!become_large()) {
        return SetOutcome::kOutOfMemory;
    }
    const SetOutcome outcome = large().set(field, value);
    if (large().size() == 0) {
        erase_key();
    }
    return outcome;
}

/// Gives the hash its large form; a bounded step, as the compact form is small.
bool Hash::become_large() {
    Keyspace& keyspace = database().keyspace();
    LargeHash* const object = large_object::make<LargeHash>(keyspace);
    if (object == nullptr) {
        return false;
    }
    bool is_complete = true;
    for_each([&](const FieldValue& element) {
        is_complete =
            is_complete && object->set(element.field, element.value) != SetOutcome::kOutOfMemory;
    });
    if (!is_complete || !adopt(object)) {
        large_object::destroy<LargeHash>(keyspace, object);
        return false;
    }
    return true;
}

bool Hash::erase(std::string_view field) {
    if (!exists()) {
        return false;
    }
    if (is_large()) {
        const bool erased = large().erase(field);
        if (erased && large().size() == 0) {
            erase_key();
        }
        return erased;
    }
    const CompactHash compact(bytes());
    const auto found = compact.find(field);
    if (!found) {
        return false;
    }
    const std::size_t count = compact.size();
    if (count == 1) {
        erase_key();
        return true;
    }
    TERN_CHECK(splice(CompactHash::erase(*found)));
    CompactHash::write_count(data(), count - 1);
    return true;
}

IncrementOutcome Hash::increment(std::string_view field,
                                 std::int64_t delta,
                                 const CompactLimits& limits,
                                 std::int64_t& sum) {
    std::int64_t present = 0;
    if (const auto text = get(field); text && !parse_int64(*text, present)) {
        return IncrementOutcome::kNotANumber;
    }
    if (__builtin_add_overflow(present, delta, &sum)) {
        return IncrementOutcome::kOverflow;
    }
    std::array<char, kInt64TextBytes> buffer;
    const std::size_t length = format_int64(buffer.data(), sum);
    return set(field, {buffer.data(), length}, limits) == SetOutcome::kOutOfMemory
               ? IncrementOutcome::kOutOfMemory
               : IncrementOutcome::kDone;
}

IncrementOutcome Hash::increment_float(std::string_view field,
                                       long double delta,
                                       const CompactLimits& limits,
                                       FloatText& buffer,
                                       std::string_view& text) {
    long double present = 0;
    if (const auto found = get(field); found && !parse_long_double(*found, present)) {
        return IncrementOutcome::kNotANumber;
    }
    const long double sum = present + delta;
    if (std::isnan(sum) || std::isinf(sum)) {
        return IncrementOutcome::kNotFinite;
    }
    text = {buffer.data(), format_long_double_human(buffer.data(), sum)};
    return set(field, text, limits) == SetOutcome::kOutOfMemory ? IncrementOutcome::kOutOfMemory
                                                                : IncrementOutcome::kDone;
}

FieldValue Hash::random_field(Random& random) const {
    TERN_CHECK(exists());
    if (is_large()) {
        return large().random(random);
    }
    const CompactHash compact(bytes());
    const CompactHash::Entry entry = compact.at(random.below(compact.size()));
    return {entry.field, entry.value};
}

}  // namespace tern::store::hashes
