#include "store/set/packed_set.hpp"

namespace tern::store::sets {

PackedSet::Entry PackedSet::read(std::size_t offset) const noexcept {
    TERN_DCHECK(offset < bytes_.size());
    const std::byte* const begin = bytes_.data() + offset;
    const std::byte* at = begin;
    const std::size_t text_bytes = length_code::read(at);
    const std::size_t size_bytes = static_cast<std::size_t>(at - begin) + text_bytes;
    TERN_DCHECK(offset + size_bytes <= bytes_.size());
    return {offset, size_bytes, as_text({at, text_bytes})};
}

std::optional<PackedSet::Entry> PackedSet::find(std::string_view text) const noexcept {
    for (std::size_t offset = kHeaderBytes; offset < bytes_.size();) {
        const Entry entry = read(offset);
        if (entry.text == text) {
            return entry;
        }
        offset += entry.size_bytes;
    }
    return std::nullopt;
}

PackedSet::Entry PackedSet::at(std::size_t index) const noexcept {
    TERN_CHECK(index < size());
    std::size_t offset = kHeaderBytes;
    for (; index > 0; --index) {
        offset += read(offset).size_bytes;
    }
    return read(offset);
}

}  // namespace tern::store::sets
