#include <gtest/gtest.h>

#include <array>

#include "codecs/fix_sbe_1_0_examples/all.hpp"
#include "test_messages.hpp"

namespace tern::codegen::test {
namespace {

namespace fix = codecs::fix_sbe_1_0_examples;

constexpr std::size_t kFramingBytes = 6;  // Simple Open Framing Header, big-endian in any schema

/// The message behind its framing header, which is checked.
std::vector<std::byte> load_framed(const std::string& name) {
    const std::vector<std::byte> frame = load_message(name);
    EXPECT_EQ((load<std::uint32_t, std::endian::big>(frame.data())), frame.size());
    EXPECT_EQ((load<std::uint16_t, std::endian::big>(frame.data() + 4)), 0xeb50);
    return {frame.begin() + kFramingBytes, frame.end()};
}

TEST(FixCodec, NewOrderSingleReadsAndWritesThePublishedBytes) {
    const ExactBuffer message(load_framed("fix-1.0-new-order-single"));
    const auto order = fix::VerifiedNewOrderSingleView::wrap(message.bytes());
    ASSERT_TRUE(order) << to_string(order.status());
    EXPECT_EQ(order->cl_ord_id(), "ORD00001");
    EXPECT_EQ(order->account(), "ACCT01");
    EXPECT_EQ(order->symbol(), "GEM4");
    EXPECT_EQ(order->side().name(), "Buy");
    EXPECT_EQ(order->order_qty().mantissa(), 7);
    EXPECT_EQ(fix::QtyEncodingView::exponent(), 0);
    EXPECT_EQ(order->ord_type().name(), "Limit");
    EXPECT_EQ(order->price().mantissa(), 99610);
    EXPECT_FALSE(order->stop_px().mantissa());
    EXPECT_TRUE(order->stop_px().is_null());

    std::array<std::byte, 62> buffer;
    auto encoder = fix::NewOrderSingleEncoder::wrap(buffer);
    encoder.cl_ord_id("ORD00001").account("ACCT01").symbol("GEM4").side(fix::SideEnum::kBuy);
    encoder.transact_time(order->transact_time()).ord_type(fix::OrdTypeEnum::kLimit);
    encoder.order_qty().mantissa(7);
    encoder.price().mantissa(99610);
    EXPECT_EQ(to_hex(encoder.message_bytes()), to_hex(message.bytes()));
}

TEST(FixCodec, ExecutionReportReadsItsFills) {
    const ExactBuffer message(load_framed("fix-1.0-execution-report"));
    const auto report = fix::VerifiedExecutionReportView::wrap(message.bytes());
    ASSERT_TRUE(report) << to_string(report.status());
    EXPECT_EQ(report->order_id(), "O0000001");
    EXPECT_EQ(report->exec_id(), "EXEC0000");
    EXPECT_EQ(report->exec_type().name(), "Trade");
    EXPECT_EQ(report->ord_status().name(), "PartialFilled");
    EXPECT_EQ(report->maturity_month_year().year(), 2014);
    EXPECT_EQ(report->trade_date(), 0x3e75);
    ASSERT_EQ(report->fills_grp().size(), 2U);
    EXPECT_EQ(report->fills_grp()[0].fill_px().mantissa(), 99610);
    EXPECT_EQ(report->fills_grp()[1].fill_px().mantissa(), 99620);
    EXPECT_EQ(report->fills_grp()[1].fill_qty().mantissa(), 4);
    EXPECT_EQ(report->bytes_left(), 0U);
}

TEST(FixCodec, BusinessRejectReadsItsText) {
    const ExactBuffer message(load_framed("fix-1.0-business-reject"));
    const auto reject = fix::VerifiedBusinessMessageRejectView::wrap(message.bytes());
    ASSERT_TRUE(reject) << to_string(reject.status());
    EXPECT_EQ(reject->busines_reject_ref_id(), "ORD00001");
    EXPECT_EQ(reject->business_reject_reason().name(), "NotAuthorized");
    EXPECT_EQ(as_text(reject->text()), "Not authorized to trade that instrument");
}

}  // namespace
}  // namespace tern::codegen::test
