#include "store/zset/zset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"

namespace tern::store::zsets {
namespace {

using Outcome = AddResult::Outcome;
using Pair = std::pair<double, std::string>;

constexpr CompactLimits kDefault{};
constexpr CompactLimits kAlwaysLarge{.entry_count_max = 0, .text_bytes_max = 64};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ZsetTest : public StoreTest {
protected:
    using StoreTest::StoreTest;

    [[nodiscard]] Zset open(std::string_view key = "z") { return Zset(database(), key); }
    Outcome add(double score,
                std::string_view member,
                const AddOptions& options = {},
                const CompactLimits& limits = kDefault) {
        return open().add({member, score}, options, limits).outcome;
    }
    [[nodiscard]] std::vector<Pair> elements(RankSpan span, bool is_reversed = false) {
        std::vector<Pair> found;
        const auto visit = [&](const Element& element) {
            found.emplace_back(element.score, element.member);
        };
        if (is_reversed) {
            open().visit_reversed(span, visit);
        } else {
            open().visit(span, visit);
        }
        return found;
    }
    [[nodiscard]] std::vector<Pair> elements() { return elements({0, open().size()}); }
};

/// The same cases on both forms of the value.
class ZsetForms : public ZsetTest, public testing::WithParamInterface<CompactLimits> {
protected:
    Outcome put(double score, std::string_view member, const AddOptions& options = {}) {
        return add(score, member, options, GetParam());
    }
};

INSTANTIATE_TEST_SUITE_P(CompactAndLarge,
                         ZsetForms,
                         testing::Values(kDefault, kAlwaysLarge),
                         [](const auto& form) { return form.index == 0 ? "Compact" : "Large"; });

TEST_F(ZsetTest, AMissingKeyIsAnEmptySet) {
    const Zset zset = open();
    EXPECT_FALSE(zset.exists());
    EXPECT_EQ(zset.size(), 0U);
    EXPECT_FALSE(zset.score("m"));
    EXPECT_FALSE(zset.rank("m"));
    EXPECT_EQ(zset.span(ScoreRange{{-kInfinity}, {kInfinity}}).count, 0U);
    EXPECT_EQ(zset.span(0, -1, false).count, 0U);
}

TEST_P(ZsetForms, SortsByScoreThenByMember) {
    EXPECT_EQ(put(2, "b"), Outcome::kAdded);
    EXPECT_EQ(put(1, "c"), Outcome::kAdded);
    EXPECT_EQ(put(2, "a"), Outcome::kAdded);
    EXPECT_EQ(put(-kInfinity, "z"), Outcome::kAdded);
    EXPECT_EQ(put(kInfinity, ""), Outcome::kAdded);
    EXPECT_EQ(
        elements(),
        (std::vector<Pair>{{-kInfinity, "z"}, {1, "c"}, {2, "a"}, {2, "b"}, {kInfinity, ""}}));
    EXPECT_EQ(open().rank("a")->rank, 2U);
    EXPECT_EQ(open().score(""), kInfinity);
}

TEST_P(ZsetForms, OptionsDecideAboutTheScore) {
    const AddOptions only_new{.only_new = true};
    const AddOptions only_existing{.only_existing = true};
    const AddOptions greater{.only_greater = true};
    const AddOptions less{.only_less = true};
    EXPECT_EQ(put(1, "m", only_existing), Outcome::kRefused);
    EXPECT_FALSE(open().exists());
    EXPECT_EQ(put(5, "m", greater), Outcome::kAdded);
    EXPECT_EQ(put(6, "m", only_new), Outcome::kRefused);
    EXPECT_EQ(put(4, "m", greater), Outcome::kRefused);
    EXPECT_EQ(put(5, "m", greater), Outcome::kRefused);
    EXPECT_EQ(put(6, "m", greater), Outcome::kUpdated);
    EXPECT_EQ(put(7, "m", less), Outcome::kRefused);
    EXPECT_EQ(put(5, "m", less), Outcome::kUpdated);
    EXPECT_EQ(put(5, "m"), Outcome::kUnchanged);
    EXPECT_EQ(open().score("m"), 5);
}

TEST_P(ZsetForms, IncrementsAndRefusesNaN) {
    const AddOptions increment{.increment = true};
    AddResult result = open().add({"m", 1.5}, increment, GetParam());
    EXPECT_EQ(result.outcome, Outcome::kAdded);
    result = open().add({"m", 2}, increment, GetParam());
    EXPECT_EQ(result.outcome, Outcome::kUpdated);
    EXPECT_EQ(result.score, 3.5);
    EXPECT_EQ(put(kInfinity, "i"), Outcome::kAdded);
    EXPECT_EQ(put(-kInfinity, "i", increment), Outcome::kNotANumber);
    EXPECT_EQ(open().score("i"), kInfinity);
    const AddOptions growing{.only_greater = true, .increment = true};
    EXPECT_EQ(put(-1, "m", growing), Outcome::kRefused);
    EXPECT_EQ(open().score("m"), 3.5);
}

TEST_P(ZsetForms, KeepsTheSignOfZeroWhenLargeAndTreatsZerosAsEqual) {
    EXPECT_EQ(put(-0.0, "m"), Outcome::kAdded);
    EXPECT_EQ(std::signbit(*open().score("m")), open().is_large());
    EXPECT_EQ(put(0.0, "m"), Outcome::kUnchanged);
    EXPECT_EQ(put(0.0, "a"), Outcome::kAdded);
    EXPECT_EQ(open().rank("a")->rank, 0U);
    EXPECT_EQ(open().span(ScoreRange{{0}, {0}}).count, 2U);
    EXPECT_EQ(open().span(ScoreRange{{-0.0, true}, {1}}).count, 0U);
}

TEST_P(ZsetForms, ScoreRangesHaveOpenAndClosedEnds) {
    for (int i = 1; i <= 5; ++i) {
        put(i, std::string(1, static_cast<char>('a' + i)));
    }
    const auto count = [&](ScoreBound min, ScoreBound max) {
        const RankSpan span = open().span(ScoreRange{min, max});
        return std::pair(span.begin, span.count);
    };
    using Span = std::pair<std::uint64_t, std::uint64_t>;
    EXPECT_EQ(count({2}, {4}), Span(1, 3));
    EXPECT_EQ(count({2, true}, {4}), Span(2, 2));
    EXPECT_EQ(count({2}, {4, true}), Span(1, 2));
    EXPECT_EQ(count({-kInfinity}, {kInfinity}), Span(0, 5));
    EXPECT_EQ(count({4}, {2}).second, 0U);
    EXPECT_EQ(count({3, true}, {3, true}).second, 0U);
    EXPECT_EQ(count({3, true}, {3}).second, 0U);
    EXPECT_EQ(count({6}, {9}).second, 0U);
}

TEST_P(ZsetForms, LexRangesHaveOpenAndClosedEnds) {
    for (const char* member : {"a", "b", "bb", "c", "d"}) {
        put(0, member);
    }
    using Kind = LexBound::Kind;
    const auto count = [&](LexBound min, LexBound max) {
        return open().span(LexRange{min, max}).count;
    };
    EXPECT_EQ(count({Kind::kLowest, ""}, {Kind::kHighest, ""}), 5U);
    EXPECT_EQ(count({Kind::kInclusive, "b"}, {Kind::kInclusive, "c"}), 3U);
    EXPECT_EQ(count({Kind::kExclusive, "b"}, {Kind::kExclusive, "c"}), 1U);
    EXPECT_EQ(count({Kind::kLowest, ""}, {Kind::kExclusive, "a"}), 0U);
    EXPECT_EQ(count({Kind::kHighest, ""}, {Kind::kLowest, ""}), 0U);
    EXPECT_EQ(count({Kind::kHighest, ""}, {Kind::kHighest, ""}), 0U);
    EXPECT_EQ(count({Kind::kInclusive, "c"}, {Kind::kInclusive, "b"}), 0U);
}

TEST_P(ZsetForms, TheKeyGoesWithTheLastElement) {
    put(1, "a");
    put(2, "b");
    put(3, "c");
    Zset zset = open();
    EXPECT_TRUE(zset.erase("b"));
    EXPECT_FALSE(zset.erase("b"));
    zset.erase(zset.end_span(1, true));
    EXPECT_EQ(elements(), (std::vector<Pair>{{1, "a"}}));
    EXPECT_TRUE(zset.erase("a"));
    EXPECT_FALSE(zset.exists());
    EXPECT_FALSE(database().peek("z"));
    expect_no_leak();
}

TEST_P(ZsetForms, LongMembersLieOutsideTheSlots) {
    const std::string member(100'000, 'm');
    EXPECT_EQ(put(1, member), Outcome::kAdded);
    EXPECT_EQ(put(0, "small"), Outcome::kAdded);
    EXPECT_EQ(put(-1, member), Outcome::kUpdated);
    EXPECT_TRUE(open().is_large());
    EXPECT_EQ(open().rank(member)->rank, 0U);
    EXPECT_TRUE(open().erase(member));
    EXPECT_TRUE(open().erase("small"));
    expect_no_leak();
}

TEST_P(ZsetForms, RandomElementsAreDistinctAndComplete) {
    for (int i = 0; i < 100; ++i) {
        put(i, "m" + std::to_string(i));
    }
    for (const std::uint64_t count : {0U, 1U, 5U, 60U, 100U, 200U}) {
        std::set<std::string> seen;
        open().random_distinct(count, random_, [&](const Element& element) {
            EXPECT_TRUE(seen.emplace(element.member).second);
        });
        EXPECT_EQ(seen.size(), std::min<std::uint64_t>(count, 100));
    }
    int visits = 0;
    open().random_repeating(250, random_, [&](const Element&) { ++visits; });
    EXPECT_EQ(visits, 250);
}

TEST_P(ZsetForms, AScanMeetsEverything) {
    for (int i = 0; i < 128; ++i) {
        put(i, "m" + std::to_string(i));
    }
    std::set<std::string> seen;
    std::uint64_t cursor = 0;
    do {
        cursor =
            open().scan(cursor, 10, [&](const Element& element) { seen.emplace(element.member); });
    } while (cursor != 0);
    EXPECT_EQ(seen.size(), 128U);
}

TEST_P(ZsetForms, ACopyIsIndependent) {
    put(1, "a");
    put(2, "b");
    ASSERT_TRUE(database().copy(database().peek("z"), database(), "copy"));
    put(9, "a");
    EXPECT_EQ(open("copy").score("a"), 1);
    database().erase("z");
    EXPECT_EQ(open("copy").size(), 2U);
    expect_no_leak();
}

TEST_F(ZsetTest, BecomesLargeAboveEitherLimit) {
    for (int i = 0; i < 128; ++i) {
        add(i, "m" + std::to_string(i));
    }
    EXPECT_EQ(open().encoding_name(), "listpack");
    add(5, "one more");
    EXPECT_EQ(open().encoding_name(), "skiplist");
    EXPECT_EQ(open().size(), 129U);
    Zset other = open("other");
    (void)other.add({std::string(65, 'x'), 1}, {}, kDefault);
    EXPECT_TRUE(other.is_large());
}

/// Random operations against a plain map, with limits that make the set cross the border.
class ZsetModel : public ZsetTest, public testing::WithParamInterface<unsigned> {
protected:
    using Model = std::map<std::string, double>;

    [[nodiscard]] static std::vector<Pair> sorted(const Model& model) {
        std::vector<Pair> pairs;
        for (const auto& [member, score] : model) {
            pairs.emplace_back(score, member);
        }
        std::sort(pairs.begin(), pairs.end());
        return pairs;
    }
    [[nodiscard]] double random_score() {
        switch (random_.below(6)) {
            case 0:
                return static_cast<double>(random_.below(5));
            case 1:
                return static_cast<double>(random_.below(100'000)) - 50'000;
            case 2:
                return static_cast<double>(random_.below(1'000)) / 7;
            case 3:
                return random_.below(20) == 0 ? kInfinity : -3.25;
            case 4:
                return random_.below(20) == 0 ? -kInfinity : 1e17;
            default:
                return static_cast<double>(random_.below(50));
        }
    }
    void check_ranges(const Model& model) {
        const std::vector<Pair> expected = sorted(model);
        ASSERT_EQ(elements(), expected);
        std::vector<Pair> reversed(expected.rbegin(), expected.rend());
        ASSERT_EQ(elements({0, expected.size()}, true), reversed);
        const ScoreRange range{{random_score(), random_.below(2) == 0},
                               {random_score(), random_.below(2) == 0}};
        const RankSpan span = open().span(range);
        std::vector<Pair> within;
        for (const Pair& pair : expected) {
            if (range.is_above_min(pair.first) && range.is_below_max(pair.first)) {
                within.push_back(pair);
            }
        }
        ASSERT_EQ(elements(span), within);
        const auto offset = static_cast<std::int64_t>(random_.below(10));
        const auto limit = static_cast<std::int64_t>(random_.below(10)) - 1;
        std::vector<Pair> limited;
        std::reverse(within.begin(), within.end());
        for (std::size_t i = static_cast<std::size_t>(offset);
             i < within.size() && (limit < 0 || limited.size() < static_cast<std::size_t>(limit));
             ++i) {
            limited.push_back(within[i]);
        }
        ASSERT_EQ(elements(span.limited(offset, limit, true), true), limited);
        if (open().is_large()) {
            open().entry().object<LargeZset>().check_invariants();
        }
    }
    void erase_span(Model& model) {
        const std::uint64_t size = open().size();
        if (size == 0) {
            return;
        }
        const std::uint64_t begin = random_.below(size);
        const RankSpan span{begin, random_.below(std::min<std::uint64_t>(size - begin, 6) + 1)};
        for (const Pair& pair : elements(span)) {
            model.erase(pair.second);
        }
        open().erase(span);
    }
    void add_randomly(Model& model, const std::string& member, const CompactLimits& limits) {
        const AddOptions options{.only_new = random_.below(8) == 0,
                                 .only_existing = random_.below(8) == 0,
                                 .increment = random_.below(4) == 0};
        const double score = random_score();
        const auto present = model.find(member);
        const bool is_there = present != model.end();
        const AddResult result = open().add({member, score}, options, limits);
        if (is_there ? options.only_new : options.only_existing) {
            ASSERT_EQ(result.outcome, Outcome::kRefused);
            return;
        }
        const double changed = is_there && options.increment ? present->second + score : score;
        if (std::isnan(changed)) {
            ASSERT_EQ(result.outcome, Outcome::kNotANumber);
            return;
        }
        ASSERT_EQ(result.score, changed);
        ASSERT_EQ(result.outcome,
                  !is_there                    ? Outcome::kAdded
                  : present->second != changed ? Outcome::kUpdated
                                               : Outcome::kUnchanged);
        model[member] = changed;
    }
};

TEST_P(ZsetModel, AgreesWithASortedMap) {
    const unsigned seed = GetParam();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_ = Random(seed);
    Model model;
    const CompactLimits limits{.entry_count_max = 4 + random_.below(60), .text_bytes_max = 40};
    const std::uint64_t member_count = 10 + random_.below(300);
    for (int step = 0; step < 6'000; ++step) {
        std::string member = "m" + std::to_string(random_.below(member_count));
        if (random_.below(300) == 0) {
            member.append(static_cast<std::size_t>(random_.below(80)), 'x');
        }
        const bool is_growing = step / 1'000 % 2 == 0;
        const std::uint64_t choice = random_.below(20);
        if (choice < (is_growing ? 15U : 8U)) {
            ASSERT_NO_FATAL_FAILURE(add_randomly(model, member, limits));
        } else if (choice < 19) {
            ASSERT_EQ(open().erase(member), model.erase(member) == 1);
        } else {
            erase_span(model);
        }
        if (random_.below(1'500) == 0) {
            database().erase("z");
            model.clear();
        }
        ASSERT_EQ(open().size(), model.size());
        if (step % 100 == 0) {
            ASSERT_NO_FATAL_FAILURE(check_ranges(model));
        }
        const auto ranked = open().rank(member);
        ASSERT_EQ(ranked.has_value(), model.contains(member));
        if (ranked && step % 20 == 0) {
            const std::vector<Pair> expected = sorted(model);
            ASSERT_EQ(expected[ranked->rank], Pair(model[member], member));
        }
    }
    expect_no_leak();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ZsetModel, testing::Range(1U, 11U));

class FullZsetTest : public ZsetTest {
protected:
    FullZsetTest() : ZsetTest(std::size_t{1} << 22) {}
};

TEST_F(FullZsetTest, AFullArenaChangesNothing) {
    std::map<std::string, double> model;
    std::size_t refusals = 0;
    for (int i = 0; i < 60'000 && refusals < 2'000; ++i) {
        const std::string member = std::to_string(random_.below(30'000));
        const double score = static_cast<double>(random_.below(1'000)) / 3;
        const AddResult result = open().add({member, score}, {}, kDefault);
        if (result.outcome == Outcome::kOutOfMemory) {
            ++refusals;
        } else {
            model[member] = score;
        }
        if (random_.below(16) == 0 && !model.empty()) {
            ASSERT_TRUE(open().erase(model.begin()->first));
            model.erase(model.begin());
        }
        const auto expected = model.find(member);
        ASSERT_EQ(open().score(member).has_value(), expected != model.end());
    }
    EXPECT_GT(refusals, 0U);
    open().entry().object<LargeZset>().check_invariants();
    std::vector<Pair> expected;
    for (const auto& [member, score] : model) {
        expected.emplace_back(score, member);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(elements(), expected);
    expect_no_leak();
}

TEST_F(ZsetTest, ALargeSetIsFreedInSteps) {
    for (int i = 0; i < 20'000; ++i) {
        add(i, std::to_string(i));
    }
    ASSERT_TRUE(database().erase("z"));
    EXPECT_TRUE(keyspace_.has_pending_frees());
    int steps = 0;
    while (keyspace_.has_pending_frees() && steps < 100'000) {
        keyspace_.maintain(keyspace_.now_ms());
        ++steps;
    }
    EXPECT_GT(steps, 20);
    expect_no_leak();
}

}  // namespace
}  // namespace tern::store::zsets
