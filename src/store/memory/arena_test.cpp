#include "store/memory/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace tern::store {
namespace {

constexpr std::size_t kTestReserveBytes = std::size_t{64} << 20;

std::unique_ptr<Arena> make_arena(std::size_t reserve_bytes = kTestReserveBytes) {
    auto arena =
        Arena::create({.reserve_bytes = reserve_bytes, .reserve_bytes_min = std::size_t{1} << 20});
    EXPECT_TRUE(arena.ok());
    return std::move(arena).value();
}

TEST(SizeClasses, StepsStayWithinAnEighthAbove512Bytes) {
    for (std::size_t i = 1; i < kSizeClassCount; ++i) {
        const std::size_t below = class_slot_bytes(i - 1);
        const std::size_t here = class_slot_bytes(i);
        ASSERT_GT(here, below);
        if (here <= 512) {
            ASSERT_EQ(here - below, here <= 64 ? 2U : here <= 256 ? 4U : 8U);
        } else {
            ASSERT_EQ(here % 8, 0U);
            // The largest classes hold 8 slots a slab and fewer, so they step by whole slots.
            ASSERT_TRUE(here <= below + below / 8 || kSlabBytes / below <= 9)
                << below << " " << here;
        }
    }
    for (std::size_t power = 256; power <= kSlotBytesMax; power *= 2) {
        EXPECT_EQ(Arena::class_bytes(power), power);
    }
}

TEST(SizeClasses, EveryRequestFitsItsClassAndNoSmallerOne) {
    for (std::size_t bytes = 0; bytes <= kSlotBytesMax; ++bytes) {
        const std::size_t size_class = size_class_of(bytes);
        ASSERT_GE(class_slot_bytes(size_class), bytes);
        if (size_class != 0) {
            ASSERT_LT(class_slot_bytes(size_class - 1), bytes);
        }
    }
}

TEST(Arena, CreateRefusesSizesThatAreNoPowersOfTwo) {
    const auto arena = Arena::create({.reserve_bytes = 3 << 20, .reserve_bytes_min = 1 << 20});
    ASSERT_FALSE(arena.ok());
    EXPECT_EQ(arena.error().code, Errc::kInvalidArgument);
}

TEST(Arena, AlignmentFollowsTheSizeAskedFor) {
    auto arena = make_arena();
    for (const std::size_t bytes : {8UL, 24UL, 200UL, 264UL, 1000UL, 5000UL}) {
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(arena->at(arena->allocate(bytes))) % 8, 0U);
        }
    }
    for (const std::size_t bytes : {64UL, 128UL, 192UL, 256UL, 512UL, 4096UL, 32768UL}) {
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(arena->at(arena->allocate(bytes))) % 64, 0U);
        }
    }
}

TEST(Arena, AllocateIsNullWhenTheSmallRangeIsFullAndWorksAgainAfterFree) {
    auto arena = make_arena(std::size_t{1} << 20);  // 4 small slabs, of which slab 0 is null
    std::vector<Handle> handles;
    while (const Handle handle = arena->allocate(kSlotBytesMax)) {
        handles.push_back(handle);
    }
    EXPECT_EQ(handles.size(), 6U);
    EXPECT_FALSE(arena->allocate(8));
    arena->free(handles.back());
    arena->free(handles[handles.size() - 2]);
    EXPECT_TRUE(arena->allocate(8)) << "an empty slab serves another class";
}

TEST(Arena, AllocateExtentIsNullWhenNoRunIsLongEnough) {
    auto arena = make_arena(std::size_t{1} << 20);  // 16 slabs; blocks of 4 and of 8
    EXPECT_FALSE(arena->allocate_extent(9 * kSlabBytes));
    const ExtentId all = arena->allocate_extent(8 * kSlabBytes);
    ASSERT_TRUE(all);
    EXPECT_FALSE(arena->allocate_extent(5 * kSlabBytes));
    const ExtentId rest = arena->allocate_extent(3 * kSlabBytes);
    EXPECT_TRUE(rest);
    arena->free(all);
    EXPECT_TRUE(arena->allocate_extent(8 * kSlabBytes)) << "freed parts join again";
}

/// Fills objects with a pattern of their own and checks it at each free: no two objects overlap.
class ArenaModel {
public:
    explicit ArenaModel(std::uint64_t seed) : random_(seed), arena_(make_arena()) {}

    void step() {
        const auto dice = random_() % 100;
        if (dice < 45 + bias_) {
            add_slot();
        } else if (dice < 50 + bias_) {
            add_extent();
        } else if (dice < 95) {
            remove_slot();
        } else {
            remove_extent();
        }
        if (random_() % 1000 == 0) {
            bias_ = static_cast<unsigned>(random_() % 45);
            arena_->age();
        }
        if (random_() % 50 == 0) {
            arena_->give_back(random_() % (1 << 20));
        }
    }

    void check_counters() {
        const ArenaStats stats = arena_->stats();
        ASSERT_EQ(stats.slot_count, slots_.size());
        ASSERT_EQ(stats.slot_bytes_used, slot_bytes_);
        ASSERT_EQ(stats.extent_bytes_used, extent_bytes_);
        ASSERT_EQ(stats.used_bytes, slot_bytes_ + extent_bytes_);
        ASSERT_GE(stats.resident_bytes_estimate, stats.slab_count * kSlabBytes + extent_bytes_);
    }

    void remove_all() {
        while (!slots_.empty()) {
            remove_slot();
        }
        while (!extents_.empty()) {
            remove_extent();
        }
        const ArenaStats stats = arena_->stats();
        EXPECT_EQ(stats.used_bytes, 0U);
        EXPECT_EQ(stats.slab_count, 0U);
        // Everything joined again: the largest block is whole.
        EXPECT_TRUE(arena_->allocate_extent(kTestReserveBytes / 2));
    }

private:
    template <typename Id>
    struct Object {
        Id id;
        std::size_t bytes;
        unsigned char fill;
    };

    unsigned char next_fill() { return static_cast<unsigned char>(random_()); }

    void add_slot() {
        std::size_t bytes = 1 + random_() % (random_() % 4 == 0 ? kSlotBytesMax : 300);
        const Handle handle = arena_->allocate(bytes);
        if (!handle) {
            return;
        }
        ASSERT_EQ(arena_->slot_bytes(handle), Arena::class_bytes(bytes));
        bytes = arena_->slot_bytes(handle);
        slots_.push_back({handle, bytes, next_fill()});
        std::memset(arena_->at(handle), slots_.back().fill, bytes);
        slot_bytes_ += bytes;
    }

    void add_extent() {
        const std::size_t bytes = 1 + random_() % (20 * kSlabBytes);
        const ExtentId extent = arena_->allocate_extent(bytes);
        if (!extent) {
            return;
        }
        ASSERT_GE(arena_->extent_bytes(extent), bytes);
        extents_.push_back({extent, arena_->extent_bytes(extent), next_fill()});
        std::memset(arena_->at(extent), extents_.back().fill, bytes);
        extents_.back().bytes = bytes;
        extent_bytes_ += arena_->extent_bytes(extent);
    }

    template <typename Id>
    Object<Id> take(std::vector<Object<Id>>& objects) {
        std::swap(objects[random_() % objects.size()], objects.back());
        const Object<Id> object = objects.back();
        objects.pop_back();
        const auto* at = reinterpret_cast<const unsigned char*>(arena_->at(object.id));
        for (std::size_t i = 0; i < object.bytes; i += 1 + i / 64) {
            if (at[i] != object.fill) {
                ADD_FAILURE() << "byte " << i << " of " << object.bytes << " was overwritten";
                break;
            }
        }
        return object;
    }

    void remove_slot() {
        if (!slots_.empty()) {
            const auto object = take(slots_);
            slot_bytes_ -= object.bytes;
            arena_->free(object.id);
        }
    }

    void remove_extent() {
        if (!extents_.empty()) {
            const auto object = take(extents_);
            extent_bytes_ -= arena_->extent_bytes(object.id);
            arena_->free(object.id);
        }
    }

    std::mt19937_64 random_;
    std::unique_ptr<Arena> arena_;
    std::vector<Object<Handle>> slots_;
    std::vector<Object<ExtentId>> extents_;
    std::size_t slot_bytes_ = 0;
    std::size_t extent_bytes_ = 0;
    unsigned bias_ = 20;
};

TEST(ArenaProperty, ObjectsNeverOverlapUnderRandomUse) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        ArenaModel model(seed);
        for (int i = 0; i < 15'000; ++i) {
            model.step();
            if (i % 1'000 == 0) {
                model.check_counters();
            }
        }
        model.check_counters();
        model.remove_all();
        if (HasFailure()) {
            return;
        }
    }
}

TEST(Arena, GiveBackReturnsPagesOfFreedExtentsInBoundedPieces) {
    auto arena = make_arena();
    const ExtentId extent = arena->allocate_extent(256 * kSlabBytes);
    std::memset(arena->at(extent), 1, 256 * kSlabBytes);
    arena->free(extent);
    EXPECT_EQ(arena->give_back(1 << 20), 0U) << "freed in this epoch: stays warm";
    arena->age();
    std::size_t given_bytes = 0;
    while (arena->has_pages_to_give_back()) {
        const std::size_t piece = arena->give_back(4 * kSlabBytes);
        EXPECT_LE(piece, 4 * kSlabBytes);
        given_bytes += piece;
    }
    EXPECT_EQ(given_bytes, 240 * kSlabBytes) << "sixteen slabs stay warm";
    EXPECT_EQ(arena->stats().resident_bytes_estimate, 16 * kSlabBytes);
    const ExtentId again = arena->allocate_extent(256 * kSlabBytes);
    EXPECT_EQ(arena->at(again)[0], std::byte{0});
}

TEST(Arena, PrefaultHelperStopsAtOnceAndLeavesContentsAlone) {
    auto arena = make_arena();
    arena->start_prefault();
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        handles.push_back(arena->allocate(40));
        store_value(arena->at(handles.back()), i);
    }
    arena->stop_prefault();
    for (std::uint32_t i = 0; i < handles.size(); ++i) {
        ASSERT_EQ(load<std::uint32_t>(arena->at(handles[i])), i);
    }
}

}  // namespace
}  // namespace tern::store
