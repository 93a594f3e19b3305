#pragma once

#include <cstddef>
#include <cstring>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "store/list/packed_entry.hpp"

namespace tern::store::lists {

/// Packed entries, one behind the other, and how to walk them from both ends.
///
/// Lifetime: a view of the bytes.
class PackedRun {
public:
    explicit PackedRun(Bytes bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }
    /// The entry at `offset`, which is the beginning of one.
    [[nodiscard]] packed_entry::Entry read(std::size_t offset) const noexcept {
        TERN_DCHECK(offset < bytes_.size());
        return packed_entry::read(bytes_.data() + offset);
    }
    /// The beginning of the entry that ends at `offset`.
    [[nodiscard]] std::size_t offset_before(std::size_t offset) const noexcept {
        TERN_DCHECK(offset <= bytes_.size());
        const std::size_t size_bytes = packed_entry::size_before(bytes_.data() + offset);
        TERN_CHECK(size_bytes <= offset);
        return offset - size_bytes;
    }
    /// The beginning of entry `index` of `count`; the end of the run for `index` equal to `count`.
    /// Walks from the nearer end.
    [[nodiscard]] std::size_t offset_of(std::size_t index, std::size_t count) const noexcept {
        TERN_DCHECK(index <= count);
        if (index <= count / 2) {
            std::size_t offset = 0;
            for (; index > 0; --index) {
                offset += read(offset).size_bytes;
            }
            return offset;
        }
        std::size_t offset = bytes_.size();
        for (; index < count; ++index) {
            offset = offset_before(offset);
        }
        return offset;
    }

    /// Calls `visit(Entry)` for `count` entries from `offset` on, forwards, or backwards beginning
    /// with the one that ends at `offset`. Stops when `visit` says false; whether it never did.
    template <typename Visit>
    bool walk(std::size_t offset, std::size_t count, bool backwards, Visit&& visit) const {
        for (; count > 0; --count) {
            if (backwards) {
                offset = offset_before(offset);
            }
            const packed_entry::Entry entry = read(offset);
            if (!visit(entry)) {
                return false;
            }
            offset += backwards ? 0 : entry.size_bytes;
        }
        return true;
    }

    /// How many entries equal `value`.
    [[nodiscard]] std::size_t count_equal(const packed_entry::Value& value) const noexcept {
        std::size_t equal = 0;
        for (std::size_t offset = 0; offset < bytes_.size();) {
            const packed_entry::Entry entry = read(offset);
            equal += entry.equals(value) ? 1 : 0;
            offset += entry.size_bytes;
        }
        return equal;
    }

    /// Takes out of `bytes` the entries that equal `value`: passes `skip` of them and removes the
    /// next `take`. Returns how many bytes are left, at the front.
    static std::size_t remove_equal(MutableBytes bytes,
                                    const packed_entry::Value& value,
                                    std::size_t skip,
                                    std::size_t take) noexcept {
        std::size_t kept_bytes = 0;
        for (std::size_t offset = 0; offset < bytes.size();) {
            const packed_entry::Entry entry = packed_entry::read(bytes.data() + offset);
            const bool equal = entry.equals(value);
            if (equal && skip == 0 && take > 0) {
                --take;
            } else {
                skip -= equal && skip > 0 ? 1 : 0;
                std::memmove(bytes.data() + kept_bytes, bytes.data() + offset, entry.size_bytes);
                kept_bytes += entry.size_bytes;
            }
            offset += entry.size_bytes;
        }
        TERN_CHECK(take == 0);
        return kept_bytes;
    }

private:
    Bytes bytes_;
};

}  // namespace tern::store::lists
