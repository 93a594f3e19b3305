/// What a peer can put in front of us: ring memory, positions in its line, handshake bytes.
///
/// The first byte chooses: a request, an answer, or (mostly) a ring. For a ring, commands follow:
/// overwrite memory at a place, lie in the peer's line, or act as an honest end would.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "transport/ring/handshake.hpp"
#include "transport/ring/message.hpp"
#include "transport/ring/ring.hpp"

namespace {

using namespace tern;  // NOLINT: a fuzz target
using namespace tern::transport;

constexpr std::size_t kCapacityBytes = 2 * kRingLapBytes;
constexpr std::size_t kMessageBytesMax = 10'000;

struct Free {
    void operator()(std::byte* memory) const noexcept {
        ::operator delete (memory, std::align_val_t{kRingLineBytes});
    }
};

/// Exactly the data of one direction, so that a sanitizer sees a byte read or written outside.
struct Direction {
    std::unique_ptr<std::byte[], Free> data{
        static_cast<std::byte*>(::operator new (kCapacityBytes, std::align_val_t{kRingLineBytes}))};
    SideLine own{};
    SideLine peer{};

    Direction() { std::memset(data.get(), 0, kCapacityBytes); }
    RingDirection view() { return {data.get(), kCapacityBytes, &own, &peer, true}; }
};

class Script {
public:
    explicit Script(Bytes bytes) : bytes_(bytes) {}
    bool is_over() const { return bytes_.empty(); }
    std::uint64_t number(std::size_t length_bytes) {
        std::uint64_t value = 0;
        const std::size_t length = std::min(length_bytes, bytes_.size());
        if (length != 0) {
            std::memcpy(&value, bytes_.data(), length);
        }
        bytes_ = bytes_.subspan(length);
        return value;
    }

private:
    Bytes bytes_;
};

class Session {
public:
    void step(Script& script) {
        switch (script.number(1) % 8) {
            case 0: {  // any word of the requests
                const std::size_t at = script.number(2) % (kCapacityBytes / 8) * 8;
                write(requests_, at, script.number(8));
                break;
            }
            case 1: {  // a plausible header where the consumer looks next
                const auto length = static_cast<std::uint32_t>(script.number(2));
                const auto kind = static_cast<std::uint8_t>(script.number(1) % 4);
                const auto flags = static_cast<std::uint8_t>(script.number(1));
                write(requests_,
                      consumer_.position() % kCapacityBytes,
                      make_record_header(length, kind, flags));
                break;
            }
            case 2:
            case 3:
                read();
                break;
            case 4:
                replies_.peer.consumer_position = script.number(8);
                break;
            case 5:
                replies_.peer.consumer_position = producer_.position();
                break;
            case 6:
                requests_.peer.waiting = static_cast<std::uint32_t>(script.number(4));
                static_cast<void>(consumer_.prepare_wait());
                consumer_.cancel_wait();
                break;
            default:
                answer(script.number(2));
                break;
        }
    }

private:
    static void write(Direction& direction, std::size_t at, std::uint64_t word) {
        std::memcpy(direction.data.get() + at, &word, sizeof word);
    }
    static void read_all(Bytes bytes) {
        unsigned sum = 0;
        for (const std::byte byte : bytes) {
            sum += static_cast<unsigned>(byte);
        }
        asm volatile("" : : "r"(sum));
    }
    void read() {
        const RingRecord record = consumer_.peek();
        TERN_CHECK(!is_corrupt_ || record.status == PeekStatus::kCorrupt);
        is_corrupt_ = record.status == PeekStatus::kCorrupt;
        if (!record || is_dropped_) {
            return;
        }
        read_all(record.payload());
        switch (reader_.add(record)) {
            case MessageReader::Outcome::kMessage:
                TERN_CHECK(reader_.message().size() <= kMessageBytesMax);
                read_all(reader_.message());
                break;
            case MessageReader::Outcome::kIncomplete:
                TERN_CHECK(reader_.pending_bytes() <= kMessageBytesMax);
                break;
            default:
                is_dropped_ = true;
        }
        consumer_.consume();
        static_cast<void>(consumer_.take_space_wakeup());
    }
    void answer(std::size_t length) {
        const RingClaim claim = length % 3 == 0 ? producer_.try_stage(length % 2000)
                                                : producer_.try_claim(length % 2000);
        if (!claim) {
            static_cast<void>(producer_.prepare_wait_for_space(length % 2000));
            producer_.cancel_wait();
            return;
        }
        std::memset(claim.data, 0xAB, claim.capacity_bytes);
        producer_.commit(std::min(claim.capacity_bytes, length % 2000));
        static_cast<void>(producer_.needs_wakeup());
    }

    Direction requests_;
    Direction replies_;
    RingConsumer consumer_{requests_.view()};
    RingProducer producer_{replies_.view()};
    MessageReader reader_{kMessageBytesMax};
    bool is_corrupt_ = false;
    bool is_dropped_ = false;
};

template <std::size_t Size>
std::array<std::byte, Size> filled(Bytes bytes) {
    std::array<std::byte, Size> array{};
    if (!bytes.empty()) {
        std::memcpy(array.data(), bytes.data(), std::min(Size, bytes.size()));
    }
    return array;
}

void answer_request(Bytes bytes) {
    RingGate gate;
    const RingLimits limits{.capacity_bytes_max = kRingCapacityBytesMin,
                            .capacity_bytes_default = kRingCapacityBytesMin};
    const auto request = filled<kRingRequestBytes>(bytes);
    const RingGate::Outcome outcome = gate.answer(request, limits, 42);
    TERN_CHECK(outcome.mapping.has_value() == gate.has_granted());
    const auto spec = decode_ring_answer(outcome.answer, decode_ring_request(request));
    TERN_CHECK(spec.ok() == gate.has_granted());
    TERN_CHECK(!gate.has_granted() || !gate.answer(request, limits, 43).mapping);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    if (size_bytes == 0) {
        return 0;
    }
    const Bytes rest = std::as_bytes(std::span(data, size_bytes)).subspan(1);
    if (data[0] == 1) {
        answer_request(rest);
        return 0;
    }
    if (data[0] == 2) {
        static_cast<void>(decode_ring_answer(filled<kRingAnswerBytes>(rest), RingRequest{}));
        return 0;
    }
    Session session;
    Script script(rest);
    while (!script.is_over()) {
        session.step(script);
    }
    return 0;
}
