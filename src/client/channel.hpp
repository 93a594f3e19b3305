#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/result.hpp>
#include <tern/client/options.hpp>

#include "base/byte_sink.hpp"
#include "base/unique_fd.hpp"
#include "client/deadline.hpp"
#include "transport/ring/mapping.hpp"
#include "transport/ring/ring.hpp"

namespace tern {

/// How a step of a channel ended.
enum class ChannelStatus : std::uint8_t {
    kOk,
    kTimedOut,
    kClosed,    ///< the server hung up
    kCorrupt,   ///< the ring holds what no server writes
    kTooLarge,  ///< a reply above every limit
};

/// Bytes to and from a server: a socket or a ring, and the waiting for it.
///
/// Sending: `claim`, write, `commit`, and `flush` once after the last request of a batch. On a ring
/// the claim is the ring's own memory as long as the request fits one record.
///
/// Receiving: a reply in one record of a ring can be read in place (`wait_record`, then
/// `hold_record` for as long as it is used). Everything else is gathered in private memory:
/// `unread()` is what has arrived, `wait_input` waits for more, `consume` gives it back. RESP is a
/// stream of bytes there; SBE is messages with their length in front, as on a socket.
///
/// Threads:  one.
class Channel {
public:
    Channel() = default;
    Channel(Channel&&) = delete;
    ~Channel() { close(); }

    /// Connects; for a ring makes the handshake. Forgets whatever the channel was before.
    Result<void> open(const ClientOptions& options);
    void close() noexcept;

    [[nodiscard]] bool is_open() const noexcept { return fd_.is_open(); }
    [[nodiscard]] bool is_ring() const noexcept { return is_ring_; }
    /// Of the ring; 0 on a socket.
    [[nodiscard]] std::uint64_t instance_id() const noexcept {
        return is_ring_ ? mapping_.spec().instance_id : 0;
    }

    /// Room for one request of at most `length_bytes`. Waits while a ring is full, reading replies.
    /// Null when the connection is lost: see `failure`.
    [[nodiscard, gnu::always_inline]] char* claim(std::size_t length_bytes) {
        if (is_ring_) {
            const transport::RingClaim claim = end_.producer.try_stage(length_bytes);
            if (claim) [[likely]] {
                return reinterpret_cast<char*>(claim.data);
            }
            return claim_slowly(length_bytes, claim.status);
        }
        return out_.reserve(length_bytes + frame_prefix_bytes_) + frame_prefix_bytes_;
    }
    /// The open claim holds a request of `length_bytes`.
    [[nodiscard]] bool commit(std::size_t length_bytes) {
        if (is_ring_ && !is_claim_private_) [[likely]] {
            end_.producer.commit(length_bytes);
            return true;
        }
        return commit_private(length_bytes);
    }
    /// Sends what was committed, or wakes a server that sleeps.
    [[nodiscard]] bool flush() {
        if (is_ring_) {
            if (end_.producer.needs_wakeup()) [[unlikely]] {
                return ring_doorbell();
            }
            return true;
        }
        return send_output();
    }
    /// Bytes committed and not sent yet; a ring has none.
    [[nodiscard]] std::size_t unsent_bytes() const noexcept { return is_ring_ ? 0 : out_.size(); }

    /// Ring only: the next record. Without one: see `failure`.
    [[nodiscard]] transport::RingRecord wait_record() {
        for (std::uint32_t i = 0; i < inline_poll_count_; ++i) {
            const transport::RingRecord record = end_.consumer.peek();
            if (record) [[likely]] {
                return record;
            }
        }
        return wait_record_slowly();
    }
    /// The record of the last `wait_record` stays in use until `release`.
    void hold_record() noexcept { is_holding_record_ = true; }
    /// Copies the record of the last `wait_record` to `unread()` and gives it back.
    [[nodiscard]] bool absorb(const transport::RingRecord& record);

    /// Gives back what the last reply used: call before receiving the next one.
    void release() noexcept {
        release_record();
        if (in_.size() != 0) {
            compact_input();
        }
    }

    /// What has arrived and was not consumed; of a message in fragments nothing until all have
    /// come.
    [[nodiscard]] std::string_view unread() const noexcept {
        const std::size_t end = is_sbe_ && is_inside_message_ ? frame_start_ : in_.size();
        return in_.view().substr(in_offset_, end - in_offset_);
    }
    /// Keeps the bytes readable until `release`.
    void consume(std::size_t length_bytes) noexcept { in_offset_ += length_bytes; }
    /// Waits until `unread()` has grown. `missing_bytes`: how much is wanted at least, as a hint.
    [[nodiscard]] bool wait_input(std::size_t missing_bytes);

    /// Why the last step failed.
    [[nodiscard]] ChannelStatus failure() const noexcept { return failure_; }

private:
    char* claim_slowly(std::size_t length_bytes, transport::ClaimStatus status);
    bool commit_private(std::size_t length_bytes);
    bool send_output();
    bool send_fragments();
    bool wait_for_space(std::size_t length_bytes, LazyDeadline& deadline);
    bool drain_replies();
    bool ring_doorbell();
    void release_record() noexcept {
        if (is_holding_record_) {
            is_holding_record_ = false;
            consume_record();
        }
    }
    void consume_record() noexcept {
        end_.consumer.consume();
        if (end_.consumer.take_space_wakeup()) [[unlikely]] {
            // A server that is gone is noticed by the next wait.
            static_cast<void>(ring_doorbell());
        }
    }
    transport::RingRecord wait_record_slowly();
    bool sleep_on_ring(LazyDeadline& deadline);
    bool wait_socket(short events, LazyDeadline& deadline);
    enum class Received : std::uint8_t { kSome, kNothing, kLost };
    Received receive(std::size_t wanted_bytes, bool may_block);
    void compact_input() noexcept;
    bool fail(ChannelStatus status) noexcept {
        failure_ = status;
        return false;
    }

    UniqueFd fd_;
    transport::RingMapping mapping_;
    transport::RingEnd end_;
    std::uint32_t inline_poll_count_ = 1;
    bool is_ring_ = false;
    bool is_claim_private_ = false;
    bool is_holding_record_ = false;
    bool is_inside_message_ = false;  ///< SBE: the frame at the end of `in_` lacks fragments
    bool is_sbe_ = false;
    ChannelStatus failure_ = ChannelStatus::kOk;
    Wait wait_ = Wait::kAdaptive;
    std::uint32_t frame_prefix_bytes_ = 0;
    std::uint32_t spin_poll_count_ = 0;
    std::int64_t reply_timeout_ms_ = 0;
    std::size_t in_offset_ = 0;
    std::size_t frame_start_ = 0;  ///< of the incomplete frame in `in_`
    BufferSink out_;
    BufferSink in_;
};

}  // namespace tern
