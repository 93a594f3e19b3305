#pragma once

#include <string_view>

#include "store/zset/range.hpp"

namespace tern::store {

/// Reads the ends of a range of scores: a number as strtod reads it, "inf", "-inf", "+inf"; "(" in
/// front excludes the end itself. An empty number is 0, as in Redis.
///
/// Errors:   false when an end is no number or NaN ("ERR min or max is not a float").
[[nodiscard]] bool parse_score_range(std::string_view min, std::string_view max, ScoreRange& range);

/// Reads the ends of a range of members: "-", "+", "[member" or "(member".
///
/// Errors:   false for anything else ("ERR min or max not valid string range item").
/// Lifetime: `range` refers to the texts.
[[nodiscard]] bool parse_lex_range(std::string_view min, std::string_view max, LexRange& range);

}  // namespace tern::store
