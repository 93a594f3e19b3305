#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "base/random.hpp"

namespace tern::store {

/// Chooses `needed` of `remaining` items that go by one after the other, each subset equally
/// likely.
class SelectionSampler {
public:
    SelectionSampler(std::uint64_t needed, std::uint64_t remaining) noexcept
        : needed_(needed), remaining_(remaining) {}

    /// Whether the next item is taken.
    [[nodiscard]] bool take(Random& random) noexcept {
        const bool is_taken = needed_ > 0 && random.below(remaining_) < needed_;
        --remaining_;
        needed_ -= is_taken ? 1 : 0;
        return is_taken;
    }

private:
    std::uint64_t needed_;
    std::uint64_t remaining_;
};

/// Visits `count` different elements of a large collection at random. `for_each(visit)` walks all;
/// `pick()` gives one at random; `identity(element)` is an address that tells elements apart.
///
/// A third of the elements or more are chosen in one walk, as Redis does; fewer are drawn one by
/// one until enough differ, in about 1.2 draws each at worst.
template <typename ForEach, typename Pick, typename Identity, typename Visit>
void sample_distinct(std::uint64_t count,
                     std::uint64_t size,
                     Random& random,
                     const ForEach& for_each,
                     const Pick& pick,
                     const Identity& identity,
                     Visit&& visit) {
    if (count >= size) {
        for_each(visit);
        return;
    }
    if (count * 3 > size) {
        SelectionSampler sampler(count, size);
        for_each([&](const auto& element) {
            if (sampler.take(random)) {
                visit(element);
            }
        });
        return;
    }
    std::unordered_set<const void*> seen;
    seen.reserve(count);
    while (seen.size() < count) {
        const auto element = pick();
        if (seen.insert(identity(element)).second) {
            visit(element);
        }
    }
}

}  // namespace tern::store
