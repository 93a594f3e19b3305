#include "store/rdb/rdb_reader.hpp"

#include <liblzf/lzf.h>

#include <cmath>
#include <limits>

#include "base/number_text.hpp"

namespace tern::store::rdb {

bool RdbReader::byte(std::uint8_t& value) noexcept {
    if (left() == 0) {
        return false;
    }
    value = std::to_integer<std::uint8_t>(bytes_[at_++]);
    return true;
}

bool RdbReader::raw(std::size_t size_bytes, Bytes& out) noexcept {
    if (left() < size_bytes) {
        return false;
    }
    out = bytes_.subspan(at_, size_bytes);
    at_ += size_bytes;
    return true;
}

bool RdbReader::number(std::uint64_t& value) noexcept {
    Bytes eight;
    if (!raw(8, eight)) {
        return false;
    }
    value = load<std::uint64_t>(eight.data());
    return true;
}

bool RdbReader::number(std::int64_t& value) noexcept {
    std::uint64_t bits = 0;
    const bool is_read = number(bits);
    value = static_cast<std::int64_t>(bits);
    return is_read;
}

bool RdbReader::number(double& value) noexcept {
    std::uint64_t bits = 0;
    const bool is_read = number(bits);
    value = std::bit_cast<double>(bits);
    return is_read;
}

bool RdbReader::length_or_kind(std::uint64_t& value, bool& is_kind) noexcept {
    std::uint8_t first = 0;
    if (!byte(first)) {
        return false;
    }
    is_kind = first >> 6 == kLengthSpecial;
    value = first & 0x3FU;
    Bytes rest;
    switch (first >> 6) {
        case kLength14: {
            std::uint8_t low = 0;
            const bool is_read = byte(low);
            value = value << 8 | low;
            return is_read;
        }
        case kLengthLong:
            if (first == kLength32 && raw(4, rest)) {
                value = load<std::uint32_t, std::endian::big>(rest.data());
                return true;
            }
            if (first == kLength64 && raw(8, rest)) {
                value = load<std::uint64_t, std::endian::big>(rest.data());
                return true;
            }
            return false;
        default:
            return true;
    }
}

bool RdbReader::length(std::uint64_t& value) noexcept {
    bool is_kind = false;
    return length_or_kind(value, is_kind) && !is_kind;
}

bool RdbReader::packed_integer(StringKind kind, RdbText& out) {
    Bytes digits;
    if (!raw(std::size_t{1} << static_cast<unsigned>(kind), digits)) {
        return false;
    }
    std::int64_t value = 0;
    switch (kind) {
        case StringKind::kInt8:
            value = load<std::int8_t>(digits.data());
            break;
        case StringKind::kInt16:
            value = load<std::int16_t>(digits.data());
            break;
        default:
            value = load<std::int32_t>(digits.data());
            break;
    }
    out.buffer_.resize(kInt64TextBytes);
    out.buffer_.resize(format_int64(out.buffer_.data(), value));
    out.view_ = out.buffer_;
    return true;
}

bool RdbReader::compressed(RdbText& out) {
    /// Three bytes of LZF say at most 264 others.
    constexpr std::uint64_t kGrowthMax = 88;
    std::uint64_t packed_bytes = 0;
    std::uint64_t size_bytes = 0;
    Bytes packed;
    if (!length(packed_bytes) || !length(size_bytes) || !raw(packed_bytes, packed) ||
        size_bytes == 0 || size_bytes > packed_bytes * kGrowthMax || size_bytes > INT32_MAX) {
        return false;
    }
    out.buffer_.resize(size_bytes);
    const unsigned written = ::lzf_decompress(packed.data(),
                                              static_cast<unsigned>(packed_bytes),
                                              out.buffer_.data(),
                                              static_cast<unsigned>(size_bytes));
    out.view_ = out.buffer_;
    return written == size_bytes;
}

bool RdbReader::text(RdbText& out) {
    std::uint64_t value = 0;
    bool is_kind = false;
    if (!length_or_kind(value, is_kind)) {
        return false;
    }
    if (!is_kind) {
        Bytes bytes;
        const bool is_read = raw(value, bytes);
        out.view_ = as_text(bytes);
        return is_read;
    }
    if (value == static_cast<std::uint64_t>(StringKind::kLzf)) {
        return compressed(out);
    }
    return value < static_cast<std::uint64_t>(StringKind::kLzf) &&
           packed_integer(static_cast<StringKind>(value), out);
}

bool RdbReader::old_score(double& value) noexcept {
    constexpr std::uint8_t kNotANumber = 253;
    constexpr std::uint8_t kInfinity = 254;
    constexpr std::uint8_t kMinusInfinity = 255;
    std::uint8_t length_bytes = 0;
    Bytes digits;
    if (!byte(length_bytes) || length_bytes == kNotANumber) {
        return false;
    }
    if (length_bytes >= kInfinity) {
        value = std::numeric_limits<double>::infinity();
        value = length_bytes == kMinusInfinity ? -value : value;
        return true;
    }
    return raw(length_bytes, digits) && parse_double(as_text(digits), value) && !std::isnan(value);
}

}  // namespace tern::store::rdb
