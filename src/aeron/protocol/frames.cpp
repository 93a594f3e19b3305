#include "aeron/protocol/frames.hpp"

#include <algorithm>
#include <cstring>
#include <tern/base/check.hpp>
#include <type_traits>

namespace tern::aeron {

namespace {

constexpr std::int64_t kNoGroupTag = -1;

/// Reads the fields behind the common header into `frame`; returns where they end. The caller has
/// checked the length.
template <typename Frame>
const std::byte* read_fields(Bytes bytes, Frame& frame) noexcept {
    const std::byte* at = bytes.data() + kFrameHeaderBytes;
    const auto read = [&at](auto& field) {
        field = load<std::remove_reference_t<decltype(field)>>(at);
        at += sizeof field;
    };
    std::apply([&read](auto&... field) { (read(field), ...); }, Frame::fields(frame));
    return at;
}

void write_header(MutableBytes to,
                  std::size_t length,
                  std::uint8_t flags,
                  FrameType type) noexcept {
    TERN_CHECK(to.size() >= length);
    store_value(to.data(), static_cast<std::int32_t>(length));
    store_value(to.data() + 4, std::uint8_t{0});
    store_value(to.data() + 5, flags);
    store_value(to.data() + 6, type);
}

/// Writes the fields behind the common header.
template <typename Frame>
void write_fields(MutableBytes to, const Frame& frame) noexcept {
    std::byte* at = to.data() + kFrameHeaderBytes;
    const auto write = [&at](const auto& field) {
        store_value(at, field);
        at += sizeof field;
    };
    std::apply([&write](const auto&... field) { (write(field), ...); }, Frame::fields(frame));
}

/// A frame of one length, which has nothing but its fields and perhaps flags.
template <typename Frame>
std::size_t encode_fixed(MutableBytes to,
                         std::size_t length,
                         FrameType type,
                         const Frame& frame) noexcept {
    std::uint8_t flags = 0;
    if constexpr (requires { frame.flags; }) {
        flags = frame.flags;
    }
    write_header(to, length, flags, type);
    write_fields(to, frame);
    return length;
}

/// The bytes that a frame of this type has at least; 0 for a type that is not processed.
std::size_t fixed_bytes(FrameType type) noexcept {
    switch (type) {
        case FrameType::kPad:
        case FrameType::kData:
            return kDataHeaderBytes;
        case FrameType::kNak:
            return kNakBytes;
        case FrameType::kStatusMessage:
            return kStatusMessageBytes;
        case FrameType::kError:
            return kErrorHeaderBytes;
        case FrameType::kSetup:
            return kSetupBytes;
        case FrameType::kRttMeasurement:
            return kRttMeasurementBytes;
        case FrameType::kResolution:
            return kFrameHeaderBytes;
        case FrameType::kResponseSetup:
            return kResponseSetupBytes;
    }
    return 0;
}

/// The header of a control frame of `type` that is all there.
std::optional<FrameHeader> control_header(Bytes datagram, FrameType type) noexcept {
    const std::optional<FrameHeader> header = FrameHeader::decode(datagram);
    if (!header || header->type != type || header->frame_length < 0) {
        return std::nullopt;
    }
    const auto length = static_cast<std::size_t>(header->frame_length);
    return length >= fixed_bytes(type) && length <= datagram.size() ? header : std::nullopt;
}

template <typename Frame>
std::optional<Frame> decode_fixed(Bytes datagram, FrameType type) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, type);
    if (!header) {
        return std::nullopt;
    }
    Frame frame;
    if constexpr (requires { frame.flags; }) {
        frame.flags = header->flags;
    }
    read_fields(datagram, frame);
    return frame;
}

}  // namespace

std::optional<FrameHeader> FrameHeader::decode(Bytes datagram) noexcept {
    if (datagram.size() < kFrameHeaderBytes) {
        return std::nullopt;
    }
    FrameHeader header;
    header.frame_length = load<std::int32_t>(datagram.data());
    header.version = load<std::uint8_t>(datagram.data() + 4);
    header.flags = load<std::uint8_t>(datagram.data() + 5);
    header.type = load<FrameType>(datagram.data() + 6);
    const std::size_t least = fixed_bytes(header.type);
    return header.version == 0 && least != 0 && datagram.size() >= least ? std::optional(header)
                                                                         : std::nullopt;
}

bool is_unknown_type(Bytes datagram) noexcept {
    return datagram.size() >= kFrameHeaderBytes &&
           fixed_bytes(load<FrameType>(datagram.data() + 6)) == 0;
}

std::optional<DataHeader> DataHeader::decode(Bytes bytes) noexcept {
    const std::optional<FrameHeader> header = FrameHeader::decode(bytes);
    if (!header || (header->type != FrameType::kData && header->type != FrameType::kPad)) {
        return std::nullopt;
    }
    DataHeader frame;
    frame.frame_length = header->frame_length;
    frame.flags = header->flags;
    frame.type = header->type;
    read_fields(bytes, frame);
    return frame;
}

std::size_t DataHeader::encode(MutableBytes to) const noexcept {
    write_header(to, kDataHeaderBytes, flags, type);
    store_value(to.data(), frame_length);  // which is not the length of the header
    write_fields(to, *this);
    return kDataHeaderBytes;
}

bool is_heartbeat(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = FrameHeader::decode(datagram);
    return header && header->type == FrameType::kData && header->frame_length == 0 &&
           datagram.size() == kDataHeaderBytes;
}

std::optional<SetupFrame> SetupFrame::decode(Bytes datagram) noexcept {
    return decode_fixed<SetupFrame>(datagram, FrameType::kSetup);
}

std::size_t SetupFrame::encode(MutableBytes to) const noexcept {
    return encode_fixed(to, kSetupBytes, FrameType::kSetup, *this);
}

std::optional<StatusMessage> StatusMessage::decode(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, FrameType::kStatusMessage);
    if (!header) {
        return std::nullopt;
    }
    StatusMessage message;
    message.flags = header->flags;
    const std::byte* const tag = read_fields(datagram, message);
    if (header->frame_length == static_cast<std::int32_t>(kTaggedStatusMessageBytes)) {
        message.group_tag = load<std::int64_t>(tag);
    } else if (header->frame_length != static_cast<std::int32_t>(kStatusMessageBytes)) {
        return std::nullopt;
    }
    return message;
}

std::size_t StatusMessage::encode(MutableBytes to) const noexcept {
    const std::size_t length = group_tag ? kTaggedStatusMessageBytes : kStatusMessageBytes;
    write_header(to, length, flags, FrameType::kStatusMessage);
    write_fields(to, *this);
    if (group_tag) {
        store_value(to.data() + kStatusMessageBytes, *group_tag);
    }
    return length;
}

std::optional<Nak> Nak::decode(Bytes datagram) noexcept {
    return decode_fixed<Nak>(datagram, FrameType::kNak);
}

std::size_t Nak::encode(MutableBytes to) const noexcept {
    return encode_fixed(to, kNakBytes, FrameType::kNak, *this);
}

std::optional<RttMeasurement> RttMeasurement::decode(Bytes datagram) noexcept {
    return decode_fixed<RttMeasurement>(datagram, FrameType::kRttMeasurement);
}

std::size_t RttMeasurement::encode(MutableBytes to) const noexcept {
    return encode_fixed(to, kRttMeasurementBytes, FrameType::kRttMeasurement, *this);
}

std::optional<ErrorFrame> ErrorFrame::decode(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, FrameType::kError);
    if (!header) {
        return std::nullopt;
    }
    ErrorFrame frame;
    const std::byte* const at = datagram.data();
    frame.session_id = load<std::int32_t>(at + 8);
    frame.stream_id = load<std::int32_t>(at + 12);
    frame.receiver_id = load<std::int64_t>(at + 16);
    frame.error_code = load<std::int32_t>(at + 32);
    const auto text_bytes = load<std::int32_t>(at + 36);
    const auto room = static_cast<std::size_t>(header->frame_length) - kErrorHeaderBytes;
    if (text_bytes < 0 || static_cast<std::size_t>(text_bytes) > room) {
        return std::nullopt;
    }
    if ((header->flags & kFlagHasGroupTag) != 0) {
        frame.group_tag = load<std::int64_t>(at + 24);
    }
    frame.text = as_text(datagram.subspan(kErrorHeaderBytes, static_cast<std::size_t>(text_bytes)));
    return frame;
}

std::size_t ErrorFrame::encode(MutableBytes to) const noexcept {
    const std::size_t text_bytes = std::min(text.size(), kErrorTextBytesMax);
    const std::uint8_t flags = group_tag ? kFlagHasGroupTag : 0;
    write_header(to, kErrorHeaderBytes + text_bytes, flags, FrameType::kError);
    store_value(to.data() + 8, session_id);
    store_value(to.data() + 12, stream_id);
    store_value(to.data() + 16, receiver_id);
    store_value(to.data() + 24, group_tag.value_or(kNoGroupTag));
    store_value(to.data() + 32, error_code);
    store_value(to.data() + 36, static_cast<std::int32_t>(text_bytes));
    if (text_bytes != 0) {
        std::memcpy(to.data() + kErrorHeaderBytes, text.data(), text_bytes);
    }
    return kErrorHeaderBytes + text_bytes;
}

std::optional<ResponseSetup> ResponseSetup::decode(Bytes datagram) noexcept {
    return decode_fixed<ResponseSetup>(datagram, FrameType::kResponseSetup);
}

std::size_t ResponseSetup::encode(MutableBytes to) const noexcept {
    return encode_fixed(to, kResponseSetupBytes, FrameType::kResponseSetup, *this);
}

}  // namespace tern::aeron
