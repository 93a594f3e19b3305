#include "store/zset/combine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"

namespace tern::store::zsets {
namespace {

using Pair = std::pair<double, std::string>;

constexpr CompactLimits kDefault{};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class CombineTest : public StoreTest {
protected:
    void fill(std::string_view key, const std::vector<Pair>& pairs) {
        Zset zset(database(), key);
        for (const auto& [score, member] : pairs) {
            ASSERT_NE(zset.add({member, score}, {}, kDefault).outcome,
                      AddResult::Outcome::kOutOfMemory);
        }
    }
    /// The sources of some keys, alive as long as the test.
    std::vector<WeightedSource> sources(const std::vector<std::pair<std::string, double>>& inputs) {
        std::vector<WeightedSource> made;
        for (const auto& [key, weight] : inputs) {
            keys_.push_back(std::make_unique<std::string>(key));
            zsets_.push_back(std::make_unique<Zset>(database(), *keys_.back()));
            made_.push_back(std::make_unique<ZsetSource>(*zsets_.back()));
            made.push_back({made_.back().get(), weight});
        }
        return made;
    }
    [[nodiscard]] static std::vector<Pair> elements(const ZsetResult& result) {
        std::vector<Pair> found;
        result.visit([&](const Element& e) { found.emplace_back(e.score, e.member); });
        return found;
    }

    std::vector<std::unique_ptr<std::string>> keys_;
    std::vector<std::unique_ptr<Zset>> zsets_;
    std::vector<std::unique_ptr<ZsetSource>> made_;
};

TEST_F(CombineTest, AUnionWeighsAndAggregates) {
    fill("a", {{1, "x"}, {2, "y"}});
    fill("b", {{10, "y"}, {20, "z"}});
    ZsetResult sum(keyspace_);
    ASSERT_TRUE(unite(sources({{"a", 2}, {"b", 1}, {"none", 1}}), Aggregate::kSum, sum));
    EXPECT_EQ(elements(sum), (std::vector<Pair>{{2, "x"}, {14, "y"}, {20, "z"}}));
    ZsetResult least(keyspace_);
    ASSERT_TRUE(unite(sources({{"a", 1}, {"b", 1}}), Aggregate::kMin, least));
    EXPECT_EQ(elements(least), (std::vector<Pair>{{1, "x"}, {2, "y"}, {20, "z"}}));
    ZsetResult most(keyspace_);
    ASSERT_TRUE(unite(sources({{"a", 1}, {"b", 1}}), Aggregate::kMax, most));
    EXPECT_EQ(elements(most), (std::vector<Pair>{{1, "x"}, {10, "y"}, {20, "z"}}));
}

TEST_F(CombineTest, WhatIsNotANumberCountsAsZero) {
    fill("a", {{kInfinity, "x"}});
    fill("b", {{-kInfinity, "x"}});
    ZsetResult sum(keyspace_);
    ASSERT_TRUE(unite(sources({{"a", 1}, {"b", 1}}), Aggregate::kSum, sum));
    EXPECT_EQ(elements(sum), (std::vector<Pair>{{0, "x"}}));
    ZsetResult weighed(keyspace_);
    ASSERT_TRUE(intersect(sources({{"a", 0}}), Aggregate::kSum, weighed));
    EXPECT_EQ(elements(weighed), (std::vector<Pair>{{0, "x"}}));
}

TEST_F(CombineTest, AUnionKeepsTheSignOfASumOfZeroes) {
    fill("a", {{0, "x"}});
    ZsetResult negative(keyspace_);
    ASSERT_TRUE(unite(sources({{"a", -1}}), Aggregate::kSum, negative));
    EXPECT_TRUE(std::signbit(elements(negative).at(0).first));
    ZsetResult sum(keyspace_);
    ASSERT_TRUE(unite(sources({{"a", -1}, {"a", 0.5}}), Aggregate::kSum, sum));
    EXPECT_FALSE(std::signbit(elements(sum).at(0).first));
}

TEST_F(CombineTest, IntersectionsAndDifferencesAgreeWithMaps) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    std::map<std::string, double> maps[3];
    for (int i = 0; i < 3; ++i) {
        Zset zset(database(), std::string_view("abc").substr(static_cast<std::size_t>(i), 1));
        for (int j = 0; j < 100 + 200 * i; ++j) {
            const std::string member = std::to_string(random() % 400);
            const auto score = static_cast<double>(random() % 1'000);
            maps[i][member] = score;
            (void)zset.add({member, score}, {}, kDefault);
        }
    }
    std::map<std::string, double> common;
    std::map<std::string, double> rest;
    for (const auto& [member, score] : maps[0]) {
        if (maps[1].contains(member) && maps[2].contains(member)) {
            common[member] = score + maps[1][member] + maps[2][member];
        }
        if (!maps[1].contains(member) && !maps[2].contains(member)) {
            rest[member] = score;
        }
    }
    const auto as_map = [](const ZsetResult& result) {
        std::map<std::string, double> found;
        for (const auto& [score, member] : elements(result)) {
            found[member] = score;
        }
        return found;
    };
    const auto inputs = sources({{"a", 1}, {"b", 1}, {"c", 1}});
    ZsetResult intersection(keyspace_);
    ASSERT_TRUE(intersect(inputs, Aggregate::kSum, intersection));
    EXPECT_EQ(as_map(intersection), common);
    ZsetResult difference(keyspace_);
    ASSERT_TRUE(subtract(inputs, difference));
    EXPECT_EQ(as_map(difference), rest);
    EXPECT_EQ(count_intersection(inputs, 0), common.size());
    EXPECT_EQ(count_intersection(inputs, 3), std::min<std::size_t>(3, common.size()));
}

TEST_F(CombineTest, AResultTakesTheFormThatItsSizeAllows) {
    for (const int size : {10, 128, 129, 1'000}) {
        ZsetResult result(keyspace_);
        for (int i = 0; i < size; ++i) {
            ASSERT_TRUE(result.add({std::to_string(i), i / 3.0}));
        }
        ASSERT_TRUE(result.store_as(database(), "to", kDefault));
        const Zset stored(database(), "to");
        EXPECT_EQ(stored.is_large(), size > 128);
        EXPECT_EQ(stored.size(), static_cast<std::uint64_t>(size));
        EXPECT_EQ(stored.score("7"), 7 / 3.0);
        EXPECT_EQ(stored.rank("9")->rank, 9U);
    }
    expect_no_leak();
}

TEST_F(CombineTest, AResultReplacesWhateverTheKeyHeld) {
    for (const int size : {3, 300}) {
        EntryRef old = database().create("to", Type::kString, 5);
        ASSERT_TRUE(old);
        ASSERT_TRUE(database().set_expiry(old, keyspace_.now_ms() + 1'000));
        ZsetResult result(keyspace_);
        for (int i = 0; i < size; ++i) {
            ASSERT_TRUE(result.add({std::to_string(i), 1}));
        }
        ASSERT_TRUE(result.store_as(database(), "to", kDefault));
        EXPECT_EQ(Zset(database(), "to").size(), static_cast<std::uint64_t>(size));
        EXPECT_FALSE(database().peek("to").has_expiry());
        ZsetResult nothing(keyspace_);
        ASSERT_TRUE(nothing.store_as(database(), "to", kDefault));
        EXPECT_FALSE(database().peek("to"));
    }
    expect_no_leak();
}

TEST_F(CombineTest, ASpanIsStoredOverItsOwnSource) {
    fill("a", {{1, "x"}, {2, "y"}, {3, "z"}});
    {
        ZsetResult result(keyspace_);
        ASSERT_TRUE(copy_span(Zset(database(), "a"), {1, 2}, result));
        ASSERT_TRUE(result.store_as(database(), "a", kDefault));
    }
    EXPECT_EQ(Zset(database(), "a").size(), 2U);
    EXPECT_EQ(Zset(database(), "a").rank("y")->rank, 0U);
    expect_no_leak();
}

}  // namespace
}  // namespace tern::store::zsets
