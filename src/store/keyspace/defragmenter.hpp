#pragma once

#include <cstddef>
#include <cstdint>

#include "store/keyspace/keyspace.hpp"

namespace tern::store {

/// When active defragmentation works, and how hard: Redis's active-defrag-* parameters.
struct DefragOptions {
    bool is_on = false;
    std::uint64_t ignore_bytes = 100ULL << 20;  ///< waste up to here is left alone
    std::uint32_t threshold_lower = 10;         ///< percent of waste from which on it works at all
    std::uint32_t threshold_upper = 100;        ///< and from which on it works as hard as it may
    std::uint32_t cycle_min = 1;   ///< effort at the lower threshold, about percent of a core
    std::uint32_t cycle_max = 25;  ///< at the upper one
};

/// Moves keys out of slabs that are mostly empty, so that those become free, a few buckets of the
/// index at a time.
///
/// Entries are named by their place in the index (and in that of deadlines) and by nothing that
/// outlives a command, so one can move between commands. What moves: keys with their inline values,
/// that is strings and small collections. What stays: extents, which are whole slabs, and the
/// elements of large collections, which their own indexes name.
///
/// Threads:  the keyspace's. Lifetime: the keyspace outlives it.
class Defragmenter {
public:
    explicit Defragmenter(Keyspace& keyspace) noexcept : keyspace_(&keyspace) {}

    void configure(const DefragOptions& options) noexcept { options_ = options; }

    /// Goes on with a pass over all keys, or begins one when memory is wasted enough. Call it every
    /// millisecond or so.
    void step();

    [[nodiscard]] bool is_running() const noexcept { return effort_ != 0; }
    [[nodiscard]] std::uint32_t effort() const noexcept { return effort_; }
    [[nodiscard]] const DefragStats& stats() const noexcept { return stats_; }
    void reset_stats() noexcept { stats_ = {}; }

    /// Bytes in slabs that hold objects, and not taken by any.
    [[nodiscard]] std::uint64_t wasted_bytes() const noexcept;

private:
    [[nodiscard]] std::uint32_t effort_due() const noexcept;

    Keyspace* keyspace_;
    DefragOptions options_;
    DefragStats stats_;
    std::uint64_t hits_before_pass_ = 0;
    std::uint64_t cursor_ = 0;
    std::size_t database_ = 0;
    std::uint32_t effort_ = 0;  ///< of the pass that runs; 0: none does
    std::uint32_t steps_to_wait_ = 0;
};

}  // namespace tern::store
