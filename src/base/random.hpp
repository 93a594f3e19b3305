#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <tern/base/bytes.hpp>

namespace tern {

/// xoshiro256++ 1.0, the public-domain generator of Blackman and Vigna (prng.di.unimi.it): fast,
/// seedable, 2^256 - 1 long. Not for secrets; those come from `fill_with_entropy`.
///
/// A UniformRandomBitGenerator. Equal seeds give equal sequences on every machine.
///
/// Threads:  one; each thread has its own.
class Random {
public:
    using result_type = std::uint64_t;

    /// Fills the state from `seed` by splitmix64, as the authors advise; any seed is good.
    explicit constexpr Random(std::uint64_t seed) noexcept {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
            word = mixed ^ (mixed >> 31);
        }
    }

    constexpr std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// A number below `bound`, each equally likely; `bound` is above zero.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept {
        // Lemire's method: the high word of a product, and a second draw in the biased sliver.
        auto product = static_cast<unsigned __int128>(next()) * bound;
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t sliver = (0 - bound) % bound;
            while (static_cast<std::uint64_t>(product) < sliver) {
                product = static_cast<unsigned __int128>(next()) * bound;
            }
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

    /// A number from `first` to `last`, both included.
    constexpr std::int64_t between(std::int64_t first, std::int64_t last) noexcept {
        const std::uint64_t width =
            static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                         (width == 0 ? next() : below(width)));
    }

    /// A number in [0, 1), in steps of 2^-53.
    constexpr double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

    constexpr std::uint64_t operator()() noexcept { return next(); }
    static constexpr std::uint64_t min() noexcept { return 0; }
    static constexpr std::uint64_t max() noexcept {
        return std::numeric_limits<std::uint64_t>::max();
    }

private:
    std::uint64_t state_[4]{};
};

/// Fills `bytes` from the operating system's generator; good for keys and ids. Aborts when the
/// system has none, since going on with a guessable id would be worse.
void fill_with_entropy(MutableBytes bytes) noexcept;

/// Eight such bytes as a number, for seeds and instance ids.
[[nodiscard]] std::uint64_t entropy_u64() noexcept;

}  // namespace tern
