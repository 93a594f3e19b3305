#include "store/rdb/packed_list.hpp"

namespace tern::store::rdb {
namespace {

constexpr std::byte kEnd{0xFF};
constexpr std::size_t kListpackHeadBytes = 6;
constexpr std::size_t kZiplistHeadBytes = 10;
constexpr std::size_t kIntsetHeadBytes = 8;
constexpr std::uint16_t kCountUnknown = 0xFFFF;
constexpr unsigned kLongLength = 254;  ///< ziplist, zipmap: four bytes follow

/// How many bytes say `length` behind an entry of a listpack.
std::size_t back_length_bytes(std::uint64_t length) noexcept {
    std::size_t size_bytes = 1;
    while (length > 127 && size_bytes < 5) {
        length >>= 7;
        ++size_bytes;
    }
    return size_bytes;
}

/// The same, written: seven bits a byte, the highest first, all but the first with a high bit.
void write_back_length(std::byte* to, std::uint64_t length, std::size_t size_bytes) noexcept {
    for (std::size_t i = size_bytes; i-- > 0;) {
        to[i] = static_cast<std::byte>((length & 127) | (i == 0 ? 0U : 128U));
        length >>= 7;
    }
}

bool has_back_length(const std::byte* from, std::uint64_t length, std::size_t size_bytes) noexcept {
    std::byte expected[5];
    write_back_length(expected, length, size_bytes);
    return std::memcmp(from, expected, size_bytes) == 0;
}

/// A little-endian number of 1 to 8 bytes with its sign.
std::int64_t signed_number(const std::byte* from, std::size_t size_bytes) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = size_bytes; i-- > 0;) {
        bits = bits << 8 | std::to_integer<std::uint64_t>(from[i]);
    }
    const auto unused = static_cast<unsigned>(64 - 8 * size_bytes);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

}  // namespace

PackedReader::PackedReader(Form form, Bytes bytes) noexcept : bytes_(bytes), form_(form) {}

/// Checks the head and finds the elements.
bool PackedReader::begin() noexcept {
    const std::byte* const head = bytes_.data();
    switch (form_) {
        case Form::kListpack:
        case Form::kZiplist: {
            at_ = form_ == Form::kListpack ? kListpackHeadBytes : kZiplistHeadBytes;
            if (bytes_.size() <= at_ || load<std::uint32_t>(head) != bytes_.size() ||
                bytes_.back() != kEnd) {
                return false;
            }
            const auto count = load<std::uint16_t>(head + at_ - 2);
            count_is_known_ = count != kCountUnknown;
            count_expected_ = count;
            last_offset_ = form_ == Form::kZiplist ? load<std::uint32_t>(head + 4) : 0;
            break;
        }
        case Form::kZipmap:
            at_ = 1;
            if (bytes_.size() < 2 || bytes_.back() != kEnd) {
                return false;
            }
            count_expected_ = std::to_integer<std::uint64_t>(head[0]) * 2;
            count_is_known_ = std::to_integer<unsigned>(head[0]) < kLongLength;
            break;
        case Form::kIntset: {
            at_ = kIntsetHeadBytes;
            if (bytes_.size() < at_) {
                return false;
            }
            const auto width = load<std::uint32_t>(head);
            count_expected_ = load<std::uint32_t>(head + 4);
            count_is_known_ = true;
            end_ = bytes_.size();
            return (width == 2 || width == 4 || width == 8) && count_expected_ != 0 &&
                   count_expected_ * width == bytes_.size() - at_;
        }
    }
    end_ = bytes_.size() - 1;
    return true;
}

bool PackedReader::next(PackedEntry& out) noexcept {
    if (!has_begun_) {
        has_begun_ = true;
        if (!begin()) {
            end_ = at_ = 0;
            return false;
        }
    } else if (end_ == 0) {
        return false;
    }
    if (at_ == end_) {
        const bool last_is_right = form_ != Form::kZiplist || last_offset_ == end_ - length_before_;
        is_whole_ = last_is_right && (!count_is_known_ || count_ == count_expected_);
        return false;
    }
    bool is_read = false;
    switch (form_) {
        case Form::kListpack:
            is_read = next_listpack(out);
            break;
        case Form::kZiplist:
            is_read = next_ziplist(out);
            break;
        case Form::kZipmap:
            is_read = next_zipmap(out);
            break;
        case Form::kIntset:
            is_read = next_intset(out);
            break;
    }
    end_ = is_read ? end_ : 0;
    ++count_;
    return is_read;
}

bool PackedReader::take_number(std::size_t size_bytes, PackedEntry& out) noexcept {
    if (!has_room(size_bytes)) {
        return false;
    }
    out.set_number(signed_number(bytes_.data() + at_, size_bytes));
    at_ += size_bytes;
    return true;
}

bool PackedReader::take_text(std::uint64_t size_bytes, PackedEntry& out) noexcept {
    if (!has_room(size_bytes)) {
        return false;
    }
    out.text = as_text(bytes_.subspan(at_, size_bytes));
    at_ += size_bytes;
    return true;
}

bool PackedReader::next_listpack(PackedEntry& out) noexcept {
    const std::size_t begin = at_;
    const auto code = std::to_integer<unsigned>(bytes_[at_++]);
    const auto low = has_room(1) ? std::to_integer<unsigned>(bytes_[at_]) : 0U;
    bool is_read = false;
    if (code < 0x80) {
        out.set_number(code);
        is_read = true;
    } else if (code < 0xC0) {
        is_read = take_text(code & 0x3F, out);
    } else if (code < 0xE0) {
        constexpr std::int64_t kSpan = 1 << 13;
        const std::int64_t value = static_cast<std::int64_t>((code & 0x1F) << 8 | low);
        out.set_number(value < kSpan / 2 ? value : value - kSpan);
        is_read = has_room(1);
        at_ += 1;
    } else if (code < 0xF0) {
        is_read = has_room(1);
        at_ += 1;
        is_read = is_read && take_text((code & 0x0F) << 8 | low, out);
    } else if (code == 0xF0) {
        const bool has_length = has_room(4);
        const std::uint64_t length = has_length ? load<std::uint32_t>(bytes_.data() + at_) : 0;
        at_ += has_length ? 4 : 0;
        is_read = has_length && take_text(length, out);
    } else if (code <= 0xF4) {
        constexpr std::array<std::size_t, 4> kNumberBytes = {2, 3, 4, 8};
        is_read = take_number(kNumberBytes[code - 0xF1], out);
    }
    if (!is_read) {
        return false;
    }
    const std::size_t length = at_ - begin;
    const std::size_t back_bytes = back_length_bytes(length);
    if (!has_room(back_bytes) || !has_back_length(bytes_.data() + at_, length, back_bytes)) {
        return false;
    }
    at_ += back_bytes;
    return true;
}

bool PackedReader::next_ziplist(PackedEntry& out) noexcept {
    const std::size_t begin = at_;
    std::uint64_t before = std::to_integer<unsigned>(bytes_[at_++]);
    if (before == kLongLength) {
        if (!has_room(4)) {
            return false;
        }
        before = load<std::uint32_t>(bytes_.data() + at_);
        at_ += 4;
    }
    if (before != length_before_ || !has_room(1) || !ziplist_value(out)) {
        return false;
    }
    length_before_ = at_ - begin;
    return true;
}

/// The code of a ziplist's entry and its data.
bool PackedReader::ziplist_value(PackedEntry& out) noexcept {
    const auto code = std::to_integer<unsigned>(bytes_[at_++]);
    switch (code >> 6) {
        case 0:
            return take_text(code & 0x3F, out);
        case 1: {
            if (!has_room(1)) {
                return false;
            }
            const auto low = std::to_integer<unsigned>(bytes_[at_++]);
            return take_text((code & 0x3F) << 8 | low, out);
        }
        case 2: {
            if (code != 0x80 || !has_room(4)) {
                return false;
            }
            const std::uint64_t length = load<std::uint32_t, std::endian::big>(bytes_.data() + at_);
            at_ += 4;
            return take_text(length, out);
        }
        default:
            break;
    }
    switch (code) {
        case 0xC0:
            return take_number(2, out);
        case 0xD0:
            return take_number(4, out);
        case 0xE0:
            return take_number(8, out);
        case 0xF0:
            return take_number(3, out);
        case 0xFE:
            return take_number(1, out);
        default:
            out.set_number(static_cast<std::int64_t>(code & 0x0F) - 1);
            return code >= 0xF1 && code <= 0xFD;
    }
}

bool PackedReader::next_zipmap(PackedEntry& out) noexcept {
    std::uint64_t length = std::to_integer<unsigned>(bytes_[at_++]);
    if (length == kLongLength) {
        if (!has_room(4)) {
            return false;
        }
        length = load<std::uint32_t>(bytes_.data() + at_);
        at_ += 4;
    } else if (length > kLongLength) {
        return false;
    }
    std::size_t free_bytes = 0;
    if (count_ % 2 == 1) {  // a value
        if (!has_room(1)) {
            return false;
        }
        free_bytes = std::to_integer<std::size_t>(bytes_[at_++]);
    }
    if (!take_text(length, out) || !has_room(free_bytes)) {
        return false;
    }
    at_ += free_bytes;
    return true;
}

bool PackedReader::next_intset(PackedEntry& out) noexcept {
    const auto width = load<std::uint32_t>(bytes_.data());
    const std::int64_t value = signed_number(bytes_.data() + at_, width);
    if (count_ != 0 && value <= number_before_) {
        return false;
    }
    number_before_ = value;
    return take_number(width, out);
}

ListpackBuilder::ListpackBuilder() {
    clear();
}

void ListpackBuilder::clear() {
    sink_.clear();
    static_cast<void>(sink_.reserve(kListpackHeadBytes));
    sink_.advance(kListpackHeadBytes);
    count_ = 0;
}

void ListpackBuilder::end_entry(std::size_t begin) {
    const std::size_t length = sink_.size() - begin;
    const std::size_t back_bytes = back_length_bytes(length);
    write_back_length(reinterpret_cast<std::byte*>(sink_.reserve(back_bytes)), length, back_bytes);
    sink_.advance(back_bytes);
    ++count_;
}

void ListpackBuilder::append(std::int64_t value) {
    const std::size_t begin = sink_.size();
    const auto put = [&](unsigned code, std::size_t size_bytes) {
        char* const to = sink_.reserve(1 + sizeof(value));
        to[0] = static_cast<char>(code);
        store_value(to + 1, value);
        sink_.advance(1 + size_bytes);
    };
    const auto fits = [value](int bits) {
        return value >= -(std::int64_t{1} << bits) && value < std::int64_t{1} << bits;
    };
    if (value >= 0 && value < 128) {
        sink_.append(static_cast<char>(value));
    } else if (fits(12)) {
        const auto low = static_cast<unsigned>(value) & 0x1FFF;
        sink_.append(static_cast<char>(0xC0 | low >> 8));
        sink_.append(static_cast<char>(low & 0xFF));
    } else if (fits(15)) {
        put(0xF1, 2);
    } else if (fits(23)) {
        put(0xF2, 3);
    } else if (fits(31)) {
        put(0xF3, 4);
    } else {
        put(0xF4, 8);
    }
    end_entry(begin);
}

void ListpackBuilder::append_packed(Bytes elements, std::size_t count) {
    sink_.append(as_text(elements));
    count_ += count;
}

void ListpackBuilder::append_all(const ListpackBuilder& other) {
    sink_.append(other.sink_.view().substr(kListpackHeadBytes));
    count_ += other.count_;
}

void ListpackBuilder::append(std::string_view text) {
    std::int64_t value = 0;
    if (parse_int64(text, value)) {
        append(value);
        return;
    }
    const std::size_t begin = sink_.size();
    const auto length = static_cast<unsigned>(text.size());
    if (length < 64) {
        sink_.append(static_cast<char>(0x80 | length));
    } else if (length < 4096) {
        sink_.append(static_cast<char>(0xE0 | length >> 8));
        sink_.append(static_cast<char>(length & 0xFF));
    } else {
        sink_.append(static_cast<char>(0xF0));
        store_value(sink_.reserve(4), length);
        sink_.advance(4);
    }
    sink_.append(text);
    end_entry(begin);
}

std::string_view ListpackBuilder::finish() {
    sink_.append(static_cast<char>(kEnd));
    store_value(sink_.begin(), static_cast<std::uint32_t>(sink_.size()));
    store_value(sink_.begin() + 4,
                static_cast<std::uint16_t>(count_ < kCountUnknown ? count_ : kCountUnknown));
    return sink_.view();
}

}  // namespace tern::store::rdb
