#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tern::store {

/// One end of a range of scores.
struct ScoreBound {
    double score = 0;
    bool is_exclusive = false;
};

/// Scores between two bounds; infinite ends are infinite scores. Empty when min is above max.
struct ScoreRange {
    ScoreBound min;
    ScoreBound max;

    [[nodiscard]] bool is_above_min(double score) const noexcept {
        return min.is_exclusive ? score > min.score : score >= min.score;
    }
    [[nodiscard]] bool is_below_max(double score) const noexcept {
        return max.is_exclusive ? score < max.score : score <= max.score;
    }
};

/// One end of a range of members.
///
/// Lifetime: of the text that it was parsed from.
struct LexBound {
    enum class Kind : std::uint8_t {
        kLowest,     ///< "-": before every member
        kHighest,    ///< "+": behind every member
        kInclusive,  ///< "[text"
        kExclusive,  ///< "(text"
    };
    Kind kind = Kind::kLowest;
    std::string_view member;
};

/// Members between two bounds, compared as bytes; meant for sorted sets whose scores are all equal.
struct LexRange {
    LexBound min;
    LexBound max;

    [[nodiscard]] bool is_above_min(std::string_view member) const noexcept {
        switch (min.kind) {
            case LexBound::Kind::kLowest:
                return true;
            case LexBound::Kind::kHighest:
                return false;
            case LexBound::Kind::kInclusive:
                return member >= min.member;
            case LexBound::Kind::kExclusive:
                return member > min.member;
        }
        return false;
    }
    [[nodiscard]] bool is_below_max(std::string_view member) const noexcept {
        switch (max.kind) {
            case LexBound::Kind::kLowest:
                return false;
            case LexBound::Kind::kHighest:
                return true;
            case LexBound::Kind::kInclusive:
                return member <= max.member;
            case LexBound::Kind::kExclusive:
                return member < max.member;
        }
        return false;
    }
};

/// Elements by their rank: `count` of them from rank `begin` on. Every kind of range becomes one.
struct RankSpan {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;

    [[nodiscard]] std::uint64_t end() const noexcept { return begin + count; }

    /// What LIMIT leaves: `offset` elements skipped, at most `limit` taken, seen from the front or
    /// from the back.
    ///
    /// Units:    a negative `offset` leaves nothing; a negative `limit` is no limit.
    [[nodiscard]] RankSpan limited(std::int64_t offset,
                                   std::int64_t limit,
                                   bool is_reversed) const noexcept {
        if (offset < 0 || static_cast<std::uint64_t>(offset) >= count) {
            return {begin, 0};
        }
        const std::uint64_t rest = count - static_cast<std::uint64_t>(offset);
        const std::uint64_t taken =
            limit < 0 ? rest : std::min(rest, static_cast<std::uint64_t>(limit));
        const std::uint64_t first = is_reversed ? rest - taken : static_cast<std::uint64_t>(offset);
        return {begin + first, taken};
    }

    /// The elements from index `start` to `stop`, both included, of a set of `size`: negative
    /// indices count from the end, and both are cut to what exists. `is_reversed` counts ranks from
    /// the top.
    [[nodiscard]] static RankSpan of_indices(std::int64_t start,
                                             std::int64_t stop,
                                             std::uint64_t size,
                                             bool is_reversed) noexcept;
};

}  // namespace tern::store
