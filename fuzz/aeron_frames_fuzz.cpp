#include <cstddef>
#include <cstdint>
#include <tern/base/check.hpp>
#include <vector>

#include "aeron/protocol/data_frames.hpp"
#include "aeron/protocol/frames.hpp"
#include "aeron/protocol/resolution.hpp"

namespace {

using namespace tern;  // NOLINT: a program of its own

/// What was decoded encodes to something that decodes to the same.
template <typename Frame>
void check_round_trip(Bytes datagram) {
    const auto frame = Frame::decode(datagram);
    if (!frame) {
        return;
    }
    std::vector<std::byte> buffer(2048);
    buffer.resize(frame->encode(buffer));
    if constexpr (requires { frame->text; }) {
        if (frame->text.size() > aeron::kErrorTextBytesMax) {
            return;
        }
    }
    TERN_CHECK(Frame::decode(buffer) == frame);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes datagram(reinterpret_cast<const std::byte*>(data), size);
    check_round_trip<aeron::DataHeader>(datagram);
    check_round_trip<aeron::SetupFrame>(datagram);
    check_round_trip<aeron::StatusMessage>(datagram);
    check_round_trip<aeron::Nak>(datagram);
    check_round_trip<aeron::RttMeasurement>(datagram);
    check_round_trip<aeron::ErrorFrame>(datagram);
    check_round_trip<aeron::ResponseSetup>(datagram);
    std::size_t touched = 0;
    if (const auto frames = aeron::DataFrames::wrap(datagram, 64 * 1024)) {
        std::int32_t span = 0;
        frames->for_each([&](const aeron::DataFrame& frame) {
            span += frame.span_bytes();
            for (const std::byte byte : frame.payload) {
                touched += std::to_integer<std::size_t>(byte);
            }
        });
        TERN_CHECK(span == frames->span_bytes());
    }
    if (auto names = aeron::ResolutionReader::wrap(datagram)) {
        while (const auto entry = names->next()) {
            touched += entry->name.size();
        }
    }
    return touched == ~std::size_t{0} ? 1 : 0;
}
