#include "transport/ring/message.hpp"

#include <algorithm>
#include <cstring>

namespace tern::transport {

std::size_t MessageWriter::next_claim_bytes(const RingProducer& producer) const noexcept {
    const std::size_t rest_bytes = message_.size() - written_bytes_;
    // A message that fits one record is one record. Fragments of a longer one are at least a third
    // of a record, so that few headers are spent at the end of the ring.
    if (message_.size() <= producer.max_payload_bytes()) {
        return rest_bytes;
    }
    return std::min(rest_bytes, producer.max_payload_bytes() / 3);
}

ClaimStatus MessageWriter::pump(RingProducer& producer) noexcept {
    while (!is_done_) {
        const RingClaim claim = producer.try_claim(next_claim_bytes(producer));
        if (!claim) {
            return claim.status;
        }
        const std::size_t rest_bytes = message_.size() - written_bytes_;
        const std::size_t length_bytes = std::min(rest_bytes, claim.capacity_bytes);
        if (length_bytes != 0) {
            std::memcpy(claim.data, message_.data() + written_bytes_, length_bytes);
        }
        is_done_ = length_bytes == rest_bytes;
        const unsigned begin = written_bytes_ == 0 ? kRecordBegin : 0U;
        const unsigned end = is_done_ ? kRecordEnd : 0U;
        written_bytes_ += length_bytes;
        producer.commit(length_bytes, static_cast<std::uint8_t>(begin | end));
    }
    return ClaimStatus::kClaimed;
}

MessageReader::Outcome MessageReader::add(const RingRecord& record) {
    TERN_DCHECK(record);
    const bool begins = (record.flags & kRecordBegin) != 0;
    const bool ends = (record.flags & kRecordEnd) != 0;
    if (begins == is_inside_) {
        return Outcome::kBadFragment;
    }
    if (record.length_bytes > message_bytes_max_ - pending_bytes()) {
        return Outcome::kTooLarge;
    }
    if (begins && ends) {
        message_ = record.payload();
        return Outcome::kMessage;
    }
    if (begins) {
        if (buffer_.capacity() > kKeptBufferBytes) {
            buffer_.release();
        }
        buffer_.clear();
    }
    if (record.length_bytes != 0) {
        buffer_.append(as_text(record.payload()));
    }
    is_inside_ = !ends;
    if (!ends) {
        return Outcome::kIncomplete;
    }
    message_ = as_bytes(buffer_.view());
    return Outcome::kMessage;
}

}  // namespace tern::transport
