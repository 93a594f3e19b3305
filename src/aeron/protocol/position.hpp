#pragma once

#include <bit>
#include <cstdint>

#include "aeron/protocol/frames.hpp"

/// Where a byte of a stream is, as one number and as term and offset.
///
/// A stream is cut into terms of one length, a power of two. Term ids are 32 bits and wrap; a
/// position counts bytes since the stream's first term and does not.
namespace tern::aeron {

inline constexpr std::int32_t kTermLengthMin = 64 * 1024;
inline constexpr std::int32_t kTermLengthMax = 1024 * 1024 * 1024;
inline constexpr std::int32_t kMtuMax = 65504;
inline constexpr std::int32_t kPartitionCount = 3;

[[nodiscard]] constexpr bool is_valid_term_length(std::int32_t bytes) noexcept {
    return bytes >= kTermLengthMin && bytes <= kTermLengthMax &&
           std::has_single_bit(static_cast<std::uint32_t>(bytes));
}
/// A multiple of the alignment with room for a header and some payload.
[[nodiscard]] constexpr bool is_valid_mtu(std::int32_t bytes) noexcept {
    return bytes > static_cast<std::int32_t>(kDataHeaderBytes) && bytes <= kMtuMax &&
           bytes % kFrameAlignment == 0;
}

/// The longest message: an eighth of a term, at most 16 MiB.
[[nodiscard]] constexpr std::int32_t max_message_bytes(std::int32_t term_length) noexcept {
    constexpr std::int32_t kMessageBytesMax = 16 * 1024 * 1024;
    return term_length / 8 < kMessageBytesMax ? term_length / 8 : kMessageBytesMax;
}
/// The longest payload of one frame.
[[nodiscard]] constexpr std::int32_t max_payload_bytes(std::int32_t mtu) noexcept {
    return mtu - static_cast<std::int32_t>(kDataHeaderBytes);
}
/// What a message of `length` takes of a term, fragments and their headers included.
[[nodiscard]] constexpr std::int64_t fragmented_span_bytes(std::int64_t length,
                                                           std::int32_t max_payload) noexcept {
    constexpr auto kHeader = static_cast<std::int64_t>(kDataHeaderBytes);
    const auto aligned = [](std::int64_t bytes) {
        return (bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
    };
    const std::int64_t full_count = length / max_payload;
    const std::int64_t rest = length % max_payload;
    return full_count * aligned(max_payload + kHeader) +
           (rest > 0 || length == 0 ? aligned(rest + kHeader) : 0);
}

/// How many terms `term_id` is behind the first one, by wrapped difference.
[[nodiscard]] constexpr std::int32_t term_count(std::int32_t term_id,
                                                std::int32_t initial_term_id) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(term_id) -
                                     static_cast<std::uint32_t>(initial_term_id));
}

/// Terms and positions of one stream.
class StreamPositions {
public:
    /// `term_length` is valid.
    constexpr StreamPositions(std::int32_t initial_term_id, std::int32_t term_length) noexcept
        : initial_term_id_(initial_term_id),
          bits_(std::countr_zero(static_cast<std::uint32_t>(term_length))) {}

    [[nodiscard]] constexpr std::int64_t position(std::int32_t term_id,
                                                  std::int32_t term_offset) const noexcept {
        return static_cast<std::int64_t>(
            (static_cast<std::uint64_t>(
                 static_cast<std::int64_t>(term_count(term_id, initial_term_id_)))
             << bits_) +
            static_cast<std::uint64_t>(static_cast<std::int64_t>(term_offset)));
    }
    [[nodiscard]] constexpr std::int32_t term_id(std::int64_t position) const noexcept {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(position >> bits_) +
                                         static_cast<std::uint32_t>(initial_term_id_));
    }
    [[nodiscard]] constexpr std::int32_t term_offset(std::int64_t position) const noexcept {
        return static_cast<std::int32_t>(position & (term_length() - 1));
    }
    /// Which of the three partitions of a log has the position's term.
    [[nodiscard]] constexpr std::int32_t partition(std::int64_t position) const noexcept {
        return static_cast<std::int32_t>((position >> bits_) % kPartitionCount);
    }
    [[nodiscard]] constexpr std::int64_t term_length() const noexcept {
        return std::int64_t{1} << bits_;
    }
    /// Nothing can be published beyond: the term ids would begin anew.
    [[nodiscard]] constexpr std::int64_t max_position() const noexcept {
        return term_length() << 31;
    }

private:
    std::int32_t initial_term_id_;
    int bits_;
};

}  // namespace tern::aeron
