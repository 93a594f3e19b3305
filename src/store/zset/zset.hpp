#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/random.hpp"
#include "store/hash/collection.hpp"
#include "store/hash/sampling.hpp"
#include "store/zset/compact_zset.hpp"
#include "store/zset/large_zset.hpp"
#include "store/zset/range.hpp"

/// Sorted sets: what the commands of Redis's sorted-set group do, typed.
namespace tern::store::zsets {

/// Says to the keyspace how large sorted sets are freed, copied and measured. Once, at the start.
void register_type(Keyspace& keyspace) noexcept;

/// ZADD's options that decide about one element. The caller refuses NX with XX, GT or LT.
struct AddOptions {
    bool only_new = false;       ///< NX
    bool only_existing = false;  ///< XX
    bool only_greater = false;   ///< GT: an existing score may only grow
    bool only_less = false;      ///< LT
    bool increment = false;      ///< INCR, ZINCRBY: the score is added to the present one
};

/// What ZADD did with one element.
struct AddResult {
    enum class Outcome : std::uint8_t {
        kAdded,
        kUpdated,      ///< the score is another one now
        kUnchanged,    ///< the score was the same
        kRefused,      ///< an option forbade it (INCR replies null)
        kNotANumber,   ///< the sum is NaN ("resulting score is not a number (NaN)")
        kOutOfMemory,  ///< nothing changed
    };
    Outcome outcome = Outcome::kRefused;
    double score = 0;  ///< the element's score now; not for the last three
};

/// A rank from the lowest score, and the score.
struct RankedScore {
    std::uint64_t rank = 0;
    double score = 0;
};

/// The sorted set under one key, open for one command.
///
/// Every range becomes a RankSpan first, so its size is known before anything is visited, and LIMIT
/// and REV are arithmetic: `span(range).limited(offset, count, is_reversed)`, then `visit` or
/// `visit_reversed`. Texts that it returns or visits lie in the store. Texts given to it may not.
class Zset : public Collection {
public:
    /// Looks the key up.
    Zset(Database& database, std::string_view key) : Collection(database, key, Type::kZset) {}

    /// ZCARD; 0 without a key.
    [[nodiscard]] std::uint64_t size() const noexcept;
    /// ZSCORE, ZMSCORE.
    [[nodiscard]] std::optional<double> score(std::string_view member) const noexcept;
    /// ZRANK; ZREVRANK is `size() - 1 - rank`.
    [[nodiscard]] std::optional<RankedScore> rank(std::string_view member) const noexcept;
    /// "listpack" or "skiplist", as OBJECT ENCODING says it.
    [[nodiscard]] std::string_view encoding_name() const noexcept {
        return is_large() ? "skiplist" : "listpack";
    }

    /// ZADD, ZINCRBY for one element; makes the key when there is none.
    ///
    /// Units:    `element.score` is not NaN.
    [[nodiscard]] AddResult add(const Element& element,
                                const AddOptions& options,
                                const CompactLimits& limits);
    /// ZREM: whether the member was there. With the last member the key goes.
    bool erase(std::string_view member);
    /// ZREMRANGEBY…, and what ZPOPMIN, ZPOPMAX and ZMPOP do after they visited the span.
    void erase(RankSpan span);

    /// ZCOUNT is `span(range).count`.
    [[nodiscard]] RankSpan span(const ScoreRange& range) const noexcept;
    /// ZLEXCOUNT is `span(range).count`.
    [[nodiscard]] RankSpan span(const LexRange& range) const noexcept;
    /// ZRANGE by index; see RankSpan::of_indices.
    [[nodiscard]] RankSpan span(std::int64_t start,
                                std::int64_t stop,
                                bool is_reversed) const noexcept {
        return RankSpan::of_indices(start, stop, size(), is_reversed);
    }
    /// The `count` elements with the lowest or the highest scores, or all: what the pops take.
    [[nodiscard]] RankSpan end_span(std::uint64_t count, bool highest) const noexcept {
        const std::uint64_t taken = count < size() ? count : size();
        return {highest ? size() - taken : 0, taken};
    }

    /// Calls `visit(const Element&)` for a span in order.
    template <typename Visit>
    void visit(RankSpan span, Visit&& visit) const {
        if (is_large()) {
            large().visit(span, visit);
        } else if (exists()) {
            CompactZset(bytes()).visit(span, visit);
        }
    }
    /// The same from the last element of the span to its first.
    template <typename Visit>
    void visit_reversed(RankSpan span, Visit&& visit) const {
        if (is_large()) {
            large().visit_reversed(span, visit);
        } else if (exists()) {
            CompactZset(bytes()).visit_reversed(span, visit);
        }
    }

    /// ZSCAN: visits about `count` elements from `cursor` on and returns the next cursor, 0 at the
    /// end.
    /// A compact set comes in one go, in order. What is in the set throughout is visited at least
    /// once.
    template <typename Visit>
    std::uint64_t scan(std::uint64_t cursor, std::uint64_t count, Visit&& visit) const;

    /// ZRANDMEMBER without a count: one element; not for an empty set.
    [[nodiscard]] Element random_element(Random& random) const;
    /// ZRANDMEMBER with a count of at least 0: `count` different elements, or all.
    template <typename Visit>
    void random_distinct(std::uint64_t count, Random& random, Visit&& visit) const;
    /// ZRANDMEMBER with a negative count: `count` elements, each drawn from all.
    template <typename Visit>
    void random_repeating(std::uint64_t count, Random& random, Visit&& visit) const;

private:
    static constexpr std::uint64_t kScanBucketsPerElement = 10;

    [[nodiscard]] LargeZset& large() const noexcept { return entry().object<LargeZset>(); }
    [[nodiscard]] AddResult update(double present,
                                   const Element& element,
                                   const AddOptions& options,
                                   Handle handle);
    [[nodiscard]] bool insert(const Element& element, const CompactLimits& limits);
    [[nodiscard]] bool insert_as_large(const Element& element);
    [[nodiscard]] bool set_compact_score(std::string_view member, double score);
    [[nodiscard]] bool become_large();
};

template <typename Visit>
std::uint64_t Zset::scan(std::uint64_t cursor, std::uint64_t count, Visit&& visitor) const {
    if (!is_large()) {
        visit({0, size()}, visitor);
        return 0;
    }
    std::uint64_t visited = 0;
    std::uint64_t buckets_left =
        count > UINT64_MAX / kScanBucketsPerElement ? UINT64_MAX : count * kScanBucketsPerElement;
    do {
        cursor = large().scan(cursor, [&](const Element& element) {
            ++visited;
            visitor(element);
        });
    } while (cursor != 0 && visited < count && --buckets_left != 0);
    return cursor;
}

template <typename Visit>
void Zset::random_distinct(std::uint64_t count, Random& random, Visit&& visitor) const {
    if (is_large()) {
        sample_distinct(
            count,
            size(),
            random,
            [this](auto&& inner) {
                large().visit({0, size()}, inner);
            },
            [&] { return large().random(random); },
            [](const Element& element) { return element.member.data(); },
            visitor);
        return;
    }
    SelectionSampler sampler(count < size() ? count : size(), size());
    visit({0, size()}, [&](const Element& element) {
        if (sampler.take(random)) {
            visitor(element);
        }
    });
}

template <typename Visit>
void Zset::random_repeating(std::uint64_t count, Random& random, Visit&& visitor) const {
    if (!exists()) {
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        visitor(random_element(random));
    }
}

}  // namespace tern::store::zsets
