#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "aeron/protocol/data_frames.hpp"
#include "aeron/protocol/frames.hpp"
#include "aeron/protocol/resolution.hpp"

/// What official drivers sent, frame by frame: it decodes, and encodes to the same bytes.
namespace tern::aeron {
namespace {

using Buffer = std::vector<std::byte>;

Buffer file_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const Bytes bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

/// The UDP payloads of a classic pcap file with Ethernet frames.
std::vector<Buffer> datagrams_of(const Buffer& file) {
    constexpr std::size_t kFileHeaderBytes = 24;
    constexpr std::size_t kPacketHeaderBytes = 16;
    constexpr std::size_t kEthernetBytes = 14;
    constexpr std::size_t kIpv6Bytes = 40;
    constexpr std::size_t kUdpBytes = 8;
    std::vector<Buffer> datagrams;
    std::size_t at = kFileHeaderBytes;
    while (at + kPacketHeaderBytes <= file.size()) {
        const auto length = load<std::uint32_t>(file.data() + at + 8);
        at += kPacketHeaderBytes;
        const Bytes packet = Bytes(file).subspan(at, length);
        at += length;
        const auto first = std::to_integer<unsigned>(packet[kEthernetBytes]);
        const std::size_t ip_bytes = first >> 4 == 6 ? kIpv6Bytes : (first & 15U) * 4;
        const Bytes udp = packet.subspan(kEthernetBytes + ip_bytes);
        const auto udp_length = load<std::uint16_t, std::endian::big>(udp.data() + 4);
        const Bytes payload = udp.subspan(kUdpBytes, udp_length - kUdpBytes);
        datagrams.emplace_back(payload.begin(), payload.end());
    }
    return datagrams;
}

template <typename Frame>
Buffer recoded(Bytes datagram) {
    const auto frame = Frame::decode(datagram);
    if (!frame) {
        return {};
    }
    Buffer buffer(2048);
    buffer.resize(frame->encode(buffer));
    return buffer;
}

Buffer recoded_data(Bytes datagram) {
    if (is_heartbeat(datagram)) {
        return recoded<DataHeader>(datagram);
    }
    constexpr std::int32_t kTermLength = 64 * 1024;
    const auto frames = DataFrames::wrap(datagram, kTermLength);
    Buffer buffer;
    if (frames) {
        frames->for_each([&](const DataFrame& frame) {
            const std::size_t begin = buffer.size();
            buffer.resize(begin + (frame.header.type == FrameType::kPad
                                       ? kDataHeaderBytes
                                       : static_cast<std::size_t>(frame.span_bytes())));
            frame.header.encode(MutableBytes(buffer).subspan(begin));
            std::copy(frame.payload.begin(),
                      frame.payload.end(),
                      buffer.begin() + static_cast<std::ptrdiff_t>(begin + kDataHeaderBytes));
        });
    }
    return buffer;
}

Buffer recoded_names(Bytes datagram) {
    auto reader = ResolutionReader::wrap(datagram);
    Buffer buffer(2048);
    ResolutionWriter writer(buffer);
    while (reader) {
        const auto entry = reader->next();
        if (!entry) {
            EXPECT_FALSE(reader->is_broken());
            break;
        }
        EXPECT_TRUE(writer.add(*entry));
    }
    buffer.resize(writer.finish());
    return buffer;
}

Buffer recoded_frame(Bytes datagram, FrameType type) {
    switch (type) {
        case FrameType::kPad:
        case FrameType::kData:
            return recoded_data(datagram);
        case FrameType::kNak:
            return recoded<Nak>(datagram);
        case FrameType::kStatusMessage:
            return recoded<StatusMessage>(datagram);
        case FrameType::kError:
            return recoded<ErrorFrame>(datagram);
        case FrameType::kSetup:
            return recoded<SetupFrame>(datagram);
        case FrameType::kRttMeasurement:
            return recoded<RttMeasurement>(datagram);
        case FrameType::kResolution:
            return recoded_names(datagram);
        case FrameType::kResponseSetup:
            return recoded<ResponseSetup>(datagram);
    }
    return {};
}

TEST(AeronCaptures, EveryFrameComesBackByteForByte) {
    std::map<FrameType, std::size_t> seen;
    std::size_t file_count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TERN_TEST_DATA_DIR "/aeron")) {
        if (entry.path().extension() != ".pcap") {
            continue;
        }
        ++file_count;
        std::size_t number = 0;
        for (const Buffer& datagram : datagrams_of(file_bytes(entry.path()))) {
            SCOPED_TRACE(entry.path().filename().string() + " datagram " +
                         std::to_string(++number));
            const auto header = FrameHeader::decode(datagram);
            ASSERT_TRUE(header.has_value());
            ++seen[header->type];
            ASSERT_EQ(recoded_frame(datagram, header->type), datagram);
        }
        EXPECT_GT(number, 0U) << entry.path();
    }
    EXPECT_EQ(file_count, 20U);
    EXPECT_EQ(seen.size(), 9U) << "the captures have every type but those reserved";
}

TEST(AeronCaptures, TheFirstSessionReadsAsItWasSent) {
    const std::filesystem::path folder = TERN_TEST_DATA_DIR "/aeron";
    const std::vector<Buffer> datagrams =
        datagrams_of(file_bytes(folder / "01-unicast-session.pcap"));
    ASSERT_GE(datagrams.size(), 4U);
    EXPECT_EQ(SetupFrame::decode(datagrams[0]),
              (SetupFrame{0, 0, 0x11223344, 1001, 0x55667788, 0x55667788, 65536, 1408, 0}));
    const auto status = StatusMessage::decode(datagrams[1]);
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(status->consumption_term_id, 0x55667788);
    EXPECT_EQ(status->receiver_window, 32768);
    EXPECT_TRUE(is_heartbeat(datagrams[2]));
    const auto data = DataFrames::wrap(datagrams[3], 65536);
    ASSERT_TRUE(data.has_value());
    EXPECT_EQ(data->first().frame_length, 72);
    data->for_each([](const DataFrame& frame) {
        ASSERT_EQ(frame.payload.size(), 40U);
        for (std::size_t k = 0; k < frame.payload.size(); ++k) {
            EXPECT_EQ(std::to_integer<std::size_t>(frame.payload[k]), k & 0xFF);
        }
    });
}

}  // namespace
}  // namespace tern::aeron
