#include "store/string/bits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store::bits {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// The byte at `index` with those bits cleared that lie outside of the span.
unsigned masked(Bytes bytes, std::uint64_t index, BitSpan span) noexcept {
    unsigned value = std::to_integer<unsigned>(bytes[index]);
    const std::uint64_t first = index * 8;
    if (span.first > first) {
        value &= 0xFFU >> (span.first - first);
    }
    const std::uint64_t end = span.first + span.count;
    if (end < first + 8) {
        value &= 0xFFU << (first + 8 - end);
    }
    return value & 0xFFU;
}

/// The ones of whole words. Inlined into a caller that says which instructions there are.
[[gnu::always_inline]] inline std::uint64_t count_words(const std::byte* at,
                                                        std::size_t word_count) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < word_count; ++i) {
        sum +=
            static_cast<unsigned>(__builtin_popcountll(load<std::uint64_t>(at + i * kWordBytes)));
    }
    return sum;
}

#if defined(__x86_64__)
[[gnu::target("popcnt")]] std::uint64_t count_words_fast(const std::byte* at,
                                                         std::size_t word_count) noexcept {
    return count_words(at, word_count);
}
#endif

std::uint64_t count_in_bytes(Bytes bytes) noexcept {
    const std::size_t word_count = bytes.size() / kWordBytes;
    std::uint64_t sum = 0;
#if defined(__x86_64__)
    sum = __builtin_cpu_supports("popcnt") ? count_words_fast(bytes.data(), word_count)
                                           : count_words(bytes.data(), word_count);
#else
    sum = count_words(bytes.data(), word_count);
#endif
    for (const std::byte byte : bytes.subspan(word_count * kWordBytes)) {
        sum += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(byte)));
    }
    return sum;
}

/// The first byte from `from` to `end` that is not `byte`, or `end`.
std::uint64_t skip(Bytes bytes, std::uint64_t from, std::uint64_t end, std::byte byte) noexcept {
    std::uint64_t pattern = 0;
    std::memset(&pattern, std::to_integer<int>(byte), sizeof(pattern));
    while (from + kWordBytes <= end && load<std::uint64_t>(bytes.data() + from) == pattern) {
        from += kWordBytes;
    }
    while (from < end && bytes[from] == byte) {
        ++from;
    }
    return from;
}

}  // namespace

std::uint64_t count_ones(Bytes bytes, BitSpan span) noexcept {
    if (span.count == 0) {
        return 0;
    }
    const std::uint64_t first = span.first / 8;
    const std::uint64_t last = (span.first + span.count - 1) / 8;
    TERN_CHECK(last < bytes.size());
    const auto ones = [&](std::uint64_t index) {
        return static_cast<std::uint64_t>(std::popcount(masked(bytes, index, span)));
    };
    if (first == last) {
        return ones(first);
    }
    return ones(first) + ones(last) + count_in_bytes(bytes.subspan(first + 1, last - first - 1));
}

std::optional<std::uint64_t> find(Bytes bytes, BitSpan span, bool value) noexcept {
    const std::byte none{static_cast<unsigned char>(value ? 0x00 : 0xFF)};
    const std::uint64_t end = span.first + span.count;
    TERN_CHECK(end <= std::uint64_t{bytes.size()} * 8);
    // At most eight bits before a whole byte and eight behind the last one are looked at one by
    // one.
    std::uint64_t at = span.first;
    while (at < end) {
        if (at % 8 == 0 && end - at >= 8) {
            const std::uint64_t byte = skip(bytes, at / 8, end / 8, none);
            if (byte * 8 != at) {
                at = byte * 8;
                continue;
            }
        }
        if (get(bytes, at) == value) {
            return at;
        }
        ++at;
    }
    return std::nullopt;
}

std::uint64_t read_field(Bytes bytes, std::uint64_t at, unsigned width) noexcept {
    TERN_DCHECK(width >= 1 && width <= 64);
    unsigned __int128 window = 0;  // nine bytes hold every field
    for (std::uint64_t i = 0; i < 9; ++i) {
        const std::uint64_t index = at / 8 + i;
        window = window << 8 | (index < bytes.size() ? std::to_integer<unsigned>(bytes[index]) : 0);
    }
    window >>= 72 - at % 8 - width;
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    return static_cast<std::uint64_t>(window) & mask;
}

void write_field(MutableBytes bytes,
                 std::uint64_t at,
                 unsigned width,
                 std::uint64_t value) noexcept {
    TERN_CHECK(at + width <= std::uint64_t{bytes.size()} * 8);
    for (unsigned left = width; left > 0;) {
        const auto offset = static_cast<unsigned>(at % 8);
        const unsigned taken = std::min(8 - offset, left);
        const unsigned shift = 8 - offset - taken;
        const unsigned mask = ((1U << taken) - 1) << shift;
        const auto part = static_cast<unsigned>(value >> (left - taken)) << shift;
        std::byte& place = bytes[at / 8];
        place = static_cast<std::byte>((std::to_integer<unsigned>(place) & ~mask) | (part & mask));
        at += taken;
        left -= taken;
    }
}

namespace {

/// What fits the nearest cache while the sources pass over it; the sources may be the target.
constexpr std::size_t kBlockBytes = 4096;
using Block = std::array<std::uint64_t, kBlockBytes / kWordBytes>;

/// The block of `source` at `offset`, zero bytes behind its end.
void load_block(Bytes source, std::size_t offset, Block& block) noexcept {
    const std::size_t there = offset < source.size() ? source.size() - offset : 0;
    const std::size_t taken = std::min(there, kBlockBytes);
    auto* const to = reinterpret_cast<std::byte*>(block.data());
    if (taken != 0) {
        std::memcpy(to, source.data() + offset, taken);
    }
    std::memset(to + taken, 0, kBlockBytes - taken);
}

void apply(Operation operation, const Block& from, Block& to) noexcept {
    for (std::size_t i = 0; i < to.size(); ++i) {
        switch (operation) {
            case Operation::kAnd:
                to[i] &= from[i];
                break;
            case Operation::kOr:
                to[i] |= from[i];
                break;
            case Operation::kXor:
                to[i] ^= from[i];
                break;
            case Operation::kNot:
                to[i] = ~from[i];
                break;
        }
    }
}

}  // namespace

void combine(Operation operation, std::span<const Bytes> sources, MutableBytes to) noexcept {
    TERN_CHECK(!sources.empty() && (operation != Operation::kNot || sources.size() == 1));
    Block sum;
    Block next;
    for (std::size_t offset = 0; offset < to.size(); offset += kBlockBytes) {
        load_block(sources[0], offset, sum);
        if (operation == Operation::kNot) {
            apply(operation, sum, sum);
        }
        for (const Bytes source : sources.subspan(1)) {
            // Behind a source's end its zeroes change nothing but an AND.
            if (offset < source.size() || operation == Operation::kAnd) {
                load_block(source, offset, next);
                apply(operation, next, sum);
            }
        }
        std::memcpy(to.data() + offset, sum.data(), std::min(kBlockBytes, to.size() - offset));
    }
}

}  // namespace tern::store::bits
