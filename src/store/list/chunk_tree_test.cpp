#include "store/list/chunk_tree.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace tern::store::lists {
namespace {

/// A tree beside a plain list of (handle, count).
class ChunkTreeTest : public testing::Test {
protected:
    struct Item {
        std::uint32_t handle;
        std::size_t count;
        bool operator==(const Item&) const = default;
    };
    using Model = std::vector<Item>;

    [[nodiscard]] static std::uint64_t elements_of(const Model& model) {
        return std::accumulate(
            model.begin(), model.end(), std::uint64_t{0}, [](std::uint64_t sum, const Item& item) {
                return sum + item.count;
            });
    }
    [[nodiscard]] static ChunkTree::Place place_of(const ChunkTree& tree,
                                                   const Model& model,
                                                   std::size_t at) {
        std::uint64_t index = 0;
        for (std::size_t i = 0; i < at; ++i) {
            index += model[i].count;
        }
        const ChunkTree::Place place = tree.find(index);
        EXPECT_EQ(index, 0U);
        return place;
    }
    static void expect_same(const ChunkTree& tree, const Model& model) {
        ASSERT_EQ(tree.element_count(), elements_of(model));
        ASSERT_EQ(tree.empty(), model.empty());
        ASSERT_EQ(tree.has_one_chunk(), model.size() == 1);
        if (model.empty()) {
            return;
        }
        Model forward;
        ChunkTree::Place place = tree.first();
        do {
            forward.push_back({tree.chunk(place).value, tree.count(place)});
        } while (tree.next(place));
        ASSERT_EQ(forward, model);
        Model backward;
        place = tree.last();
        do {
            backward.insert(backward.begin(), {tree.chunk(place).value, tree.count(place)});
        } while (tree.previous(place));
        ASSERT_EQ(backward, model);
    }
    static void clear(ChunkTree& tree) {
        while (!tree.empty()) {
            tree.erase(tree.first());
        }
    }
    [[nodiscard]] Item fresh() { return {next_handle_++, 1 + random_.below(9)}; }
    void insert_somewhere(ChunkTree& tree, Model& model) {
        const Item item = fresh();
        const std::size_t at = random_.below(4) == 0 ? (random_.below(2) == 0 ? 0 : model.size())
                                                     : random_.below(model.size() + 1);
        const bool behind = at == model.size() && !model.empty();
        ASSERT_TRUE(tree.insert(
            model.empty() ? ChunkTree::Place() : place_of(tree, model, behind ? at - 1 : at),
            behind,
            Handle{item.handle},
            item.count));
        model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), item);
    }

    std::unique_ptr<Arena> arena_ = Arena::create({.reserve_bytes = std::size_t{1} << 28,
                                                   .reserve_bytes_min = std::size_t{1} << 28})
                                        .value();
    Random random_{5};
    std::uint32_t next_handle_ = 1;
};

TEST_F(ChunkTreeTest, ShowsTheSameAsAPlainListWhateverIsDone) {
    for (const std::size_t size_max : {30U, 900U}) {
        ChunkTree tree(*arena_);
        Model model;
        for (int i = 0; i < 4000; ++i) {
            const bool grows = random_.below(size_max) >= model.size();
            if (grows) {
                insert_somewhere(tree, model);
            } else {
                const std::size_t at = random_.below(model.size());
                tree.erase(place_of(tree, model, at));
                model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
            }
            if (!model.empty()) {
                const std::size_t at = random_.below(model.size());
                tree.add_count(place_of(tree, model, at), 2);
                model[at].count += 2;
            }
            if (i % 50 == 0) {
                expect_same(tree, model);
            }
        }
        expect_same(tree, model);
        clear(tree);
    }
    EXPECT_EQ(arena_->stats().slot_count, 0U);
}

TEST_F(ChunkTreeTest, SplitsAtAnyPlace) {
    for (const std::size_t size : {1U, 2U, 19U, 20U, 21U, 400U, 401U, 1000U}) {
        for (int round = 0; round < 20; ++round) {
            ChunkTree left(*arena_);
            Model model;
            while (model.size() < size) {
                insert_somewhere(left, model);
            }
            const std::size_t at = random_.below(model.size());
            ChunkTree right(*arena_);
            ASSERT_TRUE(left.split_before(place_of(left, model, at), right));
            const auto cut = model.begin() + static_cast<std::ptrdiff_t>(at);
            Model model_right(cut, model.end());
            model.erase(cut, model.end());
            expect_same(left, model);
            expect_same(right, model_right);
            // Both go on as trees do.
            insert_somewhere(left, model);
            insert_somewhere(right, model_right);
            expect_same(left, model);
            expect_same(right, model_right);
            clear(left);
            clear(right);
        }
    }
    EXPECT_EQ(arena_->stats().slot_count, 0U);
}

TEST_F(ChunkTreeTest, PushingAtAnEndFillsTheLeaves) {
    for (const bool behind : {false, true}) {
        ChunkTree tree(*arena_);
        for (std::uint32_t i = 1; i <= 8000; ++i) {
            ASSERT_TRUE(tree.insert(behind ? tree.last() : tree.first(), behind, Handle{i}, 1));
        }
        EXPECT_LE(arena_->stats().slot_count, 8000U / ChunkTree::kFanout + 60);
        clear(tree);
    }
}

}  // namespace
}  // namespace tern::store::lists
