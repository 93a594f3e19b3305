#include "store/eviction/evictor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/keyspace/keyspace_fixture.hpp"
#include "store/string/strings.hpp"

/// The policies beside caches that keep exact books, on the same trace of accesses.
namespace tern::store {
namespace {

constexpr std::uint64_t kSeed = 20240607;
constexpr std::size_t kKeyCount = 20'000;
constexpr std::size_t kCapacity = 2'000;
constexpr std::size_t kAccessCount = 200'000;
constexpr std::int64_t kStartMs = 1'700'000'000'000;
/// Stamps have seconds: 50 accesses share one.
constexpr std::int64_t kMsPerAccess = 20;

/// Accesses by Zipf's law, exponent 1: the key of rank r has a share of 1/r.
std::vector<std::uint32_t> zipf_trace() {
    std::vector<double> sums(kKeyCount);
    double sum = 0;
    for (std::size_t i = 0; i < kKeyCount; ++i) {
        sum += 1.0 / static_cast<double>(i + 1);
        sums[i] = sum;
    }
    Random random(kSeed);
    std::vector<std::uint32_t> trace(kAccessCount);
    for (std::uint32_t& key : trace) {
        const double at = sum * static_cast<double>(random() >> 11) / 9007199254740992.0;
        key = static_cast<std::uint32_t>(std::lower_bound(sums.begin(), sums.end(), at) -
                                         sums.begin());
    }
    return trace;
}

double exact_lru(const std::vector<std::uint32_t>& trace) {
    std::list<std::uint32_t> order;
    std::unordered_map<std::uint32_t, std::list<std::uint32_t>::iterator> present;
    std::size_t hits = 0;
    for (const std::uint32_t key : trace) {
        const auto found = present.find(key);
        if (found != present.end()) {
            ++hits;
            order.erase(found->second);
        } else if (present.size() == kCapacity) {
            present.erase(order.back());
            order.pop_back();
        }
        order.push_front(key);
        present[key] = order.begin();
    }
    return static_cast<double>(hits) / static_cast<double>(trace.size());
}

/// Counts of all accesses to a key so far, kept also while it is out: the best LFU there is.
double exact_lfu(const std::vector<std::uint32_t>& trace) {
    std::vector<std::uint32_t> counts(kKeyCount);
    std::set<std::pair<std::uint32_t, std::uint32_t>> present;
    std::size_t hits = 0;
    for (const std::uint32_t key : trace) {
        const auto found = present.find({counts[key], key});
        if (found != present.end()) {
            ++hits;
            present.erase(found);
        } else if (present.size() == kCapacity) {
            present.erase(present.begin());
        }
        present.insert({++counts[key], key});
    }
    return static_cast<double>(hits) / static_cast<double>(trace.size());
}

class EvictorTest : public ::testing::Test {
protected:
    double hit_rate(EvictionPolicy policy,
                    const std::vector<std::uint32_t>& trace,
                    const LfuOptions& lfu = {}) {
        Keyspace& keyspace = *fixture.keyspace;
        Database& database = keyspace.database(0);
        Evictor evictor(keyspace);
        evictor.configure(policy, 5);
        keyspace.count_uses(counts_uses(policy), lfu);
        std::size_t hits = 0;
        std::int64_t now_ms = kStartMs;
        for (const std::uint32_t key : trace) {
            keyspace.set_now_ms(now_ms += kMsPerAccess);
            const std::string name = "key:" + std::to_string(key);
            if (database.find(name)) {
                ++hits;
                continue;
            }
            if (database.size() == kCapacity) {
                EXPECT_TRUE(evictor.evict_one());
            }
            const EntryRef ref = database.create(name, Type::kString, 8);
            EXPECT_TRUE(ref);
        }
        EXPECT_EQ(database.size(), kCapacity);
        return static_cast<double>(hits) / static_cast<double>(trace.size());
    }

    KeyspaceFixture fixture;
};

TEST_F(EvictorTest, LruHitsAsOftenAsExactLru) {
    const std::vector<std::uint32_t> trace = zipf_trace();
    const double exact = exact_lru(trace);
    const double ours = hit_rate(EvictionPolicy::kAllkeysLru, trace);
    RecordProperty("exact", std::to_string(exact));
    RecordProperty("ours", std::to_string(ours));
    EXPECT_GT(ours, exact - 0.015) << "seed " << kSeed << ", exact " << exact;
}

TEST_F(EvictorTest, LfuHitsMoreOftenThanExactLru) {
    const std::vector<std::uint32_t> trace = zipf_trace();
    const double ours = hit_rate(EvictionPolicy::kAllkeysLfu, trace);
    RecordProperty("ours", std::to_string(ours));
    EXPECT_GT(ours, exact_lru(trace)) << "seed " << kSeed;
}

TEST_F(EvictorTest, LfuThatFadesSlowlyComesNearExactLfu) {
    const std::vector<std::uint32_t> trace = zipf_trace();
    const double exact = exact_lfu(trace);
    const double ours =
        hit_rate(EvictionPolicy::kAllkeysLfu, trace, {.log_factor = 1, .decay_minutes = 30});
    RecordProperty("exact", std::to_string(exact));
    RecordProperty("ours", std::to_string(ours));
    EXPECT_GT(ours, exact - 0.04) << "seed " << kSeed << ", exact " << exact;
}

TEST_F(EvictorTest, RandomHitsLessOftenThanLru) {
    const std::vector<std::uint32_t> trace = zipf_trace();
    const double ours = hit_rate(EvictionPolicy::kAllkeysRandom, trace);
    EXPECT_LT(ours, exact_lru(trace)) << "seed " << kSeed;
    EXPECT_GT(ours, 0.4) << "seed " << kSeed;
}

TEST_F(EvictorTest, TtlTakesTheNextDeadlineFirst) {
    Keyspace& keyspace = *fixture.keyspace;
    keyspace.set_now_ms(kStartMs);
    for (int i = 0; i < 100; ++i) {
        const std::string name = std::to_string(i);
        EntryRef ref =
            keyspace.database(static_cast<std::size_t>(i) % 3).create(name, Type::kString, 1);
        ASSERT_TRUE(ref);
        if (i % 2 == 0) {
            ASSERT_TRUE(keyspace.database(static_cast<std::size_t>(i) % 3)
                            .set_expiry(ref, kStartMs + 1'000'000 - i));
        }
    }
    Evictor evictor(keyspace);
    evictor.configure(EvictionPolicy::kVolatileTtl, 5);
    for (int i = 98; i >= 0; i -= 2) {
        ASSERT_TRUE(evictor.evict_one());
        EXPECT_FALSE(keyspace.database(static_cast<std::size_t>(i) % 3).peek(std::to_string(i)));
    }
    EXPECT_FALSE(evictor.evict_one());
    EXPECT_EQ(keyspace.stats().evicted_keys, 50U);
}

TEST_F(EvictorTest, VolatilePoliciesLeaveKeysWithoutDeadline) {
    for (const EvictionPolicy policy : {EvictionPolicy::kVolatileLru,
                                        EvictionPolicy::kVolatileLfu,
                                        EvictionPolicy::kVolatileRandom}) {
        Keyspace& keyspace = *fixture.keyspace;
        Database& database = keyspace.database(1);
        database.flush();
        keyspace.count_uses(counts_uses(policy), {});
        for (int i = 0; i < 40; ++i) {
            EntryRef ref = database.create(std::to_string(i), Type::kString, 1);
            ASSERT_TRUE(ref);
            ASSERT_TRUE(i % 4 != 0 || database.set_expiry(ref, kStartMs * 2));
        }
        Evictor evictor(keyspace);
        evictor.configure(policy, 5);
        for (int i = 0; i < 10; ++i) {
            EXPECT_TRUE(evictor.evict_one());
        }
        EXPECT_FALSE(evictor.evict_one());
        EXPECT_EQ(database.size(), 30U);
    }
}

TEST_F(EvictorTest, CountersGrowWithUseAndFade) {
    Keyspace& keyspace = *fixture.keyspace;
    Database& database = keyspace.database(0);
    keyspace.set_now_ms(kStartMs);
    keyspace.count_uses(true, {.log_factor = 10, .decay_minutes = 1});
    ASSERT_TRUE(database.create("key", Type::kString, 1));
    EXPECT_EQ(keyspace.use_count(database.peek("key")), UseCounter::kInitial);
    for (int i = 0; i < 1000; ++i) {
        static_cast<void>(database.find("key"));
    }
    const std::uint32_t used = keyspace.use_count(database.peek("key"));
    EXPECT_GT(used, 10U);
    EXPECT_LT(used, 40U);
    keyspace.set_now_ms(kStartMs + 4 * 60'000);
    EXPECT_EQ(keyspace.use_count(database.peek("key")), used - 4);
    keyspace.note_uses(false);
    static_cast<void>(database.find("key"));
    EXPECT_EQ(keyspace.use_count(database.peek("key")), used - 4);
    keyspace.note_uses(true);
    EXPECT_EQ(UseCounter::count_up(255, 0, {}), 255U);
}

TEST_F(EvictorTest, CandidatesThatAreGoneAreHarmless) {
    Keyspace& keyspace = *fixture.keyspace;
    Database& database = keyspace.database(0);
    keyspace.set_now_ms(kStartMs);
    Evictor evictor(keyspace);
    evictor.configure(EvictionPolicy::kAllkeysLru, 10);
    Random random(kSeed);
    std::size_t evicted = 0;
    for (int round = 0; round < 2000; ++round) {
        keyspace.set_now_ms(kStartMs + round * 500);
        const std::string name = std::to_string(random.below(300));
        switch (random.below(4)) {
            case 0:
                database.erase(name);
                break;
            case 1:
                evicted += evictor.evict_one() ? 1 : 0;
                break;
            default:
                if (!database.find(name)) {
                    ASSERT_TRUE(database.create(name, Type::kString, random.below(40)));
                }
        }
        if (round % 500 == 499) {
            database.flush();
        }
    }
    EXPECT_EQ(keyspace.stats().evicted_keys, evicted);
}

}  // namespace
}  // namespace tern::store
