#include "server/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::server {
namespace {

TEST(Glob, MatchesLiteralTextWhole) {
    EXPECT_TRUE(glob_match("abc", "abc"));
    EXPECT_FALSE(glob_match("abc", "abcd"));
    EXPECT_FALSE(glob_match("abcd", "abc"));
    EXPECT_TRUE(glob_match("", ""));
    EXPECT_FALSE(glob_match("", "a"));
}

TEST(Glob, StarCoversAnyBytes) {
    EXPECT_TRUE(glob_match("*", ""));
    EXPECT_TRUE(glob_match("**", "anything"));
    EXPECT_TRUE(glob_match("a*c", "ac"));
    EXPECT_TRUE(glob_match("a*c", "abcbc"));
    EXPECT_FALSE(glob_match("a*c", "abcb"));
    EXPECT_TRUE(glob_match("*bc*", "abcd"));
    EXPECT_TRUE(glob_match("h*llo*w?rld", "heeello big world"));
}

TEST(Glob, QuestionMarkIsOneByte) {
    EXPECT_TRUE(glob_match("h?llo", "hallo"));
    EXPECT_FALSE(glob_match("h?llo", "hllo"));
    EXPECT_FALSE(glob_match("?", ""));
    EXPECT_TRUE(glob_match("?", std::string_view("\0", 1)));
}

TEST(Glob, ClassesHaveRangesAndNegation) {
    EXPECT_TRUE(glob_match("h[ae]llo", "hello"));
    EXPECT_FALSE(glob_match("h[ae]llo", "hillo"));
    EXPECT_TRUE(glob_match("h[a-e]llo", "hcllo"));
    EXPECT_TRUE(glob_match("h[e-a]llo", "hcllo"));
    EXPECT_FALSE(glob_match("h[^e]llo", "hello"));
    EXPECT_TRUE(glob_match("h[^e]llo", "hbllo"));
    EXPECT_TRUE(glob_match("[\\]]", "]"));
    EXPECT_FALSE(glob_match("[]", "a"));
    EXPECT_TRUE(glob_match("[^]", "a"));
}

TEST(Glob, UnclosedClassEndsWithThePattern) {
    EXPECT_TRUE(glob_match("[abc", "b"));
    EXPECT_FALSE(glob_match("[abc", "d"));
    // The bracket is the end of the range here, so that the class is not closed.
    EXPECT_TRUE(glob_match("[a-]", "a"));
    EXPECT_FALSE(glob_match("[a-]", "b"));
}

TEST(Glob, BackslashTakesTheNextByteAsItIs) {
    EXPECT_TRUE(glob_match("a\\*c", "a*c"));
    EXPECT_FALSE(glob_match("a\\*c", "abc"));
    EXPECT_TRUE(glob_match("a\\\\", "a\\"));
    EXPECT_TRUE(glob_match("a\\", "a\\"));
}

TEST(Glob, CaseCountsUnlessToldOtherwise) {
    EXPECT_FALSE(glob_match("ABC", "abc"));
    EXPECT_TRUE(glob_match_any_case("A[B-D]*", "abXYZ"));
}

TEST(Glob, ManyStarsAreNotTriedInEveryCombination) {
    // Each star alone could end anywhere: with a retry of all of them this would take 2^60 steps.
    std::string pattern;
    for (int i = 0; i < 30; ++i) {
        pattern += "a*";
    }
    EXPECT_FALSE(glob_match(pattern + "b", std::string(2000, 'a')));
}

TEST(Glob, KnowsWhatIsAPattern) {
    EXPECT_FALSE(is_glob("maxmemory"));
    EXPECT_TRUE(is_glob("max*"));
    EXPECT_TRUE(is_glob("[m]"));
}

}  // namespace
}  // namespace tern::server
