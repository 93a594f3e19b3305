#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/sbe/status.hpp>
#include <tern/sbe/values.hpp>
#include <type_traits>

/// Writing: what generated encoders are made of. An encoder's stages are values: each says where it
/// stands and how many entries its open groups have, so that whatever chain of calls reaches the
/// end has described a whole message. A failure is remembered, later calls write nothing.
namespace tern::sbe {

/// Where the next byte of a message goes.
struct EncodeCursor {
    std::byte* begin = nullptr;
    std::byte* at = nullptr;
    std::byte* end = nullptr;
    EncodeStatus status = EncodeStatus::kOk;

    [[nodiscard]] bool ok() const noexcept { return status == EncodeStatus::kOk; }
    void fail(EncodeStatus why) noexcept {
        if (status == EncodeStatus::kOk) {
            status = why;
        }
    }
    /// `length` bytes to write, or null when there is no room or the message has failed before.
    [[nodiscard]] std::byte* claim(std::size_t length) noexcept {
        if (!ok()) {
            return nullptr;
        }
        if (static_cast<std::size_t>(end - at) < length) {
            status = EncodeStatus::kBufferTooShort;
            return nullptr;
        }
        std::byte* claimed = at;
        at += length;
        return claimed;
    }
};

/// A group that is being written: where its dimensions lie and how many entries are complete.
struct OpenGroup {
    std::byte* dimensions = nullptr;
    std::uint32_t count = 0;
};

/// A stage of writing inside `Depth` open groups.
template <std::size_t Depth>
struct WriteState {
    EncodeCursor cursor;
    std::array<OpenGroup, Depth> open{};
};

/// Writes one var data and steps over it.
template <typename Codec, std::size_t Depth>
inline void write_data(WriteState<Depth>& state, Bytes data) noexcept {
    if (data.size() > Codec::kMaxLength) {
        state.cursor.fail(EncodeStatus::kLengthOutOfRange);
        return;
    }
    std::byte* at = state.cursor.claim(Codec::kHeaderBytes + data.size());
    if (at == nullptr) {
        return;
    }
    Codec::store_length(at, data.size());
    if (!data.empty()) {
        std::memcpy(at + Codec::kHeaderBytes, data.data(), data.size());
    }
}

/// Reserves one var data of known length, for the caller to fill; empty after a failure.
template <typename Codec, std::size_t Depth>
[[nodiscard]] inline MutableBytes reserve_data(WriteState<Depth>& state,
                                               std::size_t length_bytes) noexcept {
    if (length_bytes > Codec::kMaxLength) {
        state.cursor.fail(EncodeStatus::kLengthOutOfRange);
        return {};
    }
    std::byte* at = state.cursor.claim(Codec::kHeaderBytes + length_bytes);
    if (at == nullptr) {
        return {};
    }
    Codec::store_length(at, length_bytes);
    return {at + Codec::kHeaderBytes, length_bytes};
}

/// Opens a group one level deeper; its count is written when it is closed.
template <typename Group, std::size_t Depth>
[[nodiscard]] inline WriteState<Depth + 1> open_group(const WriteState<Depth>& state) noexcept {
    WriteState<Depth + 1> opened{state.cursor, {}};
    for (std::size_t level = 0; level < Depth; ++level) {
        opened.open[level] = state.open[level];
    }
    std::byte* dimensions = opened.cursor.claim(Group::Dimensions::kBytes);
    opened.open[Depth] = {dimensions, 0};
    if (dimensions != nullptr) {
        Group::Dimensions::write(
            dimensions, Group::kEntryBlockLength, Group::kGroupCount, Group::kDataCount);
    }
    return opened;
}

/// Closes the innermost group: writes its count.
template <typename Group, std::size_t Depth>
[[nodiscard]] inline WriteState<Depth - 1> close_group(const WriteState<Depth>& state) noexcept {
    WriteState<Depth - 1> closed{state.cursor, {}};
    for (std::size_t level = 0; level + 1 < Depth; ++level) {
        closed.open[level] = state.open[level];
    }
    const OpenGroup& group = state.open[Depth - 1];
    if (group.count < Group::Dimensions::kMinCount) {
        closed.cursor.fail(EncodeStatus::kCountOutOfRange);
    }
    if (group.dimensions != nullptr) {
        Group::Dimensions::write_count(group.dimensions, group.count);
    }
    return closed;
}

/// Claims the block of the innermost group's next entry; null when it does not fit.
template <typename Group, std::size_t Depth>
[[nodiscard]] inline std::byte* claim_entry(WriteState<Depth>& state) noexcept {
    if (state.open[Depth - 1].count >= Group::Dimensions::kMaxCount) {
        state.cursor.fail(EncodeStatus::kCountOutOfRange);
    }
    return state.cursor.claim(Group::kEntryBlockLength);
}

/// The state with the innermost group's entry counted.
template <std::size_t Depth>
[[nodiscard]] inline WriteState<Depth> complete_entry(WriteState<Depth> state) noexcept {
    ++state.open[Depth - 1].count;
    return state;
}

/// Writes text into a character array and zeroes the rest; text that does not fit is an error.
inline void store_text(std::byte* at,
                       std::size_t capacity,
                       std::string_view text,
                       EncodeStatus& status) noexcept {
    if (text.size() > capacity) {
        if (status == EncodeStatus::kOk) {
            status = EncodeStatus::kLengthOutOfRange;
        }
        return;
    }
    if (!text.empty()) {
        std::memcpy(at, text.data(), text.size());
    }
    std::memset(at + text.size(), 0, capacity - text.size());
}

/// Writes numbers into an array and `null` into the elements that they leave; too many is an error.
template <std::endian Order, typename T>
inline void store_array(std::byte* at,
                        std::size_t capacity,
                        std::span<const T> values,
                        std::type_identity_t<T> null,
                        EncodeStatus& status) noexcept {
    if (values.size() > capacity) {
        if (status == EncodeStatus::kOk) {
            status = EncodeStatus::kLengthOutOfRange;
        }
        return;
    }
    for (std::size_t index = 0; index < capacity; ++index) {
        store_value<Order>(at + index * sizeof(T), index < values.size() ? values[index] : null);
    }
}

/// Writes `count` entries through `fill(entry, index)`. With parts of variable length `fill`
/// returns what the entry's last call gave, which only a complete entry has; without, it returns
/// what it likes.
template <typename Group, typename Fill>
[[nodiscard]] inline auto fill_group(Group group, std::size_t count, Fill&& fill) {
    for (std::size_t index = 0; index < count; ++index) {
        auto entry = group.next();
        if constexpr (Group::kEntryHasParts) {
            static_assert(
                std::is_same_v<std::invoke_result_t<Fill&, decltype(entry)&, std::size_t>, Group>,
                "fill returns the result of the entry's last group or var data");
            group = fill(entry, index);
        } else {
            fill(entry, index);
            group = entry.done();
        }
    }
    return group.end();
}

/// The end of writing: what may be asked once every group and var data is written.
class EncodeEnd {
public:
    explicit EncodeEnd(const WriteState<0>& state) noexcept : cursor_(state.cursor) {}

    explicit operator bool() const noexcept { return cursor_.ok(); }
    [[nodiscard]] EncodeStatus encode_status() const noexcept { return cursor_.status; }
    /// Length of the message with its header; 0 after a failure.
    [[nodiscard]] std::size_t encoded_bytes() const noexcept {
        return cursor_.ok() ? static_cast<std::size_t>(cursor_.at - cursor_.begin) : 0;
    }
    /// The message; empty after a failure.
    [[nodiscard]] Bytes message_bytes() const noexcept { return {cursor_.begin, encoded_bytes()}; }

private:
    EncodeCursor cursor_;
};

}  // namespace tern::sbe
