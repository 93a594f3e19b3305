#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "store/keyspace/keyspace.hpp"

namespace tern::store {

/// Which key goes when memory is short: maxmemory-policy.
enum class EvictionPolicy : std::uint8_t {
    kVolatileLru,
    kVolatileLfu,
    kVolatileRandom,
    kVolatileTtl,
    kAllkeysLru,
    kAllkeysLfu,
    kAllkeysRandom,
    kNoEviction,
};
[[nodiscard]] constexpr bool counts_uses(EvictionPolicy policy) noexcept {
    return policy == EvictionPolicy::kVolatileLfu || policy == EvictionPolicy::kAllkeysLfu;
}

/// Removes keys by a policy, one a call.
///
/// LRU and LFU look at `sample_count` keys at random for each removal and remember the best sixteen
/// candidates; a candidate that was used since is passed over. volatile-ttl is exact: deadlines are
/// sorted. Each call takes a bounded number of steps; the removed value, if large, is freed later.
///
/// Threads:  the keyspace's. Lifetime: the keyspace outlives it.
class Evictor {
public:
    explicit Evictor(Keyspace& keyspace) noexcept : keyspace_(&keyspace) {}

    /// Sets the policy. Candidates of another one are forgotten.
    void configure(EvictionPolicy policy, std::size_t sample_count) noexcept;

    /// Removes one key. False when the policy finds none: nothing is left to remove.
    bool evict_one();

private:
    struct Candidate {
        std::uint64_t score = 0;  ///< the higher, the sooner it goes
        std::uint64_t hash = 0;
        Handle handle;
        std::uint32_t database = 0;
    };
    static constexpr std::size_t kPoolSize = 16;

    [[nodiscard]] bool is_volatile() const noexcept;
    [[nodiscard]] std::uint64_t score_of(const EntryRef& ref) const noexcept;
    [[nodiscard]] EntryRef pick(Database& database);
    [[nodiscard]] EntryRef live(const Candidate& candidate);
    void add(const Candidate& candidate) noexcept;
    void sample();
    bool evict_random();
    bool evict_first_deadline();
    bool evict_best();

    Keyspace* keyspace_;
    EvictionPolicy policy_ = EvictionPolicy::kNoEviction;
    std::size_t sample_count_ = 5;
    std::array<Candidate, kPoolSize> pool_{};  ///< by score, the best last
    std::size_t pool_count_ = 0;
    std::size_t next_database_ = 0;
};

}  // namespace tern::store
