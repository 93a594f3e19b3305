#pragma once

#include <cstddef>
#include <string_view>

namespace tern::transport {

/// The bytes a stream begins with when it does not speak RESP.
///
/// A socket endpoint reads its first eight bytes. These two words select something else; anything
/// else, including a stream that diverges from both at an earlier byte, is RESP from its first
/// byte.
/// A RESP request begins with '*'; an inline command begins with its name, and no Redis command or
/// tern command is named TERNSBE1 or TERNRING, nor begins with either word. So a client that types
/// "TERNX" is served as inline RESP at its fifth byte at the latest.
inline constexpr std::size_t kMagicBytes = 8;

inline constexpr std::string_view kSbeMagic = "TERNSBE1";  ///< SBE frames follow on this stream
inline constexpr std::string_view kRingMagic =
    "TERNRING";  ///< a ring handshake: docs/formats/ring.md

static_assert(kSbeMagic.size() == kMagicBytes && kRingMagic.size() == kMagicBytes);

/// What the first bytes of a stream say.
enum class Sniffed : unsigned char {
    kUndecided,  ///< a proper prefix of a magic: wait for more
    kResp,
    kSbe,   ///< the eight bytes are consumed by the SBE layer
    kRing,  ///< the eight bytes are the beginning of a RingRequest
};

/// Decides a stream's protocol from what has arrived of it; decides at the first diverging byte.
[[nodiscard]] constexpr Sniffed sniff(std::string_view first) noexcept {
    const std::string_view head = first.substr(0, kMagicBytes);
    if (head == kSbeMagic) {
        return Sniffed::kSbe;
    }
    if (head == kRingMagic) {
        return Sniffed::kRing;
    }
    const bool may_still_match = kSbeMagic.starts_with(head) || kRingMagic.starts_with(head);
    return may_still_match ? Sniffed::kUndecided : Sniffed::kResp;
}

}  // namespace tern::transport
