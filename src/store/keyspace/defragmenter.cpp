#include "store/keyspace/defragmenter.hpp"

#include <algorithm>

namespace tern::store {

namespace {

/// Buckets of a step for each percent of effort: 8 buckets have some 96 entries, 10 to 20 µs.
constexpr std::uint32_t kBucketsPerPercent = 8;
/// After a pass that moved nothing: what is wasted cannot be gathered now.
constexpr std::uint32_t kStepsBetweenVainPasses = 10'000;

}  // namespace

std::uint64_t Defragmenter::wasted_bytes() const noexcept {
    const ArenaStats stats = keyspace_->arena().stats();
    return stats.slab_count * kSlabBytes - stats.slot_bytes_used;
}

/// The effort that the waste asks for; 0: none.
std::uint32_t Defragmenter::effort_due() const noexcept {
    constexpr std::uint64_t kPercent = 100;
    const ArenaStats stats = keyspace_->arena().stats();
    const std::uint64_t wasted = wasted_bytes();
    const std::uint64_t percent =
        wasted * kPercent / std::max<std::uint64_t>(stats.slot_bytes_used, 1);
    if (!options_.is_on || wasted <= options_.ignore_bytes || percent < options_.threshold_lower) {
        return 0;
    }
    if (percent >= options_.threshold_upper) {
        return std::max(options_.cycle_max, options_.cycle_min);
    }
    const std::uint64_t range = options_.threshold_upper - options_.threshold_lower;
    const std::uint64_t rise =
        std::max(options_.cycle_max, options_.cycle_min) - options_.cycle_min;
    return options_.cycle_min +
           static_cast<std::uint32_t>(rise * (percent - options_.threshold_lower) / range);
}

void Defragmenter::step() {
    if (!options_.is_on) {
        effort_ = 0;
        return;
    }
    if (effort_ == 0) {
        if (steps_to_wait_ != 0) {
            --steps_to_wait_;
            return;
        }
        effort_ = effort_due();
        cursor_ = 0;
        database_ = 0;
        hits_before_pass_ = stats_.hits;
    }
    for (std::uint32_t left = effort_ * kBucketsPerPercent; left != 0; --left) {
        cursor_ = keyspace_->database(database_).defrag_bucket(cursor_, stats_);
        if (cursor_ != 0) {
            continue;
        }
        if (++database_ == keyspace_->database_count()) {
            steps_to_wait_ = stats_.hits == hits_before_pass_ ? kStepsBetweenVainPasses : 0;
            effort_ = 0;
            return;
        }
    }
}

}  // namespace tern::store
