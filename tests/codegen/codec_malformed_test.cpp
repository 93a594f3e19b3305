#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "codecs/example_schema/all.hpp"
#include "codecs/wide_groups/all.hpp"
#include "test_messages.hpp"

namespace tern::codegen::test {
namespace {

namespace car = codecs::example_schema;
using sbe::DecodeStatus;

/// Walks the message in stages and as a whole; both say the same.
DecodeStatus walk_all(Bytes message) {
    const auto verified = car::VerifiedCarView::wrap(message);
    const auto view = car::CarView::wrap(message);
    if (!view) {
        EXPECT_EQ(view.status(), verified.status());
        return view.status();
    }
    car::CarView::FuelFigures fuel;
    car::CarView::PerformanceFigures performance;
    std::string_view text;
    const auto end = view->walk()
                         .fuel_figures(fuel)
                         .performance_figures(performance)
                         .manufacturer(text)
                         .model(text)
                         .activation_code(text);
    EXPECT_EQ(end.decode_status(), verified.status());
    return end.decode_status();
}

std::vector<std::byte> damaged(const nlohmann::json& test_case, const std::string& base) {
    std::vector<std::byte> message = load_message(test_case.value("base", base));
    if (test_case.contains("keep")) {
        message.resize(test_case["keep"].get<std::size_t>());
    }
    for (const auto& patch : test_case.value("patch", nlohmann::json::array())) {
        const std::vector<std::byte> bytes = from_hex(patch[1].get<std::string>());
        std::copy(bytes.begin(), bytes.end(), message.begin() + patch[0].get<std::ptrdiff_t>());
    }
    const std::vector<std::byte> tail = from_hex(test_case.value("append", ""));
    message.insert(message.end(), tail.begin(), tail.end());
    return message;
}

TEST(MalformedCar, EachPublishedCaseIsToldApart) {
    const auto file = nlohmann::json::parse(read_text(data_path("messages/car-malformed.json")));
    ASSERT_EQ(file["cases"].size(), 24U);
    for (const auto& test_case : file["cases"]) {
        const ExactBuffer message(damaged(test_case, file["base"]));
        EXPECT_EQ(to_string(walk_all(message.bytes())), test_case["expect"].get<std::string>())
            << test_case["name"];
    }
}

TEST(MalformedCar, UnknownValuesAndBitsAreKept) {
    std::vector<std::byte> message = load_message("car-baseline");
    message[19] = std::byte{0x5a};
    message[42] = std::byte{0xfe};
    const auto view = car::CarView::wrap(message);
    ASSERT_TRUE(view);
    EXPECT_FALSE(view->code().known());
    EXPECT_EQ(view->code().raw(), 'Z');
    EXPECT_EQ(view->extras().raw(), 0xfe);
    EXPECT_TRUE(view->extras().sports_pack());
    EXPECT_FALSE(view->extras().sun_roof());
}

TEST(MalformedCar, BytesBehindTheMessageAreCounted) {
    std::vector<std::byte> message = load_message("car-baseline");
    message.resize(message.size() + 4);
    const auto view = car::VerifiedCarView::wrap(message);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->bytes_left(), 4U);
    EXPECT_EQ(view->body_bytes(), 199U);
}

TEST(MalformedCar, EveryTruncationIsAStatus) {
    const std::vector<std::byte> whole = load_message("car-baseline");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const ExactBuffer message(Bytes(whole).first(length));
        EXPECT_EQ(walk_all(message.bytes()), DecodeStatus::kBufferTooShort) << length;
    }
}

TEST(MalformedCar, EveryByteSetToExtremesIsAStatusOrReads) {
    const std::vector<std::byte> whole = load_message("car-baseline");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xfeU, 0xffU}) {
            std::vector<std::byte> bytes = whole;
            bytes[at] = static_cast<std::byte>(value);
            const ExactBuffer message(bytes);
            const DecodeStatus status = walk_all(message.bytes());
            EXPECT_LE(static_cast<int>(status), static_cast<int>(DecodeStatus::kLengthOutOfRange));
        }
    }
}

TEST(MalformedGroup, CountAboveTheSchemasMaximumIsRefused) {
    std::vector<std::byte> message(8 + 6);
    codecs::wide_groups::SchemaInfo::write_header(message.data(), 0, 2, 1, 0);
    const std::byte* end = message.data() + message.size();
    codecs::wide_groups::GroupSizeEncodingDimensions::write(message.data() + 8, 4, 0, 0);
    codecs::wide_groups::GroupSizeEncodingDimensions::write_count(message.data() + 8, 1'000'001);
    EXPECT_EQ(end - message.data(), 14);
    EXPECT_EQ(codecs::wide_groups::VerifiedManyView::wrap(message).status(),
              DecodeStatus::kCountOutOfRange);
}

}  // namespace
}  // namespace tern::codegen::test
