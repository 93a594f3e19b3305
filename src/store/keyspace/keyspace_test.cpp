#include "store/keyspace/keyspace.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/keyspace/keyspace_fixture.hpp"

namespace tern::store {
namespace {

TEST(Keyspace, FindReturnsWhatWasAssigned) {
    KeyspaceFixture fixture;
    fixture.set("key", "value");
    const EntryRef ref = fixture.db().find("key");
    ASSERT_TRUE(ref);
    EXPECT_EQ(ref.key(), "key");
    EXPECT_EQ(ref.text(), "value");
    EXPECT_EQ(ref.type(), Type::kString);
    EXPECT_FALSE(ref.has_expiry());
    EXPECT_FALSE(fixture.db().find("kez"));
    EXPECT_EQ(fixture.db().size(), 1U);
}

TEST(Keyspace, EmptyKeysAndBinaryKeysAreKeys) {
    KeyspaceFixture fixture;
    fixture.set("", "empty");
    fixture.set(std::string_view("a\0b", 3), "binary");
    EXPECT_EQ(fixture.db().find("").text(), "empty");
    EXPECT_EQ(fixture.db().find(std::string_view("a\0b", 3)).text(), "binary");
    EXPECT_FALSE(fixture.db().find("a"));
}

TEST(Keyspace, LongKeysAndLongValuesLieInExtentsAndAreFreed) {
    KeyspaceFixture fixture;
    const std::string key(40'000, 'k');
    const std::string value(300'000, 'v');
    const std::size_t used_before = fixture.arena->used_bytes();
    fixture.set(key, value);
    ASSERT_EQ(fixture.db().find(key).text(), value);
    EXPECT_EQ(fixture.db().find(key).form(), Form::kExtent);
    EntryRef ref = fixture.db().find(key);
    ASSERT_TRUE(fixture.db().set_expiry(ref, 5'000));
    EXPECT_EQ(ref.text(), value);
    ASSERT_TRUE(fixture.db().rename(ref, "short"));
    EXPECT_EQ(fixture.db().find("short").text(), value);
    EXPECT_EQ(fixture.db().find("short").expire_at_ms(), 5'000);
    ASSERT_TRUE(fixture.db().copy(fixture.db().find("short"), fixture.db(1), key));
    EXPECT_EQ(fixture.db(1).find(key).text(), value);
    EXPECT_TRUE(fixture.db().erase("short"));
    EXPECT_TRUE(fixture.db(1).erase(key));
    fixture.keyspace->flush_all();
    fixture.keyspace->drain_now();
    EXPECT_EQ(fixture.arena->stats().extent_bytes_used, 0U);
    // What stays is an empty bucket or leaf of each database that was used.
    EXPECT_LT(fixture.arena->used_bytes(), used_before + 4096);
}

TEST(Keyspace, ValueThatGrowsThroughEveryPlaceKeepsItsBytes) {
    KeyspaceFixture fixture;
    EntryRef ref = fixture.set("key", "");
    std::string model;
    std::mt19937_64 random(5);
    for (int i = 0; i < 400; ++i) {
        const std::size_t old_bytes = model.size();
        const std::size_t new_bytes = i % 5 == 4 ? random() % (old_bytes + 1)
                                                 : old_bytes + random() % (1 + old_bytes / 3 + 10);
        if (new_bytes > 400'000) {
            model.clear();
            ASSERT_TRUE(fixture.db().resize_value(ref, 0));
            continue;
        }
        ASSERT_TRUE(fixture.db().resize_value(ref, new_bytes));
        model.resize(new_bytes);
        for (std::size_t j = old_bytes; j < new_bytes; ++j) {
            model[j] = static_cast<char>(random());
            ref.value()[j] = static_cast<std::byte>(model[j]);
        }
        ASSERT_EQ(ref.text(), model) << "step " << i;
        ASSERT_EQ(ref.key(), "key");
        ASSERT_EQ(fixture.db().find("key").handle(), ref.handle());
    }
}

TEST(Keyspace, OverwriteOfTheSameClassStaysInPlace) {
    KeyspaceFixture fixture;
    for (const std::size_t bytes : {1UL, 16UL, 1'000UL, 30'000UL, 65'536UL}) {
        const std::string key = "key" + std::to_string(bytes);
        const Handle before = fixture.set(key, std::string(bytes, 'a')).handle();
        const std::uint64_t allocations = fixture.arena->stats().allocation_count;
        for (int i = 0; i < 1'000; ++i) {
            ASSERT_EQ(fixture.set(key, std::string(bytes, 'b')).handle(), before);
        }
        EXPECT_EQ(fixture.arena->stats().allocation_count, allocations) << bytes;
        EXPECT_EQ(fixture.db().find(key).text(), std::string(bytes, 'b'));
    }
}

TEST(Keyspace, KeyIsGoneOnceTheClockIsPastItsDeadline) {
    KeyspaceFixture fixture;
    fixture.keyspace->set_now_ms(1'000);
    fixture.set("key", "value", Deadline::at(1'500));
    fixture.keyspace->set_now_ms(1'500);
    EXPECT_TRUE(fixture.db().find("key")) << "at the deadline itself the key lives";
    fixture.keyspace->set_now_ms(1'501);
    EXPECT_EQ(fixture.db().size(), 1U);
    EXPECT_FALSE(fixture.db().find("key"));
    EXPECT_EQ(fixture.db().size(), 0U);
    EXPECT_EQ(fixture.db().volatile_count(), 0U);
    EXPECT_EQ(fixture.keyspace->stats().expired_keys, 1U);
}

TEST(Keyspace, AssignDropsKeepsOrSetsTheDeadline) {
    KeyspaceFixture fixture;
    fixture.set("key", "value", Deadline::at(500));
    EXPECT_EQ(fixture.set("key", "other", Deadline::keep()).expire_at_ms(), 500);
    EXPECT_EQ(fixture.set("key", "third", Deadline::at(700)).expire_at_ms(), 700);
    EXPECT_FALSE(fixture.set("key", "last").has_expiry());
    EXPECT_EQ(fixture.db().volatile_count(), 0U);
}

TEST(Keyspace, PersistTakesTheDeadlineAwayAndKeepsTheValue) {
    KeyspaceFixture fixture;
    EntryRef ref = fixture.set("key", "value");
    ASSERT_TRUE(fixture.db().set_expiry(ref, 100));
    EXPECT_EQ(ref.expire_at_ms(), 100);
    ASSERT_TRUE(fixture.db().set_expiry(ref, 50));
    EXPECT_EQ(fixture.db().next_deadline_ms(), 50);
    ASSERT_TRUE(fixture.db().persist(ref));
    EXPECT_EQ(ref.text(), "value");
    fixture.keyspace->set_now_ms(1'000);
    EXPECT_EQ(fixture.db().find("key").text(), "value");
    EXPECT_EQ(fixture.db().next_deadline_ms(), kNeverExpires);
}

TEST(Keyspace, MaintainExpiresTheOldestFirstInBoundedSteps) {
    KeyspaceFixture fixture;
    for (int i = 0; i < 1'000; ++i) {
        fixture.set("key" + std::to_string(i), "v", Deadline::at(1'000 + (i * 7) % 1'000));
    }
    fixture.keyspace->maintain(1'499);
    EXPECT_EQ(fixture.db().size(), 1'000U - 256U) << "one call has its bound";
    while (fixture.keyspace->maintain(1'499)) {}
    EXPECT_EQ(fixture.db().size(), 501U);
    EXPECT_EQ(fixture.keyspace->next_deadline_ms(), 1'499);
    while (fixture.keyspace->maintain(5'000)) {}
    EXPECT_EQ(fixture.db().size(), 0U);
    EXPECT_EQ(fixture.keyspace->stats().expired_keys, 1'000U);
}

TEST(Keyspace, FlushIsAtOnceAndFreesInSteps) {
    KeyspaceFixture fixture;
    for (int i = 0; i < 20'000; ++i) {
        fixture.set(
            "key" + std::to_string(i), "value", i % 2 ? Deadline::none() : Deadline::at(9'000));
    }
    const std::size_t used_full = fixture.arena->used_bytes();
    fixture.db().flush();
    EXPECT_EQ(fixture.db().size(), 0U);
    EXPECT_FALSE(fixture.db().find("key1"));
    EXPECT_EQ(fixture.keyspace->pending_free_count(), 20'000U);
    fixture.set("key1", "new");
    int steps = 0;
    while (fixture.keyspace->has_pending_frees()) {
        fixture.keyspace->maintain(1);
        ++steps;
    }
    EXPECT_GT(steps, 50);
    EXPECT_EQ(fixture.db().find("key1").text(), "new");
    EXPECT_LT(fixture.arena->used_bytes(), used_full / 50);
}

TEST(Keyspace, SwappedDatabasesKeepTheirReferences) {
    KeyspaceFixture fixture;
    fixture.set("key", "zero");
    fixture.keyspace->swap_databases(0, 3);
    EXPECT_FALSE(fixture.db(0).find("key"));
    EXPECT_EQ(fixture.db(3).find("key").text(), "zero");
    EXPECT_EQ(fixture.db(3).number(), 3U);
}

TEST(Keyspace, RenameReplacesTheTargetAndKeepsTheDeadline) {
    KeyspaceFixture fixture;
    fixture.set("from", "value", Deadline::at(77));
    fixture.set("to", "older", Deadline::at(88));
    ASSERT_TRUE(fixture.db().rename(fixture.db().find("from"), "to"));
    EXPECT_FALSE(fixture.db().find("from"));
    EXPECT_EQ(fixture.db().find("to").text(), "value");
    EXPECT_EQ(fixture.db().find("to").expire_at_ms(), 77);
    EXPECT_EQ(fixture.db().volatile_count(), 1U);
    EXPECT_EQ(fixture.db().size(), 1U);
}

TEST(Keyspace, MoveGoesToTheOtherDatabaseWithItsDeadline) {
    KeyspaceFixture fixture;
    fixture.set("key", "value", Deadline::at(77));
    ASSERT_TRUE(fixture.db(0).move_to(fixture.db(0).find("key"), fixture.db(2)));
    EXPECT_FALSE(fixture.db(0).find("key"));
    EXPECT_EQ(fixture.db(2).find("key").text(), "value");
    EXPECT_EQ(fixture.db(2).next_deadline_ms(), 77);
    EXPECT_EQ(fixture.db(0).volatile_count(), 0U);
}

TEST(Keyspace, FindStampsTheEntryAndPeekDoesNot) {
    KeyspaceFixture fixture;
    fixture.keyspace->set_now_ms(10'000);
    fixture.set("key", "value");
    fixture.keyspace->set_now_ms(25'000);
    EXPECT_EQ(fixture.db().peek("key").stamp(), 10U);
    EXPECT_EQ(fixture.db().find("key").stamp(), 25U);
    EXPECT_EQ(fixture.db().peek("key").text(), "value");
}

TEST(Keyspace, RandomKeyNeverReturnsOneWhoseTimeIsOver) {
    KeyspaceFixture fixture;
    for (int i = 0; i < 100; ++i) {
        fixture.set("old" + std::to_string(i), "v", Deadline::at(10));
    }
    fixture.set("live", "v");
    fixture.keyspace->set_now_ms(11);
    EXPECT_EQ(fixture.db().random_key().key(), "live");
    fixture.db().erase("live");
    EXPECT_FALSE(fixture.db().random_key());
}

TEST(Keyspace, SpliceOpensAndClosesGapsInAValue) {
    KeyspaceFixture fixture;
    EntryRef ref = fixture.set("key", "0123456789");
    ASSERT_TRUE(
        fixture.db().splice_value(ref, {.offset = 3, .removed_bytes = 2, .added_bytes = 5}));
    std::memcpy(ref.value().data() + 3, "abcde", 5);
    EXPECT_EQ(ref.text(), "012abcde56789");
    ASSERT_TRUE(
        fixture.db().splice_value(ref, {.offset = 0, .removed_bytes = 12, .added_bytes = 0}));
    EXPECT_EQ(ref.text(), "9");
}

TEST(Keyspace, FullArenaRefusesAndKeepsWhatIsThere) {
    KeyspaceFixture fixture(1, std::size_t{8} << 20);
    std::vector<std::string> keys;
    while (true) {
        const std::string key = "key" + std::to_string(keys.size());
        const EntryRef found = fixture.db().find(key);
        if (!fixture.db().assign(
                found, key, fixture.db().hash_of(key), Type::kString, 100, Deadline::at(5))) {
            break;
        }
        keys.push_back(key);
    }
    ASSERT_GT(keys.size(), 5'000U);
    EXPECT_EQ(fixture.db().size(), keys.size());
    EXPECT_EQ(fixture.db().volatile_count(), keys.size());
    EntryRef ref = fixture.db().find(keys[7]);
    EXPECT_FALSE(fixture.db().resize_value(ref, 20'000'000));
    EXPECT_EQ(ref.value().size(), 100U);
    for (const std::string& key : keys) {
        ASSERT_TRUE(fixture.db().erase(key));
    }
    EXPECT_EQ(fixture.db().volatile_count(), 0U);
}

// Objects

struct FakeObject {
    std::size_t element_count = 0;
    bool* is_destroyed = nullptr;
};

constexpr ObjectOps kFakeOps{
    .memory_bytes = [](const void*) { return std::size_t{1'000}; },
    .drain =
        [](void* object, std::size_t element_count_max) {
            auto& fake = *static_cast<FakeObject*>(object);
            fake.element_count -= std::min(fake.element_count, element_count_max);
            return fake.element_count == 0;
        },
    .destroy =
        [](Keyspace&, void* object) {
            auto* fake = static_cast<FakeObject*>(object);
            *fake->is_destroyed = true;
            delete fake;
        },
    .copy = [](Keyspace&, const void* object) -> void* {
        return new FakeObject(*static_cast<const FakeObject*>(object));
    },
};

TEST(Keyspace, LargeObjectsAreFreedInStepsAndSmallOnesAtOnce) {
    KeyspaceFixture fixture;
    fixture.keyspace->register_type(Type::kHash, kFakeOps);
    bool small_destroyed = false;
    bool large_destroyed = false;
    ASSERT_TRUE(
        fixture.db().create_object("small", Type::kHash, new FakeObject{10, &small_destroyed}));
    ASSERT_TRUE(
        fixture.db().create_object("large", Type::kHash, new FakeObject{10'000, &large_destroyed}));
    EXPECT_GT(fixture.db().memory_bytes(fixture.db().peek("large")), 1'000U);
    fixture.db().erase("small");
    fixture.db().erase("large");
    EXPECT_TRUE(small_destroyed);
    EXPECT_FALSE(large_destroyed);
    int steps = 0;
    while (fixture.keyspace->maintain(1)) {
        ++steps;
    }
    EXPECT_TRUE(large_destroyed);
    EXPECT_GT(steps, 20);
}

TEST(Keyspace, ValueBecomesAnObjectAndBytesAgain) {
    KeyspaceFixture fixture;
    fixture.keyspace->register_type(Type::kHash, kFakeOps);
    bool is_destroyed = false;
    EntryRef ref = fixture.db().create("key", Type::kHash, 30);
    ASSERT_TRUE(fixture.db().set_expiry(ref, 99));
    ASSERT_TRUE(fixture.db().set_object(ref, new FakeObject{5, &is_destroyed}));
    EXPECT_TRUE(ref.is_object());
    EXPECT_EQ(ref.object<FakeObject>().element_count, 5U);
    EXPECT_EQ(ref.expire_at_ms(), 99);
    ASSERT_TRUE(fixture.db().set_bytes(ref, 12));
    EXPECT_TRUE(is_destroyed);
    EXPECT_EQ(ref.value().size(), 12U);
    EXPECT_EQ(fixture.db().next_deadline_ms(), 99);
}

// Observer

class Recorder final : public KeyspaceObserver {
public:
    void on_key_event(KeyEvent event, std::size_t database, std::string_view key) override {
        static constexpr const char* kNames[] = {"added", "modified", "removed", "expired"};
        log += std::string(kNames[static_cast<int>(event)]) + ":" + std::to_string(database) + ":" +
               std::string(key) + " ";
    }
    void on_database_replaced(std::size_t database) override {
        log += "replaced:" + std::to_string(database) + " ";
    }
    std::string log;
};

TEST(Keyspace, ObserverHearsOfEveryChange) {
    KeyspaceFixture fixture;
    Recorder recorder;
    fixture.keyspace->set_observer(&recorder);
    const EntryRef ref = fixture.set("a", "1", Deadline::at(10));
    fixture.db().mark_modified(ref);
    fixture.set("b", "2");
    ASSERT_TRUE(fixture.db().rename(fixture.db().find("b"), "c"));
    fixture.keyspace->set_now_ms(11);
    EXPECT_FALSE(fixture.db().find("a"));
    fixture.db().erase("c");
    fixture.db(1).flush();
    EXPECT_EQ(recorder.log,
              "added:0:a modified:0:a added:0:b removed:0:b added:0:c expired:0:a removed:0:c "
              "replaced:1 ");
    fixture.keyspace->set_observer(nullptr);
}

TEST(Keyspace, ScanRemovesTheKeysWhoseTimeIsOver) {
    KeyspaceFixture store;
    store.keyspace->set_now_ms(1000);
    for (int i = 0; i < 100; ++i) {
        store.set(
            "key" + std::to_string(i), "v", i % 2 == 0 ? Deadline::at(2000) : Deadline::none());
    }
    store.keyspace->set_now_ms(2001);
    EXPECT_EQ(store.db().size(), 100U);
    std::set<std::string> seen;
    std::uint64_t cursor = 0;
    do {
        cursor = store.db().scan(
            cursor, 7, [&](const EntryRef& ref) { seen.emplace(std::string(ref.key())); });
    } while (cursor != 0);
    EXPECT_EQ(seen.size(), 50U);
    EXPECT_EQ(store.db().size(), 50U);
    EXPECT_EQ(store.keyspace->stats().expired_keys, 50U);
}

}  // namespace
}  // namespace tern::store
