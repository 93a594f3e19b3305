// A peer that writes what no producer writes: the consumer says so, for good, and reads nothing
// outside its memory (the sanitizer builds see to that).

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <vector>

#include "transport/ring/message.hpp"
#include "transport/ring/ring.hpp"
#include "transport/ring/test_ring.hpp"

namespace tern::transport {
namespace {

constexpr std::size_t kCapacityBytes = kRingCapacityBytesMin;

void write_header(TestRing& ring, std::size_t offset, std::uint64_t header) {
    std::memcpy(ring.requests() + offset, &header, sizeof header);
}

/// Moves both ends to `offset` of the ring, with the credit published.
void advance(TestRing& ring, std::size_t offset) {
    for (std::size_t i = 0; i < offset / kRingLineBytes; ++i) {
        ASSERT_TRUE(ring.client.producer.try_claim(1));
        ring.client.producer.commit(1);
        ASSERT_TRUE(ring.server.consumer.peek());
        ring.server.consumer.consume();
    }
    ring.server.consumer.flush_credit();
}

struct BadHeader {
    std::uint64_t header;
    std::size_t offset;
    RingCorruption expected;
};

TEST(RingHostile, EachBadHeaderIsNamed) {
    constexpr auto kMaxRecord = static_cast<std::uint32_t>(max_record_bytes(kCapacityBytes));
    constexpr std::size_t kLastLine = kCapacityBytes - kRingLineBytes;
    const std::uint64_t fine = make_record_header(8, kRecordData, kRecordWhole);
    const std::vector<BadHeader> table = {
        {make_record_header(8, 0, kRecordWhole), 0, RingCorruption::kUnknownKind},
        {make_record_header(8, 3, kRecordWhole), 0, RingCorruption::kUnknownKind},
        {make_record_header(8, 0xFF, 0), 0, RingCorruption::kUnknownKind},
        {make_record_header(8, kRecordData, 0x20), 0, RingCorruption::kUnknownKind},
        {1, 0, RingCorruption::kUnknownKind},
        {fine | std::uint64_t{1} << 48, 0, RingCorruption::kReservedBits},
        {~std::uint64_t{0}, 0, RingCorruption::kReservedBits},
        {make_record_header(kMaxRecord - 7, kRecordData, 0), 0, RingCorruption::kLengthOverflow},
        {make_record_header(0xFFFFFFFF, kRecordData, 0), 0, RingCorruption::kLengthOverflow},
        {make_record_header(0xFFFFFFF8, kRecordData, 0), 64, RingCorruption::kLengthOverflow},
        {make_record_header(57, kRecordData, 0), kLastLine, RingCorruption::kBeyondEnd},
        {make_record_header(kCapacityBytes - 8, kRecordPad, 0), 0, RingCorruption::kBadPad},
        {make_record_header(56, kRecordPad, 0), 0, RingCorruption::kBadPad},
        {make_record_header(57, kRecordPad, 0), kLastLine, RingCorruption::kBadPad},
        {make_record_header(56, kRecordPad, 0x80), kLastLine, RingCorruption::kBadPad},
        {make_record_header(0xFFFFFFF8, kRecordPad, 0), kLastLine, RingCorruption::kBadPad},
    };
    for (const BadHeader& bad : table) {
        TestRing ring;
        advance(ring, bad.offset);
        write_header(ring, bad.offset, bad.header);
        RingConsumer& consumer = ring.server.consumer;
        EXPECT_EQ(consumer.peek().status, PeekStatus::kCorrupt) << std::hex << bad.header;
        EXPECT_EQ(consumer.corruption(), bad.expected)
            << std::hex << bad.header << ": " << to_string(consumer.corruption());
        // For good: neither a proper header nor none makes it trustworthy again.
        write_header(ring, bad.offset, fine);
        EXPECT_EQ(consumer.peek().status, PeekStatus::kCorrupt);
        write_header(ring, bad.offset, 0);
        EXPECT_EQ(consumer.peek().status, PeekStatus::kCorrupt);
        EXPECT_FALSE(consumer.prepare_wait()) << "would sleep on a corrupt ring";
    }
}

TEST(RingHostile, PadIsAcceptedOnlyOnceInARow) {
    TestRing ring;
    advance(ring, kCapacityBytes - kRingLineBytes);
    write_header(ring, kCapacityBytes - kRingLineBytes, make_record_header(56, kRecordPad, 0));
    write_header(ring, 0, make_record_header(kCapacityBytes - 8, kRecordPad, 0));
    EXPECT_EQ(ring.server.consumer.peek().status, PeekStatus::kCorrupt);
}

TEST(RingHostile, ClaimRefusesAnImpossibleCredit) {
    const std::vector<std::uint64_t> lies = {
        1, 63, 128, 4096, 1U << 31, ~std::uint64_t{0}, ~std::uint64_t{63}};
    for (const std::uint64_t lie : lies) {
        TestRing ring;
        RingProducer& producer = ring.client.producer;
        // One record of 64 bytes is committed, so a credit above 64 was never consumed.
        ASSERT_TRUE(producer.try_claim(1));
        producer.commit(1);
        auto* line = reinterpret_cast<SideLine*>(ring.memory() + kRingServerLineOffset);
        line->consumer_position = lie;
        ClaimStatus status = ClaimStatus::kClaimed;
        for (int i = 0; i < 200 && status == ClaimStatus::kClaimed; ++i) {
            const RingClaim claim = producer.try_claim(1);
            status = claim.status;
            if (claim) {
                producer.commit(1);
            }
        }
        // A lie that has become possible meanwhile is no lie that we can see; it harms the liar.
        if (lie % kRingLineBytes != 0 || lie > kCapacityBytes) {
            EXPECT_EQ(status, ClaimStatus::kCorrupt) << lie;
            line->consumer_position = 0;
            EXPECT_EQ(producer.try_claim(1).status, ClaimStatus::kCorrupt);
            EXPECT_FALSE(producer.prepare_wait_for_space(1));
        }
    }
}

TEST(RingHostile, CreditMustNotGoBackwards) {
    TestRing ring;
    advance(ring, 3 * kCapacityBytes);
    auto* line = reinterpret_cast<SideLine*>(ring.memory() + kRingServerLineOffset);
    RingProducer& producer = ring.client.producer;
    while (producer.try_claim(1)) {
        producer.commit(1);
    }
    line->consumer_position -= kRingLineBytes;
    EXPECT_EQ(producer.try_claim(1).status, ClaimStatus::kCorrupt);
}

/// Sums a payload, so that a sanitizer sees each byte being read.
unsigned sum_of(Bytes bytes) {
    unsigned sum = 0;
    for (const std::byte byte : bytes) {
        sum += static_cast<unsigned>(byte);
    }
    return sum;
}

TEST(RingHostile, RandomMemoryNeverLeadsOutside) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 3'000; ++round) {
        TestRing ring;
        for (std::size_t at = 0; at < kCapacityBytes; at += 8) {
            const auto length =
                static_cast<std::uint32_t>(random() % 8 == 0 ? random() : random() % 1600);
            const auto kind = static_cast<std::uint8_t>(random() % 16 == 0 ? random() : 2);
            const auto flags = static_cast<std::uint8_t>(random() % 4 << 6);
            write_header(ring, at, make_record_header(length, kind, flags));
        }
        RingConsumer& consumer = ring.server.consumer;
        MessageReader reader(8192);
        for (int i = 0; i < 300; ++i) {
            const RingRecord record = consumer.peek();
            if (!record) {
                break;
            }
            ASSERT_GE(record.data, ring.requests());
            ASSERT_LE(record.data + record.length_bytes, ring.requests() + kCapacityBytes);
            sum_of(record.payload());
            if (reader.add(record) == MessageReader::Outcome::kMessage) {
                sum_of(reader.message());
            }
            ASSERT_LE(reader.pending_bytes(), 8192U);
            consumer.consume();
        }
    }
}

TEST(RingHostile, FlagsOfTheWrongOwnerAreHarmless) {
    TestRing ring;
    auto* server_line = reinterpret_cast<SideLine*>(ring.memory() + kRingServerLineOffset);
    server_line->waiting = 0xFFFFFFFF;
    ASSERT_TRUE(ring.client.producer.try_claim(1));
    ring.client.producer.commit(1);
    EXPECT_TRUE(ring.client.producer.needs_wakeup());
    EXPECT_FALSE(ring.client.producer.needs_wakeup());
}

}  // namespace
}  // namespace tern::transport
