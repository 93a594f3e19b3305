#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "store/hash/length_code.hpp"
#include "store/hash/splice.hpp"

namespace tern::store::sets {

/// A small set of texts in one run of bytes, in the order of their insertion.
///
///     +--------+---------+-----------------------+-----
///     | zero 1 | count 2 | length 1 to 5 | text  | ...
///     +--------+---------+-----------------------+-----
///
/// The zero tells it from an IntegerSet. This is a view; changes are Splices that the owner of the
/// bytes carries out.
///
/// Lifetime: of the bytes.
class PackedSet {
public:
    static constexpr std::size_t kHeaderBytes = 3;
    static constexpr std::size_t kCountMax = UINT16_MAX;

    struct Entry {
        std::size_t offset = 0;      ///< of the entry in the value
        std::size_t size_bytes = 0;  ///< of the entry
        std::string_view text;
    };

    explicit PackedSet(Bytes bytes) noexcept : bytes_(bytes) {}

    /// Whether the bytes of a compact set are a PackedSet; an IntegerSet otherwise.
    [[nodiscard]] static bool is_packed(Bytes bytes) noexcept { return bytes[0] == std::byte{0}; }

    [[nodiscard]] std::size_t size() const noexcept {
        return load<std::uint16_t>(bytes_.data() + 1);
    }
    [[nodiscard]] std::optional<Entry> find(std::string_view text) const noexcept;
    /// The entry at place `index`, which is below `size()`; walks from the front.
    [[nodiscard]] Entry at(std::size_t index) const noexcept;
    /// Reads the entry at `offset`.
    [[nodiscard]] Entry read(std::size_t offset) const noexcept;

    /// Calls `visit(const Entry&)` for each entry in order until it returns false.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t offset = kHeaderBytes; offset < bytes_.size();) {
            const Entry entry = read(offset);
            if (!visit(entry)) {
                return;
            }
            offset += entry.size_bytes;
        }
    }

    /// The change that adds an entry at the end.
    [[nodiscard]] Splice append(std::string_view text) const noexcept {
        return {bytes_.size(), 0, entry_bytes(text.size())};
    }
    [[nodiscard]] static Splice erase(const Entry& entry) noexcept {
        return {entry.offset, entry.size_bytes, 0};
    }

    [[nodiscard]] static std::size_t entry_bytes(std::size_t text_bytes) noexcept {
        return length_code::size_of(text_bytes) + text_bytes;
    }
    /// Writes an entry of `entry_bytes` to `to` and returns the first byte behind it.
    static std::byte* write_entry(std::byte* to, std::string_view text) noexcept {
        to = length_code::write(to, text.size());
        std::memcpy(to, text.data(), text.size());
        return to + text.size();
    }
    static void write_header(std::byte* header, std::size_t count) noexcept {
        TERN_CHECK(count <= kCountMax);
        *header = std::byte{0};
        store_value(header + 1, static_cast<std::uint16_t>(count));
    }

private:
    Bytes bytes_;
};

}  // namespace tern::store::sets
