#include "store/index/linear_hash_index.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "store/index/key_hash.hpp"

namespace tern::store {
namespace {

/// Entries of the tests: a number in the arena is the key.
struct NumberTraits {
    Arena* arena = nullptr;
    const KeyHasher* hasher = nullptr;

    [[nodiscard]] std::uint64_t hash_of(std::uint64_t key) const noexcept {
        return (*hasher)({reinterpret_cast<const char*>(&key), sizeof key});
    }
    [[nodiscard]] std::uint64_t key_of(Handle handle) const noexcept {
        return load<std::uint64_t>(arena->at(handle));
    }
    [[nodiscard]] std::uint64_t hash(Handle handle) const noexcept {
        return hash_of(key_of(handle));
    }
    [[nodiscard]] bool equals(Handle handle, std::uint64_t key) const noexcept {
        return key_of(handle) == key;
    }
    void prefetch(Handle handle) const noexcept { arena->prefetch(handle); }
};

class IndexFixture {
public:
    explicit IndexFixture(std::uint64_t seed, std::size_t reserve_bytes = std::size_t{1} << 30)
        : hasher(seed) {
        auto made = Arena::create(
            {.reserve_bytes = reserve_bytes, .reserve_bytes_min = std::size_t{1} << 20});
        EXPECT_TRUE(made.ok());
        arena = std::move(made).value();
        traits = {arena.get(), &hasher};
        index.emplace(*arena, traits);
    }

    bool add(std::uint64_t key) {
        const Handle handle = arena->allocate(8);
        if (!handle) {
            return false;
        }
        store_value(arena->at(handle), key);
        if (!index->insert(traits.hash_of(key), handle)) {
            arena->free(handle);
            return false;
        }
        return true;
    }
    [[nodiscard]] Handle find(std::uint64_t key) const {
        return index->find(traits.hash_of(key), key);
    }
    bool remove(std::uint64_t key) {
        const Handle handle = find(key);
        if (!handle) {
            return false;
        }
        EXPECT_TRUE(index->erase(traits.hash_of(key), handle));
        arena->free(handle);
        return true;
    }

    KeyHasher hasher;
    std::unique_ptr<Arena> arena;
    NumberTraits traits;
    std::optional<LinearHashIndex<NumberTraits>> index;
};

TEST(LinearHashIndex, EmptyIndexFindsNothingAndHoldsNoMemory) {
    IndexFixture fixture(1);
    EXPECT_FALSE(fixture.find(7));
    EXPECT_EQ(fixture.index->memory_bytes(), 0U);
    EXPECT_EQ(fixture.index->scan(0, [](Handle) { FAIL(); }), 0U);
    EXPECT_FALSE(fixture.index->random_entry([] { return std::uint64_t{3}; }));
}

TEST(LinearHashIndex, ReplaceMovesTheEntryOnly) {
    IndexFixture fixture(1);
    ASSERT_TRUE(fixture.add(5));
    const Handle old = fixture.find(5);
    const Handle moved = fixture.arena->allocate(16);
    store_value(fixture.arena->at(moved), std::uint64_t{5});
    EXPECT_TRUE(fixture.index->replace(fixture.traits.hash_of(5), old, moved));
    EXPECT_EQ(fixture.find(5), moved);
    EXPECT_FALSE(fixture.index->replace(fixture.traits.hash_of(5), old, moved));
    EXPECT_EQ(fixture.index->size(), 1U);
}

TEST(LinearHashIndexProperty, AgreesWithAPlainSetUnderRandomUse) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        IndexFixture fixture(seed);
        std::set<std::uint64_t> model;
        for (int phase = 0; phase < 8; ++phase) {
            const std::uint64_t space = 1 + random() % 20'000;
            const std::uint64_t add_share = phase % 2 == 0 ? 75 : 15;
            for (int i = 0; i < 8'000; ++i) {
                const std::uint64_t key = random() % space;
                if (random() % 100 < add_share) {
                    if (model.insert(key).second) {
                        ASSERT_FALSE(fixture.find(key));
                        ASSERT_TRUE(fixture.add(key));
                    }
                } else {
                    ASSERT_EQ(fixture.remove(key), model.erase(key) == 1);
                }
                const std::uint64_t probe = random() % space;
                ASSERT_EQ(static_cast<bool>(fixture.find(probe)), model.contains(probe));
            }
            std::set<std::uint64_t> seen;
            fixture.index->for_each([&](Handle handle) {
                ASSERT_TRUE(seen.insert(fixture.traits.key_of(handle)).second) << "twice";
            });
            ASSERT_EQ(seen, model);
            ASSERT_EQ(fixture.index->size(), model.size());
        }
        while (!model.empty()) {
            ASSERT_TRUE(fixture.remove(*model.begin()));
            model.erase(model.begin());
        }
        EXPECT_EQ(fixture.index->bucket_count(), 1U) << "an empty index has shrunk to one bucket";
        fixture.index->clear();
        EXPECT_EQ(fixture.arena->used_bytes(), 0U) << "segments or overflow blocks leak";
    }
}

TEST(LinearHashIndexProperty, ScanReturnsEveryLastingElementThroughGrowthAndShrinkage) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        IndexFixture fixture(seed);
        // Keys below `lasting` stay for the whole scan; those above come and go.
        const std::uint64_t lasting = 1 + random() % 2'000;
        for (std::uint64_t key = 0; key < lasting; ++key) {
            ASSERT_TRUE(fixture.add(key));
        }
        std::vector<std::uint64_t> passing;
        std::uint64_t next_key = lasting;
        std::set<std::uint64_t> seen;
        std::uint64_t cursor = 0;
        std::size_t calls = 0;
        do {
            cursor = fixture.index->scan(
                cursor, [&](Handle handle) { seen.insert(fixture.traits.key_of(handle)); });
            ASSERT_LT(++calls, 100'000U) << "the scan does not end";
            const bool grows = (calls / (1 + random() % 60)) % 2 == 0;
            for (std::uint64_t i = random() % 120; i != 0; --i) {
                if (grows && passing.size() < 30'000) {
                    ASSERT_TRUE(fixture.add(next_key));
                    passing.push_back(next_key++);
                } else if (!passing.empty()) {
                    ASSERT_TRUE(fixture.remove(passing.back()));
                    passing.pop_back();
                }
            }
        } while (cursor != 0);
        for (std::uint64_t key = 0; key < lasting; ++key) {
            ASSERT_TRUE(seen.contains(key)) << "lasting element " << key << " was not returned";
        }
    }
}

TEST(LinearHashIndex, ScanOfAQuietIndexReturnsEachElementOnce) {
    IndexFixture fixture(9);
    for (std::uint64_t key = 0; key < 5'000; ++key) {
        ASSERT_TRUE(fixture.add(key));
    }
    std::multiset<std::uint64_t> seen;
    std::uint64_t cursor = 0;
    do {
        cursor = fixture.index->scan(
            cursor, [&](Handle handle) { seen.insert(fixture.traits.key_of(handle)); });
    } while (cursor != 0);
    EXPECT_EQ(seen.size(), 5'000U);
    EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), 5'000U);
}

TEST(LinearHashIndex, OneChangeMovesAFewEntriesAtMostWhateverTheSize) {
    // A bucket that splits holds 24 entries on average at worst and half of them move; one that
    // merges holds 8. The tail of the distribution at a quarter of a million entries stays under
    // 40.
    constexpr std::size_t kMovedMax = 40;
    IndexFixture fixture(3);
    for (std::uint64_t key = 0; key < 250'000; ++key) {
        ASSERT_TRUE(fixture.add(key));
        ASSERT_LE(fixture.index->entries_moved_last(), kMovedMax);
    }
    for (std::uint64_t key = 0; key < 250'000; ++key) {
        ASSERT_TRUE(fixture.remove(key));
        ASSERT_LE(fixture.index->entries_moved_last(), kMovedMax);
    }
    EXPECT_GT(fixture.index->entries_moved_max(), 0U);
}

TEST(LinearHashIndex, MemoryPerEntryStaysUnderSevenBytes) {
    IndexFixture fixture(4);
    double bytes_max = 0;
    for (std::uint64_t key = 0; key < 300'000; ++key) {
        ASSERT_TRUE(fixture.add(key));
        if (key > 150'000) {
            // A segment is reserved whole but touched bucket by bucket: count the buckets in use.
            const std::size_t segments_bytes = std::bit_ceil(fixture.index->bucket_count()) * 64;
            const std::size_t bytes =
                fixture.index->memory_bytes() - segments_bytes + fixture.index->bucket_count() * 64;
            bytes_max =
                std::max(bytes_max, static_cast<double>(bytes) / static_cast<double>(key + 1));
        }
    }
    EXPECT_LT(bytes_max, 7.0);
    EXPECT_GT(bytes_max, 5.0);
}

TEST(LinearHashIndex, RandomEntryReachesEveryEntryEvenly) {
    IndexFixture fixture(5);
    constexpr std::uint64_t kKeys = 200;
    for (std::uint64_t key = 0; key < kKeys; ++key) {
        ASSERT_TRUE(fixture.add(key));
    }
    std::mt19937_64 random(77);
    std::vector<int> counts(kKeys);
    for (int i = 0; i < 200'000; ++i) {
        ++counts[fixture.traits.key_of(fixture.index->random_entry([&] { return random(); }))];
    }
    for (const int count : counts) {
        EXPECT_GT(count, 700);
        EXPECT_LT(count, 1'300);
    }
}

TEST(LinearHashIndex, InsertSaysNoWhenTheArenaIsExhaustedAndNothingIsLost) {
    IndexFixture fixture(6, std::size_t{8} << 20);
    std::uint64_t key = 0;
    while (fixture.add(key)) {
        ++key;
    }
    ASSERT_GT(key, 1'000U);
    for (std::uint64_t i = 0; i < key; ++i) {
        ASSERT_TRUE(fixture.find(i)) << i;
    }
    for (std::uint64_t i = 0; i < key; ++i) {
        ASSERT_TRUE(fixture.remove(i)) << i;
    }
    EXPECT_TRUE(fixture.index->empty());
}

TEST(LinearHashIndex, DrainRemovesInBoundedStepsAndFreesEverything) {
    IndexFixture fixture(7);
    for (std::uint64_t key = 0; key < 10'000; ++key) {
        ASSERT_TRUE(fixture.add(key));
    }
    std::size_t visited = 0;
    std::size_t steps = 0;
    bool is_done = false;
    while (!is_done) {
        const std::size_t before = fixture.index->size();
        is_done = fixture.index->drain(4, [&](Handle handle) {
            fixture.arena->free(handle);
            ++visited;
        });
        EXPECT_LE(before - fixture.index->size(), 4U * 60);
        ++steps;
    }
    EXPECT_EQ(visited, 10'000U);
    EXPECT_GT(steps, 100U);
    EXPECT_EQ(fixture.arena->used_bytes(), 0U);
}

TEST(KeyHasher, SecretsDifferBySeed) {
    EXPECT_NE(KeyHasher(1)("key"), KeyHasher(2)("key"));
    EXPECT_EQ(KeyHasher(1)("key"), KeyHasher(1)("key"));
    EXPECT_NE(KeyHasher(1)(""), KeyHasher(2)(""));
}

}  // namespace
}  // namespace tern::store
