#include "store/hash/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"

namespace tern::store::hashes {
namespace {

constexpr CompactLimits kDefault{};
constexpr CompactLimits kAlwaysLarge{.entry_count_max = 0, .text_bytes_max = 64};

class HashTest : public StoreTest {
protected:
    [[nodiscard]] Hash open(std::string_view key = "h") { return Hash(database(), key); }
    [[nodiscard]] std::map<std::string, std::string> contents(std::string_view key = "h") {
        std::map<std::string, std::string> found;
        open(key).for_each([&](const FieldValue& element) {
            EXPECT_TRUE(found.emplace(element.field, element.value).second);
        });
        return found;
    }
    [[nodiscard]] std::vector<std::string> fields_in_order() {
        std::vector<std::string> found;
        open().for_each([&](const FieldValue& element) { found.emplace_back(element.field); });
        return found;
    }
    /// `count` fields f0, f1 … with values v0, v1 …
    void fill(std::size_t count, const CompactLimits& limits = kDefault) {
        Hash hash = open();
        for (std::size_t i = 0; i < count; ++i) {
            const std::string number = std::to_string(i);
            ASSERT_NE(hash.set("f" + number, "v" + number, limits), SetOutcome::kOutOfMemory);
        }
    }
};

TEST_F(HashTest, AMissingKeyIsAnEmptyHash) {
    const Hash hash = open();
    EXPECT_FALSE(hash.exists());
    EXPECT_FALSE(hash.is_wrong_type());
    EXPECT_EQ(hash.size(), 0U);
    EXPECT_FALSE(hash.get("f"));
    EXPECT_FALSE(database().peek("h"));
}

TEST_F(HashTest, AnotherTypeIsSaid) {
    ASSERT_TRUE(database().create("s", Type::kString, 1));
    const Hash hash = open("s");
    EXPECT_TRUE(hash.is_wrong_type());
    EXPECT_FALSE(hash.exists());
}

TEST_F(HashTest, FieldsKeepTheirOrderOfInsertionWhileCompact) {
    Hash hash = open();
    EXPECT_EQ(hash.set("b", "1", kDefault), SetOutcome::kAdded);
    EXPECT_EQ(hash.set("a", "2", kDefault), SetOutcome::kAdded);
    EXPECT_EQ(hash.set("c", "", kDefault), SetOutcome::kAdded);
    EXPECT_EQ(hash.set("b", "a longer value", kDefault), SetOutcome::kUpdated);
    EXPECT_EQ(fields_in_order(), (std::vector<std::string>{"b", "a", "c"}));
    EXPECT_EQ(open().get("b"), "a longer value");
    EXPECT_EQ(open().get("c"), "");
    EXPECT_TRUE(hash.erase("a"));
    EXPECT_FALSE(hash.erase("a"));
    EXPECT_EQ(fields_in_order(), (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(open().encoding_name(), "listpack");
}

TEST_F(HashTest, TheKeyGoesWithTheLastField) {
    for (const CompactLimits& limits : {kDefault, kAlwaysLarge}) {
        fill(3, limits);
        Hash hash = open();
        EXPECT_TRUE(hash.erase("f0"));
        EXPECT_TRUE(hash.erase("f2"));
        EXPECT_TRUE(hash.exists());
        EXPECT_TRUE(hash.erase("f1"));
        EXPECT_FALSE(hash.exists());
        EXPECT_FALSE(database().peek("h"));
    }
    expect_no_leak();
}

TEST_F(HashTest, BecomesLargeAboveTheEntryLimit) {
    fill(128);
    EXPECT_EQ(open().encoding_name(), "listpack");
    fill(129);
    EXPECT_EQ(open().encoding_name(), "hashtable");
    EXPECT_EQ(open().size(), 129U);
    for (int i = 0; i < 129; ++i) {
        EXPECT_EQ(open().get("f" + std::to_string(i)), "v" + std::to_string(i));
    }
    expect_no_leak();
}

TEST_F(HashTest, BecomesLargeAboveTheTextLimit) {
    const std::string fits(64, 'x');
    const std::string too_long(65, 'x');
    Hash hash = open();
    (void)hash.set(fits, fits, kDefault);
    EXPECT_FALSE(hash.is_large());
    (void)hash.set("f", too_long, kDefault);
    EXPECT_TRUE(hash.is_large());
    Hash other = open("other");
    (void)other.set(too_long, "v", kDefault);
    EXPECT_TRUE(other.is_large());
    EXPECT_EQ(other.get(too_long), "v");
}

TEST_F(HashTest, ALargeValueIsOverwrittenAtEverySize) {
    Hash hash = open();
    const std::size_t sizes[] = {0,
                                 1,
                                 250,
                                 251,
                                 252,
                                 1'000,
                                 40'000,
                                 40'100,
                                 70'000,
                                 64'000,
                                 65'536,
                                 30'000,
                                 200'000,
                                 32'768,
                                 32'760,
                                 5};
    for (const std::size_t size : sizes) {
        const std::string value(size, static_cast<char>('a' + size % 26));
        ASSERT_NE(hash.set("field", value, kAlwaysLarge), SetOutcome::kOutOfMemory) << size;
        ASSERT_EQ(hash.get("field"), value) << size;
    }
    EXPECT_TRUE(hash.erase("field"));
    expect_no_leak();
}

TEST_F(HashTest, IncrementsKeepToTheirTypes) {
    Hash hash = open();
    std::int64_t sum = 0;
    EXPECT_EQ(hash.increment("n", 5, kDefault, sum), IncrementOutcome::kDone);
    EXPECT_EQ(hash.increment("n", -7, kDefault, sum), IncrementOutcome::kDone);
    EXPECT_EQ(sum, -2);
    EXPECT_EQ(hash.get("n"), "-2");
    (void)hash.set("max", "9223372036854775807", kDefault);
    EXPECT_EQ(hash.increment("max", 1, kDefault, sum), IncrementOutcome::kOverflow);
    (void)hash.set("text", "1x", kDefault);
    EXPECT_EQ(hash.increment("text", 1, kDefault, sum), IncrementOutcome::kNotANumber);

    Hash::FloatText buffer;
    std::string_view text;
    EXPECT_EQ(hash.increment_float("x", 10.5L, kDefault, buffer, text), IncrementOutcome::kDone);
    EXPECT_EQ(hash.increment_float("x", 0.1L, kDefault, buffer, text), IncrementOutcome::kDone);
    EXPECT_EQ(text, "10.6");
    EXPECT_EQ(hash.get("x"), "10.6");
    EXPECT_EQ(hash.increment_float("text", 1, kDefault, buffer, text),
              IncrementOutcome::kNotANumber);
}

TEST_F(HashTest, RandomFieldsAreDistinctAndComplete) {
    for (const std::size_t size : {10U, 1'000U}) {
        fill(size);
        const Hash hash = open();
        for (const std::uint64_t count : {std::uint64_t{0},
                                          std::uint64_t{1},
                                          std::uint64_t{7},
                                          std::uint64_t{size / 2},
                                          std::uint64_t{size},
                                          std::uint64_t{size + 5}}) {
            std::set<std::string> seen;
            hash.random_distinct(count, random_, [&](const FieldValue& element) {
                EXPECT_TRUE(seen.emplace(element.field).second);
                EXPECT_EQ(hash.get(element.field), element.value);
            });
            EXPECT_EQ(seen.size(), std::min<std::uint64_t>(count, size));
        }
        std::size_t visits = 0;
        hash.random_repeating(3 * size, random_, [&](const FieldValue&) { ++visits; });
        EXPECT_EQ(visits, 3 * size);
    }
}

TEST_F(HashTest, AScanMeetsWhatStays) {
    fill(2'000);
    std::set<std::string> seen;
    std::uint64_t cursor = 0;
    std::size_t steps = 0;
    do {
        cursor = open().scan(
            cursor, 10, [&](const FieldValue& element) { seen.emplace(element.field); });
        Hash hash = open();
        const std::string number = std::to_string(2'000 + steps);
        (void)hash.set("f" + number, "v", kDefault);
        (void)hash.erase("f" + std::to_string(1'000 + steps));
        ++steps;
    } while (cursor != 0 && steps < 5'000);
    EXPECT_EQ(cursor, 0U);
    EXPECT_GT(steps, 20U);
    for (int i = 0; i < 1'000; ++i) {
        EXPECT_TRUE(seen.contains("f" + std::to_string(i))) << i;
    }
}

TEST_F(HashTest, ACompactScanIsOneStep) {
    fill(100);
    std::size_t visits = 0;
    EXPECT_EQ(open().scan(0, 1, [&](const FieldValue&) { ++visits; }), 0U);
    EXPECT_EQ(visits, 100U);
}

TEST_F(HashTest, ACopyIsIndependent) {
    for (const CompactLimits& limits : {kDefault, kAlwaysLarge}) {
        fill(50, limits);
        ASSERT_TRUE(database().copy(database().peek("h"), database(), "copy"));
        Hash hash = open();
        (void)hash.set("f1", "changed", limits);
        EXPECT_EQ(open("copy").get("f1"), "v1");
        EXPECT_EQ(open("copy").size(), 50U);
        database().erase("h");
        EXPECT_EQ(open("copy").get("f49"), "v49");
        database().erase("copy");
    }
    expect_no_leak();
}

/// Random operations against std::map, with limits that make the hash cross the border.
class HashModel : public HashTest, public testing::WithParamInterface<unsigned> {};

TEST_P(HashModel, AgreesWithAStdMap) {
    const unsigned seed = GetParam();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    std::map<std::string, std::string> model;
    const CompactLimits limits{.entry_count_max = 4 + random() % 40, .text_bytes_max = 300};
    const std::size_t field_count = 10 + random() % 200;
    for (int step = 0; step < 6'000; ++step) {
        const std::string field = "field:" + std::to_string(random() % field_count);
        Hash hash = open();
        if (random() % 1000 == 0) {
            database().erase("h");
            model.clear();
        } else if (random() % 5 < (step / 1'000 % 2 == 0 ? 3U : 1U)) {
            const std::size_t length = random() % 8 == 0 ? random() % 400 : random() % 20;
            const std::string value(length, static_cast<char>('a' + random() % 26));
            const bool is_new = model.insert_or_assign(field, value).second;
            ASSERT_EQ(hash.set(field, value, limits),
                      is_new ? SetOutcome::kAdded : SetOutcome::kUpdated);
        } else {
            ASSERT_EQ(hash.erase(field), model.erase(field) == 1);
        }
        ASSERT_EQ(open().size(), model.size());
        const auto expected = model.find(field);
        ASSERT_EQ(open().get(field).has_value(), expected != model.end());
        if (expected != model.end()) {
            ASSERT_EQ(*open().get(field), expected->second);
        }
        if (step % 200 == 0) {
            ASSERT_EQ(contents(), model);
        }
    }
    ASSERT_EQ(contents(), model);
    expect_no_leak();
}

INSTANTIATE_TEST_SUITE_P(Seeds, HashModel, testing::Range(1U, 9U));

TEST(HashMemory, AFullArenaChangesNothing) {
    class Full : public StoreTest {
    public:
        Full() : StoreTest(std::size_t{1} << 22) {}
        void TestBody() override {}
        using StoreTest::database;
        using StoreTest::expect_no_leak;
    } store;
    std::map<std::string, std::string> model;
    std::mt19937_64 random(5);
    std::size_t refusals = 0;
    for (int i = 0; i < 40'000 && refusals < 300; ++i) {
        const std::string key = "k" + std::to_string(random() % 4);
        const std::string field = std::to_string(random() % 20'000);
        const std::string value(random() % 60, 'v');
        Hash hash(store.database(), key);
        const SetOutcome outcome = hash.set(field, value, kDefault);
        if (outcome == SetOutcome::kOutOfMemory) {
            ++refusals;
        } else {
            model[key + ":" + field] = value;
        }
        const auto expected = model.find(key + ":" + field);
        ASSERT_EQ(Hash(store.database(), key).get(field).has_value(), expected != model.end());
    }
    EXPECT_GT(refusals, 0U);
    std::size_t total = 0;
    for (const char* key : {"k0", "k1", "k2", "k3"}) {
        Hash(store.database(), key).for_each([&](const FieldValue& element) {
            ++total;
            EXPECT_EQ(model.at(std::string(key) + ":" + std::string(element.field)), element.value);
        });
    }
    EXPECT_EQ(total, model.size());
    store.expect_no_leak();
}

}  // namespace
}  // namespace tern::store::hashes
