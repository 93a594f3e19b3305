#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tern/base/check.hpp>
#include <utility>

#include "transport/ring/direction.hpp"
#include "transport/ring/layout.hpp"

namespace tern::transport {

/// Why a claim was refused.
enum class ClaimStatus : std::uint8_t {
    kClaimed,
    kBackPressured,  ///< the consumer has not freed enough: try later
    kTooLong,        ///< more than max_payload_bytes(): fragment it (MessageWriter)
    kCorrupt,        ///< the consumer published an impossible position: drop the peer
};

/// Writable memory for one record, or the reason there is none.
struct [[nodiscard]] RingClaim {
    std::byte* data = nullptr;
    std::size_t capacity_bytes = 0;  ///< at least what was asked for
    ClaimStatus status = ClaimStatus::kBackPressured;

    explicit operator bool() const noexcept { return status == ClaimStatus::kClaimed; }
};

/// Writes records into one direction of a ring.
///
/// Threads:    one thread at a time in one process; the peer's consumer runs beside it.
/// Invariants: - `position_` is where the next header goes, on a line.
///             - Before a header becomes visible, the word at the next header's place is zero.
///             - position_ + one spare line <= limit_, unless the peer lied about its position.
class RingProducer {
public:
    RingProducer() = default;
    explicit RingProducer(const RingDirection& direction) noexcept
        : data_(direction.data),
          own_(direction.own_line),
          peer_(direction.peer_line),
          capacity_(direction.capacity_bytes),
          max_record_(transport::max_record_bytes(direction.capacity_bytes)),
          limit_(direction.capacity_bytes),
          peer_can_sleep_(direction.peer_can_sleep) {
        TERN_CHECK(is_valid_ring_capacity(capacity_));
    }

    /// Reserves room for one record of at least `min_bytes` of payload; hands out more when the
    /// ring has more in one piece, up to max_payload_bytes().
    ///
    /// Errors:   see ClaimStatus.
    /// Threads:  never blocks, allocates or calls the kernel.
    /// Lifetime: until `commit` or the next `try_claim`; a second claim without a commit replaces
    /// the
    ///           first. What was written under the first stays readable until the next commit, so a
    ///           claim grows by claiming more and moving the bytes.
    RingClaim try_claim(std::size_t min_bytes) noexcept {
        if (min_bytes > max_payload_bytes()) [[unlikely]] {
            return {nullptr, 0, ClaimStatus::kTooLong};
        }
        is_staged_ = false;
        const std::uint64_t record = record_bytes(min_bytes);
        const std::uint64_t tail = capacity_ - offset_of(position_);
        const std::uint64_t pad = record > tail ? tail : 0;
        if (position_ + pad + record + kRingLineBytes > limit_) [[unlikely]] {
            const ClaimStatus status = refresh_credit(pad + record);
            if (status != ClaimStatus::kClaimed) {
                return {nullptr, 0, status};
            }
        }
        if (pad != 0) [[unlikely]] {
            publish_pad(pad);
        }
        const std::uint64_t offset = offset_of(position_);
        const std::uint64_t room =
            std::min({limit_ - kRingLineBytes - position_, capacity_ - offset, max_record_});
        claimed_bytes_ = room - kRecordHeaderBytes;
        return {data_ + offset + kRecordHeaderBytes, claimed_bytes_, ClaimStatus::kClaimed};
    }

    /// As `try_claim`, but hands out private memory, at most kRingStageBytes, which `commit` copies
    /// into the ring (a longer `min_bytes` is claimed in place).
    ///
    /// For small messages that take a while to encode: a consumer that polls the line takes it away
    /// after each store, and one burst of stores costs less than two hand-offs. Bench: "in place".
    ///
    /// Lifetime: as `try_claim`, and the producer must not be moved meanwhile.
    RingClaim try_stage(std::size_t min_bytes) noexcept {
        RingClaim claim = try_claim(min_bytes);
        if (claim && min_bytes <= kRingStageBytes) [[likely]] {
            claimed_bytes_ = std::min(claimed_bytes_, std::uint64_t{kRingStageBytes});
            is_staged_ = true;
            return {stage_.data(), claimed_bytes_, ClaimStatus::kClaimed};
        }
        return claim;
    }

    /// Publishes the first `length_bytes` of the open claim as one record.
    ///
    /// The peer is not woken here: call `needs_wakeup()` once after a batch.
    void commit(std::size_t length_bytes,
                std::uint8_t flags = kRecordWhole,
                std::uint8_t kind = kRecordData) noexcept {
        TERN_CHECK(length_bytes <= claimed_bytes_);
        TERN_DCHECK(kind != 0 && kind != kRecordPad);
        claimed_bytes_ = 0;
        publish(static_cast<std::uint32_t>(length_bytes),
                kind,
                flags,
                std::exchange(is_staged_, false));
    }

    /// Gives the open claim back; nothing becomes visible.
    void abort() noexcept {
        claimed_bytes_ = 0;
        is_staged_ = false;
    }

    /// Ends a batch of commits. True when the peer sleeps and waits for data, and this caller has
    /// to ring its doorbell. Call after the last commit, before waiting for anything, whatever the
    /// peer's policy: here the producer also returns to the beginning of the ring when it is time.
    [[nodiscard]] bool needs_wakeup() noexcept {
        if (position_ >= new_lap_at_) [[unlikely]] {
            try_new_lap();
        }
        if (!peer_can_sleep_) {
            return false;
        }
        // seq_cst fence: our commit is before our load. Pairs with the fence in
        // RingConsumer::prepare_wait; either we see its flag or it sees our record.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        // relaxed: ordered by the fence; the peer sets it, both sides clear it.
        const std::atomic_ref<std::uint32_t> waiting(peer_->waiting);
        if ((waiting.load(std::memory_order_relaxed) & kWaitingForData) == 0) [[likely]] {
            return false;
        }
        // relaxed: atomic only so that one of several wakers takes the bit; the doorbell orders.
        return (waiting.fetch_and(~kWaitingForData, std::memory_order_relaxed) & kWaitingForData) !=
               0;
    }

    /// Announces that this side is going to sleep until `min_bytes` can be claimed. True: sleep
    /// until the doorbell, then try again. False: do not sleep, the claim would succeed now (or is
    /// corrupt).
    [[nodiscard]] bool prepare_wait_for_space(std::size_t min_bytes) noexcept {
        const std::atomic_ref<std::uint32_t> waiting(own_->waiting);
        // relaxed: ordered by the fence below; the peer clears it.
        waiting.fetch_or(kWaitingForSpace, std::memory_order_relaxed);
        // seq_cst fence: our flag is before our load of the credit. Pairs with the fence in
        // RingConsumer::publish_position.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const std::uint64_t record = record_bytes(std::min(min_bytes, max_payload_bytes()));
        const std::uint64_t tail = capacity_ - offset_of(position_);
        if (refresh_credit(record + (record > tail ? tail : 0)) == ClaimStatus::kBackPressured) {
            return true;
        }
        cancel_wait();
        return false;
    }

    /// Takes the announcement back; call after waking for whatever reason.
    void cancel_wait() noexcept {
        // relaxed: a doorbell that is on its way already is harmless.
        std::atomic_ref<std::uint32_t>(own_->waiting)
            .fetch_and(~kWaitingForSpace, std::memory_order_relaxed);
    }

    /// The largest payload of one record.
    [[nodiscard]] std::size_t max_payload_bytes() const noexcept {
        return max_record_ - kRecordHeaderBytes;
    }
    /// Bytes of ring written since the beginning, headers and padding included.
    [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
    /// True when the peer has published having consumed everything committed so far.
    [[nodiscard]] bool is_drained() const noexcept {
        // acquire: as in refresh_credit.
        return std::atomic_ref<std::uint64_t>(peer_->consumer_position)
                   .load(std::memory_order_acquire) == position_;
    }

private:
    [[nodiscard]] std::uint64_t offset_of(std::uint64_t position) const noexcept {
        return position & (capacity_ - 1);
    }

    void publish_pad(std::uint64_t pad_bytes) noexcept {
        publish(static_cast<std::uint32_t>(pad_bytes - kRecordHeaderBytes), kRecordPad, 0, false);
    }

    /// `is_staged`: the payload lies in `stage_`, otherwise in its place or nowhere.
    void publish(std::uint32_t length_bytes,
                 std::uint8_t kind,
                 std::uint8_t flags,
                 bool is_staged) noexcept {
        const std::uint64_t next = position_ + record_bytes(length_bytes);
        // relaxed: ordered by the release below. The consumer looks there only after it has seen
        // that.
        detail::ring_word(data_ + offset_of(next)).store(0, std::memory_order_relaxed);
        if (is_staged) {
            copy_payload(
                data_ + offset_of(position_) + kRecordHeaderBytes, stage_.data(), length_bytes);
        }
        // release: payload and the zero above are visible before the header. Pairs with the acquire
        // in RingConsumer::peek.
        detail::ring_word(data_ + offset_of(position_))
            .store(make_record_header(length_bytes, kind, flags), std::memory_order_release);
        position_ = next;
    }

    /// Begins again at place 0 when the consumer has nearly caught up, instead of walking through
    /// the whole ring: a lap then stays in both cores' innermost caches, where a hand-off costs
    /// half as much, and a ring whose queue is short touches one page. Never waits. At the end of a
    /// batch, because a long batch shows that the queue is not short.
    [[gnu::noinline]] void try_new_lap() noexcept {
        const std::uint64_t offset = offset_of(position_);
        const std::uint64_t base = position_ - offset;
        if (offset < kRingLapBytes) {
            new_lap_at_ = capacity_ > kRingLapBytes ? base + kRingLapBytes : ~std::uint64_t{0};
            return;
        }
        new_lap_at_ = position_ + kRingLapBytes / 2;
        static_cast<void>(refresh_credit(0));
        if (is_corrupt_) {
            return;
        }
        const std::uint64_t consumed = limit_ - capacity_;
        const bool has_caught_up = position_ - consumed <= kRingLapBytes;
        // The new lap may use what was consumed of this one; it includes the spare line.
        if (has_caught_up && consumed >= base + credit_step_bytes(capacity_)) {
            publish_pad(capacity_ - offset);
            new_lap_at_ = position_ + kRingLapBytes;
        }
    }

    [[gnu::noinline]] ClaimStatus refresh_credit(std::uint64_t needed_bytes) noexcept {
        // acquire: the peer has finished reading below its position before we overwrite it. Pairs
        // with the release in RingConsumer::publish_position.
        const std::uint64_t consumed = std::atomic_ref<std::uint64_t>(peer_->consumer_position)
                                           .load(std::memory_order_acquire);
        // Untrusted: on a line, never backwards, never ahead of what was written. Sticky: with
        // limit_ 0 every later claim comes here.
        if (is_corrupt_ || consumed > position_ || consumed + capacity_ < limit_ ||
            consumed % kRingLineBytes != 0) {
            is_corrupt_ = true;
            limit_ = 0;
            return ClaimStatus::kCorrupt;
        }
        limit_ = consumed + capacity_;
        return position_ + needed_bytes + kRingLineBytes <= limit_ ? ClaimStatus::kClaimed
                                                                   : ClaimStatus::kBackPressured;
    }

    std::byte* data_ = nullptr;
    SideLine* own_ = nullptr;
    SideLine* peer_ = nullptr;
    std::uint64_t capacity_ = 0;
    std::uint64_t max_record_ = kRecordHeaderBytes;
    std::uint64_t position_ = 0;
    std::uint64_t limit_ = 0;  ///< the peer's position as last seen, one lap ahead
    std::uint64_t claimed_bytes_ = 0;
    std::uint64_t new_lap_at_ = 0;  ///< position at which to look whether to begin anew
    bool peer_can_sleep_ = true;
    bool is_corrupt_ = false;
    bool is_staged_ = false;  ///< the open claim's bytes are in stage_
    alignas(kRingLineBytes) std::array<std::byte, kRingStageBytes> stage_{};
};

}  // namespace tern::transport
