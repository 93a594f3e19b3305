#include "aeron/protocol/resolution.hpp"

#include <algorithm>
#include <cstring>
#include <tern/base/check.hpp>

namespace tern::aeron {

namespace {

constexpr std::uint8_t kTypeIpv4 = 1;
constexpr std::uint8_t kTypeIpv6 = 2;
constexpr std::size_t kAddressOffset = 8;
constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kEntryAlignment = 8;

}  // namespace

std::size_t ResolutionEntry::encoded_bytes() const noexcept {
    return align_up(kAddressOffset + address_bytes() + kLengthBytes + name.size(), kEntryAlignment);
}

std::optional<ResolutionReader> ResolutionReader::wrap(Bytes datagram) noexcept {
    const std::optional<FrameHeader> header = FrameHeader::decode(datagram);
    if (!header || header->type != FrameType::kResolution ||
        header->frame_length < static_cast<std::int32_t>(kFrameHeaderBytes) ||
        static_cast<std::size_t>(header->frame_length) > datagram.size()) {
        return std::nullopt;
    }
    return ResolutionReader(datagram.subspan(
        kFrameHeaderBytes, static_cast<std::size_t>(header->frame_length) - kFrameHeaderBytes));
}

std::optional<ResolutionEntry> ResolutionReader::next() noexcept {
    if (rest_.empty() || is_broken_) {
        return std::nullopt;
    }
    is_broken_ = true;  // until the entry is read
    if (rest_.size() < kAddressOffset) {
        return std::nullopt;
    }
    ResolutionEntry entry;
    const auto type = load<std::uint8_t>(rest_.data());
    if (type != kTypeIpv4 && type != kTypeIpv6) {
        return std::nullopt;
    }
    entry.is_ipv6 = type == kTypeIpv6;
    entry.flags = load<std::uint8_t>(rest_.data() + 1);
    entry.port = load<std::uint16_t>(rest_.data() + 2);
    entry.age_ms = load<std::int32_t>(rest_.data() + 4);
    const std::size_t name_offset = kAddressOffset + entry.address_bytes() + kLengthBytes;
    if (rest_.size() < name_offset) {
        return std::nullopt;
    }
    std::memcpy(entry.address.data(), rest_.data() + kAddressOffset, entry.address_bytes());
    const auto name_bytes = load<std::int16_t>(rest_.data() + name_offset - kLengthBytes);
    if (name_bytes < 0 || static_cast<std::size_t>(name_bytes) > rest_.size() - name_offset) {
        return std::nullopt;
    }
    entry.name = as_text(rest_.subspan(name_offset, static_cast<std::size_t>(name_bytes)));
    rest_ = rest_.subspan(std::min(entry.encoded_bytes(), rest_.size()));
    is_broken_ = false;
    return entry;
}

bool ResolutionWriter::add(const ResolutionEntry& entry) noexcept {
    const std::size_t length = entry.encoded_bytes();
    if (entry.name.size() > ResolutionEntry::kNameBytesMax || length > to_.size() - used_bytes_) {
        return false;
    }
    std::byte* const at = to_.data() + used_bytes_;
    std::memset(at, 0, length);
    store_value(at, entry.is_ipv6 ? kTypeIpv6 : kTypeIpv4);
    store_value(at + 1, entry.flags);
    store_value(at + 2, entry.port);
    store_value(at + 4, entry.age_ms);
    std::memcpy(at + kAddressOffset, entry.address.data(), entry.address_bytes());
    std::byte* const tail = at + kAddressOffset + entry.address_bytes();
    store_value(tail, static_cast<std::int16_t>(entry.name.size()));
    if (!entry.name.empty()) {
        std::memcpy(tail + kLengthBytes, entry.name.data(), entry.name.size());
    }
    used_bytes_ += length;
    return true;
}

std::size_t ResolutionWriter::finish() noexcept {
    TERN_CHECK(to_.size() >= kFrameHeaderBytes);
    store_value(to_.data(), static_cast<std::int32_t>(used_bytes_));
    store_value(to_.data() + 4, std::uint16_t{0});
    store_value(to_.data() + 6, FrameType::kResolution);
    return used_bytes_;
}

}  // namespace tern::aeron
