#include "aeron/protocol/data_frames.hpp"

namespace tern::aeron {

namespace {

/// Whether `header` may come after `taken` bytes of a datagram that began with `first`.
bool continues(const DataHeader& header, const DataHeader& first, std::int64_t taken) noexcept {
    return header.session_id == first.session_id && header.stream_id == first.stream_id &&
           header.term_id == first.term_id &&
           header.term_offset == std::int64_t{first.term_offset} + taken;
}

/// Whether a frame of a positive length ends within the term. The lengths are the peer's: 64 bits.
bool fits_term(const DataHeader& header, std::int32_t term_length) noexcept {
    const std::int64_t end = std::int64_t{header.term_offset} + header.frame_length;
    return header.frame_length >= static_cast<std::int32_t>(kDataHeaderBytes) &&
           header.term_offset >= 0 && header.term_offset % kFrameAlignment == 0 &&
           end <= term_length;
}

}  // namespace

std::optional<DataFrames> DataFrames::wrap(Bytes datagram, std::int32_t term_length) noexcept {
    const std::optional<DataHeader> first = DataHeader::decode(datagram);
    if (!first) {
        return std::nullopt;
    }
    DataFrames frames(datagram, *first);
    Bytes rest = datagram;
    while (!rest.empty()) {
        const std::optional<DataHeader> header = DataHeader::decode(rest);
        if (!header || !continues(*header, *first, frames.span_bytes_) ||
            !fits_term(*header, term_length)) {
            return std::nullopt;
        }
        const DataFrame frame{*header, {}};
        const auto span = static_cast<std::size_t>(frame.span_bytes());
        frames.span_bytes_ += frame.span_bytes();
        if (header->type == FrameType::kPad) {
            // Nothing follows it, not even its own span.
            return rest.size() == kDataHeaderBytes ? std::optional(frames) : std::nullopt;
        }
        if (span > rest.size()) {
            return std::nullopt;
        }
        rest = rest.subspan(span);
    }
    return frames;
}

DataFrame DataFrames::front_of(Bytes rest) noexcept {
    const DataHeader header = *DataHeader::decode(rest);
    if (header.type == FrameType::kPad) {
        return {header, {}};
    }
    const auto length = static_cast<std::size_t>(header.frame_length);
    return {header, rest.subspan(kDataHeaderBytes, length - kDataHeaderBytes)};
}

}  // namespace tern::aeron
