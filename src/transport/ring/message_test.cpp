#include "transport/ring/message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "transport/ring/test_ring.hpp"

namespace tern::transport {
namespace {

using Outcome = MessageReader::Outcome;

std::string random_text(std::mt19937_64& random, std::size_t length) {
    std::string text(length, '\0');
    std::generate(text.begin(), text.end(), [&] { return static_cast<char>(random()); });
    return text;
}

/// Carries one message from end to end; returns the number of records it took.
std::size_t carry(TestRing& ring, MessageReader& reader, const std::string& text) {
    MessageWriter writer{as_bytes(text)};
    std::size_t record_count = 0;
    EXPECT_FALSE(ring.server.consumer.peek());  // skips the pad that may lie behind the last one
    for (;;) {
        const ClaimStatus status = writer.pump(ring.client.producer);
        EXPECT_TRUE(status == ClaimStatus::kClaimed || status == ClaimStatus::kBackPressured);
        bool has_moved = false;
        while (const RingRecord record = ring.server.consumer.peek()) {
            has_moved = true;
            ++record_count;
            const Outcome outcome = reader.add(record);
            if (outcome == Outcome::kMessage) {
                EXPECT_TRUE(writer.is_done());
                EXPECT_EQ(as_text(reader.message()), text);
                ring.server.consumer.consume();
                return record_count;
            }
            EXPECT_EQ(outcome, Outcome::kIncomplete);
            ring.server.consumer.consume();
        }
        if (!has_moved || testing::Test::HasFailure()) {
            ADD_FAILURE() << "stuck after " << writer.written_bytes() << " of " << text.size();
            return record_count;
        }
    }
}

TEST(Message, IsOneRecordWhenItFits) {
    TestRing ring;
    MessageReader reader;
    std::mt19937_64 random(1);
    for (const std::size_t length : {0U, 1U, 56U, 57U, 1527U, 1528U}) {
        EXPECT_EQ(carry(ring, reader, random_text(random, length)), 1U) << length;
    }
    EXPECT_GT(carry(ring, reader, random_text(random, 1529)), 1U);
}

TEST(Message, OfAnySizeArrivesWhole) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    for (const std::size_t capacity : {std::size_t{4096}, std::size_t{32768}}) {
        TestRing ring(capacity);
        MessageReader reader;
        for (int i = 0; i < 400 && !HasFailure(); ++i) {
            const std::size_t limit = i % 10 == 0 ? 20 * capacity : 2 * capacity;
            carry(ring, reader, random_text(random, random() % limit));
        }
    }
}

TEST(Message, LargerThanTheKeptBufferGivesMemoryBackAndArrives) {
    TestRing ring;
    MessageReader reader;
    std::mt19937_64 random(2);
    carry(ring, reader, random_text(random, 3 * MessageReader::kKeptBufferBytes));
    carry(ring, reader, random_text(random, 5000));
}

RingRecord fragment(std::string_view text, std::uint8_t flags) {
    const Bytes bytes = as_bytes(text);
    return RingRecord{bytes.data(),
                      static_cast<std::uint32_t>(bytes.size()),
                      PeekStatus::kRecord,
                      kRecordData,
                      flags};
}

TEST(MessageReader, RefusesFragmentsOutOfOrder) {
    EXPECT_EQ(MessageReader().add(fragment("x", 0)), Outcome::kBadFragment);
    EXPECT_EQ(MessageReader().add(fragment("x", kRecordEnd)), Outcome::kBadFragment);
    MessageReader reader;
    EXPECT_EQ(reader.add(fragment("x", kRecordBegin)), Outcome::kIncomplete);
    EXPECT_EQ(reader.add(fragment("y", kRecordWhole)), Outcome::kBadFragment);
}

TEST(MessageReader, RefusesMoreThanItsLimitBeforeStoringIt) {
    MessageReader reader(10);
    EXPECT_EQ(reader.add(fragment("12345", kRecordBegin)), Outcome::kIncomplete);
    EXPECT_EQ(reader.add(fragment("67890", 0)), Outcome::kIncomplete);
    EXPECT_EQ(reader.add(fragment("1", kRecordEnd)), Outcome::kTooLarge);
    EXPECT_EQ(reader.pending_bytes(), 10U);
    EXPECT_EQ(MessageReader(10).add(fragment("12345678901", kRecordWhole)), Outcome::kTooLarge);
}

TEST(MessageReader, PassesAWholeRecordThroughInPlace) {
    MessageReader reader;
    const std::string_view text = "in place";
    ASSERT_EQ(reader.add(fragment(text, kRecordWhole)), Outcome::kMessage);
    EXPECT_EQ(static_cast<const void*>(reader.message().data()), text.data());
}

}  // namespace
}  // namespace tern::transport
