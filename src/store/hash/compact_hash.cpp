#include "store/hash/compact_hash.hpp"

#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store::hashes {

CompactHash::Entry CompactHash::read(std::size_t offset) const noexcept {
    TERN_DCHECK(offset < bytes_.size());
    const std::byte* const begin = bytes_.data() + offset;
    const std::byte* at = begin;
    const std::size_t field_bytes = length_code::read(at);
    const std::size_t value_bytes = length_code::read(at);
    const auto* const text = reinterpret_cast<const char*>(at);
    const std::size_t size_bytes = static_cast<std::size_t>(at - begin) + field_bytes + value_bytes;
    TERN_DCHECK(offset + size_bytes <= bytes_.size());
    return {offset, size_bytes, {text, field_bytes}, {text + field_bytes, value_bytes}};
}

std::optional<CompactHash::Entry> CompactHash::find(std::string_view field) const noexcept {
    for (std::size_t offset = kHeaderBytes; offset < bytes_.size();) {
        const Entry entry = read(offset);
        if (entry.field == field) {
            return entry;
        }
        offset += entry.size_bytes;
    }
    return std::nullopt;
}

CompactHash::Entry CompactHash::at(std::size_t index) const noexcept {
    TERN_CHECK(index < size());
    std::size_t offset = kHeaderBytes;
    for (; index > 0; --index) {
        offset += read(offset).size_bytes;
    }
    return read(offset);
}

void CompactHash::write_entry(std::byte* to,
                              std::string_view field,
                              std::string_view value) noexcept {
    to = length_code::write(to, field.size());
    to = length_code::write(to, value.size());
    std::memcpy(to, field.data(), field.size());
    std::memcpy(to + field.size(), value.data(), value.size());
}

}  // namespace tern::store::hashes
