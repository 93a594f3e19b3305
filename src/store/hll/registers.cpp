#include "store/hll/registers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "store/hll/sparse.hpp"

namespace tern::store::hll {
namespace {

constexpr std::string_view kMagic = "HYLL";
constexpr unsigned kIndexBits = 14;
/// Bits of the hash behind the index: a register is at most one more.
constexpr unsigned kRankBits = 64 - kIndexBits;
/// Redis's seed, the same in every server, so that sketches can be merged.
constexpr std::uint64_t kHashSeed = 0xadc83b19;

/// MurmurHash64A of Austin Appleby (public domain).
std::uint64_t murmur_hash(std::string_view text) noexcept {
    constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995;
    constexpr unsigned kShift = 47;
    const Bytes bytes = as_bytes(text);
    std::uint64_t hash = kHashSeed ^ (bytes.size() * kMultiplier);
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        auto word = load<std::uint64_t>(bytes.data() + at);
        word *= kMultiplier;
        word ^= word >> kShift;
        hash = (hash ^ (word * kMultiplier)) * kMultiplier;
    }
    if (at < bytes.size()) {
        std::uint64_t word = 0;
        for (std::size_t i = bytes.size(); i-- > at;) {
            word = word << 8 | std::to_integer<std::uint64_t>(bytes[i]);
        }
        hash = (hash ^ word) * kMultiplier;
    }
    hash = (hash ^ (hash >> kShift)) * kMultiplier;
    return hash ^ (hash >> kShift);
}

/// The paper's sigma: what empty registers say.
double sigma(double x) noexcept {
    if (x == 1.0) {
        return std::numeric_limits<double>::infinity();
    }
    double weight = 1;
    double sum = x;
    double before = 0;
    do {
        x *= x;
        before = sum;
        sum += x * weight;
        weight += weight;
    } while (sum != before);
    return sum;
}

/// The paper's tau: what full registers say.
double tau(double x) noexcept {
    if (x == 0.0 || x == 1.0) {
        return 0;
    }
    double weight = 1;
    double sum = 1 - x;
    double before = 0;
    do {
        x = std::sqrt(x);
        before = sum;
        weight *= 0.5;
        sum -= (1 - x) * (1 - x) * weight;
    } while (sum != before);
    return sum / 3;
}

}  // namespace

bool has_valid_header(Bytes bytes) noexcept {
    return bytes.size() >= kHeaderBytes && as_text(bytes.first(4)) == kMagic &&
           (bytes[4] == std::byte{1} || (bytes[4] == std::byte{0} && bytes.size() == kDenseBytes));
}

void write_header(std::byte* to, Encoding encoding) noexcept {
    std::fill_n(to, kHeaderBytes, std::byte{0});
    std::copy_n(as_bytes(kMagic).data(), kMagic.size(), to);
    to[4] = static_cast<std::byte>(encoding);
}

Mark mark_of(std::string_view element) noexcept {
    const std::uint64_t hash = murmur_hash(element);
    // A bit behind the last one ends the search for the first one.
    const std::uint64_t rest = hash >> kIndexBits | std::uint64_t{1} << kRankBits;
    return {hash & (kRegisterCount - 1), static_cast<std::uint8_t>(std::countr_zero(rest) + 1)};
}

std::uint8_t dense_get(Bytes bytes, std::size_t index) noexcept {
    const std::size_t bit = index * 6;
    const std::byte* const at = bytes.data() + kHeaderBytes + bit / 8;
    unsigned both = std::to_integer<unsigned>(at[0]);
    if (bit % 8 > 2) {
        both |= std::to_integer<unsigned>(at[1]) << 8;
    }
    return static_cast<std::uint8_t>(both >> bit % 8 & kRegisterMax);
}

void dense_set(MutableBytes bytes, std::size_t index, std::uint8_t value) noexcept {
    const std::size_t bit = index * 6;
    std::byte* const at = bytes.data() + kHeaderBytes + bit / 8;
    const auto shift = static_cast<unsigned>(bit % 8);
    const unsigned mask = kRegisterMax << shift;
    const unsigned field = static_cast<unsigned>(value) << shift;
    at[0] = static_cast<std::byte>((std::to_integer<unsigned>(at[0]) & ~mask) | (field & 0xFF));
    if (shift > 2) {
        at[1] =
            static_cast<std::byte>((std::to_integer<unsigned>(at[1]) & ~(mask >> 8)) | field >> 8);
    }
}

bool merge_into(Registers& registers, Bytes bytes) noexcept {
    if (encoding_of(bytes) == Encoding::kDense) {
        for (std::size_t i = 0; i < kRegisterCount; ++i) {
            registers[i] = std::max(registers[i], dense_get(bytes, i));
        }
        return true;
    }
    return for_each_run(bytes, [&](std::size_t first, const Run& run) {
        if (run.value != 0) {
            for (std::size_t i = first; i < first + run.length; ++i) {
                registers[i] = std::max(registers[i], run.value);
            }
        }
    });
}

Histogram histogram_of(const Registers& registers) noexcept {
    Histogram histogram{};
    for (const std::uint8_t value : registers) {
        ++histogram[value & kRegisterMax];
    }
    return histogram;
}

std::uint64_t estimate(const Histogram& histogram) noexcept {
    constexpr double kAlphaInfinity = 0.721347520444481703680;  // 1 / (2 ln 2)
    constexpr double kCount = kRegisterCount;
    double sum = kCount * tau((kCount - histogram[kRankBits + 1]) / kCount);
    for (std::size_t value = kRankBits; value >= 1; --value) {
        sum += histogram[value];
        sum *= 0.5;
    }
    sum += kCount * sigma(histogram[0] / kCount);
    return static_cast<std::uint64_t>(std::llround(kAlphaInfinity * kCount * kCount / sum));
}

}  // namespace tern::store::hll
