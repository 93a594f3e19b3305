#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "transport/ring/direction.hpp"
#include "transport/ring/layout.hpp"

namespace tern::transport {

/// What is wrong with a ring that a peer wrote. The text of each is in `to_string`.
enum class RingCorruption : std::uint8_t {
    kNone,
    kUnknownKind,     ///< a kind or a flag that version 1 does not know
    kReservedBits,    ///< the reserved half-word is not zero
    kLengthOverflow,  ///< longer than the largest record
    kBeyondEnd,       ///< runs over the end of the data
    kBadPad,          ///< a pad that does not end at the end, begins at place 0 or has flags
};

[[nodiscard]] constexpr const char* to_string(RingCorruption corruption) noexcept {
    constexpr const char* kTexts[] = {
        "no error",
        "unknown record kind or flag",
        "reserved bits of a record header are not zero",
        "record longer than the largest record",
        "record runs over the end of the ring",
        "pad record that does not end at the end of the ring",
    };
    return kTexts[static_cast<std::size_t>(corruption)];
}

enum class PeekStatus : std::uint8_t { kNone, kRecord, kCorrupt };

/// A record in the ring, in place.
///
/// Lifetime: until `consume`. A hostile peer can change the payload while it is looked at: read
/// each
///           byte that a decision depends on once, or copy first. The length and flags are copies.
struct [[nodiscard]] RingRecord {
    const std::byte* data = nullptr;
    std::uint32_t length_bytes = 0;
    PeekStatus status = PeekStatus::kNone;
    std::uint8_t kind = 0;
    std::uint8_t flags = 0;

    explicit operator bool() const noexcept { return status == PeekStatus::kRecord; }
    [[nodiscard]] Bytes payload() const noexcept { return {data, length_bytes}; }
};

/// Reads records from one direction of a ring.
///
/// Threads:    one thread at a time in one process; the peer's producer runs beside it.
/// Invariants: - `position_` is where the next header comes, on a line.
///             - No byte outside [data_, data_ + capacity_) is read, whatever the peer writes.
///             - position_ - published_ < credit_step_bytes(capacity_) after every `consume`.
class RingConsumer {
public:
    RingConsumer() = default;
    explicit RingConsumer(const RingDirection& direction) noexcept
        : data_(direction.data),
          own_(direction.own_line),
          peer_(direction.peer_line),
          capacity_(direction.capacity_bytes),
          max_record_(transport::max_record_bytes(direction.capacity_bytes)),
          peer_can_sleep_(direction.peer_can_sleep) {
        TERN_CHECK(is_valid_ring_capacity(capacity_));
    }

    /// The next record, none, or kCorrupt for good when the peer wrote what no producer writes.
    ///
    /// Threads:  never blocks, allocates or calls the kernel.
    RingRecord peek() noexcept {
        const std::uint64_t offset = position_ & (capacity_ - 1);
        // acquire: pairs with the release in RingProducer::publish; the payload is visible before
        // the header. The only read of the header: length, kind and flags below come from it.
        const std::uint64_t header =
            detail::ring_word(data_ + offset).load(std::memory_order_acquire);
        if (header == 0) {
            return {nullptr, 0, idle_status_, 0, 0};
        }
        constexpr std::uint64_t kWordMask = ~(std::uint64_t{kRecordWhole} << 40 | 0xFFFF'FFFF);
        const std::uint64_t length = header & 0xFFFF'FFFF;
        const std::uint64_t room = std::min(capacity_ - offset, max_record_);
        if ((header & kWordMask) != std::uint64_t{kRecordData} << 32 ||
            length + kRecordHeaderBytes > room) [[unlikely]] {
            return peek_unusual(header);
        }
        record_bytes_ = record_bytes(length);
        return {data_ + offset + kRecordHeaderBytes,
                static_cast<std::uint32_t>(length),
                PeekStatus::kRecord,
                kRecordData,
                static_cast<std::uint8_t>(header >> 40)};
    }

    /// Gives the record of the last `peek` back. Publishes the credit once in a while;
    /// `take_space_wakeup` tells afterwards whether the peer has to be woken for it.
    void consume() noexcept {
        TERN_DCHECK(record_bytes_ != 0);
        position_ += record_bytes_;
        record_bytes_ = 0;
        if (position_ - published_ >= credit_step_bytes(capacity_)) [[unlikely]] {
            publish_position();
        }
    }

    /// Publishes everything consumed so far as credit. Never needed for progress; it makes the most
    /// room for a peer that is about to write a lot.
    void flush_credit() noexcept {
        if (published_ != position_) {
            publish_position();
        }
    }

    /// True once after a publication of credit that a sleeping peer was waiting for: ring its
    /// doorbell. Reads no shared memory.
    [[nodiscard]] bool take_space_wakeup() noexcept {
        const bool is_needed = wake_peer_;
        wake_peer_ = false;
        return is_needed;
    }

    /// Announces that this side is going to sleep until there is a record. True: sleep until the
    /// doorbell, then `cancel_wait` and look. False: do not sleep, there is something to look at.
    [[nodiscard]] bool prepare_wait() noexcept {
        flush_credit();
        // relaxed: ordered by the fence below; the peer clears it.
        std::atomic_ref<std::uint32_t>(own_->waiting)
            .fetch_or(kWaitingForData, std::memory_order_relaxed);
        // seq_cst fence: our flag is before our load of the header. Pairs with the fence in
        // RingProducer::needs_wakeup.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        // relaxed: only whether it is zero counts; peek() loads it again with acquire.
        const bool is_empty = detail::ring_word(data_ + (position_ & (capacity_ - 1)))
                                  .load(std::memory_order_relaxed) == 0;
        if (is_empty && idle_status_ == PeekStatus::kNone) {
            return true;
        }
        cancel_wait();
        return false;
    }

    /// Takes the announcement back; call after waking for whatever reason.
    void cancel_wait() noexcept {
        // relaxed: a doorbell that is on its way already is harmless.
        std::atomic_ref<std::uint32_t>(own_->waiting)
            .fetch_and(~kWaitingForData, std::memory_order_relaxed);
    }

    [[nodiscard]] RingCorruption corruption() const noexcept { return corruption_; }
    /// Bytes of ring consumed since the beginning; the place of a corrupt record.
    [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
    [[nodiscard]] std::size_t capacity_bytes() const noexcept { return capacity_; }

private:
    /// A pad, which is skipped, or an error. After a pad comes offset 0, where no pad is valid, so
    /// this recurses once at most.
    [[gnu::noinline]] RingRecord peek_unusual(std::uint64_t header) noexcept {
        if (idle_status_ == PeekStatus::kCorrupt) {
            return {nullptr, 0, PeekStatus::kCorrupt, 0, 0};
        }
        const RingCorruption found = diagnose(header);
        if (found != RingCorruption::kNone) {
            corruption_ = found;
            idle_status_ = PeekStatus::kCorrupt;
            max_record_ = 0;  // no later header passes peek()
            return {nullptr, 0, PeekStatus::kCorrupt, 0, 0};
        }
        record_bytes_ = capacity_ - (position_ & (capacity_ - 1));
        consume();
        return peek();
    }

    /// kNone for a proper pad; a data header comes here only when something is wrong with it.
    [[nodiscard]] RingCorruption diagnose(std::uint64_t header) const noexcept {
        const std::uint64_t length = header & 0xFFFF'FFFF;
        const auto kind = static_cast<std::uint8_t>(header >> 32);
        const auto flags = static_cast<std::uint8_t>(header >> 40);
        const std::uint64_t tail = capacity_ - (position_ & (capacity_ - 1));
        if (header >> 48 != 0) {
            return RingCorruption::kReservedBits;
        }
        if (kind == kRecordPad) {
            const bool is_proper =
                flags == 0 && length + kRecordHeaderBytes == tail && tail < capacity_;
            return is_proper ? RingCorruption::kNone : RingCorruption::kBadPad;
        }
        if (kind != kRecordData || (flags & ~kRecordWhole) != 0) {
            return RingCorruption::kUnknownKind;
        }
        return length + kRecordHeaderBytes > max_record_ ? RingCorruption::kLengthOverflow
                                                         : RingCorruption::kBeyondEnd;
    }

    [[gnu::noinline]] void publish_position() noexcept {
        // release: our reads below the position are done before the producer overwrites them. Pairs
        // with the acquire in RingProducer::refresh_credit.
        std::atomic_ref<std::uint64_t>(own_->consumer_position)
            .store(position_, std::memory_order_release);
        published_ = position_;
        if (!peer_can_sleep_) {
            return;
        }
        // seq_cst fence: our credit is before our load of the flag. Pairs with the fence in
        // RingProducer::prepare_wait_for_space.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const std::atomic_ref<std::uint32_t> waiting(peer_->waiting);
        // relaxed, both: ordered by the fence; the doorbell orders what follows.
        if ((waiting.load(std::memory_order_relaxed) & kWaitingForSpace) != 0 &&
            (waiting.fetch_and(~kWaitingForSpace, std::memory_order_relaxed) & kWaitingForSpace) !=
                0) {
            wake_peer_ = true;
        }
    }

    std::byte* data_ = nullptr;
    SideLine* own_ = nullptr;
    SideLine* peer_ = nullptr;
    std::uint64_t capacity_ = 0;
    std::uint64_t max_record_ = 0;
    std::uint64_t position_ = 0;
    std::uint64_t published_ = 0;
    std::uint64_t record_bytes_ = 0;  ///< of the record that peek() returned
    PeekStatus idle_status_ = PeekStatus::kNone;
    RingCorruption corruption_ = RingCorruption::kNone;
    bool peer_can_sleep_ = true;
    bool wake_peer_ = false;
};

}  // namespace tern::transport
