#include "store/set/set.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"
#include "store/set/combine.hpp"

namespace tern::store::sets {
namespace {

using Model = std::set<std::string>;

class SetTest : public StoreTest {
protected:
    [[nodiscard]] AddOutcome add(std::string_view key, std::string_view member) {
        return Set(database(), key).add(member, limits_);
    }
    void add_all(std::string_view key, const std::vector<std::string>& members) {
        for (const std::string& member : members) {
            ASSERT_EQ(add(key, member), AddOutcome::kAdded);
        }
    }
    [[nodiscard]] std::vector<std::string> members(std::string_view key) {
        std::vector<std::string> out;
        Set(database(), key).for_each([&](std::string_view member) { out.emplace_back(member); });
        return out;
    }
    [[nodiscard]] std::string encoding(std::string_view key) {
        return std::string(encoding_name(Set(database(), key).entry()));
    }

    SetLimits limits_;
};

TEST_F(SetTest, IntegersStaySortedAndWidenInPlace) {
    add_all("s",
            {"5", "-3", "70000", "1", "-9223372036854775808", "9223372036854775807", "-70000"});

    EXPECT_EQ(encoding("s"), "intset");
    EXPECT_EQ(
        members("s"),
        (std::vector<std::string>{
            "-9223372036854775808", "-70000", "-3", "1", "5", "70000", "9223372036854775807"}));
    EXPECT_EQ(add("s", "-3"), AddOutcome::kPresent);
    EXPECT_FALSE(Set(database(), "s").contains("05"));
    expect_no_leak();
}

TEST_F(SetTest, IntegersBecomeTextsInOrderWhenATextJoins) {
    add_all("s", {"-9223372036854775808", "7", "100", "x"});

    EXPECT_EQ(encoding("s"), "listpack");
    EXPECT_EQ(members("s"), (std::vector<std::string>{"-9223372036854775808", "7", "100", "x"}));
    expect_no_leak();
}

TEST_F(SetTest, EncodingFollowsTheLimits) {
    limits_ = {.integer_count_max = 4, .packed = {.entry_count_max = 3, .text_bytes_max = 5}};
    add_all("i", {"1", "2", "3", "4"});
    EXPECT_EQ(encoding("i"), "intset");
    add_all("i", {"5"});
    EXPECT_EQ(encoding("i"), "hashtable");
    add_all("p", {"a", "b", "c"});
    EXPECT_EQ(encoding("p"), "listpack");
    add_all("p", {"d"});
    EXPECT_EQ(encoding("p"), "hashtable");
    add_all("long", {"a", "123456"});
    EXPECT_EQ(encoding("long"), "hashtable");
    add_all("mixed", {"123456", "a"});
    EXPECT_EQ(encoding("mixed"), "hashtable");
    EXPECT_EQ(Set(database(), "hint").add("1", limits_, 5), AddOutcome::kAdded);
    EXPECT_EQ(encoding("hint"), "hashtable");
    add_all("few", {"1"});
    EXPECT_TRUE(Set(database(), "few").expect(5, limits_));
    EXPECT_EQ(encoding("few"), "hashtable");
    expect_no_leak();
}

TEST_F(SetTest, KeyGoesWithItsLastMember) {
    for (const std::string& member : {std::string("1"), std::string("x"), std::string(100, 'l')}) {
        ASSERT_EQ(add("s", member), AddOutcome::kAdded);
        EXPECT_TRUE(Set(database(), "s").erase(member));
        EXPECT_FALSE(Set(database(), "s").exists());
    }
    expect_no_leak();
}

/// Members of every form: integers of each width, texts that fill a slot and texts that do not,
/// some too long for a slot.
std::string some_member(Random& random) {
    const std::uint64_t number = random.below(300);
    switch (random.below(8)) {
        case 0:
            return std::to_string(static_cast<std::int64_t>(number) - 150);
        case 1:
            return std::to_string(number * 1'000'000'007);
        case 2:
            return "abcdefgh" + std::to_string(10'000'000 + number);
        case 3:
            return number == 7 ? std::string(40'000, 'x') : std::string(number, 'y');
        default:
            return "m" + std::to_string(number);
    }
}

void expect_same(Set& set, const Model& model) {
    Model found;
    set.for_each([&](std::string_view member) { EXPECT_TRUE(found.emplace(member).second); });
    EXPECT_EQ(found, model);
    EXPECT_EQ(set.size(), model.size());
}

TEST_F(SetTest, RandomOperationsMatchAModel) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        limits_.integer_count_max = random.below(3) * 40;
        limits_.packed = {.entry_count_max = random.below(4) * 60, .text_bytes_max = 400};
        const std::uint64_t kinds = random.below(3);  // integers only, all, growing only
        Model model;
        for (int step = 0; step < 3000; ++step) {
            const std::string member =
                kinds == 0 ? std::to_string(random.below(200)) : some_member(random);
            Set set(database(), "key");
            const std::uint64_t action = random.below(20);
            if (action < 11) {
                EXPECT_EQ(set.add(member, limits_),
                          model.insert(member).second ? AddOutcome::kAdded : AddOutcome::kPresent);
            } else if (action < 17 && kinds != 2) {
                EXPECT_EQ(set.erase(member), model.erase(member) == 1);
            } else if (action == 17) {
                EXPECT_EQ(set.contains(member), model.contains(member));
            } else if (action == 18) {
                const std::size_t count = random.below(5) == 0 ? random.below(300) : 1;
                const std::size_t wanted = std::min(count, model.size());
                std::size_t popped = 0;
                set.pop(count, random, [&](std::string_view one) {
                    EXPECT_EQ(model.erase(std::string(one)), 1U);
                    ++popped;
                });
                EXPECT_EQ(popped, wanted);
            } else if (step % 5 == 0) {
                expect_same(set, model);
            }
        }
        Set set(database(), "key");
        expect_same(set, model);
        database().erase("key");
    }
    expect_no_leak();
}

TEST_F(SetTest, ScanMeetsEveryMemberThatStays) {
    Random random(5);
    Set set(database(), "s");
    Model staying;
    for (int i = 0; i < 2000; ++i) {
        const std::string member = "stays" + std::to_string(i);
        staying.insert(member);
        ASSERT_EQ(set.add(member, limits_), AddOutcome::kAdded);
    }
    std::uint64_t cursor = 0;
    int extra = 0;
    do {
        cursor = set.scan(
            cursor, 10, [&](std::string_view member) { staying.erase(std::string(member)); });
        for (int i = 0; i < 20; ++i, ++extra) {
            ASSERT_EQ(set.add("extra" + std::to_string(extra), limits_), AddOutcome::kAdded);
        }
        if (extra % 400 == 0) {
            for (int i = extra - 400; i < extra; ++i) {
                ASSERT_TRUE(set.erase("extra" + std::to_string(i)));
            }
        }
    } while (cursor != 0);
    EXPECT_TRUE(staying.empty()) << staying.size() << " were not met";
    expect_no_leak();
}

TEST_F(SetTest, RandomMembersAreMembersAndDistinctWhenAsked) {
    for (const int size : {3, 100, 1000}) {
        Set set(database(), "s");
        for (int i = 0; i < size; ++i) {
            ASSERT_EQ(set.add("m" + std::to_string(i), limits_), AddOutcome::kAdded);
        }
        for (const std::uint64_t count : {0, 1, 2, 99, 400, 999, 5000}) {
            Model seen;
            set.random_distinct(count, random_, [&](std::string_view member) {
                EXPECT_TRUE(set.contains(member));
                EXPECT_TRUE(seen.emplace(member).second);
            });
            EXPECT_EQ(seen.size(), std::min<std::uint64_t>(count, static_cast<unsigned>(size)));
        }
        database().erase("s");
    }
    expect_no_leak();
}

TEST_F(SetTest, CombinationsMatchAModel) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        std::vector<Model> models(3);
        std::vector<Set> sets;
        std::vector<const Set*> sources;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string key = "s" + std::to_string(i);
            const std::uint64_t count = random.below(2) * random.below(600);
            for (std::uint64_t n = 0; n < count; ++n) {
                const std::string member = random.below(2) == 0
                                               ? std::to_string(random.below(700))
                                               : "m" + std::to_string(random.below(700));
                models[i].insert(member);
                ASSERT_NE(add(key, member), AddOutcome::kOutOfMemory);
            }
        }
        sets.reserve(3);
        for (std::size_t i = 0; i < 3; ++i) {
            sources.push_back(&sets.emplace_back(database(), "s" + std::to_string(i)));
        }
        Model common;
        Model rest;
        SetResult result(keyspace_);
        subtract(sources, [&](std::string_view member) {
            return rest.emplace(member).second && result.add(member) == AddOutcome::kAdded;
        });
        intersect(sources, [&](std::string_view member) { return common.emplace(member).second; });
        Model want_common;
        Model want_rest;
        for (const std::string& member : models[0]) {
            const bool in_1 = models[1].contains(member);
            const bool in_2 = models[2].contains(member);
            if (in_1 && in_2) {
                want_common.insert(member);
            }
            if (!in_1 && !in_2) {
                want_rest.insert(member);
            }
        }
        EXPECT_EQ(common, want_common);
        EXPECT_EQ(rest, want_rest);
        ASSERT_TRUE(result.store_as(database(), "s0", limits_));
        Set stored(database(), "s0");
        expect_same(stored, want_rest);
        keyspace_.flush_all();
    }
    expect_no_leak();
}

TEST_F(SetTest, MembersThatFillTheirSlotTakeNoLength) {
    Set set(database(), "s");
    // Just under a power of two of buckets: the last segment of the index is in use.
    constexpr std::size_t kCount = 190'000;
    for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(set.add("member:" + std::to_string(100'000'000 + i), limits_),
                  AddOutcome::kAdded);
    }
    EXPECT_LT(static_cast<double>(database().memory_bytes(set.entry())) / kCount, 23.0);
    expect_no_leak();
}

}  // namespace
}  // namespace tern::store::sets
