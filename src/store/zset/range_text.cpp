#include "store/zset/range_text.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/number_text.hpp"

namespace tern::store {

namespace {

/// strtod over text without a terminator: parse_double refuses what a range may hold (an empty
/// number, leading spaces, values out of range).
[[nodiscard]] bool parse_with_strtod(std::string_view text, double& value) {
    std::array<char, 64> small{};
    std::string large;
    const char* terminated = small.data();
    if (text.size() < small.size()) {
        std::memcpy(small.data(), text.data(), text.size());
    } else {
        large.assign(text);
        terminated = large.c_str();
    }
    char* end = nullptr;
    value = std::strtod(terminated, &end);
    return *end == '\0' && !std::isnan(value);
}

[[nodiscard]] bool parse_score_bound(std::string_view text, ScoreBound& bound) {
    bound.is_exclusive = !text.empty() && text.front() == '(';
    if (bound.is_exclusive) {
        text.remove_prefix(1);
    }
    return parse_double(text, bound.score) || parse_with_strtod(text, bound.score);
}

[[nodiscard]] bool parse_lex_bound(std::string_view text, LexBound& bound) {
    if (text.empty()) {
        return false;
    }
    bound.member = text.substr(1);
    switch (text.front()) {
        case '-':
            bound.kind = LexBound::Kind::kLowest;
            return bound.member.empty();
        case '+':
            bound.kind = LexBound::Kind::kHighest;
            return bound.member.empty();
        case '[':
            bound.kind = LexBound::Kind::kInclusive;
            return true;
        case '(':
            bound.kind = LexBound::Kind::kExclusive;
            return true;
        default:
            return false;
    }
}

}  // namespace

bool parse_score_range(std::string_view min, std::string_view max, ScoreRange& range) {
    return parse_score_bound(min, range.min) && parse_score_bound(max, range.max);
}

bool parse_lex_range(std::string_view min, std::string_view max, LexRange& range) {
    return parse_lex_bound(min, range.min) && parse_lex_bound(max, range.max);
}

RankSpan RankSpan::of_indices(std::int64_t start,
                              std::int64_t stop,
                              std::uint64_t size,
                              bool is_reversed) noexcept {
    const auto length = static_cast<std::int64_t>(size);
    start = start < 0 ? std::max<std::int64_t>(start + length, 0) : start;
    stop = stop < 0 ? stop + length : std::min(stop, length - 1);
    if (start > stop || start >= length) {
        return {};
    }
    const auto count = static_cast<std::uint64_t>(stop - start + 1);
    const std::int64_t begin = is_reversed ? length - 1 - stop : start;
    return {static_cast<std::uint64_t>(begin), count};
}

}  // namespace tern::store
