#include "store/ordered/ordered_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace tern::store {
namespace {

struct Element {
    std::uint64_t key;
    std::uint64_t id;
    auto operator<=>(const Element&) const = default;
};

/// Orders by key, then by id; the prefix drops bits so that ties occur.
struct CoarseOrder {
    const Arena* arena;
    [[nodiscard]] std::uint64_t prefix_of(Handle element) const noexcept {
        return arena->as<Element>(element)->key >> 3;
    }
};

using Index = OrderedIndex<CoarseOrder>;

class OrderedIndexTest : public testing::Test {
protected:
    OrderedIndexTest()
        : arena_(Arena::create({}).value()), index_(*arena_, CoarseOrder{arena_.get()}) {}

    Handle make(Element value) {
        const Handle handle = arena_->allocate(sizeof(Element));
        *arena_->as<Element>(handle) = value;
        return handle;
    }
    [[nodiscard]] const Element& at(Handle handle) const { return *arena_->as<Element>(handle); }
    auto below(Element bound) const {
        return [this, bound](std::uint64_t prefix, Handle handle) {
            const std::uint64_t bound_prefix = bound.key >> 3;
            return prefix != bound_prefix ? prefix < bound_prefix : at(handle) < bound;
        };
    }
    auto at_or_below(Element bound) const {
        return [this, bound](std::uint64_t, Handle handle) { return at(handle) <= bound; };
    }
    void insert(Element value) { ASSERT_TRUE(index_.insert(make(value), below(value))); }
    [[nodiscard]] std::vector<std::uint64_t> keys() const {
        std::vector<std::uint64_t> found;
        for (OrderedCursor cursor = index_.first(); cursor; cursor.next()) {
            found.push_back(at(cursor.get()).key);
        }
        return found;
    }

    std::unique_ptr<Arena> arena_;
    Index index_;
};

TEST_F(OrderedIndexTest, AnEmptyIndexHasNoPlaces) {
    EXPECT_FALSE(index_.first());
    EXPECT_FALSE(index_.last());
    EXPECT_FALSE(index_.at_rank(0));
    EXPECT_FALSE(index_.partition_point(below({1, 1})).cursor);
    EXPECT_EQ(index_.memory_bytes(), 0U);
    index_.check_invariants();
}

TEST_F(OrderedIndexTest, AscendingAndDescendingInputFillsLeaves) {
    constexpr std::uint64_t kCount = 20'000;
    for (std::uint64_t i = 0; i < kCount; ++i) {
        insert({i % 2 == 0 ? kCount + i : kCount - i, i});
    }
    index_.check_invariants();
    EXPECT_LT(static_cast<double>(index_.memory_bytes()) / kCount, 5.0);
    const std::vector<std::uint64_t> found = keys();
    EXPECT_EQ(found.size(), kCount);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
}

TEST_F(OrderedIndexTest, RandomInputKeepsLeavesThreeQuartersFull) {
    std::mt19937_64 random(7);
    constexpr std::uint64_t kCount = 100'000;
    for (std::uint64_t i = 0; i < kCount; ++i) {
        insert({random(), i});
    }
    index_.check_invariants();
    const double bytes = static_cast<double>(index_.memory_bytes()) / kCount;
    RecordProperty("bytes_per_element", std::to_string(bytes));
    EXPECT_LT(bytes, 256.0 / 61 / 0.75 + 0.8);
}

TEST_F(OrderedIndexTest, QueueUseMovesNothingAndFreesAll) {
    for (std::uint64_t i = 0; i < 5'000; ++i) {
        insert({i, i});
        if (i >= 1'000) {
            const Handle first = index_.erase_at(0);
            EXPECT_EQ(at(first).key, i - 1'000);
            arena_->free(first);
        }
    }
    index_.check_invariants();
    while (index_.size() > 0) {
        arena_->free(index_.erase_at(index_.size() - 1));
    }
    index_.check_invariants();
    EXPECT_EQ(arena_->stats().slot_count, 0U);
}

TEST_F(OrderedIndexTest, DrainVisitsEverythingInBoundedSteps) {
    std::mt19937_64 random(11);
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        insert({random() % 5'000, i});
    }
    std::uint64_t visited = 0;
    while (index_.size() > 0) {
        const std::uint64_t removed = index_.drain(100, [&](Handle element) {
            arena_->free(element);
            ++visited;
        });
        EXPECT_LE(removed, 100U + ordered::Leaf::kCapacity);
        index_.check_invariants();
    }
    EXPECT_EQ(visited, 10'000U);
    EXPECT_EQ(arena_->stats().slot_count, 0U);
    EXPECT_EQ(index_.memory_bytes(), 0U);
}

TEST_F(OrderedIndexTest, ReplaceKeepsTheSeparatorsInStep) {
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        insert({i * 16, i});
    }
    for (std::uint64_t rank = 0; rank < 1'000; ++rank) {
        const Handle element = index_.at_rank(rank).get();
        const Element value = at(element);
        const Handle replacement = make({value.key + 8, value.id});
        index_.replace(element, replacement, at_or_below(value));
        arena_->free(element);
    }
    index_.check_invariants();
    EXPECT_EQ(index_.partition_point(below({8 * 17, 0})).rank, 8U);
}

TEST(OrderedIndexMemory, InsertionFailsCleanlyWhenTheArenaIsFull) {
    auto arena = Arena::create({.reserve_bytes = 1 << 20, .reserve_bytes_min = 1 << 20}).value();
    Index index(*arena, CoarseOrder{arena.get()});
    std::mt19937_64 random(3);
    std::uint64_t count = 0;
    for (;;) {
        const Handle element = arena->allocate(sizeof(Element));
        if (!element) {
            break;
        }
        const Element value{random(), count};
        *arena->as<Element>(element) = value;
        const bool inserted = index.insert(element, [&](std::uint64_t, Handle handle) {
            return *arena->as<Element>(handle) < value;
        });
        if (!inserted) {
            break;
        }
        ++count;
    }
    EXPECT_EQ(index.size(), count);
    EXPECT_GT(count, 1'000U);
    index.check_invariants();
    while (index.size() > 0) {
        arena->free(index.erase_at(random() % index.size()));
    }
    index.check_invariants();
}

/// Random operations against a sorted vector, whose indices are the ranks.
class OrderedIndexModel : public OrderedIndexTest, public testing::WithParamInterface<unsigned> {
protected:
    using Model = std::vector<Element>;

    void check_places(const Model& model, std::mt19937_64& random, std::uint64_t key_range) {
        const Element bound{random() % key_range, random() % 8};
        const Index::Place place = index_.partition_point(below(bound));
        const auto expected = static_cast<std::size_t>(
            std::lower_bound(model.begin(), model.end(), bound) - model.begin());
        ASSERT_EQ(place.rank, expected);
        ASSERT_EQ(static_cast<bool>(place.cursor), expected != model.size());
        constexpr std::size_t kSteps = 70;  // more than a leaf
        OrderedCursor forward = place.cursor;
        for (std::size_t i = expected; i < std::min(expected + kSteps, model.size()); ++i) {
            ASSERT_TRUE(forward);
            ASSERT_EQ(at(forward.get()), model[i]);
            forward.next();
        }
        OrderedCursor backward = expected < model.size() ? place.cursor : index_.last();
        for (std::size_t i = std::min(expected, model.size() - 1); backward; --i) {
            ASSERT_EQ(at(backward.get()), model[i]);
            backward.previous();
            if (i == 0 || i + kSteps < expected) {
                break;
            }
        }
        if (!model.empty()) {
            const std::uint64_t rank = random() % model.size();
            ASSERT_EQ(at(index_.at_rank(rank).get()), model[rank]);
            ASSERT_EQ(at(index_.first().get()), model.front());
            ASSERT_EQ(at(index_.last().get()), model.back());
        }
        ASSERT_FALSE(index_.at_rank(model.size()));
    }

    void erase_one(Model& model, std::mt19937_64& random) {
        const std::uint64_t rank = random() % 8 == 0 ? 0 : random() % model.size();
        const Element victim = model[rank];
        Handle element;
        if (random() % 2 == 0) {
            element = index_.erase_at(rank);
        } else {
            element = index_.partition_point(below(victim)).cursor.get();
            index_.erase(element, at_or_below(victim));
        }
        ASSERT_EQ(at(element), victim);
        arena_->free(element);
        model.erase(model.begin() + static_cast<long>(rank));
    }
};

TEST_P(OrderedIndexModel, AgreesWithASortedVector) {
    const unsigned seed = GetParam();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    Model model;
    const std::uint64_t key_range = seed % 2 == 0 ? 1'000'000 : 300;
    for (int step = 0; step < 30'000; ++step) {
        const bool is_growing = (step / 6'000) % 2 == 0;
        if (random() % 10 < (is_growing ? 8U : 2U) || model.empty()) {
            const Element value{random() % key_range, random() % 64};
            const auto place = std::lower_bound(model.begin(), model.end(), value);
            if (place == model.end() || *place != value) {
                model.insert(place, value);
                insert(value);
            }
        } else {
            ASSERT_NO_FATAL_FAILURE(erase_one(model, random));
        }
        ASSERT_EQ(index_.size(), model.size());
        if (step % 250 == 0 && !model.empty()) {
            index_.check_invariants();
            ASSERT_NO_FATAL_FAILURE(check_places(model, random, key_range));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OrderedIndexModel, testing::Range(1U, 7U));

}  // namespace
}  // namespace tern::store
