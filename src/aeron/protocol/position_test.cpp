#include "aeron/protocol/position.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace tern::aeron {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();

TEST(StreamPositions, CountFromTheFirstTerm) {
    const StreamPositions stream(0x55667788, 65536);
    EXPECT_EQ(stream.position(0x55667788, 0), 0);
    EXPECT_EQ(stream.position(0x55667789, 64), 65600);
    EXPECT_EQ(stream.term_id(65600), 0x55667789);
    EXPECT_EQ(stream.term_offset(65600), 64);
    EXPECT_EQ(stream.partition(65600), 1);
    EXPECT_EQ(stream.partition(3 * 65536), 0);
}

TEST(StreamPositions, WrapThroughTheSignedRange) {
    const StreamPositions stream(kMax, kTermLengthMin);
    EXPECT_EQ(term_count(kMin, kMax), 1);
    EXPECT_EQ(stream.position(kMin, 32), 65568);
    EXPECT_EQ(stream.term_id(65568), kMin);
    EXPECT_LT(stream.position(kMax - 1, 0), 0) << "a term before the first";
}

TEST(StreamPositions, GoBackAndForth) {
    std::mt19937_64 random(20261201);
    for (int i = 0; i < 10000; ++i) {
        const auto initial = static_cast<std::int32_t>(random());
        const std::int32_t length = kTermLengthMin << (random() % 15);
        const StreamPositions stream(initial, length);
        const auto position = static_cast<std::int64_t>(
                                  random() % static_cast<std::uint64_t>(stream.max_position())) /
                              kFrameAlignment * kFrameAlignment;
        EXPECT_EQ(stream.position(stream.term_id(position), stream.term_offset(position)), position)
            << "initial term " << initial << " of " << length;
    }
}

TEST(StreamPositions, LimitsOfTermsAndMtus) {
    EXPECT_TRUE(is_valid_term_length(kTermLengthMin));
    EXPECT_TRUE(is_valid_term_length(kTermLengthMax));
    EXPECT_FALSE(is_valid_term_length(kTermLengthMin / 2));
    EXPECT_FALSE(is_valid_term_length(kTermLengthMin + 32));
    EXPECT_FALSE(is_valid_term_length(kMin));
    EXPECT_FALSE(is_valid_term_length(-65536));
    EXPECT_TRUE(is_valid_mtu(1408));
    EXPECT_TRUE(is_valid_mtu(kMtuMax));
    EXPECT_FALSE(is_valid_mtu(32));
    EXPECT_FALSE(is_valid_mtu(1400));
    EXPECT_FALSE(is_valid_mtu(kMtuMax + 32));
    EXPECT_EQ(max_message_bytes(65536), 8192);
    EXPECT_EQ(max_message_bytes(kTermLengthMax), 16 * 1024 * 1024);
}

TEST(StreamPositions, MessagesTakeWholeFrames) {
    constexpr std::int32_t kPayload = max_payload_bytes(1408);
    EXPECT_EQ(kPayload, 1376);
    EXPECT_EQ(fragmented_span_bytes(0, kPayload), 32);
    EXPECT_EQ(fragmented_span_bytes(40, kPayload), 96);
    EXPECT_EQ(fragmented_span_bytes(1376, kPayload), 1408);
    EXPECT_EQ(fragmented_span_bytes(5000, kPayload), 3 * 1408 + 928) << "872 + 32 is 904";
}

}  // namespace
}  // namespace tern::aeron
