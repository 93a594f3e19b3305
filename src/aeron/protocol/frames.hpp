#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tuple>

/// The frames of Aeron's wire, version 1.51: one struct each, read from a datagram by `decode` and
/// written to one by `encode`.
///
/// Source of the layouts: the project's interoperability notes on Aeron 1.51, checked by every
/// frame of the captures in tests/data/aeron. All numbers are little-endian.
///
/// A datagram holds one control frame, or one or more data frames (data_frames.hpp). Nothing in it
/// can be trusted: `decode` checks version, type and lengths and says nothing where they are wrong.
/// What the fields mean is checked by who uses them.
///
/// Threads: values; any.
namespace tern::aeron {

enum class FrameType : std::int16_t {
    kPad = 0,
    kData = 1,
    kNak = 2,
    kStatusMessage = 3,
    kError = 4,
    kSetup = 5,
    kRttMeasurement = 6,
    kResolution = 7,
    kResponseSetup = 11,
};

/// Fragments, and PAD frames, begin and end on a multiple of this.
inline constexpr std::int32_t kFrameAlignment = 32;
inline constexpr std::size_t kFrameHeaderBytes = 8;
inline constexpr std::size_t kDataHeaderBytes = 32;
inline constexpr std::size_t kNakBytes = 28;
inline constexpr std::size_t kStatusMessageBytes = 36;
inline constexpr std::size_t kTaggedStatusMessageBytes = 44;
inline constexpr std::size_t kErrorHeaderBytes = 40;
inline constexpr std::size_t kErrorTextBytesMax = 1023;
inline constexpr std::size_t kSetupBytes = 40;
inline constexpr std::size_t kRttMeasurementBytes = 40;
inline constexpr std::size_t kResponseSetupBytes = 20;

// Flags of DATA, PAD and heartbeats.
inline constexpr std::uint8_t kFlagBegin = 0x80;
inline constexpr std::uint8_t kFlagEnd = 0x40;
inline constexpr std::uint8_t kFlagUnfragmented = kFlagBegin | kFlagEnd;
inline constexpr std::uint8_t kFlagEndOfStream = 0x20;  ///< heartbeats only
inline constexpr std::uint8_t kFlagRevoked = 0x10;      ///< heartbeats only
// Flags of SETUP.
inline constexpr std::uint8_t kFlagSendResponse = 0x80;
inline constexpr std::uint8_t kFlagGroup = 0x40;
// Flags of status messages.
inline constexpr std::uint8_t kFlagSendSetup = 0x80;
inline constexpr std::uint8_t kFlagReceiverLeaves = 0x40;
// Flags of the other frames.
inline constexpr std::uint8_t kFlagHasGroupTag = 0x08;  ///< of ERR
inline constexpr std::uint8_t kFlagRttReply = 0x80;     ///< of RTTM: an answer is wanted

/// The first eight bytes of every frame.
struct FrameHeader {
    std::int32_t frame_length = 0;  ///< bytes of header and content; 0 in a heartbeat
    std::uint8_t version = 0;
    std::uint8_t flags = 0;
    FrameType type = FrameType::kPad;

    /// The header of a datagram that one may go on to decode: long enough, of version 0, of a known
    /// type, and not shorter than the type's fixed part. None: count it as invalid and drop it, or,
    /// where `is_unknown_type`, drop it silently.
    [[nodiscard]] static std::optional<FrameHeader> decode(Bytes datagram) noexcept;

    bool operator==(const FrameHeader&) const = default;
};

/// Whether a datagram is of a type that this version does not process; a multicast socket sees
/// such.
[[nodiscard]] bool is_unknown_type(Bytes datagram) noexcept;

/// The 32 bytes before a fragment: DATA, PAD, or a heartbeat (DATA of frame length 0).
struct DataHeader {
    std::int32_t frame_length = 0;
    std::uint8_t flags = 0;
    FrameType type = FrameType::kData;  ///< kData or kPad
    std::int32_t term_offset = 0;
    std::int32_t session_id = 0;
    std::int32_t stream_id = 0;
    std::int32_t term_id = 0;
    std::int64_t reserved_value = 0;

    /// Reads the header at the front of `bytes`.
    [[nodiscard]] static std::optional<DataHeader> decode(Bytes bytes) noexcept;
    /// Writes kDataHeaderBytes.
    std::size_t encode(MutableBytes to) const noexcept;

    /// The fields behind the common header, in the order of the wire.
    [[nodiscard]] static constexpr auto fields(auto& frame) noexcept {
        return std::tie(frame.term_offset,
                        frame.session_id,
                        frame.stream_id,
                        frame.term_id,
                        frame.reserved_value);
    }

    bool operator==(const DataHeader&) const = default;
};

/// Whether a datagram is a heartbeat: a DATA header alone, of length 0.
[[nodiscard]] bool is_heartbeat(Bytes datagram) noexcept;

/// What a sender says of its stream, until somebody listens and when somebody asks.
struct SetupFrame {
    std::uint8_t flags = 0;
    std::int32_t term_offset = 0;  ///< of the sender's position
    std::int32_t session_id = 0;
    std::int32_t stream_id = 0;
    std::int32_t initial_term_id = 0;
    std::int32_t active_term_id = 0;  ///< of the sender's position
    std::int32_t term_length = 0;     ///< bytes
    std::int32_t mtu = 0;             ///< bytes of a datagram at most
    std::int32_t ttl = 0;             ///< of the channel; 0 when it has none

    [[nodiscard]] static std::optional<SetupFrame> decode(Bytes datagram) noexcept;
    std::size_t encode(MutableBytes to) const noexcept;

    /// The fields behind the common header, in the order of the wire.
    [[nodiscard]] static constexpr auto fields(auto& frame) noexcept {
        return std::tie(frame.term_offset,
                        frame.session_id,
                        frame.stream_id,
                        frame.initial_term_id,
                        frame.active_term_id,
                        frame.term_length,
                        frame.mtu,
                        frame.ttl);
    }

    bool operator==(const SetupFrame&) const = default;
};

/// What a receiver has consumed and how much it takes beyond that; or, with kFlagSendSetup, that it
/// sees a stream which it knows nothing of.
struct StatusMessage {
    std::uint8_t flags = 0;
    std::int32_t session_id = 0;
    std::int32_t stream_id = 0;
    std::int32_t consumption_term_id = 0;
    std::int32_t consumption_term_offset = 0;
    std::int32_t receiver_window = 0;  ///< bytes
    std::int64_t receiver_id = 0;
    std::optional<std::int64_t> group_tag;

    /// Only the two lengths that there are: with and without a tag.
    [[nodiscard]] static std::optional<StatusMessage> decode(Bytes datagram) noexcept;
    /// Writes kStatusMessageBytes, or kTaggedStatusMessageBytes with a tag.
    std::size_t encode(MutableBytes to) const noexcept;

    /// The fields behind the common header, in the order of the wire.
    [[nodiscard]] static constexpr auto fields(auto& frame) noexcept {
        return std::tie(frame.session_id,
                        frame.stream_id,
                        frame.consumption_term_id,
                        frame.consumption_term_offset,
                        frame.receiver_window,
                        frame.receiver_id);
    }

    bool operator==(const StatusMessage&) const = default;
};

/// What a receiver missed: a part of one term.
struct Nak {
    std::int32_t session_id = 0;
    std::int32_t stream_id = 0;
    std::int32_t term_id = 0;
    std::int32_t term_offset = 0;
    std::int32_t length = 0;  ///< bytes

    [[nodiscard]] static std::optional<Nak> decode(Bytes datagram) noexcept;
    std::size_t encode(MutableBytes to) const noexcept;

    /// The fields behind the common header, in the order of the wire.
    [[nodiscard]] static constexpr auto fields(auto& frame) noexcept {
        return std::tie(
            frame.session_id, frame.stream_id, frame.term_id, frame.term_offset, frame.length);
    }

    bool operator==(const Nak&) const = default;
};

/// A round trip that is being measured; the answer carries timestamp and receiver id back.
struct RttMeasurement {
    std::uint8_t flags = 0;
    std::int32_t session_id = 0;
    std::int32_t stream_id = 0;
    std::int64_t echo_timestamp_ns = 0;
    std::int64_t reception_delta_ns = 0;
    std::int64_t receiver_id = 0;

    [[nodiscard]] static std::optional<RttMeasurement> decode(Bytes datagram) noexcept;
    std::size_t encode(MutableBytes to) const noexcept;

    /// The fields behind the common header, in the order of the wire.
    [[nodiscard]] static constexpr auto fields(auto& frame) noexcept {
        return std::tie(frame.session_id,
                        frame.stream_id,
                        frame.echo_timestamp_ns,
                        frame.reception_delta_ns,
                        frame.receiver_id);
    }

    bool operator==(const RttMeasurement&) const = default;
};

/// A receiver gives a stream up and says why.
struct ErrorFrame {
    std::int32_t session_id = 0;
    std::int32_t stream_id = 0;
    std::int64_t receiver_id = 0;
    std::optional<std::int64_t> group_tag;
    std::int32_t error_code = 0;
    std::string_view text;  ///< at most kErrorTextBytesMax; into the datagram when decoded

    [[nodiscard]] static std::optional<ErrorFrame> decode(Bytes datagram) noexcept;
    /// Writes kErrorHeaderBytes and the text, which is cut to its limit.
    std::size_t encode(MutableBytes to) const noexcept;

    bool operator==(const ErrorFrame&) const = default;
};

/// Tells a client of a response channel which session carries its responses.
struct ResponseSetup {
    std::int32_t session_id = 0;  ///< of the request stream
    std::int32_t stream_id = 0;   ///< of the request stream
    std::int32_t response_session_id = 0;

    [[nodiscard]] static std::optional<ResponseSetup> decode(Bytes datagram) noexcept;
    std::size_t encode(MutableBytes to) const noexcept;

    /// The fields behind the common header, in the order of the wire.
    [[nodiscard]] static constexpr auto fields(auto& frame) noexcept {
        return std::tie(frame.session_id, frame.stream_id, frame.response_session_id);
    }

    bool operator==(const ResponseSetup&) const = default;
};

}  // namespace tern::aeron
