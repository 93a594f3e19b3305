#include "store/list/list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"

namespace tern::store::lists {
namespace {

using Model = std::deque<std::string>;

constexpr ListLimits kDefault{};

class ListTest : public StoreTest {
protected:
    [[nodiscard]] List open(std::string_view key = "l") { return List(database(), key); }
    [[nodiscard]] Model contents(bool backwards = false) {
        Model found;
        const List list = open();
        const std::uint64_t size = list.size();
        list.walk(backwards && size > 0 ? size - 1 : 0, size, backwards, [&](const Entry& entry) {
            const Text text(entry);
            if (backwards) {
                found.emplace_front(text.view());
            } else {
                found.emplace_back(text.view());
            }
            return true;
        });
        return found;
    }
    void expect_same(const Model& model) {
        ASSERT_EQ(open().size(), model.size());
        ASSERT_EQ(open().exists(), !model.empty());
        ASSERT_EQ(contents(), model);
        ASSERT_EQ(contents(true), model);
    }
    void push(std::string_view text, const ListLimits& limits = kDefault, End end = End::kTail) {
        List list = open();
        ASSERT_TRUE(list.prepare_growth(text.size(), 1, limits));
        ASSERT_TRUE(list.push(end, Value(text), limits));
    }
    [[nodiscard]] std::string random_text() {
        switch (random_.below(12)) {
            case 0:
                return std::string(random_.below(9000), 'L');
            case 1:
                return std::string(random_.below(300), 'm');
            case 2:
                return "";
            case 3:
                return std::to_string(static_cast<std::int64_t>(random_.next()));
            default:
                return std::to_string(random_.below(6));
        }
    }
    /// One random change of the list and of its model.
    void change(Model& model, const ListLimits& limits);
    void add_somewhere(Model& model, const ListLimits& limits);
    void remove_somewhere(Model& model);
};

void ListTest::add_somewhere(Model& model, const ListLimits& limits) {
    List list = open();
    const std::string text = random_text();
    ASSERT_TRUE(list.prepare_growth(text.size(), 1, limits));
    switch (random_.below(model.empty() ? 2 : 4)) {
        case 0:
            ASSERT_TRUE(list.push(End::kHead, Value(text), limits));
            model.push_front(text);
            return;
        case 1:
            ASSERT_TRUE(list.push(End::kTail, Value(text), limits));
            model.push_back(text);
            return;
        case 2: {
            const std::size_t at = random_.below(model.size() + 1);
            ASSERT_TRUE(list.insert(at, Value(text), limits));
            model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), text);
            return;
        }
        default: {
            const std::size_t at = random_.below(model.size());
            ASSERT_TRUE(list.replace(at, Value(text), limits));
            model[at] = text;
        }
    }
}

void ListTest::remove_somewhere(Model& model) {
    List list = open();
    const auto step = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    const std::size_t size = model.size();
    switch (random_.below(8)) {
        case 0: {
            const std::size_t index = random_.below(std::min<std::size_t>(size, 40));
            const std::size_t count = random_.below(size - index + 1);
            if (random_.below(10) == 0) {
                list.trim(index, count);
                model.erase(model.begin() + step(index + count), model.end());
                model.erase(model.begin(), count == 0 ? model.end() : model.begin() + step(index));
            }
            return;
        }
        case 1: {
            const std::string text = model[random_.below(size)];
            const std::size_t count = 1 + random_.below(3);
            const bool from_tail = random_.below(2) == 0;
            std::size_t removed = 0;
            for (std::size_t i = 0; i < size && removed < count; ++i) {
                const std::size_t at = from_tail ? size - 1 - i : i - removed;
                if (model[at] == text) {
                    model.erase(model.begin() + step(at));
                    ++removed;
                }
            }
            ASSERT_EQ(list.erase_equal(Value(text), count, from_tail), removed);
            return;
        }
        default: {
            const std::size_t count = random_.below(std::min<std::size_t>(size, 4) + 1);
            if (random_.below(2) == 0) {
                list.erase_end(End::kHead, count);
                model.erase(model.begin(), model.begin() + step(count));
            } else {
                list.erase_end(End::kTail, count);
                model.erase(model.end() - step(count), model.end());
            }
        }
    }
}

void ListTest::change(Model& model, const ListLimits& limits) {
    if (model.empty() || random_.below(10) < 6) {
        add_somewhere(model, limits);
    } else {
        remove_somewhere(model);
    }
    if (random_.below(8) == 0) {
        open().settle(limits);
    }
}

TEST_F(ListTest, AMissingKeyIsAnEmptyList) {
    const List list = open();
    EXPECT_FALSE(list.exists());
    EXPECT_FALSE(list.is_wrong_type());
    EXPECT_EQ(list.size(), 0U);
    EXPECT_FALSE(database().peek("l"));
}

TEST_F(ListTest, AnotherTypeIsSaid) {
    ASSERT_TRUE(database().create("s", Type::kString, 1));
    EXPECT_TRUE(open("s").is_wrong_type());
}

TEST_F(ListTest, ShowsTheSameAsADequeWhateverIsDone) {
    const std::vector<ListLimits> all = {kDefault,
                                         ListLimits::of_parameter(1),
                                         ListLimits::of_parameter(4),
                                         ListLimits::of_parameter(-1),
                                         ListLimits::of_parameter(-5),
                                         {.bytes_max = 200}};
    for (std::size_t seed = 0; seed < 24; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_ = Random(seed);
        Model model;
        for (int i = 0; i < 700; ++i) {
            // Now and then the parameter changes while the list lives.
            const ListLimits& limits =
                all[i % 200 == 199 ? random_.below(all.size()) : seed % all.size()];
            ASSERT_NO_FATAL_FAILURE(change(model, limits));
            if (i % 20 == 0) {
                ASSERT_NO_FATAL_FAILURE(expect_same(model));
            }
        }
        expect_same(model);
        open().trim(0, 0);
    }
    expect_no_leak();
}

TEST_F(ListTest, EveryElementIsFoundByItsIndex) {
    Model model;
    for (int i = 0; i < 5000; ++i) {
        const std::string text = "element " + std::to_string(i);
        push(text, kDefault, i % 3 == 0 ? End::kHead : End::kTail);
        i % 3 == 0 ? model.push_front(text) : model.push_back(text);
    }
    for (std::size_t i = 0; i < model.size(); i += 7) {
        std::size_t visits = 0;
        open().walk(i, 1, false, [&](const Entry& entry) {
            EXPECT_EQ(Text(entry).view(), model[i]);
            ++visits;
            return true;
        });
        EXPECT_EQ(visits, 1U);
    }
}

TEST_F(ListTest, AWalkStopsWhenToldTo) {
    for (int i = 0; i < 2000; ++i) {
        push("e" + std::to_string(i));
    }
    for (const bool backwards : {false, true}) {
        std::size_t visits = 0;
        open().walk(
            backwards ? 1999 : 0, 2000, backwards, [&](const Entry&) { return ++visits < 1500; });
        EXPECT_EQ(visits, 1500U);
    }
}

TEST_F(ListTest, ListpackUntilTheLimitAndAgainBelowHalfOfIt) {
    const ListLimits four = ListLimits::of_parameter(4);
    for (int i = 0; i < 4; ++i) {
        push("a", four);
    }
    EXPECT_EQ(open().encoding_name(), "listpack");
    push("b", four);
    EXPECT_EQ(open().encoding_name(), "quicklist");
    for (const std::string_view encoding : {"quicklist", "quicklist", "listpack"}) {
        List list = open();
        list.erase_end(End::kTail, 1);
        list.settle(four);
        EXPECT_EQ(open().encoding_name(), encoding);
    }
    EXPECT_EQ(contents(), (Model{"a", "a"}));
}

TEST_F(ListTest, TheTextsOfACommandDecide) {
    List list = open();
    for (int i = 0; i < 453; ++i) {
        ASSERT_TRUE(list.push(End::kTail, Value(std::string(16, 'y')), kDefault));
    }
    ASSERT_TRUE(list.prepare_growth(31, 2, kDefault));
    EXPECT_EQ(list.encoding_name(), "listpack");
    ASSERT_TRUE(list.prepare_growth(32, 2, kDefault));
    EXPECT_EQ(list.encoding_name(), "quicklist");
}

TEST_F(ListTest, ElementsOfAnySizeStandBesideEachOther) {
    Model model;
    for (const std::size_t length : {0U, 70000U, 1U, 8200U, 33000U, 32760U, 32755U, 5U, 200000U}) {
        model.emplace_back(length, static_cast<char>('a' + model.size()));
        push(model.back());
    }
    expect_same(model);
    List list = open();
    for (std::size_t i = 0; i < model.size(); ++i) {
        model[i] = std::string(model[model.size() - 1 - i].size() / 2, 'r');
        ASSERT_TRUE(list.replace(i, Value(model[i]), kDefault));
    }
    expect_same(model);
    expect_no_leak();
}

TEST_F(ListTest, ACopyHasTheSameElements) {
    Model model;
    for (int i = 0; i < 3000; ++i) {
        model.push_back(i % 500 == 0 ? std::string(40000, 'x') : std::to_string(i));
        push(model.back());
    }
    ASSERT_TRUE(database().copy(database().find("l"), database(), "copy"));
    open().trim(0, 0);
    ASSERT_TRUE(database().rename(database().find("copy"), "l"));
    expect_same(model);
    expect_no_leak();
}

TEST_F(ListTest, TrimmingAMillionElementsFreesThemInSteps) {
    for (int i = 0; i < 1'000'000; ++i) {
        push("0123456789abcdef");
    }
    const std::size_t full_bytes = arena_->used_bytes();
    const std::uint64_t before = arena_->stats().slot_count;
    open().trim(400'000, 10);
    EXPECT_EQ(open().size(), 10U);
    EXPECT_GT(arena_->stats().slot_count, before * 9 / 10);
    EXPECT_TRUE(keyspace_.has_pending_frees());
    keyspace_.drain_now();
    EXPECT_LT(arena_->used_bytes(), full_bytes / 50);
    EXPECT_EQ(contents(), Model(10, "0123456789abcdef"));
    expect_no_leak();
}

TEST_F(ListTest, TakesLittleMoreThanItsEntries) {
    constexpr std::size_t kCount = 100'000;
    const std::size_t before = arena_->used_bytes();
    for (std::size_t i = 0; i < kCount; ++i) {
        push("0123456789abcdef");
    }
    const double bytes = static_cast<double>(arena_->used_bytes() - before);
    EXPECT_LT(bytes / kCount, 18.3);
    const auto usage = static_cast<double>(database().memory_bytes(database().find("l")));
    EXPECT_NEAR(usage / bytes, 1.0, 0.05);
}

TEST_F(ListTest, AQueueKeepsItsSize) {
    for (int i = 0; i < 5000; ++i) {
        push("0123456789abcdef");
    }
    const std::size_t full_bytes = arena_->used_bytes();
    for (int i = 0; i < 50000; ++i) {
        push("0123456789abcdef");
        open().erase_end(End::kHead, 1);
        open().settle(kDefault);
    }
    EXPECT_EQ(open().size(), 5000U);
    EXPECT_LT(arena_->used_bytes(), full_bytes + 3 * 8192);
}

TEST_F(ListTest, RemovingFromTheMiddleGivesMemoryBack) {
    for (int i = 0; i < 20000; ++i) {
        push(i % 10 == 0 ? "keep" : "a longer text that goes");
    }
    const std::size_t full_bytes = arena_->used_bytes();
    EXPECT_EQ(open().erase_equal(Value("a longer text that goes"), UINT64_MAX, false), 18000U);
    EXPECT_EQ(contents(), Model(2000, "keep"));
    EXPECT_LT(arena_->used_bytes(), full_bytes / 8);
}

TEST_F(ListTest, ARefusedPushChangesNothing) {
    auto arena = Arena::create({.reserve_bytes = std::size_t{1} << 21,
                                .reserve_bytes_min = std::size_t{1} << 21})
                     .value();
    Keyspace keyspace(*arena, {.database_count = 1, .hash_seed = 1, .random_seed = 1});
    register_type(keyspace);
    List list(keyspace.database(0), "l");
    const std::string text(1000, 'x');
    std::uint64_t count = 0;
    while (list.push(End::kTail, Value(text), kDefault)) {
        ++count;
    }
    EXPECT_GT(count, 100U);
    EXPECT_EQ(list.size(), count);
    EXPECT_FALSE(list.insert(count / 2, Value(std::string(40000, 'y')), kDefault));
    EXPECT_EQ(list.size(), count);
    list.erase_end(End::kHead, count);
    EXPECT_FALSE(List(keyspace.database(0), "l").exists());
    keyspace.flush_all();
    keyspace.drain_now();
    EXPECT_EQ(arena->stats().slot_count, 0U);
}

}  // namespace
}  // namespace tern::store::lists
