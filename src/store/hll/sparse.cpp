#include "store/hll/sparse.hpp"

#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store::hll {
namespace {

constexpr unsigned kValueBit = 0x80;
constexpr unsigned kLongZeroBit = 0x40;

}  // namespace

Run read_run(Bytes bytes, std::size_t offset) noexcept {
    const auto code = std::to_integer<unsigned>(bytes[offset]);
    if ((code & kValueBit) != 0) {
        return {.value = static_cast<std::uint8_t>((code >> 2 & 0x1F) + 1),
                .size_bytes = 1,
                .length = static_cast<std::uint16_t>((code & 3) + 1)};
    }
    if ((code & kLongZeroBit) == 0) {
        return {.value = 0, .size_bytes = 1, .length = static_cast<std::uint16_t>(code + 1)};
    }
    if (offset + 1 >= bytes.size()) {
        return {.value = 0, .size_bytes = 0, .length = 0};
    }
    const unsigned length = (code & 0x3F) << 8 | std::to_integer<unsigned>(bytes[offset + 1]);
    return {.value = 0, .size_bytes = 2, .length = static_cast<std::uint16_t>(length + 1)};
}

std::size_t run_bytes(std::uint8_t value, std::size_t length) noexcept {
    if (length == 0) {
        return 0;
    }
    return value == 0 && length > kShortZeroRunMax ? 2 : 1;
}

std::byte* write_run(std::byte* to, std::uint8_t value, std::size_t length) noexcept {
    if (length == 0) {
        return to;
    }
    const auto last = static_cast<unsigned>(length - 1);
    if (value != 0) {
        TERN_DCHECK(value <= kSparseValueMax && length <= kValueRunMax);
        *to = static_cast<std::byte>(kValueBit | (value - 1U) << 2 | last);
        return to + 1;
    }
    if (length <= kShortZeroRunMax) {
        *to = static_cast<std::byte>(last);
        return to + 1;
    }
    to[0] = static_cast<std::byte>(kLongZeroBit | last >> 8);
    to[1] = static_cast<std::byte>(last & 0xFF);
    return to + 2;
}

RunPosition find_run(Bytes bytes, std::size_t index) noexcept {
    RunPosition at;
    at.offset_before = at.offset = kHeaderBytes;
    while (at.offset < bytes.size()) {
        at.run = read_run(bytes, at.offset);
        if (at.run.size_bytes == 0) {
            break;
        }
        if (index < at.first + at.run.length) {
            at.is_found = true;
            break;
        }
        at.first += at.run.length;
        at.offset_before = at.offset;
        at.offset += at.run.size_bytes;
    }
    return at;
}

std::size_t join_runs(MutableBytes bytes, std::size_t offset) noexcept {
    constexpr int kRunsLookedAt = 5;
    std::size_t size_bytes = bytes.size();
    for (int i = 0; i < kRunsLookedAt && offset < size_bytes; ++i) {
        const Run run = read_run(bytes.first(size_bytes), offset);
        if (run.value == 0) {
            offset += run.size_bytes == 0 ? 1 : run.size_bytes;
            continue;
        }
        if (offset + 1 < size_bytes) {
            const Run next = read_run(bytes.first(size_bytes), offset + 1);
            if (next.value == run.value && run.length + next.length <= kValueRunMax) {
                write_run(bytes.data() + offset,
                          run.value,
                          static_cast<std::size_t>(run.length + next.length));
                std::memmove(
                    bytes.data() + offset + 1, bytes.data() + offset + 2, size_bytes - offset - 2);
                --size_bytes;
                continue;  // the joined run may be joined again
            }
        }
        ++offset;
    }
    return size_bytes;
}

}  // namespace tern::store::hll
