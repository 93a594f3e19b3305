#include "store/hll/hyperloglog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"
#include "store/hll/sparse.hpp"
#include "store/string/strings.hpp"

namespace tern::store::hll {
namespace {

class HyperLogLogTest : public StoreTest {
protected:
    [[nodiscard]] HyperLogLog open(std::size_t sparse_bytes_max = 3000) {
        HyperLogLog log(database(), "log", sparse_bytes_max);
        if (log.status() == Status::kMissing) {
            EXPECT_TRUE(log.create());
        }
        return log;
    }
    void put(std::string_view bytes) {
        ASSERT_EQ(strings::set(database(), "log", bytes), strings::Status::kOk);
    }
};

TEST(HyperLogLog, ElementsFallWhereRedisPutsThem) {
    // What PFDEBUG DECODE of Redis 7.2 says after PFADD h a b c.
    EXPECT_EQ(mark_of("a").value + mark_of("b").value + mark_of("c").value, 4);
    std::vector<std::size_t> indexes = {mark_of("a").index, mark_of("b").index, mark_of("c").index};
    std::sort(indexes.begin(), indexes.end());
    EXPECT_EQ(indexes, (std::vector<std::size_t>{8436, 12711, 15780}));
}

TEST_F(HyperLogLogTest, EmptyOneCountsZero) {
    HyperLogLog log = open();
    std::uint64_t count = 1;
    EXPECT_EQ(log.count(count), Status::kOk);
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(log.encoding(), Encoding::kSparse);
    EXPECT_EQ(log.bytes().size(), kHeaderBytes + 2);
}

/// A sparse string keeps the registers that plain bytes keep, in every step, and becomes dense at
/// its limit without losing one.
TEST_F(HyperLogLogTest, RegistersAgreeWithPlainBytesInBothForms) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (const std::size_t limit : {std::size_t{0}, std::size_t{100}, std::size_t{3000}}) {
        Registers plain{};
        database().erase("log");
        for (int i = 0; i < 3000; ++i) {
            HyperLogLog log = open(limit);
            const std::string element = std::to_string(random() % 100'000);
            const Mark mark = mark_of(element);
            bool has_changed = false;
            ASSERT_EQ(log.add(element, has_changed), Status::kOk);
            ASSERT_EQ(has_changed, plain[mark.index] < mark.value);
            plain[mark.index] = std::max(plain[mark.index], mark.value);
            if (i % 100 == 0) {
                Registers kept{};
                ASSERT_TRUE(merge_into(kept, log.bytes()));
                ASSERT_EQ(kept, plain) << i;
            }
        }
        EXPECT_EQ(open(limit).encoding(), Encoding::kDense);
    }
    expect_no_leak();
}

TEST_F(HyperLogLogTest, CountIsCachedUntilARegisterChanges) {
    HyperLogLog log = open();
    bool has_changed = false;
    ASSERT_EQ(log.add("x", has_changed), Status::kOk);
    log.mark_modified();
    EXPECT_FALSE(has_cached_count(log.bytes()));
    std::uint64_t count = 0;
    ASSERT_EQ(log.count(count), Status::kOk);
    EXPECT_EQ(count, 1U);
    EXPECT_TRUE(has_cached_count(log.bytes()));
    EXPECT_EQ(cached_count(log.bytes()), 1U);
}

TEST_F(HyperLogLogTest, BrokenStringsAreSeen) {
    const std::string header("HYLL\1\0\0\0\0\0\0\0\0\0\0\x80", 16);
    const struct {
        std::string bytes;
        Status status;
        Status counted;
    } cases[] = {
        {"", Status::kNotValid, {}},
        {"HYLX" + header.substr(4), Status::kNotValid, {}},
        {"HYLL\2" + header.substr(5), Status::kNotValid, {}},
        {std::string("HYLL\0", 5) + header.substr(5), Status::kNotValid, {}},
        {header, Status::kOk, Status::kCorrupt},
        {header + "\x7F", Status::kOk, Status::kCorrupt},
        {header + "\x7F\xFF\x80", Status::kOk, Status::kCorrupt},
        {header + "\x7F\xFE", Status::kOk, Status::kCorrupt},
        {header + "\x7F\xFB\x83", Status::kOk, Status::kOk},
    };
    for (const auto& one : cases) {
        put(one.bytes);
        HyperLogLog log(database(), "log", 3000);
        ASSERT_EQ(log.status(), one.status);
        std::uint64_t count = 0;
        if (one.status == Status::kOk) {
            EXPECT_EQ(log.count(count), one.counted) << one.bytes.size();
        }
    }
}

TEST(HyperLogLog, TestsItself) {
    EXPECT_TRUE(self_test());
}

}  // namespace
}  // namespace tern::store::hll
