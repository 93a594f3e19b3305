#include "aeron/protocol/frames.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aeron/protocol/data_frames.hpp"
#include "aeron/protocol/resolution.hpp"

namespace tern::aeron {
namespace {

using Buffer = std::vector<std::byte>;

template <typename Frame>
Buffer encoded(const Frame& frame) {
    Buffer buffer(2048);
    buffer.resize(frame.encode(buffer));
    return buffer;
}

/// Every way to cut a frame short is refused.
template <typename Frame>
void expect_whole_only(const Frame& frame) {
    const Buffer whole = encoded(frame);
    const auto back = Frame::decode(whole);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, frame);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_FALSE(Frame::decode(Bytes(whole).first(length)).has_value()) << length;
    }
    Buffer other_version = whole;
    other_version[4] = std::byte{1};
    EXPECT_FALSE(Frame::decode(other_version).has_value());
    Buffer other_type = whole;
    other_type[6] = std::byte{0x63};
    EXPECT_FALSE(Frame::decode(other_type).has_value());
    EXPECT_TRUE(is_unknown_type(other_type));
    EXPECT_FALSE(is_unknown_type(whole));
}

TEST(AeronFrames, ComeBackAsTheyWent) {
    expect_whole_only(SetupFrame{kFlagGroup, 64, 1, 2, 3, 4, 65536, 1408, 5});
    expect_whole_only(StatusMessage{kFlagSendSetup, -1, 2, 3, 4, 32768, 0x1122334455667788, {}});
    expect_whole_only(StatusMessage{0, -1, 2, 3, 4, 32768, -5, 1001});
    expect_whole_only(Nak{1, 2, 3, 64, 128});
    expect_whole_only(RttMeasurement{kFlagRttReply, 1, 2, 3, 4, 5});
    expect_whole_only(ErrorFrame{1, 2, 3, {}, 13, "rejected by subscriber"});
    expect_whole_only(ErrorFrame{1, 2, 3, 77, 13, ""});
    expect_whole_only(ResponseSetup{1, 2, 3});
}

TEST(AeronFrames, StatusMessagesHaveTwoLengths) {
    Buffer message = encoded(StatusMessage{0, 1, 2, 3, 4, 5, 6, 7});
    for (const std::int32_t length : {0, 35, 37, 40, 43}) {
        store_value(message.data(), length);
        EXPECT_FALSE(StatusMessage::decode(message).has_value()) << length;
    }
}

TEST(AeronFrames, LengthsOfOthersAreNotBelieved) {
    Buffer nak = encoded(Nak{1, 2, 3, 64, 128});
    for (const std::int32_t length : {-1, 27, 29, 0x7FFFFFFF}) {
        store_value(nak.data(), length);
        EXPECT_FALSE(Nak::decode(nak).has_value()) << length;
    }
    Buffer error = encoded(ErrorFrame{1, 2, 3, {}, 13, "text"});
    for (const std::int32_t length : {-1, 5, 0x7FFFFFFF}) {
        store_value(error.data() + 36, length);
        EXPECT_FALSE(ErrorFrame::decode(error).has_value()) << length;
    }
}

TEST(AeronFrames, ErrorTextIsCutToItsLimit) {
    const std::string text(2000, 'x');
    ErrorFrame frame;
    frame.text = text;
    const Buffer buffer = encoded(frame);
    ASSERT_EQ(buffer.size(), kErrorHeaderBytes + kErrorTextBytesMax);
    EXPECT_EQ(ErrorFrame::decode(buffer)->text.size(), kErrorTextBytesMax);
}

// ---- Datagrams of data ----

constexpr std::int32_t kTermLength = 65536;

DataHeader header_at(std::int32_t offset, std::int32_t length, FrameType type = FrameType::kData) {
    return {length, kFlagUnfragmented, type, offset, 11, 22, 33, 0};
}
/// A datagram of these frames, each with its filler.
Buffer datagram_of(const std::vector<DataHeader>& headers) {
    Buffer buffer;
    for (const DataHeader& header : headers) {
        const std::size_t begin = buffer.size();
        const bool is_pad = header.type == FrameType::kPad;
        buffer.resize(
            begin + (is_pad ? kDataHeaderBytes
                            : static_cast<std::size_t>(DataFrame{header, {}}.span_bytes())),
            std::byte{0x5A});
        header.encode(MutableBytes(buffer).subspan(begin));
    }
    return buffer;
}
bool is_data(const std::vector<DataHeader>& headers) {
    return DataFrames::wrap(datagram_of(headers), kTermLength).has_value();
}

TEST(AeronDataFrames, AreWalkedInOrder) {
    const Buffer datagram =
        datagram_of({header_at(96, 72), header_at(192, 33), header_at(256, 32)});
    const auto frames = DataFrames::wrap(datagram, kTermLength);
    ASSERT_TRUE(frames.has_value());
    EXPECT_EQ(frames->first().term_offset, 96);
    EXPECT_EQ(frames->span_bytes(), 96 + 64 + 32);
    std::vector<std::size_t> payloads;
    frames->for_each([&](const DataFrame& frame) { payloads.push_back(frame.payload.size()); });
    EXPECT_EQ(payloads, (std::vector<std::size_t>{40, 1, 0}));
}

TEST(AeronDataFrames, PadIsTheLastAndAHeaderAlone) {
    EXPECT_TRUE(is_data({header_at(0, 64), header_at(64, 1024, FrameType::kPad)}));
    EXPECT_TRUE(is_data({header_at(kTermLength - 64, 64, FrameType::kPad)}));
    EXPECT_FALSE(is_data({header_at(0, 64, FrameType::kPad), header_at(64, 64)}));
    EXPECT_FALSE(is_data({header_at(kTermLength - 64, 96, FrameType::kPad)})) << "beyond the term";
}

TEST(AeronDataFrames, BrokenDatagramsAreRefused) {
    EXPECT_FALSE(is_data({header_at(0, 64), header_at(96, 64)})) << "a hole";
    EXPECT_FALSE(is_data({header_at(64, 64), header_at(64, 64)})) << "the same place twice";
    EXPECT_FALSE(is_data({header_at(-32, 64)}));
    EXPECT_FALSE(is_data({header_at(16, 64)})) << "not aligned";
    EXPECT_FALSE(is_data({header_at(kTermLength, 64)}));
    EXPECT_FALSE(is_data({header_at(kTermLength - 32, 64)})) << "ends beyond the term";
    DataHeader other_session = header_at(64, 64);
    other_session.session_id = 12;
    EXPECT_FALSE(is_data({header_at(0, 64), other_session}));
    for (const std::int32_t length : {0, 31, -64, 0x7FFFFFFF}) {
        Buffer datagram = datagram_of({header_at(0, 64)});
        store_value(datagram.data(), length);
        EXPECT_FALSE(DataFrames::wrap(datagram, kTermLength).has_value()) << length;
    }
    const Buffer datagram = datagram_of({header_at(0, 72), header_at(96, 72)});
    for (std::size_t length = 0; length < datagram.size(); ++length) {
        EXPECT_EQ(DataFrames::wrap(Bytes(datagram).first(length), kTermLength).has_value(),
                  length == 96)
            << length;
    }
}

TEST(AeronDataFrames, HeartbeatsAreNoData) {
    Buffer buffer(kDataHeaderBytes);
    DataHeader heartbeat = header_at(64, 0);
    heartbeat.encode(buffer);
    EXPECT_TRUE(is_heartbeat(buffer));
    EXPECT_FALSE(DataFrames::wrap(buffer, kTermLength).has_value());
    EXPECT_FALSE(is_heartbeat(datagram_of({header_at(0, 32)})));
}

// ---- Names ----

TEST(AeronResolution, EntriesComeBackAndBrokenOnesEndTheFrame) {
    ResolutionEntry first;
    first.flags = ResolutionEntry::kFlagSelf;
    first.port = 20130;
    first.address = {std::byte{127}, std::byte{0}, std::byte{0}, std::byte{1}};
    first.name = "node-a";
    ResolutionEntry second = first;
    second.is_ipv6 = true;
    second.flags = 0;
    second.age_ms = 1500;
    second.name = "a-longer-name";
    Buffer buffer(1408);
    ResolutionWriter writer(buffer);
    EXPECT_TRUE(writer.add(first));
    EXPECT_TRUE(writer.add(second));
    buffer.resize(writer.finish());
    EXPECT_EQ(buffer.size(), 8U + 24U + 40U);

    auto reader = ResolutionReader::wrap(buffer);
    ASSERT_TRUE(reader.has_value());
    EXPECT_EQ(reader->next(), first);
    EXPECT_EQ(reader->next(), second);
    EXPECT_FALSE(reader->next().has_value());
    EXPECT_FALSE(reader->is_broken());

    store_value(buffer.data() + 8 + 12, std::int16_t{3000});  // the first name's length
    auto broken = ResolutionReader::wrap(buffer);
    ASSERT_TRUE(broken.has_value());
    EXPECT_FALSE(broken->next().has_value());
    EXPECT_TRUE(broken->is_broken());
}

TEST(AeronResolution, AFullFrameTakesNoMore) {
    ResolutionEntry entry;
    entry.name = "node";
    Buffer buffer(8 + 24 + 23);
    ResolutionWriter writer(buffer);
    EXPECT_TRUE(writer.add(entry));
    EXPECT_FALSE(writer.add(entry));
    EXPECT_EQ(writer.finish(), 8U + 24U);
}

}  // namespace
}  // namespace tern::aeron
