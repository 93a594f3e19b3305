#include "store/zset/range_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tern::store {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ScoreRangeText, ReadsNumbersInfinitiesAndExclusiveEnds) {
    ScoreRange range;
    ASSERT_TRUE(parse_score_range("(1.5", "+inf", range));
    EXPECT_EQ(range.min.score, 1.5);
    EXPECT_TRUE(range.min.is_exclusive);
    EXPECT_EQ(range.max.score, kInfinity);
    EXPECT_FALSE(range.max.is_exclusive);
    ASSERT_TRUE(parse_score_range("-inf", "(0x10", range));
    EXPECT_EQ(range.min.score, -kInfinity);
    EXPECT_EQ(range.max.score, 16);
}

TEST(ScoreRangeText, AcceptsWhatStrtodAccepts) {
    ScoreRange range;
    ASSERT_TRUE(parse_score_range("", "(", range));
    EXPECT_EQ(range.min.score, 0);
    EXPECT_EQ(range.max.score, 0);
    ASSERT_TRUE(parse_score_range(" 5", "1e999", range));
    EXPECT_EQ(range.min.score, 5);
    EXPECT_EQ(range.max.score, kInfinity);
}

TEST(ScoreRangeText, RefusesWhatIsNoNumber) {
    ScoreRange range;
    for (const char* text : {"abc", "1 ", "nan", "((1", "1x", "[1"}) {
        EXPECT_FALSE(parse_score_range(text, "1", range)) << text;
        EXPECT_FALSE(parse_score_range("1", text, range)) << text;
    }
}

TEST(LexRangeText, ReadsTheFourKinds) {
    LexRange range;
    ASSERT_TRUE(parse_lex_range("-", "+", range));
    EXPECT_EQ(range.min.kind, LexBound::Kind::kLowest);
    EXPECT_EQ(range.max.kind, LexBound::Kind::kHighest);
    ASSERT_TRUE(parse_lex_range("[a", "(", range));
    EXPECT_EQ(range.min.kind, LexBound::Kind::kInclusive);
    EXPECT_EQ(range.min.member, "a");
    EXPECT_EQ(range.max.kind, LexBound::Kind::kExclusive);
    EXPECT_EQ(range.max.member, "");
    for (const char* text : {"", "a", "-a", "++"}) {
        EXPECT_FALSE(parse_lex_range(text, "+", range)) << text;
    }
}

TEST(RankSpan, CutsIndicesToTheSet) {
    const auto span = [](std::int64_t start, std::int64_t stop, bool reversed = false) {
        const RankSpan found = RankSpan::of_indices(start, stop, 10, reversed);
        return std::pair(found.begin, found.count);
    };
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    EXPECT_EQ(span(0, -1), Pair(0, 10));
    EXPECT_EQ(span(-3, 100), Pair(7, 3));
    EXPECT_EQ(span(-100, 1), Pair(0, 2));
    EXPECT_EQ(span(2, 4, true), Pair(5, 3));
    EXPECT_EQ(span(5, 4).second, 0U);
    EXPECT_EQ(span(10, 20).second, 0U);
    EXPECT_EQ(span(0, -11).second, 0U);
    EXPECT_EQ(span(INT64_MIN, INT64_MAX), Pair(0, 10));
    EXPECT_EQ(RankSpan::of_indices(0, -1, 0, false).count, 0U);
}

TEST(RankSpan, LimitTakesFromTheSideItIsReadFrom) {
    const RankSpan span{10, 5};
    EXPECT_EQ(span.limited(1, 2, false).begin, 11U);
    EXPECT_EQ(span.limited(1, 2, false).count, 2U);
    EXPECT_EQ(span.limited(1, 2, true).begin, 12U);
    EXPECT_EQ(span.limited(3, -1, false).count, 2U);
    EXPECT_EQ(span.limited(3, -1, true).begin, 10U);
    EXPECT_EQ(span.limited(-1, 2, false).count, 0U);
    EXPECT_EQ(span.limited(5, 2, false).count, 0U);
    EXPECT_EQ(span.limited(0, 0, false).count, 0U);
}

}  // namespace
}  // namespace tern::store
