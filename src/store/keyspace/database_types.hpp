#pragma once

#include <cstdint>

#include "store/keyspace/entry.hpp"

/// Small values that Database takes and keeps.
namespace tern::store {

/// What time it is, as the keyspace was told.
struct StoreClock {
    std::int64_t now_ms = 0;
    /// What `find` writes into an entry: seconds modulo 2^24. No stamp at all (kNoStamp) when a use
    /// takes more than that: it counts, or it does not count.
    std::uint32_t access_stamp = 0;
    std::uint32_t fresh_stamp = 0;  ///< of a new entry
    static constexpr std::uint32_t kNoStamp = ~std::uint32_t{0};

    /// The stamp of an entry that gets another value.
    [[nodiscard]] std::uint32_t stamp_over(std::uint32_t old_stamp) const noexcept {
        return access_stamp == kNoStamp ? old_stamp : access_stamp;
    }
};

/// Look-ups that `find` was asked for.
struct LookupStats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
};

/// What active defragmentation looked at, since the start.
struct DefragStats {
    std::uint64_t hits = 0;    ///< keys that moved
    std::uint64_t misses = 0;  ///< keys that lay well
};

/// What `assign` does with the key's time to live.
struct Deadline {
    enum class Kind : std::uint8_t { kNone, kKeep, kAt } kind = Kind::kNone;
    ExpireAtMs at_ms = 0;

    [[nodiscard]] static constexpr Deadline none() noexcept { return {}; }
    [[nodiscard]] static constexpr Deadline keep() noexcept { return {Kind::kKeep, 0}; }
    [[nodiscard]] static constexpr Deadline at(ExpireAtMs time) noexcept {
        return {Kind::kAt, time};
    }
};

}  // namespace tern::store
