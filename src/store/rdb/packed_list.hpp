#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "base/byte_sink.hpp"
#include "base/number_text.hpp"

/// The packed forms in which Redis writes small collections, all of them read with every byte in
/// doubt. Numbers become text.
///
///     listpack  bytes u32 | count u16 | (code, data, length of both backwards)… | 0xFF
///     ziplist   bytes u32 | last entry u32 | count u16 | (length of the one before, code, data)… |
///     0xFF zipmap    count u8 | (length, key, length, free u8, value, free bytes)… | 0xFF
///     intset    width u32 (2, 4, 8) | count u32 | numbers in order
namespace tern::store::rdb {

/// One element.
///
/// Lifetime: until the next one is read into it, and of the packed bytes.
struct PackedEntry {
    std::string_view text;
    std::array<char, kInt64TextBytes> digits;

    void set_number(std::int64_t value) noexcept {
        text = {digits.data(), format_int64(digits.data(), value)};
    }
};

/// Walks a listpack, ziplist, zipmap or intset. `next` until it says no; then `is_whole` tells
/// whether that was the end or something broken.
class PackedReader {
public:
    enum class Form : std::uint8_t { kListpack, kZiplist, kZipmap, kIntset };

    PackedReader(Form form, Bytes bytes) noexcept;

    [[nodiscard]] bool next(PackedEntry& out) noexcept;
    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

private:
    [[nodiscard]] bool begin() noexcept;
    [[nodiscard]] bool has_room(std::size_t size_bytes) const noexcept {
        return end_ - at_ >= size_bytes;
    }
    [[nodiscard]] bool next_listpack(PackedEntry& out) noexcept;
    [[nodiscard]] bool next_ziplist(PackedEntry& out) noexcept;
    [[nodiscard]] bool ziplist_value(PackedEntry& out) noexcept;
    [[nodiscard]] bool next_zipmap(PackedEntry& out) noexcept;
    [[nodiscard]] bool next_intset(PackedEntry& out) noexcept;
    [[nodiscard]] bool take_number(std::size_t size_bytes, PackedEntry& out) noexcept;
    [[nodiscard]] bool take_text(std::uint64_t size_bytes, PackedEntry& out) noexcept;

    Bytes bytes_;
    Form form_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;  ///< of the elements, where the end marker is
    std::uint64_t count_ = 0;
    std::uint64_t count_expected_ = 0;
    bool count_is_known_ = false;
    bool has_begun_ = false;
    bool is_whole_ = false;
    std::size_t length_before_ = 0;  ///< ziplist: of the entry before
    std::size_t last_offset_ = 0;    ///< ziplist: where the last entry shall begin
    std::int64_t number_before_ = 0;
};

/// Builds a listpack.
class ListpackBuilder {
public:
    ListpackBuilder();

    /// A string, kept as a number where it is one.
    void append(std::string_view text);
    void append(std::int64_t value);
    /// `count` elements that are packed already.
    void append_packed(Bytes elements, std::size_t count);
    /// The elements of another one that is not finished.
    void append_all(const ListpackBuilder& other);
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return sink_.size(); }
    /// Writes the end and the head, and returns all; `clear` begins anew.
    [[nodiscard]] std::string_view finish();
    void clear();

private:
    void end_entry(std::size_t begin);

    BufferSink sink_;
    std::size_t count_ = 0;
};

}  // namespace tern::store::rdb
