#include "transport/ring/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "transport/ring/test_ring.hpp"

namespace tern::transport {
namespace {

ClaimStatus send(RingProducer& producer, std::string_view text, std::uint8_t flags = kRecordWhole) {
    const RingClaim claim = producer.try_claim(text.size());
    if (claim) {
        std::memcpy(claim.data, text.data(), text.size());
        producer.commit(text.size(), flags);
    }
    return claim.status;
}

std::string receive(RingConsumer& consumer) {
    const RingRecord record = consumer.peek();
    EXPECT_TRUE(record);
    std::string text(as_text(record.payload()));
    consumer.consume();
    return text;
}

void advance_to_last_line(TestRing& ring) {
    for (std::size_t i = 1; i < kRingCapacityBytesMin / kRingLineBytes; ++i) {
        ASSERT_EQ(send(ring.client.producer, "x"), ClaimStatus::kClaimed);
        receive(ring.server.consumer);
    }
    ring.server.consumer.flush_credit();
}

TEST(Ring, IsEmptyAtFirst) {
    TestRing ring;
    EXPECT_EQ(ring.server.consumer.peek().status, PeekStatus::kNone);
    EXPECT_EQ(ring.client.consumer.peek().status, PeekStatus::kNone);
}

TEST(Ring, CarriesARecordEachWay) {
    TestRing ring;
    ASSERT_EQ(send(ring.client.producer, "question"), ClaimStatus::kClaimed);
    EXPECT_EQ(receive(ring.server.consumer), "question");
    ASSERT_EQ(send(ring.server.producer, "answer"), ClaimStatus::kClaimed);
    EXPECT_EQ(receive(ring.client.consumer), "answer");
    EXPECT_FALSE(ring.client.consumer.peek());
}

TEST(Ring, RecordTakesOneLineUpTo56Bytes) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    ASSERT_EQ(send(producer, std::string(56, 'x')), ClaimStatus::kClaimed);
    EXPECT_EQ(producer.position(), 64U);
    ASSERT_EQ(send(producer, std::string(57, 'y')), ClaimStatus::kClaimed);
    EXPECT_EQ(producer.position(), 192U);
    ASSERT_EQ(send(producer, ""), ClaimStatus::kClaimed);
    EXPECT_EQ(producer.position(), 256U);
    EXPECT_EQ(receive(ring.server.consumer), std::string(56, 'x'));
    EXPECT_EQ(receive(ring.server.consumer), std::string(57, 'y'));
    EXPECT_EQ(receive(ring.server.consumer), "");
}

TEST(Ring, AbortShowsNothing) {
    TestRing ring;
    const RingClaim claim = ring.client.producer.try_claim(100);
    ASSERT_TRUE(claim);
    std::memset(claim.data, 0xFF, claim.capacity_bytes);
    ring.client.producer.abort();
    EXPECT_FALSE(ring.server.consumer.peek());
    ASSERT_EQ(send(ring.client.producer, "after"), ClaimStatus::kClaimed);
    EXPECT_EQ(receive(ring.server.consumer), "after");
    EXPECT_FALSE(ring.server.consumer.peek());
}

TEST(Ring, StaleBytesAreNeverARecord) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    RingConsumer& consumer = ring.server.consumer;
    // Fill every word of the span with what looks like a header, then commit one line of it.
    for (int lap = 0; lap < 500; ++lap) {
        const RingClaim claim = producer.try_claim(1);
        ASSERT_TRUE(claim);
        const std::uint64_t lie = make_record_header(8, kRecordData, kRecordWhole);
        for (std::size_t i = 0; i + 8 <= claim.capacity_bytes; i += 8) {
            std::memcpy(claim.data + i, &lie, 8);
        }
        producer.commit(static_cast<std::size_t>(lap % 56));
        ASSERT_TRUE(consumer.peek());
        consumer.consume();
        ASSERT_EQ(consumer.peek().status, PeekStatus::kNone) << "lap " << lap;
    }
}

TEST(Ring, ClaimIsBackPressuredWhenConsumerIsALapBehind) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    RingConsumer& consumer = ring.server.consumer;
    int sent = 0;
    while (send(producer, "x") == ClaimStatus::kClaimed) {
        ++sent;
    }
    EXPECT_EQ(sent, 63);  // one spare line stays free for the zero header
    EXPECT_EQ(producer.try_claim(1).status, ClaimStatus::kBackPressured);
    // Credit comes by quarter of a ring this small.
    for (int i = 0; i < 15; ++i) {
        receive(consumer);
    }
    EXPECT_EQ(producer.try_claim(1).status, ClaimStatus::kBackPressured);
    receive(consumer);
    EXPECT_TRUE(producer.try_claim(1));
}

TEST(Ring, FlushedCreditMakesRoomAtOnce) {
    TestRing ring;
    while (send(ring.client.producer, "x") == ClaimStatus::kClaimed) {}
    receive(ring.server.consumer);
    EXPECT_EQ(ring.client.producer.try_claim(1).status, ClaimStatus::kBackPressured);
    ring.server.consumer.flush_credit();
    EXPECT_TRUE(ring.client.producer.try_claim(1));
}

TEST(Ring, ClaimRefusesWhatIsTooLong) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    EXPECT_EQ(producer.max_payload_bytes(), 1536U - 8U);
    EXPECT_TRUE(producer.try_claim(producer.max_payload_bytes()));
    EXPECT_EQ(producer.try_claim(producer.max_payload_bytes() + 1).status, ClaimStatus::kTooLong);
    EXPECT_EQ(producer.try_claim(SIZE_MAX).status, ClaimStatus::kTooLong);
}

TEST(Ring, LargestRecordAlwaysFitsWhenEverythingIsConsumed) {
    for (const std::size_t capacity : {std::size_t{4096}, std::size_t{8192}, std::size_t{65536}}) {
        for (std::size_t small = 0; small < capacity / kRingLineBytes; ++small) {
            TestRing ring(capacity);
            RingProducer& producer = ring.client.producer;
            for (std::size_t i = 0; i < small; ++i) {
                ASSERT_EQ(send(producer, "x"), ClaimStatus::kClaimed);
                receive(ring.server.consumer);
            }
            ASSERT_FALSE(ring.server.consumer.peek());  // a pad is consumed by looking behind it
            ASSERT_TRUE(producer.try_claim(producer.max_payload_bytes()))
                << "capacity " << capacity << " after " << small << " lines";
        }
    }
}

TEST(Ring, ShortQueueStaysInOneLap) {
    TestRing ring(kRingCapacityBytesDefault);
    RingProducer& producer = ring.client.producer;
    RingConsumer& consumer = ring.server.consumer;
    std::uint64_t place_max = 0;
    for (int i = 0; i < 10'000; ++i) {
        place_max = std::max(place_max, producer.position() % kRingCapacityBytesDefault);
        ASSERT_EQ(send(producer, std::string(static_cast<std::size_t>(i) % 150, 'q')),
                  ClaimStatus::kClaimed);
        EXPECT_FALSE(producer.needs_wakeup());
        receive(consumer);
    }
    EXPECT_LE(place_max, kRingLapBytes + 2 * kRingLineBytes);
    // The whole ring is there for a longer queue, once the consumer has looked behind the pad.
    ASSERT_FALSE(consumer.peek());
    std::size_t queued_count = 0;
    while (send(producer, "x") == ClaimStatus::kClaimed) {
        ++queued_count;
    }
    EXPECT_GT(queued_count, 4'000U);
    while (consumer.peek()) {
        consumer.consume();
        --queued_count;
    }
    EXPECT_EQ(queued_count, 0U);
}

TEST(Ring, StagedBytesAppearAtCommitOnly) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    for (const std::size_t length : {std::size_t{0},
                                     std::size_t{24},
                                     std::size_t{56},
                                     std::size_t{57},
                                     kRingStageBytes,
                                     kRingStageBytes + 1}) {
        const RingClaim claim = producer.try_stage(length);
        ASSERT_TRUE(claim);
        ASSERT_GE(claim.capacity_bytes, length);
        const bool is_in_ring = claim.data >= ring.memory() &&
                                claim.data < ring.memory() + ring.geometry().total_bytes();
        EXPECT_EQ(is_in_ring, length > kRingStageBytes);
        const std::string text(length, static_cast<char>('a' + length % 26));
        std::memcpy(claim.data, text.data(), length);
        EXPECT_FALSE(ring.server.consumer.peek());
        producer.commit(length);
        EXPECT_EQ(receive(ring.server.consumer), text);
    }
}

TEST(Ring, StagedClaimGrowsIntoTheRing) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    advance_to_last_line(ring);
    const RingClaim small = producer.try_stage(4);
    ASSERT_TRUE(small);
    std::memcpy(small.data, "head", 4);
    const RingClaim large = producer.try_claim(kRingStageBytes + 100);  // behind a pad
    ASSERT_TRUE(large);
    std::memcpy(large.data, small.data, 4);
    std::memset(large.data + 4, '.', kRingStageBytes);
    producer.commit(kRingStageBytes + 4);
    EXPECT_EQ(receive(ring.server.consumer), "head" + std::string(kRingStageBytes, '.'));
}

/// The bytes of message `number`, of any length, that no other message has at the same place.
std::string message_text(std::uint64_t number, std::size_t length) {
    std::string text(length, '\0');
    for (std::size_t i = 0; i < length; ++i) {
        text[i] = static_cast<char>(number * 131 + i * 7 + 1);
    }
    return text;
}

TEST(RingModel, DeliversEveryMessageInOrder) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    for (const std::size_t capacity : {std::size_t{4096}, std::size_t{16384}}) {
        TestRing ring(capacity);
        RingProducer& producer = ring.client.producer;
        RingConsumer& consumer = ring.server.consumer;
        std::deque<std::string> model;
        for (std::uint64_t step = 0; step < 40'000; ++step) {
            const auto action = random() % 8;
            if (action < 4) {
                const std::size_t limit = random() % 3 == 0 ? producer.max_payload_bytes() : 120;
                const std::string text = message_text(step, random() % (limit + 1));
                const std::size_t min_bytes = random() % 2 == 0 ? text.size() : text.size() / 2;
                const RingClaim claim = random() % 2 == 0 ? producer.try_claim(min_bytes)
                                                          : producer.try_stage(min_bytes);
                if (!claim) {
                    ASSERT_EQ(claim.status, ClaimStatus::kBackPressured);
                    ASSERT_TRUE(!model.empty() || !consumer.peek());
                    ASSERT_TRUE(!model.empty() || producer.try_claim(min_bytes));
                    continue;
                }
                ASSERT_GE(claim.capacity_bytes, min_bytes);
                ASSERT_LE(claim.capacity_bytes, producer.max_payload_bytes());
                std::memset(claim.data, 0xEE, claim.capacity_bytes);
                const std::size_t length = std::min(text.size(), claim.capacity_bytes);
                std::memcpy(claim.data, text.data(), length);
                if (random() % 16 == 0) {
                    producer.abort();
                } else {
                    producer.commit(length);
                    model.push_back(text.substr(0, length));
                    if (random() % 3 == 0) {
                        ASSERT_FALSE(producer.needs_wakeup());
                    }
                }
            } else if (action < 7) {
                const RingRecord record = consumer.peek();
                ASSERT_EQ(record.status, model.empty() ? PeekStatus::kNone : PeekStatus::kRecord);
                if (record) {
                    ASSERT_EQ(as_text(record.payload()), model.front());
                    ASSERT_EQ(record.flags, kRecordWhole);
                    model.pop_front();
                    consumer.consume();
                }
            } else {
                consumer.flush_credit();
            }
        }
    }
}

}  // namespace
}  // namespace tern::transport
