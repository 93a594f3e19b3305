#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>

#include "base/byte_sink.hpp"
#include "transport/ring/consumer.hpp"
#include "transport/ring/layout.hpp"
#include "transport/ring/producer.hpp"

namespace tern::transport {

/// Writes one message of any length as one record, or as fragments when it is longer than a record;
/// continues where it stopped when the ring was full.
///
/// Threads:  the producer's.
/// Lifetime: the message's bytes stay until `is_done()`.
class MessageWriter {
public:
    MessageWriter() = default;
    explicit MessageWriter(Bytes message) noexcept : message_(message), is_done_(false) {}

    /// Writes as many fragments as fit.
    ///
    /// Errors:   kClaimed when the whole message is committed; kBackPressured: call again later;
    ///           kCorrupt: drop the peer.
    ClaimStatus pump(RingProducer& producer) noexcept;

    [[nodiscard]] bool is_done() const noexcept { return is_done_; }
    [[nodiscard]] std::size_t written_bytes() const noexcept { return written_bytes_; }
    /// What the next fragment claims, for RingProducer::prepare_wait_for_space.
    [[nodiscard]] std::size_t next_claim_bytes(const RingProducer& producer) const noexcept;

private:
    Bytes message_;
    std::size_t written_bytes_ = 0;
    bool is_done_ = true;
};

/// Puts fragments together again. A message in one record is passed through in place.
///
/// The buffer grows with what has arrived, never with what was announced, and is given back after a
/// message above kKeptBufferBytes.
///
/// Threads:  the consumer's.
class MessageReader {
public:
    enum class Outcome : std::uint8_t {
        kMessage,      ///< `message()` is complete
        kIncomplete,   ///< more fragments follow
        kTooLarge,     ///< the fragments exceed the limit: drop the peer
        kBadFragment,  ///< begins inside a message or continues none: drop the peer
    };

    explicit MessageReader(std::size_t message_bytes_max = kRingMessageBytesMax) noexcept
        : message_bytes_max_(message_bytes_max) {}

    /// Takes the record that `peek` returned; `consume` it after having used `message()`.
    [[nodiscard]] Outcome add(const RingRecord& record);

    /// Lifetime: until the record is consumed (one record) or until the next `add` (fragments);
    ///           hence: until `consume`.
    [[nodiscard]] Bytes message() const noexcept { return message_; }
    /// Bytes of the incomplete message so far.
    [[nodiscard]] std::size_t pending_bytes() const noexcept {
        return is_inside_ ? buffer_.size() : 0;
    }

    /// Twice the largest value that the no-allocation promise covers (64 KiB), with its framing.
    static constexpr std::size_t kKeptBufferBytes = std::size_t{1} << 20;

private:
    BufferSink buffer_;
    Bytes message_;
    std::size_t message_bytes_max_;
    bool is_inside_ = false;
};

}  // namespace tern::transport
