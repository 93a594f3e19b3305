#include "store/string/strings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "store/keyspace/keyspace_fixture.hpp"
#include "store/string/common_subsequence.hpp"

namespace tern::store::strings {
namespace {

class Strings : public testing::Test {
protected:
    [[nodiscard]] Database& db() { return fixture_.db(); }
    [[nodiscard]] std::string text(std::string_view key) {
        const Text found = get(db(), key);
        return found.status == Status::kOk ? std::string(found.text) : "(none)";
    }
    void make_hash(std::string_view key) { ASSERT_TRUE(db().create(key, Type::kHash, 4)); }
    [[nodiscard]] Encoding encoding(std::string_view key) { return encoding_of(db().peek(key)); }

    KeyspaceFixture fixture_;
};

TEST_F(Strings, GetTellsMissingFromWrongType) {
    make_hash("hash");
    EXPECT_EQ(get(db(), "none").status, Status::kMissing);
    EXPECT_EQ(get(db(), "hash").status, Status::kWrongType);
}

TEST_F(Strings, SetObeysItsConditionAndOverwritesAnyType) {
    EXPECT_EQ(set(db(), "key", "1", {.condition = Condition::kIfPresent}), Status::kRefused);
    EXPECT_EQ(set(db(), "key", "1", {.condition = Condition::kIfMissing}), Status::kOk);
    EXPECT_EQ(set(db(), "key", "2", {.condition = Condition::kIfMissing}), Status::kRefused);
    EXPECT_EQ(text("key"), "1");
    EXPECT_EQ(set(db(), "key", "3", {.condition = Condition::kIfPresent}), Status::kOk);
    EXPECT_EQ(text("key"), "3");
    make_hash("hash");
    EXPECT_EQ(set(db(), "hash", "string"), Status::kOk);
    EXPECT_EQ(text("hash"), "string");
}

TEST_F(Strings, SetCountsOneChangeEach) {
    const std::uint64_t dirty = fixture_.keyspace->stats().dirty;
    EXPECT_EQ(set(db(), "key", "1"), Status::kOk);
    EXPECT_EQ(set(db(), "key", "1", {.condition = Condition::kIfMissing}), Status::kRefused);
    EXPECT_EQ(fixture_.keyspace->stats().dirty, dirty + 1);
}

TEST_F(Strings, SetTreatsTheTimeToLiveAsToldTo) {
    EXPECT_EQ(set(db(), "key", "1", {.deadline = Deadline::at(50)}), Status::kOk);
    EXPECT_EQ(set(db(), "key", "2", {.deadline = Deadline::keep()}), Status::kOk);
    EXPECT_EQ(db().peek("key").expire_at_ms(), 50);
    EXPECT_EQ(set(db(), "key", "3"), Status::kOk);
    EXPECT_FALSE(db().peek("key").has_expiry());
}

TEST_F(Strings, EncodingFollowsRedis) {
    const std::pair<std::string, Encoding> cases[] = {
        {"0", Encoding::kInt},
        {"-1", Encoding::kInt},
        {"9223372036854775807", Encoding::kInt},
        {"-9223372036854775808", Encoding::kInt},
        {"9223372036854775808", Encoding::kEmbstr},
        {"007", Encoding::kEmbstr},
        {"+7", Encoding::kEmbstr},
        {"-0", Encoding::kEmbstr},
        {" 7", Encoding::kEmbstr},
        {"", Encoding::kEmbstr},
        {std::string(44, 'x'), Encoding::kEmbstr},
        {std::string(45, 'x'), Encoding::kRaw},
    };
    for (const auto& [value, expected] : cases) {
        ASSERT_EQ(set(db(), "key", value), Status::kOk);
        EXPECT_EQ(encoding("key"), expected) << value;
    }
    ASSERT_EQ(set(db(), "key", "1"), Status::kOk);
    ASSERT_EQ(append(db(), "key", "2").length_bytes, 2U);
    EXPECT_EQ(encoding("key"), Encoding::kRaw) << "edited";
    ASSERT_EQ(increment(db(), "key", 1).value, 13);
    EXPECT_EQ(encoding("key"), Encoding::kInt) << "INCR makes a whole new value";
    ASSERT_EQ(increment_float(db(), "key", 1).text, "14");
    EXPECT_EQ(encoding("key"), Encoding::kEmbstr) << "INCRBYFLOAT never makes an int";
    ASSERT_EQ(append(db(), "fresh", "12").length_bytes, 2U);
    EXPECT_EQ(encoding("fresh"), Encoding::kInt) << "APPEND to nothing sets";
    ASSERT_EQ(set_range(db(), "ranged", 0, "12").length_bytes, 2U);
    EXPECT_EQ(encoding("ranged"), Encoding::kRaw);
}

TEST_F(Strings, AppendReturnsTheNewLengthAndKeepsTheTimeToLive) {
    EXPECT_EQ(set(db(), "key", "ab", {.deadline = Deadline::at(9)}), Status::kOk);
    EXPECT_EQ(append(db(), "key", "cde").length_bytes, 5U);
    EXPECT_EQ(text("key"), "abcde");
    EXPECT_EQ(db().peek("key").expire_at_ms(), 9);
    EXPECT_EQ(append(db(), "key", "xyz", 7).status, Status::kTooLarge);
    EXPECT_EQ(text("key"), "abcde");
    make_hash("hash");
    EXPECT_EQ(append(db(), "hash", "x").status, Status::kWrongType);
}

TEST_F(Strings, SetRangeFillsTheGapWithZeros) {
    EXPECT_EQ(set_range(db(), "key", 3, "abc").length_bytes, 6U);
    EXPECT_EQ(text("key"), std::string("\0\0\0abc", 6));
    EXPECT_EQ(set_range(db(), "key", 1, "Z").length_bytes, 6U);
    EXPECT_EQ(text("key"), std::string("\0Z\0abc", 6));
    EXPECT_EQ(set_range(db(), "none", 5, "").length_bytes, 0U);
    EXPECT_FALSE(db().peek("none"));
    EXPECT_EQ(set_range(db(), "key", 536'870'912, "x").status, Status::kTooLarge);
    EXPECT_EQ(set_range(db(), "key", SIZE_MAX, "x").status, Status::kTooLarge);
}

TEST_F(Strings, RangeCountsFromBothEnds) {
    ASSERT_EQ(set(db(), "key", "Hello World"), Status::kOk);
    const auto piece = [this](std::int64_t first, std::int64_t last) {
        return std::string(range(db(), "key", first, last).text);
    };
    EXPECT_EQ(piece(0, 3), "Hell");
    EXPECT_EQ(piece(0, -1), "Hello World");
    EXPECT_EQ(piece(-4, -1), "orld");
    EXPECT_EQ(piece(5, 3), "");
    EXPECT_EQ(piece(5, 5'000), " World");
    EXPECT_EQ(piece(-5'000, 10'000), "Hello World");
    EXPECT_EQ(piece(-1, -5), "");
    EXPECT_EQ(piece(INT64_MIN, INT64_MAX), "Hello World");
    EXPECT_EQ(piece(-100, -50), "H") << "both clamp to the first byte, as in Redis";
    EXPECT_EQ(range(db(), "none", 0, -1).status, Status::kMissing);
}

TEST_F(Strings, IncrementRefusesWhatIsNoIntegerAndOverflow) {
    EXPECT_EQ(increment(db(), "key", 5).value, 5);
    EXPECT_EQ(increment(db(), "key", -7).value, -2);
    EXPECT_EQ(text("key"), "-2");
    ASSERT_EQ(set(db(), "key", "9223372036854775807"), Status::kOk);
    EXPECT_EQ(increment(db(), "key", 1).status, Status::kOverflow);
    EXPECT_EQ(text("key"), "9223372036854775807");
    ASSERT_EQ(set(db(), "key", "1.5"), Status::kOk);
    EXPECT_EQ(increment(db(), "key", 1).status, Status::kNotInteger);
    make_hash("hash");
    EXPECT_EQ(increment(db(), "hash", 1).status, Status::kWrongType);
}

TEST_F(Strings, IncrementFloatPrintsAsRedisDoes) {
    ASSERT_EQ(set(db(), "key", "10.50", {.deadline = Deadline::at(7)}), Status::kOk);
    EXPECT_EQ(increment_float(db(), "key", 0.1L).text, "10.6");
    EXPECT_EQ(increment_float(db(), "key", -5).text, "5.6");
    EXPECT_EQ(db().peek("key").expire_at_ms(), 7);
    ASSERT_EQ(set(db(), "key", "5.0e3"), Status::kOk);
    EXPECT_EQ(increment_float(db(), "key", 2.0e2L).text, "5200");
    EXPECT_EQ(increment_float(db(), "fresh", 3).text, "3");
    ASSERT_EQ(set(db(), "key", "abc"), Status::kOk);
    EXPECT_EQ(increment_float(db(), "key", 1).status, Status::kNotFloat);
    ASSERT_EQ(set(db(), "key", "1"), Status::kOk);
    EXPECT_EQ(increment_float(db(), "key", HUGE_VALL).status, Status::kNotFinite);
    EXPECT_EQ(text("key"), "1");
}

TEST_F(Strings, GetAndEraseGivesTheValueAway) {
    ASSERT_EQ(set(db(), "key", "value"), Status::kOk);
    std::string seen;
    EXPECT_EQ(get_and_erase(db(), "key", [&](std::string_view value) { seen = value; }),
              Status::kOk);
    EXPECT_EQ(seen, "value");
    EXPECT_FALSE(db().peek("key"));
    EXPECT_EQ(get_and_erase(db(), "key", [](std::string_view) { FAIL(); }), Status::kMissing);
}

TEST_F(Strings, GetAndExpireChangesTheTimeToLiveOnly) {
    ASSERT_EQ(set(db(), "key", "value"), Status::kOk);
    EXPECT_EQ(get_and_expire(db(), "key", Deadline::at(99)).text, "value");
    EXPECT_EQ(db().peek("key").expire_at_ms(), 99);
    EXPECT_EQ(get_and_expire(db(), "key", Deadline::keep()).text, "value");
    EXPECT_EQ(db().peek("key").expire_at_ms(), 99);
    EXPECT_EQ(get_and_expire(db(), "key", Deadline::none()).text, "value");
    EXPECT_FALSE(db().peek("key").has_expiry());
}

TEST_F(Strings, SetAllIfMissingIsAllOrNothing) {
    using Pair = std::pair<std::string_view, std::string_view>;
    const std::vector<Pair> first{{"a", "1"}, {"b", "2"}};
    const std::vector<Pair> second{{"c", "3"}, {"a", "4"}};
    EXPECT_EQ(set_all_if_missing(db(), first), Status::kOk);
    EXPECT_EQ(set_all_if_missing(db(), second), Status::kRefused);
    EXPECT_FALSE(db().peek("c"));
    EXPECT_EQ(set_all(db(), second), Status::kOk);
    EXPECT_EQ(text("a"), "4");
}

TEST(StringsProperty, AppendAndSetRangeAgreeWithPlainStrings) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        KeyspaceFixture fixture(seed);
        std::string model;
        for (int i = 0; i < 2'000; ++i) {
            const std::string piece(random() % 200, static_cast<char>('a' + random() % 26));
            if (random() % 2 == 0) {
                ASSERT_EQ(append(fixture.db(), "key", piece).status, Status::kOk);
                model += piece;
            } else if (!piece.empty()) {
                const std::size_t offset = random() % (model.size() + 50);
                ASSERT_EQ(set_range(fixture.db(), "key", offset, piece).status, Status::kOk);
                model.resize(std::max(model.size(), offset + piece.size()));
                model.replace(offset, piece.size(), piece);
            }
            if (random() % 300 == 0) {
                model.assign(random() % 1'000, 'r');
                ASSERT_EQ(set(fixture.db(), "key", model), Status::kOk);
            }
            const Text found = get(fixture.db(), "key");
            ASSERT_EQ(found.status == Status::kOk ? found.text : "", model) << "step " << i;
        }
    }
}

TEST(CommonSubsequence, FindsTextAndRuns) {
    const auto found = common_subsequence("ohmytext", "mynewtext", 0, 1 << 20);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->length, 6U);
    EXPECT_EQ(found->text, "mytext");
    const std::vector<CommonRun> runs{{4, 7, 5, 8}, {2, 3, 0, 1}};
    EXPECT_EQ(found->runs, runs);
    const auto long_runs = common_subsequence("ohmytext", "mynewtext", 4, 1 << 20);
    ASSERT_EQ(long_runs->runs.size(), 1U);
    EXPECT_EQ(long_runs->runs[0].length(), 4U);
    EXPECT_EQ(long_runs->length, 6U);
}

TEST(CommonSubsequence, EmptyStringsShareNothingAndLargeOnesAreRefused) {
    EXPECT_EQ(common_subsequence("", "abc", 0, 1 << 20)->length, 0U);
    EXPECT_TRUE(common_subsequence("", "abc", 0, 1 << 20)->runs.empty());
    EXPECT_FALSE(common_subsequence(std::string(2'000, 'a'), std::string(2'000, 'b'), 0, 1 << 20));
}

}  // namespace
}  // namespace tern::store::strings
