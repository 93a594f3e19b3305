#include "store/rdb/rdb_writer.hpp"

#include <liblzf/lzf.h>

#include <limits>

#include "base/number_text.hpp"

namespace tern::store::rdb {
namespace {

template <typename T>
constexpr bool fits(std::int64_t value) noexcept {
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

constexpr std::uint8_t special(StringKind kind) noexcept {
    return static_cast<std::uint8_t>(kLengthSpecial << 6 | static_cast<unsigned>(kind));
}

}  // namespace

void RdbWriter::length(std::uint64_t value) {
    if (value < 1U << 6) {
        byte(static_cast<std::uint8_t>(value));
    } else if (value < 1U << 14) {
        byte(static_cast<std::uint8_t>(kLength14 << 6 | value >> 8));
        byte(static_cast<std::uint8_t>(value & 0xFF));
    } else if (value <= UINT32_MAX) {
        byte(kLength32);
        store_value<std::endian::big>(room(4), static_cast<std::uint32_t>(value));
        sink_.advance(4);
    } else {
        byte(kLength64);
        store_value<std::endian::big>(room(8), value);
        sink_.advance(8);
    }
}

void RdbWriter::number(std::uint64_t value) {
    store_value(room(8), value);
    sink_.advance(8);
}

void RdbWriter::number(double value) {
    store_value(room(8), value);
    sink_.advance(8);
}

bool RdbWriter::try_integer(std::string_view text) {
    constexpr std::size_t kTextBytesMax = 11;  // "-2147483648"
    std::int64_t value = 0;
    if (text.size() > kTextBytesMax || !parse_int64(text, value)) {
        return false;
    }
    if (fits<std::int8_t>(value)) {
        byte(special(StringKind::kInt8));
        byte(static_cast<std::uint8_t>(value));
    } else if (fits<std::int16_t>(value)) {
        byte(special(StringKind::kInt16));
        store_value(room(2), static_cast<std::int16_t>(value));
        sink_.advance(2);
    } else if (fits<std::int32_t>(value)) {
        byte(special(StringKind::kInt32));
        store_value(room(4), static_cast<std::int32_t>(value));
        sink_.advance(4);
    } else {
        return false;
    }
    return true;
}

/// Writes the compressed form where it is shorter.
bool RdbWriter::try_compressed(std::string_view text) {
    constexpr std::size_t kTextBytesMin = 21;
    constexpr std::size_t kSavedBytesMin = 4;
    if (!compresses_ || text.size() < kTextBytesMin || text.size() > UINT32_MAX) {
        return false;
    }
    BufferSink packed;
    const auto limit = static_cast<unsigned>(text.size() - kSavedBytesMin);
    const unsigned packed_bytes = ::lzf_compress(
        text.data(), static_cast<unsigned>(text.size()), packed.reserve(limit), limit);
    if (packed_bytes == 0) {
        return false;
    }
    packed.advance(packed_bytes);
    byte(special(StringKind::kLzf));
    length(packed_bytes);
    length(text.size());
    sink_.append(packed.view());
    return true;
}

void RdbWriter::text(std::string_view text) {
    if (!try_integer(text) && !try_compressed(text)) {
        length(text.size());
        sink_.append(text);
    }
}

}  // namespace tern::store::rdb
