#include "store/stream/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"

namespace tern::store::streams {
namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const EntryView& entry) {
    Texts texts;
    entry.for_each_field([&](const packed_entry::Entry& name, const packed_entry::Entry& value) {
        texts.emplace_back(packed_entry::Text(name).view());
        texts.emplace_back(packed_entry::Text(value).view());
    });
    return texts;
}

/// A stream beside the same in a std::map.
class StreamTest : public StoreTest {
protected:
    explicit StreamTest(std::size_t reserve_bytes = std::size_t{1} << 32)
        : StoreTest(reserve_bytes) {}

    [[nodiscard]] Stream stream() { return Stream(database(), "x"); }
    [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return random_.next() % limit; }

    [[nodiscard]] bool append(const EntryId& id, const Texts& texts) {
        const std::vector<std::string_view> views(texts.begin(), texts.end());
        Stream here = stream();
        return here.create() && here.append(id, views, limits_);
    }
    void add(const EntryId& id, const Texts& texts) {
        ASSERT_TRUE(append(id, texts));
        model_[id] = texts;
        last_ = id;
    }
    /// The next id: often the same millisecond, now and then far away.
    [[nodiscard]] EntryId next_id() {
        EntryId id = last_;
        const std::uint64_t choice = below(10);
        if (choice < 4) {
            id.sequence += 1 + below(3);
        } else {
            id = {id.ms + 1 + (choice == 9 ? below(1ULL << 40) : below(5)), below(300)};
        }
        return id;
    }
    [[nodiscard]] std::string random_text() {
        switch (below(8)) {
            case 0:
                return std::to_string(static_cast<std::int64_t>(random_.next()));
            case 1:
                return std::to_string(below(200));
            case 2:
                return {};
            case 3:
                return std::string(below(5000), 'L');
            default:
                return std::string(1 + below(30), static_cast<char>('a' + below(26)));
        }
    }
    [[nodiscard]] Texts random_fields() {
        if (below(3) != 0) {
            return {"field", random_text(), "17", random_text()};
        }
        Texts texts;
        for (std::uint64_t count = 1 + below(4); count > 0; --count) {
            texts.push_back(random_text());
            texts.push_back(random_text());
        }
        return texts;
    }
    [[nodiscard]] EntryId random_id() {
        if (model_.empty() || below(8) == 0) {
            return {below(last_.ms + 2), below(300)};
        }
        auto at = model_.lower_bound({below(last_.ms + 1), below(300)});
        return at == model_.end() ? std::prev(at)->first : at->first;
    }

    void expect_equal() {
        expect_range({}, kIdMax, false);
        const Stream here = stream();
        if (here.exists()) {
            here.get().check_invariants();
        }
        EXPECT_EQ(here.size(), model_.size());
    }
    void expect_range(const EntryId& first, const EntryId& last, bool backwards) {
        std::vector<std::pair<EntryId, Texts>> expected;
        if (first <= last) {
            expected.assign(model_.lower_bound(first), model_.upper_bound(last));
        }
        if (backwards) {
            std::reverse(expected.begin(), expected.end());
        }
        std::vector<std::pair<EntryId, Texts>> found;
        if (const Stream here = stream(); here.exists()) {
            here.get().entries().walk(first, last, backwards, [&](const EntryView& entry) {
                found.emplace_back(entry.id, texts_of(entry));
                return true;
            });
        }
        EXPECT_EQ(found, expected) << first.ms << "-" << first.sequence << " " << last.ms << "-"
                                   << last.sequence << " backwards " << backwards;
    }

    std::map<EntryId, Texts> model_;
    EntryId last_;
    NodeLimits limits_;
};

TEST(EntryId, StepsOverTheEdgesOfItsParts) {
    EntryId id{5, UINT64_MAX};
    EXPECT_TRUE(increment(id));
    EXPECT_EQ(id, (EntryId{6, 0}));
    EXPECT_TRUE(decrement(id));
    EXPECT_EQ(id, (EntryId{5, UINT64_MAX}));
    EntryId top = kIdMax;
    EXPECT_FALSE(increment(top));
    EntryId bottom;
    EXPECT_FALSE(decrement(bottom));
}

TEST_F(StreamTest, KeepsWhatRandomStepsLeave) {
    for (int step = 0; step < 6000; ++step) {
        switch (below(12)) {
            case 0:
            case 1: {
                const EntryId id = random_id();
                EXPECT_EQ(stream().exists() && stream().erase(id), model_.erase(id) == 1);
                break;
            }
            case 2:
                if (below(8) == 0 && stream().exists()) {
                    const std::uint64_t count = below(model_.size() + 2);
                    EXPECT_EQ(stream().trim({.count_max = count}),
                              model_.size() > count ? model_.size() - count : 0);
                    while (model_.size() > count) {
                        model_.erase(model_.begin());
                    }
                }
                break;
            case 3:
                if (below(8) == 0 && stream().exists()) {
                    const EntryId id = random_id();
                    const auto end = model_.lower_bound(id);
                    EXPECT_EQ(stream().trim({.kind = Trim::Kind::kId, .id_min = id}),
                              static_cast<std::uint64_t>(std::distance(model_.begin(), end)));
                    model_.erase(model_.begin(), end);
                }
                break;
            case 4:
            case 5: {
                const EntryId id = random_id();
                EXPECT_EQ(stream().exists() && stream().get().entries().contains(id),
                          model_.contains(id));
                expect_range(random_id(), random_id(), below(2) == 0);
                break;
            }
            default:
                add(next_id(), random_fields());
        }
        if (step % 500 == 0) {
            limits_ = {.bytes_max = below(2) * 4096, .entry_count_max = 1 + below(100)};
            expect_equal();
        }
    }
    expect_equal();
    expect_no_leak();
}

TEST_F(StreamTest, WalksStopWhereTheVisitorSays) {
    for (std::uint64_t i = 1; i <= 350; ++i) {
        add({i, 0}, {"f", std::to_string(i)});
    }
    std::vector<std::uint64_t> seen;
    stream().get().entries().walk({98, 0}, kIdMax, false, [&](const EntryView& entry) {
        seen.push_back(entry.id.ms);
        return seen.size() < 5;
    });
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{98, 99, 100, 101, 102}));
    seen.clear();
    stream().get().entries().walk({}, {102, 0}, true, [&](const EntryView& entry) {
        seen.push_back(entry.id.ms);
        return seen.size() < 4;
    });
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{102, 101, 100, 99}));
}

TEST_F(StreamTest, NodesHoldWhatTheLimitsSay) {
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        add({i, 0}, {"f", "v"});
    }
    EXPECT_EQ(stream().get().entries().node_count(), 10U);
    add({2000, 0}, {"f", std::string(100'000, 'x')});
    EXPECT_EQ(stream().get().entries().node_count(), 11U);
    add({2001, 0}, {"f", "v"});
    EXPECT_EQ(stream().get().entries().node_count(), 12U);
    expect_equal();
    limits_ = {.bytes_max = 0, .entry_count_max = 0};
    for (std::uint64_t i = 0; i < 100; ++i) {
        add({3000 + i, 0}, {"f", std::string(1000, 'y')});
    }
    EXPECT_LT(stream().get().entries().node_count(), 20U);
    expect_equal();
}

TEST_F(StreamTest, WholeNodesGoWhenATrimIsNotExact) {
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        add({i, 0}, {"f", "v"});
    }
    EXPECT_EQ(stream().trim({.count_max = 550, .whole_nodes_only = true}), 400U);
    EXPECT_EQ(stream().trim({.count_max = 550, .whole_nodes_only = true}), 0U);
    EXPECT_EQ(stream().trim({.count_max = 100, .whole_nodes_only = true, .removed_max = 250}),
              200U);
    EXPECT_EQ(
        stream().trim({.kind = Trim::Kind::kId, .id_min = {750, 0}, .whole_nodes_only = true}),
        100U);
    EXPECT_EQ(stream().size(), 300U);
    stream().get().check_invariants();
}

TEST_F(StreamTest, EntriesWithTheSameFieldsShareThem) {
    constexpr std::uint64_t kCount = 100'000;
    for (std::uint64_t i = 1; i <= kCount; ++i) {
        ASSERT_TRUE(append({1'700'000'000'000 + i, 0}, {"field-of-sixteen", "value-of-sixteen"}));
    }
    const std::size_t bytes = stream().get().memory_bytes();
    EXPECT_LT(static_cast<double>(bytes) / static_cast<double>(kCount), 31.3);
    expect_no_leak();
}

class SmallStreamTest : public StreamTest {
protected:
    SmallStreamTest() : StreamTest(std::size_t{8} << 20) {}
};

TEST_F(SmallStreamTest, AppendChangesNothingWithoutMemory) {
    EntryId id{1, 0};
    while (append(id, {"f", std::string(3000, 'x')})) {
        model_[id] = {"f", std::string(3000, 'x')};
        ++id.ms;
    }
    EXPECT_GT(model_.size(), 20U);
    expect_equal();
    Group* group = stream().get().add_group("g");
    while (group == nullptr) {
        ASSERT_TRUE(stream().erase(model_.begin()->first));
        model_.erase(model_.begin());
        group = stream().get().add_group("g");
    }
    Consumer* consumer = group->add_consumer("c", 1);
    std::uint64_t count = 0;
    while (consumer != nullptr && group->add_pending({count + 1, 0}, *consumer) != nullptr) {
        ++count;
    }
    EXPECT_EQ(group->pending_count(), count);
    expect_equal();
    expect_no_leak();
}

// Groups

/// Random steps on one group beside two maps.
TEST_F(StreamTest, GroupKeepsWhatRandomStepsLeave) {
    Stream here = stream();
    ASSERT_TRUE(here.create());
    Group* const group = here.get().add_group("g");
    std::map<EntryId, std::string> owners;
    std::map<std::string, int> consumers;
    const auto name = [this] { return "consumer" + std::to_string(below(20)); };
    const auto get = [&](const std::string& text) -> Consumer& {
        Consumer* const found = group->find_consumer(text);
        consumers[text] = 1;
        return found != nullptr ? *found : *group->add_consumer(text, 7);
    };
    for (int step = 0; step < 20'000; ++step) {
        const EntryId id{below(50), below(20)};
        Pending* const pending = group->find_pending(id);
        ASSERT_EQ(pending != nullptr, owners.contains(id));
        const std::uint64_t choice = below(100);
        if (choice < 50) {
            const std::string owner = name();
            Consumer& consumer = get(owner);
            if (pending == nullptr) {
                ASSERT_NE(group->add_pending(id, consumer), nullptr);
            } else {
                ASSERT_TRUE(group->assign(*pending, consumer));
            }
            owners[id] = owner;
        } else if (choice < 99) {
            if (pending != nullptr) {
                group->erase_pending(*pending);
                owners.erase(id);
            }
        } else if (const std::string owner = name(); consumers.erase(owner) != 0) {
            group->erase_consumer(*group->find_consumer(owner));
            std::erase_if(owners, [&](const auto& item) { return item.second == owner; });
        }
        if (step % 1000 == 0) {
            group->check_invariants();
        }
    }
    std::map<EntryId, std::string> found;
    group->walk_pending({}, kIdMax, [&](const Pending& pending) {
        found[pending.id] = group->name_of(group->consumer_of(pending));
        return true;
    });
    EXPECT_EQ(found, owners);
    std::vector<std::string> names;
    group->walk_consumers([&](const Consumer& consumer) {
        names.emplace_back(group->name_of(consumer));
        return true;
    });
    EXPECT_EQ(names.size(), consumers.size());
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    expect_no_leak();
}

TEST_F(StreamTest, CopyHasEntriesAndGroups) {
    for (std::uint64_t i = 1; i <= 300; ++i) {
        add({i, 0}, random_fields());
    }
    Group* const group = stream().get().add_group("g");
    group->last_id = {200, 0};
    group->entries_read = 200;
    for (std::uint64_t i = 1; i <= 200; ++i) {
        const std::string owner = "c" + std::to_string(i % 3);
        Consumer* consumer = group->find_consumer(owner);
        consumer = consumer != nullptr ? consumer : group->add_consumer(owner, 5);
        group->add_pending({i, 0}, *consumer)->delivery_count = i;
    }
    ASSERT_TRUE(database().copy(stream().entry(), database(), "y"));
    Stream copied(database(), "y");
    copied.get().check_invariants();
    EXPECT_EQ(copied.size(), 300U);
    EXPECT_EQ(copied.get().last_id, (EntryId{300, 0}));
    EXPECT_EQ(copied.get().entries_added, 300U);
    const Group* const same = copied.get().find_group("g");
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->entries_read, 200U);
    EXPECT_EQ(same->pending_count(), 200U);
    EXPECT_EQ(same->find_pending({77, 0})->delivery_count, 77U);
    EXPECT_EQ(same->name_of(same->consumer_of(*same->find_pending({77, 0}))), "c2");
    ASSERT_TRUE(stream().erase({150, 0}));
    EXPECT_TRUE(copied.get().entries().contains({150, 0}));
    expect_no_leak();
}

TEST_F(StreamTest, GroupsOfAnyNameAreFoundInOrder) {
    Stream here = stream();
    ASSERT_TRUE(here.create());
    const std::vector<std::string> names = {std::string(),
                                            "a",
                                            std::string("a\0", 2),
                                            "abcdefgh",
                                            "abcdefghi",
                                            "b",
                                            "\xff",
                                            std::string(70'000, 'x')};
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        EXPECT_EQ(here.get().find_group(*name), nullptr);
        ASSERT_NE(here.get().add_group(*name), nullptr);
    }
    std::vector<std::string> found;
    here.get().walk_groups([&](const Group& group) {
        found.emplace_back(group.name_text());
        return true;
    });
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(found, sorted);
    here.erase_group(*here.get().find_group("b"));
    EXPECT_EQ(here.get().find_group("b"), nullptr);
    here.get().check_invariants();
    expect_no_leak();
}

TEST_F(StreamTest, LargeGroupsAreFreedInSteps) {
    Stream here = stream();
    ASSERT_TRUE(here.create());
    Group* const group = here.get().add_group("g");
    Consumer* const consumer = group->add_consumer("c", 0);
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        ASSERT_NE(group->add_pending({i, 0}, *consumer), nullptr);
    }
    here.erase_group(*group);
    EXPECT_TRUE(keyspace_.has_pending_frees());
    EXPECT_EQ(here.get().group_count(), 0U);
    expect_no_leak();
}

TEST_F(StreamTest, AllEntriesAtOnceAreFreedInSteps) {
    for (std::uint64_t i = 1; i <= 50'000; ++i) {
        ASSERT_TRUE(append({i, 0}, {"f", "v"}));
    }
    EXPECT_EQ(stream().trim({.count_max = 0}), 50'000U);
    EXPECT_TRUE(keyspace_.has_pending_frees());
    EXPECT_EQ(stream().size(), 0U);
    EXPECT_EQ(stream().get().last_id, (EntryId{50'000, 0}));
    expect_no_leak();
}

// What XINFO GROUPS counts

TEST_F(StreamTest, LagIsKnownWithoutHoles) {
    for (std::uint64_t i = 1; i <= 5; ++i) {
        add({i, 0}, {"f", "v"});
    }
    LargeStream& large = stream().get();
    Group* const group = large.add_group("g");
    group->last_id = {};
    EXPECT_EQ(large.lag(*group), 5U);
    large.advance(*group, {1, 0});
    EXPECT_EQ(group->entries_read, 1U);
    EXPECT_EQ(large.lag(*group), 4U);
    ASSERT_TRUE(stream().erase({3, 0}));
    EXPECT_EQ(large.lag(*group), std::nullopt);
    large.advance(*group, {2, 0});
    EXPECT_EQ(group->entries_read, Group::kNotKnown);
    large.advance(*group, {4, 0});
    EXPECT_EQ(large.lag(*group), std::nullopt);
    large.advance(*group, {5, 0});
    EXPECT_EQ(group->entries_read, 5U);
    EXPECT_EQ(large.lag(*group), 0U);
}

}  // namespace
}  // namespace tern::store::streams
