#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/check.hpp>

#include "store/zset/range_text.hpp"

/// The ends of ranges of scores and members: any two texts, a line break between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = input.find('\n');
    const std::string_view min = input.substr(0, end);
    const std::string_view max = end == std::string_view::npos ? "" : input.substr(end + 1);

    tern::store::ScoreRange scores;
    if (tern::store::parse_score_range(min, max, scores)) {
        TERN_CHECK(!std::isnan(scores.min.score) && !std::isnan(scores.max.score));
        TERN_CHECK(scores.min.is_exclusive == min.starts_with('('));
    }
    tern::store::LexRange members;
    if (tern::store::parse_lex_range(min, max, members)) {
        TERN_CHECK(members.min.member.size() + 1 == min.size());
        // What lies above the minimum lies above it with more bytes behind it, too.
        if (members.is_above_min(max)) {
            TERN_CHECK(members.is_above_min(std::string(max) + "x"));
        }
    }
    return 0;
}
