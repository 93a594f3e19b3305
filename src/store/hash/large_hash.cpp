#include "store/hash/large_hash.hpp"

#include <algorithm>
#include <cstring>

#include "store/hash/compact_hash.hpp"

namespace tern::store::hashes {

LargeHash::~LargeHash() {
    while (!drain(SIZE_MAX)) {}
}

FieldValue LargeHash::read(const Arena& arena, Handle handle) noexcept {
    const std::byte* at = element_slot::body(arena, handle, 0);
    const std::size_t field_bytes = length_code::read(at);
    const std::size_t value_bytes = length_code::read(at);
    const auto* const text = reinterpret_cast<const char*>(at);
    return {{text, field_bytes}, {text + field_bytes, value_bytes}};
}

std::optional<std::string_view> LargeHash::find(std::string_view field) const noexcept {
    const Handle handle = index_.find((*hasher_)(field), field);
    return handle ? std::optional(read(*arena_, handle).value) : std::nullopt;
}

SetOutcome LargeHash::set(std::string_view field, std::string_view value) noexcept {
    const std::uint64_t hash = (*hasher_)(field);
    if (const Handle handle = index_.find(hash, field)) {
        return overwrite(hash, handle, {field, value});
    }
    const auto fresh = element_slot::allocate(*arena_, 0, CompactHash::entry_bytes(field, value));
    if (!fresh.handle) {
        return SetOutcome::kOutOfMemory;
    }
    CompactHash::write_entry(fresh.body, field, value);
    if (!index_.insert(hash, fresh.handle)) {
        element_slot::free(*arena_, fresh.handle, 0);
        return SetOutcome::kOutOfMemory;
    }
    element_bytes_ += element_slot::memory_bytes(*arena_, fresh.handle, 0);
    return SetOutcome::kAdded;
}

SetOutcome LargeHash::overwrite(std::uint64_t hash,
                                Handle handle,
                                const FieldValue& element) noexcept {
    const std::size_t body_bytes = CompactHash::entry_bytes(element.field, element.value);
    if (element_slot::fits(*arena_, handle, 0, body_bytes)) {
        // The field is there already; it moves when the code of the value's length changes its
        // size.
        std::byte* const body = element_slot::body(*arena_, handle, 0);
        const std::string_view present = read(*arena_, handle).field;
        const std::size_t codes_bytes =
            length_code::size_of(element.field.size()) + length_code::size_of(element.value.size());
        std::memmove(body + codes_bytes, present.data(), present.size());
        length_code::write(length_code::write(body, present.size()), element.value.size());
        std::memcpy(
            body + codes_bytes + present.size(), element.value.data(), element.value.size());
        return SetOutcome::kUpdated;
    }
    const auto fresh = element_slot::allocate(*arena_, 0, body_bytes);
    if (!fresh.handle) {
        return SetOutcome::kOutOfMemory;
    }
    CompactHash::write_entry(fresh.body, element.field, element.value);
    TERN_CHECK(index_.replace(hash, handle, fresh.handle));
    element_bytes_ += element_slot::memory_bytes(*arena_, fresh.handle, 0);
    free_element(handle);
    return SetOutcome::kUpdated;
}

bool LargeHash::erase(std::string_view field) noexcept {
    const std::uint64_t hash = (*hasher_)(field);
    const Handle handle = index_.find(hash, field);
    if (!handle) {
        return false;
    }
    TERN_CHECK(index_.erase(hash, handle));
    free_element(handle);
    return true;
}

void LargeHash::free_element(Handle handle) noexcept {
    element_bytes_ -= element_slot::memory_bytes(*arena_, handle, 0);
    element_slot::free(*arena_, handle, 0);
}

FieldValue LargeHash::random(Random& random) const {
    const Handle handle = index_.random_entry([&random] { return random.next(); });
    TERN_CHECK(handle);
    return read(*arena_, handle);
}

bool LargeHash::copy_to(LargeHash& target) const noexcept {
    bool is_complete = true;
    for_each([&](const FieldValue& element) {
        is_complete =
            is_complete && target.set(element.field, element.value) != SetOutcome::kOutOfMemory;
    });
    return is_complete;
}

bool LargeHash::drain(std::size_t budget) noexcept {
    const std::size_t buckets = budget / decltype(index_)::kEntriesPerBucket;
    return index_.drain(std::max<std::size_t>(buckets, 1),
                        [this](Handle handle) { free_element(handle); });
}

}  // namespace tern::store::hashes
