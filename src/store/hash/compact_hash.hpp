#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "store/hash/length_code.hpp"
#include "store/hash/splice.hpp"

namespace tern::store::hashes {

/// A small hash in one run of bytes, fields in the order of their first insertion.
///
///     +---------+---------------------------------------------------+-----
///     | count 2 | field length | value length | field | value       | ...
///     |         |    1, 3 or 5 |   1, 3 or 5  |                     |
///     +---------+---------------------------------------------------+-----
///
/// This is a view; changes are Splices that the owner of the bytes carries out.
///
/// Lifetime: of the bytes.
class CompactHash {
public:
    static constexpr std::size_t kHeaderBytes = 2;
    static constexpr std::size_t kCountMax = UINT16_MAX;

    struct Entry {
        std::size_t offset = 0;      ///< of the entry in the value
        std::size_t size_bytes = 0;  ///< of the entry
        std::string_view field;
        std::string_view value;
    };

    explicit CompactHash(Bytes bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] std::size_t size() const noexcept { return load<std::uint16_t>(bytes_.data()); }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }
    [[nodiscard]] std::optional<Entry> find(std::string_view field) const noexcept;
    /// The entry at place `index`, which is below `size()`; walks from the front.
    [[nodiscard]] Entry at(std::size_t index) const noexcept;

    /// Calls `visit(const Entry&)` for each entry in order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t offset = kHeaderBytes; offset < bytes_.size();) {
            const Entry entry = read(offset);
            visit(entry);
            offset += entry.size_bytes;
        }
    }

    /// The change that adds an entry at the end.
    [[nodiscard]] Splice append(std::string_view field, std::string_view value) const noexcept {
        return {bytes_.size(), 0, entry_bytes(field, value)};
    }
    /// The change that gives an entry another value.
    [[nodiscard]] static Splice overwrite(const Entry& entry, std::string_view value) noexcept {
        return {entry.offset, entry.size_bytes, entry_bytes(entry.field, value)};
    }
    [[nodiscard]] static Splice erase(const Entry& entry) noexcept {
        return {entry.offset, entry.size_bytes, 0};
    }

    [[nodiscard]] static std::size_t entry_bytes(std::string_view field,
                                                 std::string_view value) noexcept {
        return length_code::size_of(field.size()) + length_code::size_of(value.size()) +
               field.size() + value.size();
    }
    /// Writes an entry of `entry_bytes` to `to`.
    static void write_entry(std::byte* to, std::string_view field, std::string_view value) noexcept;
    static void write_count(std::byte* header, std::size_t count) noexcept {
        TERN_CHECK(count <= kCountMax);
        store_value(header, static_cast<std::uint16_t>(count));
    }

    /// Reads the entry at `offset`.
    [[nodiscard]] Entry read(std::size_t offset) const noexcept;

private:
    Bytes bytes_;
};

}  // namespace tern::store::hashes
