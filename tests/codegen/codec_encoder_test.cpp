#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "allocation_count.hpp"
#include "codecs/wide_groups/all.hpp"

namespace tern::codegen::test {
namespace {

using namespace codecs::wide_groups;  // NOLINT: the schema under test
using sbe::EncodeStatus;

TEST(Encoder, BlockStartsZeroedWithNullsInOptionalFields) {
    std::array<std::byte, 512> buffer;
    buffer.fill(std::byte{0xee});
    const auto end = OrderEncoder::wrap(buffer).legs().end().tags().end().memo("").trailer(Bytes{});
    ASSERT_TRUE(end);
    const auto order = VerifiedOrderView::wrap(end.message_bytes());
    ASSERT_TRUE(order);
    EXPECT_EQ(order->value(), 0U);
    EXPECT_FALSE(order->side());
    EXPECT_FALSE(order->price());
    EXPECT_FALSE(order->total());
    EXPECT_FALSE(order->label());
    EXPECT_EQ(order->sizes()[2], INT16_MIN);
    EXPECT_EQ(order->note(), 0U);
    EXPECT_EQ(order->flags().raw(), 0U);
    EXPECT_EQ(order->body_bytes() + OrderView::kHeaderBytes, end.encoded_bytes());
}

TEST(Encoder, ValuesComeBackThroughTheView) {
    std::array<std::byte, 512> buffer;
    auto encoder = OrderEncoder::wrap(buffer);
    const std::int16_t sizes[] = {-1, 2};
    encoder.value(UINT64_MAX).side(Side::kSell).price(2.5).sizes(sizes).label("ab");
    encoder.flags(Flags().last(true)).note(7).status(sbe::EnumValue<Side>::from_raw(77));
    encoder.total().mantissa(12345);
    const auto end =
        encoder
            .legs(2,
                  [](auto& leg, std::size_t i) {
                      return leg.ratio(static_cast<std::int32_t>(i) - 1)
                          .weight(0.5F)
                          .fills(i,
                                 [](auto& fill, std::size_t j) {
                                     return fill.quantity(static_cast<std::uint32_t>(j))
                                         .venue("somewhere");
                                 })
                          .name("leg")
                          .blob(as_bytes("\x01\x02"));
                  })
            .tags(1, [](auto& tag, std::size_t) { return tag.text("tag"); })
            .memo("memo")
            .trailer("end");
    ASSERT_EQ(end.encode_status(), EncodeStatus::kOk);
    const auto order = VerifiedOrderView::wrap(end.message_bytes());
    ASSERT_TRUE(order) << to_string(order.status());
    EXPECT_EQ(order->value(), UINT64_MAX);
    EXPECT_EQ(order->side()->name(), "Sell");
    EXPECT_EQ(order->price(), 2.5);
    ASSERT_TRUE(order->total());
    EXPECT_EQ(order->total()->mantissa(), 12345);
    EXPECT_EQ(order->sizes()[1], 2);
    EXPECT_EQ(order->sizes()[2], INT16_MIN);
    EXPECT_EQ(order->label(), "ab");
    EXPECT_TRUE(order->flags().last());
    EXPECT_EQ(order->note(), 7U);
    ASSERT_TRUE(order->status());
    EXPECT_FALSE(order->status()->known());
    EXPECT_EQ(order->status()->raw(), 77);
    ASSERT_EQ(order->legs().size(), 2U);
    auto leg = order->legs().begin();
    EXPECT_EQ(leg->ratio(), -1);
    EXPECT_TRUE(leg->fills().empty());
    ++leg;
    EXPECT_EQ(leg->fills().size(), 1U);
    EXPECT_EQ((*leg->fills().begin()).venue(), "somewhere");
    EXPECT_EQ(leg->name(), "leg");
    EXPECT_EQ(as_text(leg->blob()), "\x01\x02");
    EXPECT_EQ((*order->tags().begin()).text(), "tag");
    EXPECT_EQ(order->memo(), "memo");
    EXPECT_EQ(as_text(order->trailer()), "end");
    const std::size_t fill_bytes = 4 + 4 + 9;
    EXPECT_EQ(OrderEncoder::encoded_length({.legs_count = 2,
                                            .legs_inner_bytes = 2 * 3 + 2 * 2 + fill_bytes,
                                            .tags_count = 1,
                                            .tags_inner_bytes = 3,
                                            .memo_bytes = 4,
                                            .trailer_bytes = 3}),
              end.encoded_bytes());
}

TEST(Encoder, EveryTooSmallBufferIsAStatusAndStaysUntouchedBehind) {
    std::array<std::byte, 256> buffer;
    const auto encode = [](MutableBytes memory) {
        auto encoder = OrderEncoder::wrap(memory);
        encoder.value(1).label("x").total().mantissa(1);
        auto tags = encoder.legs().end().tags();
        for (int i = 0; i < 3; ++i) {
            tags = tags.next().text("0123456789");
        }
        return tags.end().memo("memo").trailer("t");
    };
    const std::size_t needed = encode(buffer).encoded_bytes();
    ASSERT_GT(needed, 0U);
    for (std::size_t length = 0; length < needed; ++length) {
        buffer.fill(std::byte{0xee});
        const auto end = encode(MutableBytes(buffer).first(length));
        EXPECT_EQ(end.encode_status(), EncodeStatus::kBufferTooShort) << length;
        EXPECT_EQ(end.encoded_bytes(), 0U);
        EXPECT_EQ(buffer[length], std::byte{0xee}) << length;
    }
    EXPECT_EQ(encode(MutableBytes(buffer).first(needed)).encoded_bytes(), needed);
}

TEST(Encoder, TextLongerThanItsPlaceIsAStatus) {
    std::array<std::byte, 512> buffer;
    auto encoder = OrderEncoder::wrap(buffer);
    encoder.label("12345");
    EXPECT_EQ(encoder.encode_status(), EncodeStatus::kLengthOutOfRange);
    const std::string blob(201, 'x');
    const auto group = OrderEncoder::wrap(buffer).legs().next().fills().end().name("").blob(blob);
    EXPECT_EQ(group.encode_status(), EncodeStatus::kLengthOutOfRange);
}

TEST(Encoder, GroupsHoldMoreThanSixteenBitsOfEntries) {
    constexpr std::uint32_t kCount = 70'000;
    std::vector<std::byte> buffer(8 + 6 + kCount * 4);
    auto items = ManyEncoder::wrap(buffer).items();
    for (std::uint32_t i = 0; i < kCount; ++i) {
        items = items.next().number(i).done();
    }
    const auto end = items.end();
    ASSERT_EQ(end.encoded_bytes(), buffer.size());
    const auto many = VerifiedManyView::wrap(end.message_bytes());
    ASSERT_TRUE(many);
    EXPECT_EQ(many->items().size(), kCount);
    EXPECT_EQ(many->items()[kCount - 1].number(), kCount - 1);
}

TEST(Encoder, ReservedDataIsFilledInPlace) {
    std::array<std::byte, 512> buffer;
    MutableBytes space;
    const auto stage = OrderEncoder::wrap(buffer).legs().end().tags().end();
    const auto end = stage.memo(3, space).trailer(Bytes{});
    ASSERT_EQ(space.size(), 3U);
    std::memcpy(space.data(), "abc", 3);
    const auto order = VerifiedOrderView::wrap(end.message_bytes());
    ASSERT_TRUE(order);
    EXPECT_EQ(order->memo(), "abc");
}

TEST(Encoder, AStaleStageStillGivesAWholeMessage) {
    std::array<std::byte, 512> buffer;
    const auto tags = OrderEncoder::wrap(buffer).legs().end().tags();
    const auto once = tags.next().text("first");
    const auto twice = once.next().text("second");
    EXPECT_GT(twice.end().memo("").trailer(Bytes{}).encoded_bytes(), 0U);
    const auto end = tags.next().text("only").end().memo("m").trailer(Bytes{});
    const auto order = VerifiedOrderView::wrap(end.message_bytes());
    ASSERT_TRUE(order);
    EXPECT_EQ(order->tags().size(), 1U);
    EXPECT_EQ((*order->tags().begin()).text(), "only");
}

TEST(Encoder, PaddingOfABlockIsZero) {
    std::array<std::byte, 24> buffer;
    buffer.fill(std::byte{0xee});
    const auto plain = PlainEncoder::wrap(buffer).number(5);
    ASSERT_EQ(plain.encoded_bytes(), PlainEncoder::kEncodedBytes);
    for (std::size_t at = 12; at < 24; ++at) {
        EXPECT_EQ(buffer[at], std::byte{0});
    }
}

TEST(Codec, WritingAndReadingAllocatesNothing) {
    std::array<std::byte, 512> buffer;
    const std::size_t before = allocation_count();
    auto encoder = OrderEncoder::wrap(buffer);
    encoder.value(1).label("x").price(1.0);
    auto legs = encoder.legs();
    for (int i = 0; i < 3; ++i) {
        auto fills = legs.next().ratio(i).fills();
        fills = fills.next().quantity(1).venue("v");
        legs = fills.end().name("n").blob(Bytes{});
    }
    const auto end = legs.end().tags().end().memo("memo").trailer(Bytes{});
    const auto order = VerifiedOrderView::wrap(end.message_bytes());
    std::size_t total = 0;
    for (const auto leg : order->legs()) {
        for (const auto fill : leg.fills()) {
            total += fill.quantity() + fill.venue().size();
        }
        total += leg.name().size();
    }
    const std::size_t after = allocation_count();
    EXPECT_EQ(after, before);
    EXPECT_EQ(total, 9U);
    static_assert(std::is_trivially_copyable_v<OrderView>);
    static_assert(std::is_trivially_copyable_v<VerifiedOrderView>);
    static_assert(noexcept(VerifiedOrderView::wrap(Bytes{})));
}

}  // namespace
}  // namespace tern::codegen::test
