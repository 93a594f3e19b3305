#pragma once

#include <cstdint>
#include <optional>
#include <tern/base/bytes.hpp>

#include "aeron/protocol/frames.hpp"

namespace tern::aeron {

/// One frame of a datagram of data.
struct DataFrame {
    DataHeader header;
    Bytes payload;  ///< empty for PAD, whose span is not on the wire

    /// The part of the term that the frame takes: its length up to the alignment.
    [[nodiscard]] std::int32_t span_bytes() const noexcept {
        return static_cast<std::int32_t>(align_up(static_cast<std::uint32_t>(header.frame_length),
                                                  std::uint32_t{kFrameAlignment}));
    }
};

/// The frames of a datagram of data, one after the other.
///
/// A datagram holds whole frames, each on the alignment, of one session, stream and term, whose
/// term offsets follow each other and stay inside the term; a PAD may only be the last one and is a
/// header alone. `wrap` walks over all of it, as drivers from 1.53 do; the drivers of 1.51 look at
/// the first header only, so whoever sends must send nothing that would fail here.
///
///     0          32        length   align 32
///     +----------+---------+--------+----------+-----+----------+
///     | header   | payload | filler | header   | …   | PAD's    |
///     +----------+---------+--------+----------+-----+----------+
///
/// Lifetime: a view into the datagram.
class DataFrames {
public:
    /// Checks the datagram; none when a rule is broken. A heartbeat is no datagram of data.
    [[nodiscard]] static std::optional<DataFrames> wrap(Bytes datagram,
                                                        std::int32_t term_length) noexcept;

    /// The first frame's header: session, stream, term and where in it the datagram begins.
    [[nodiscard]] const DataHeader& first() const noexcept { return first_; }
    /// The part of the term that all frames take together.
    [[nodiscard]] std::int32_t span_bytes() const noexcept { return span_bytes_; }

    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (Bytes rest = datagram_; !rest.empty();) {
            const DataFrame frame = front_of(rest);
            visit(frame);
            const bool is_last = frame.header.type == FrameType::kPad;
            rest = is_last ? Bytes{} : rest.subspan(static_cast<std::size_t>(frame.span_bytes()));
        }
    }

private:
    explicit DataFrames(Bytes datagram, const DataHeader& first) noexcept
        : datagram_(datagram), first_(first) {}
    [[nodiscard]] static DataFrame front_of(Bytes rest) noexcept;

    Bytes datagram_;
    DataHeader first_;
    std::int32_t span_bytes_ = 0;
};

}  // namespace tern::aeron
