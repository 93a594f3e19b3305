#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "aeron/protocol/frames.hpp"

namespace tern::aeron {

/// One name of a RES frame: how drivers tell each other where they are.
///
///     0      1       2      4        8          12 or 24   14 or 26
///     +------+-------+------+--------+----------+----------+------+-----------+
///     | type | flags | port | age ms | address  | length   | name | to 8 more |
///     +------+-------+------+--------+----------+----------+------+-----------+
///     port and length are little-endian, the address is 4 or 16 bytes in network order
struct ResolutionEntry {
    static constexpr std::uint8_t kFlagSelf = 0x80;  ///< the sender's own name
    static constexpr std::size_t kNameBytesMax = 512;

    bool is_ipv6 = false;
    std::uint8_t flags = 0;
    std::uint16_t port = 0;
    std::int32_t age_ms = 0;
    std::array<std::byte, 16> address{};  ///< network order; four bytes of it for IPv4
    std::string_view name;                ///< into the datagram when decoded

    [[nodiscard]] std::size_t address_bytes() const noexcept { return is_ipv6 ? 16 : 4; }
    /// What the entry takes in a frame.
    [[nodiscard]] std::size_t encoded_bytes() const noexcept;

    bool operator==(const ResolutionEntry&) const = default;
};

/// Reads the entries of a RES datagram one after the other.
class ResolutionReader {
public:
    /// None when the datagram is no RES frame or its length is not the datagram's.
    [[nodiscard]] static std::optional<ResolutionReader> wrap(Bytes datagram) noexcept;

    /// The next entry; none at the end and at the first entry that is broken, which `is_broken`
    /// tells apart.
    [[nodiscard]] std::optional<ResolutionEntry> next() noexcept;
    [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

private:
    explicit ResolutionReader(Bytes entries) noexcept : rest_(entries) {}

    Bytes rest_;
    bool is_broken_ = false;
};

/// Writes a RES frame.
class ResolutionWriter {
public:
    /// `to` has room for at least the header.
    explicit ResolutionWriter(MutableBytes to) noexcept : to_(to) {}

    /// False when there is no room for it: send the frame and begin another.
    [[nodiscard]] bool add(const ResolutionEntry& entry) noexcept;
    /// Writes the header; returns the bytes of the frame.
    std::size_t finish() noexcept;

private:
    MutableBytes to_;
    std::size_t used_bytes_ = kFrameHeaderBytes;
};

}  // namespace tern::aeron
