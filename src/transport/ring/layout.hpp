#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tern/base/bytes.hpp>

/// The shared memory of a ring, version 1. The page docs/formats/ring.md says the same in words.
///
///     0        header page: RingHeader, written once by the server before anyone else sees it
///     256      SideLine, written by the server (both sides may clear bits of `waiting`)
///     384      SideLine, written by the client (likewise)
///     4096     request data: client -> server, a power of two
///     …        reply data:   server -> client, a power of two
///
///     record   0               4      5       6        8                    8 + length
///              +---------------+------+-------+--------+---------------------+---------+
///              | length u32    | kind | flags | 0 u16  | payload             | padding |
///              +---------------+------+-------+--------+---------------------+---------+
///              ^ on a line; the first 8 bytes are one atomic word             to a line ^
///
/// All numbers are little-endian; both sides run on one machine, which is little-endian.
namespace tern::transport {

static_assert(std::endian::native == std::endian::little);
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

inline constexpr std::uint32_t kRingVersion = 1;
inline constexpr std::size_t kRingLineBytes = kCacheLineBytes;
inline constexpr std::size_t kRingHeaderPageBytes = 4096;
inline constexpr std::size_t kRingServerLineOffset = 256;
inline constexpr std::size_t kRingClientLineOffset = 384;

inline constexpr std::size_t kRingCapacityBytesMin = 4096;
inline constexpr std::size_t kRingCapacityBytesMax = std::size_t{64} << 20;
/// Holds one 64 KiB value in one record (3/8 of it), and four thousand one-line messages.
inline constexpr std::size_t kRingCapacityBytesDefault = std::size_t{256} << 10;

/// The longest message that fragments may add up to: Redis's bulk limit, and room for its frame.
inline constexpr std::size_t kRingMessageBytesMax =
    (std::size_t{512} << 20) + (std::size_t{64} << 10);

/// How a side waits for the other one. Told once, at the handshake.
enum class WaitPolicy : std::uint8_t {
    kSpin = 0,      ///< never sleeps: the peer may skip the wake-up check
    kAdaptive = 1,  ///< polls for a budget, then sleeps until the doorbell
    kBlock = 2,     ///< sleeps whenever there is nothing to do
};

/// What the records of a ring carry.
enum class RingProtocol : std::uint8_t { kResp = 1, kSbe = 2 };

/// A side of the ring.
enum class RingSide : std::uint8_t { kServer, kClient };

/// The configuration, at offset 0. Each side copies what it needs once and never reads it again,
/// because the peer can write here.
struct RingHeader {
    std::array<char, 8> magic;  ///< kRingMagic
    std::uint32_t version;
    std::uint32_t header_page_bytes;
    std::uint64_t instance_id;  ///< random, not 0; the same as in the handshake's answer
    std::uint64_t total_bytes;  ///< size of the whole memory
    std::uint64_t request_offset;
    std::uint64_t request_capacity_bytes;
    std::uint64_t reply_offset;
    std::uint64_t reply_capacity_bytes;
    std::uint32_t line_bytes;  ///< alignment of records
    std::uint8_t protocol;     ///< RingProtocol
    std::uint8_t client_policy;
    std::uint8_t server_policy;
    std::uint8_t reserved;
};
static_assert(offsetof(RingHeader, magic) == 0);
static_assert(offsetof(RingHeader, version) == 8);
static_assert(offsetof(RingHeader, header_page_bytes) == 12);
static_assert(offsetof(RingHeader, instance_id) == 16);
static_assert(offsetof(RingHeader, total_bytes) == 24);
static_assert(offsetof(RingHeader, request_offset) == 32);
static_assert(offsetof(RingHeader, request_capacity_bytes) == 40);
static_assert(offsetof(RingHeader, reply_offset) == 48);
static_assert(offsetof(RingHeader, reply_capacity_bytes) == 56);
static_assert(offsetof(RingHeader, line_bytes) == 64);
static_assert(offsetof(RingHeader, protocol) == 68);
static_assert(offsetof(RingHeader, client_policy) == 69);
static_assert(offsetof(RingHeader, server_policy) == 70);
static_assert(sizeof(RingHeader) == 72 && sizeof(RingHeader) <= kRingServerLineOffset);

/// What one side tells the other, in a line of its own. Accessed through std::atomic_ref only.
/// 128 bytes apart, so that neither false sharing nor the adjacent-line prefetcher joins the sides.
struct alignas(128) SideLine {
    std::uint64_t consumer_position;  ///< bytes consumed of the ring this side reads: the credit
    std::uint32_t waiting;            ///< kWaiting… bits: this side sleeps until the doorbell
    std::uint32_t state;              ///< kSideOpen, or kSideClosed after an orderly end
};
static_assert(offsetof(SideLine, consumer_position) == 0);
static_assert(offsetof(SideLine, waiting) == 8);
static_assert(offsetof(SideLine, state) == 12);
static_assert(sizeof(SideLine) == 128);
static_assert(kRingClientLineOffset - kRingServerLineOffset == sizeof(SideLine));

inline constexpr std::uint32_t kWaitingForData = 1;   ///< wake me when you commit a record
inline constexpr std::uint32_t kWaitingForSpace = 2;  ///< wake me when you publish credit
inline constexpr std::uint32_t kSideOpen = 0;
inline constexpr std::uint32_t kSideClosed = 1;

inline constexpr std::size_t kRecordHeaderBytes = 8;
/// The longest payload that travels in one line.
inline constexpr std::size_t kRecordInlineBytes = kRingLineBytes - kRecordHeaderBytes;

inline constexpr std::uint8_t kRecordPad = 1;   ///< go on at place 0; length: the rest; flags 0
inline constexpr std::uint8_t kRecordData = 2;  ///< a message or a fragment of one

inline constexpr std::uint8_t kRecordBegin = 0x80;  ///< first fragment of a message
inline constexpr std::uint8_t kRecordEnd = 0x40;    ///< last fragment of a message
inline constexpr std::uint8_t kRecordWhole = kRecordBegin | kRecordEnd;

/// The 64-bit header word; never 0 for a record.
[[nodiscard]] constexpr std::uint64_t make_record_header(std::uint32_t length_bytes,
                                                         std::uint8_t kind,
                                                         std::uint8_t flags) noexcept {
    return std::uint64_t{length_bytes} | std::uint64_t{kind} << 32 | std::uint64_t{flags} << 40;
}

/// Bytes of ring that a payload takes, with its header and padding.
[[nodiscard]] constexpr std::uint64_t record_bytes(std::uint64_t length_bytes) noexcept {
    return align_up(length_bytes + kRecordHeaderBytes, std::uint64_t{kRingLineBytes});
}

/// The largest record: 3/8 of the capacity. See "Why it cannot dead-lock" in docs/formats/ring.md.
[[nodiscard]] constexpr std::uint64_t max_record_bytes(std::uint64_t capacity_bytes) noexcept {
    return capacity_bytes / 8 * 3;
}

/// The longest payload that a producer stages in private memory: sixteen lines, whose copy costs
/// less than one hand-off of a line between cores.
inline constexpr std::size_t kRingStageBytes = 16 * kRingLineBytes - kRecordHeaderBytes;

/// Copies the payload of a record, or what will be one. Up to kRingStageBytes it copies whole lines
/// in constant pieces, which costs less than a call of memcpy; so both sides need room up to the
/// end of the payload's last line, as in the ring.
inline void copy_payload(std::byte* to, const std::byte* from, std::size_t length_bytes) noexcept {
    if (length_bytes > kRingStageBytes) {
        std::memcpy(to, from, length_bytes);
        return;
    }
    std::memcpy(to, from, kRecordInlineBytes);
    for (std::size_t at = kRecordInlineBytes; at < length_bytes; at += kRingLineBytes) {
        std::memcpy(to + at, from + at, kRingLineBytes);
    }
}

/// A producer whose consumer keeps up begins again at place 0 after this many bytes, so that the
/// lines in use stay in both cores' innermost caches. Measured: docs/decisions/ring-laps.md.
inline constexpr std::uint64_t kRingLapBytes = 4096;

/// A consumer publishes its position when it is this far ahead of what it published.
[[nodiscard]] constexpr std::uint64_t credit_step_bytes(std::uint64_t capacity_bytes) noexcept {
    return std::min(capacity_bytes / 4, kRingLapBytes / 2);
}

[[nodiscard]] constexpr bool is_valid_ring_capacity(std::uint64_t capacity_bytes) noexcept {
    return std::has_single_bit(capacity_bytes) && capacity_bytes >= kRingCapacityBytesMin &&
           capacity_bytes <= kRingCapacityBytesMax;
}

/// Where the two directions lie; everything follows from their capacities.
struct RingGeometry {
    std::uint64_t request_capacity_bytes = 0;
    std::uint64_t reply_capacity_bytes = 0;

    [[nodiscard]] constexpr std::uint64_t request_offset() const noexcept {
        return kRingHeaderPageBytes;
    }
    [[nodiscard]] constexpr std::uint64_t reply_offset() const noexcept {
        return request_offset() + request_capacity_bytes;
    }
    [[nodiscard]] constexpr std::uint64_t total_bytes() const noexcept {
        return reply_offset() + reply_capacity_bytes;
    }
};

}  // namespace tern::transport
