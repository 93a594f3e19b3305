#include "aeron/protocol/frames.hpp"

#include <algorithm>
#include <cstring>
#include <tern/base/check.hpp>

namespace tern::aeron {

namespace {

constexpr std::int64_t kNoGroupTag = -1;

/// Reads fields one after the other. The caller has checked the length.
class FieldReader {
public:
    FieldReader(Bytes bytes, std::size_t offset) noexcept : at_(bytes.data() + offset) {}

    template <typename T>
    FieldReader& get(T& to) noexcept {
        to = load<T>(at_);
        at_ += sizeof(T);
        return *this;
    }

private:
    const std::byte* at_;
};

/// Writes the common header, then fields one after the other.
class FieldWriter {
public:
    FieldWriter(MutableBytes to, std::size_t length, std::uint8_t flags, FrameType type) noexcept
        : begin_(to.data()), at_(to.data()) {
        TERN_CHECK(to.size() >= length);
        put(static_cast<std::int32_t>(length)).put(std::uint8_t{0}).put(flags).put(type);
    }

    template <typename T>
    FieldWriter& put(T value) noexcept {
        store_value(at_, value);
        at_ += sizeof(T);
        return *this;
    }
    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(at_ - begin_);
    }

private:
    std::byte* begin_;
    std::byte* at_;
};

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

}  // namespace

std::optional<FrameHeader> FrameHeader::decode(Bytes datagram) noexcept {
    if (datagram.size() < kFrameHeaderBytes) {
        return std::nullopt;
    }
    FrameHeader header;
    FieldReader(datagram, 0)
        .get(header.frame_length)
        .get(header.version)
        .get(header.flags)
        .get(header.type);
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
    FieldReader(bytes, kFrameHeaderBytes)
        .get(frame.term_offset)
        .get(frame.session_id)
        .get(frame.stream_id)
        .get(frame.term_id)
        .get(frame.reserved_value);
    return frame;
}

std::size_t DataHeader::encode(MutableBytes to) const noexcept {
    FieldWriter writer(to, kDataHeaderBytes, flags, type);
    store_value(to.data(), frame_length);  // which is not the length of the header
    return writer.put(term_offset)
        .put(session_id)
        .put(stream_id)
        .put(term_id)
        .put(reserved_value)
        .size();
}

bool is_heartbeat(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = FrameHeader::decode(datagram);
    return header && header->type == FrameType::kData && header->frame_length == 0 &&
           datagram.size() == kDataHeaderBytes;
}

std::optional<SetupFrame> SetupFrame::decode(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, FrameType::kSetup);
    if (!header) {
        return std::nullopt;
    }
    SetupFrame setup;
    setup.flags = header->flags;
    FieldReader(datagram, kFrameHeaderBytes)
        .get(setup.term_offset)
        .get(setup.session_id)
        .get(setup.stream_id)
        .get(setup.initial_term_id)
        .get(setup.active_term_id)
        .get(setup.term_length)
        .get(setup.mtu)
        .get(setup.ttl);
    return setup;
}

std::size_t SetupFrame::encode(MutableBytes to) const noexcept {
    return FieldWriter(to, kSetupBytes, flags, FrameType::kSetup)
        .put(term_offset)
        .put(session_id)
        .put(stream_id)
        .put(initial_term_id)
        .put(active_term_id)
        .put(term_length)
        .put(mtu)
        .put(ttl)
        .size();
}

std::optional<StatusMessage> StatusMessage::decode(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, FrameType::kStatusMessage);
    if (!header) {
        return std::nullopt;
    }
    StatusMessage message;
    message.flags = header->flags;
    FieldReader reader(datagram, kFrameHeaderBytes);
    reader.get(message.session_id)
        .get(message.stream_id)
        .get(message.consumption_term_id)
        .get(message.consumption_term_offset)
        .get(message.receiver_window)
        .get(message.receiver_id);
    if (header->frame_length == static_cast<std::int32_t>(kTaggedStatusMessageBytes)) {
        reader.get(message.group_tag.emplace());
    } else if (header->frame_length != static_cast<std::int32_t>(kStatusMessageBytes)) {
        return std::nullopt;
    }
    return message;
}

std::size_t StatusMessage::encode(MutableBytes to) const noexcept {
    const std::size_t length = group_tag ? kTaggedStatusMessageBytes : kStatusMessageBytes;
    FieldWriter writer(to, length, flags, FrameType::kStatusMessage);
    writer.put(session_id)
        .put(stream_id)
        .put(consumption_term_id)
        .put(consumption_term_offset)
        .put(receiver_window)
        .put(receiver_id);
    if (group_tag) {
        writer.put(*group_tag);
    }
    return writer.size();
}

std::optional<Nak> Nak::decode(Bytes datagram) noexcept {
    if (!control_header(datagram, FrameType::kNak)) {
        return std::nullopt;
    }
    Nak nak;
    FieldReader(datagram, kFrameHeaderBytes)
        .get(nak.session_id)
        .get(nak.stream_id)
        .get(nak.term_id)
        .get(nak.term_offset)
        .get(nak.length);
    return nak;
}

std::size_t Nak::encode(MutableBytes to) const noexcept {
    return FieldWriter(to, kNakBytes, 0, FrameType::kNak)
        .put(session_id)
        .put(stream_id)
        .put(term_id)
        .put(term_offset)
        .put(length)
        .size();
}

std::optional<RttMeasurement> RttMeasurement::decode(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, FrameType::kRttMeasurement);
    if (!header) {
        return std::nullopt;
    }
    RttMeasurement rtt;
    rtt.flags = header->flags;
    FieldReader(datagram, kFrameHeaderBytes)
        .get(rtt.session_id)
        .get(rtt.stream_id)
        .get(rtt.echo_timestamp_ns)
        .get(rtt.reception_delta_ns)
        .get(rtt.receiver_id);
    return rtt;
}

std::size_t RttMeasurement::encode(MutableBytes to) const noexcept {
    return FieldWriter(to, kRttMeasurementBytes, flags, FrameType::kRttMeasurement)
        .put(session_id)
        .put(stream_id)
        .put(echo_timestamp_ns)
        .put(reception_delta_ns)
        .put(receiver_id)
        .size();
}

std::optional<ErrorFrame> ErrorFrame::decode(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = control_header(datagram, FrameType::kError);
    if (!header) {
        return std::nullopt;
    }
    ErrorFrame frame;
    std::int64_t group_tag = 0;
    std::int32_t text_bytes = 0;
    FieldReader(datagram, kFrameHeaderBytes)
        .get(frame.session_id)
        .get(frame.stream_id)
        .get(frame.receiver_id)
        .get(group_tag)
        .get(frame.error_code)
        .get(text_bytes);
    const auto room = static_cast<std::size_t>(header->frame_length) - kErrorHeaderBytes;
    if (text_bytes < 0 || static_cast<std::size_t>(text_bytes) > room) {
        return std::nullopt;
    }
    if ((header->flags & kFlagHasGroupTag) != 0) {
        frame.group_tag = group_tag;
    }
    frame.text = as_text(datagram.subspan(kErrorHeaderBytes, static_cast<std::size_t>(text_bytes)));
    return frame;
}

std::size_t ErrorFrame::encode(MutableBytes to) const noexcept {
    const std::size_t text_bytes = std::min(text.size(), kErrorTextBytesMax);
    const std::uint8_t flags = group_tag ? kFlagHasGroupTag : 0;
    FieldWriter writer(to, kErrorHeaderBytes + text_bytes, flags, FrameType::kError);
    writer.put(session_id)
        .put(stream_id)
        .put(receiver_id)
        .put(group_tag.value_or(kNoGroupTag))
        .put(error_code)
        .put(static_cast<std::int32_t>(text_bytes));
    if (text_bytes != 0) {
        std::memcpy(to.data() + kErrorHeaderBytes, text.data(), text_bytes);
    }
    return kErrorHeaderBytes + text_bytes;
}

std::optional<ResponseSetup> ResponseSetup::decode(Bytes datagram) noexcept {
    if (!control_header(datagram, FrameType::kResponseSetup)) {
        return std::nullopt;
    }
    ResponseSetup setup;
    FieldReader(datagram, kFrameHeaderBytes)
        .get(setup.session_id)
        .get(setup.stream_id)
        .get(setup.response_session_id);
    return setup;
}

std::size_t ResponseSetup::encode(MutableBytes to) const noexcept {
    return FieldWriter(to, kResponseSetupBytes, 0, FrameType::kResponseSetup)
        .put(session_id)
        .put(stream_id)
        .put(response_session_id)
        .size();
}

}  // namespace tern::aeron
