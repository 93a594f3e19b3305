#include "store/keyspace/defragmenter.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "store/keyspace/keyspace_fixture.hpp"

namespace tern::store {
namespace {

constexpr std::uint64_t kSeed = 11;
constexpr std::int64_t kStartMs = 1'700'000'000'000;

DefragOptions eager() {
    return {.is_on = true,
            .ignore_bytes = 0,
            .threshold_lower = 10,
            .threshold_upper = 100,
            .cycle_min = 1,
            .cycle_max = 25};
}

struct Kept {
    std::string value;
    std::int64_t expire_at_ms;
};

TEST(Defragmenter, GathersWhatIsLeftOfManyKeysAndLosesNone) {
    KeyspaceFixture fixture;
    Keyspace& keyspace = *fixture.keyspace;
    keyspace.set_now_ms(kStartMs);
    Random random(kSeed);
    std::map<std::string, Kept> kept;
    for (int i = 0; i < 50'000; ++i) {
        const std::string key = "key:" + std::to_string(i);
        const std::string value(random.below(60), static_cast<char>('a' + i % 26));
        const bool is_volatile = i % 3 == 0;
        const std::int64_t at_ms = kStartMs + 1000 + static_cast<std::int64_t>(random.below(1000));
        fixture.set(key, value, is_volatile ? Deadline::at(at_ms) : Deadline::none());
        kept[key] = {value, is_volatile ? at_ms : kNeverExpires};
    }
    for (auto one = kept.begin(); one != kept.end();) {
        if (random.below(10) == 0) {
            ++one;
        } else {
            ASSERT_TRUE(fixture.db().erase(one->first));
            one = kept.erase(one);
        }
    }
    Defragmenter defragmenter(keyspace);
    defragmenter.configure(eager());
    const std::size_t slabs_before = fixture.arena->stats().slab_count;
    for (int i = 0; i < 5000; ++i) {
        defragmenter.step();
    }
    const ArenaStats after = fixture.arena->stats();
    EXPECT_LT(after.slab_count * 4, slabs_before * 3) << "seed " << kSeed;
    EXPECT_GT(defragmenter.stats().hits, 1000U);
    for (const auto& [key, one] : kept) {
        const EntryRef ref = fixture.db().peek(key);
        ASSERT_TRUE(ref) << key;
        EXPECT_EQ(ref.text(), one.value) << key;
        EXPECT_EQ(ref.expire_at_ms(), one.expire_at_ms) << key;
    }
    EXPECT_EQ(fixture.db().size(), kept.size());
    // The index of deadlines names the entries where they are now.
    keyspace.set_now_ms(kStartMs + 10'000);
    while (fixture.db().expire_step(1000) != 0) {}
    EXPECT_EQ(fixture.db().volatile_count(), 0U);
    for (const auto& [key, one] : kept) {
        EXPECT_EQ(static_cast<bool>(fixture.db().peek(key)), one.expire_at_ms == kNeverExpires);
    }
}

TEST(Defragmenter, RestsWhenLittleIsWastedOrItIsOff) {
    KeyspaceFixture fixture;
    for (int i = 0; i < 10'000; ++i) {
        fixture.set(std::to_string(i), "value");
    }
    Defragmenter defragmenter(*fixture.keyspace);
    DefragOptions options = eager();
    options.ignore_bytes = 1ULL << 30;
    defragmenter.configure(options);
    defragmenter.step();
    EXPECT_FALSE(defragmenter.is_running());
    options = eager();
    options.is_on = false;
    defragmenter.configure(options);
    defragmenter.step();
    EXPECT_FALSE(defragmenter.is_running());
    EXPECT_EQ(defragmenter.stats().hits, 0U);
}

}  // namespace
}  // namespace tern::store
