#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

#include "store/hash/hash.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/list/list.hpp"
#include "store/set/set.hpp"
#include "store/stream/stream.hpp"
#include "store/zset/zset.hpp"

namespace tern::store {

/// A store for tests of collections: one arena, one keyspace, its collections registered.
class StoreTest : public testing::Test {
protected:
    explicit StoreTest(std::size_t reserve_bytes = std::size_t{1} << 32)
        : arena_(Arena::create({.reserve_bytes = reserve_bytes, .reserve_bytes_min = reserve_bytes})
                     .value()),
          keyspace_(*arena_, {.database_count = 2, .hash_seed = 17, .random_seed = 4}) {
        hashes::register_type(keyspace_);
        lists::register_type(keyspace_);
        sets::register_type(keyspace_);
        streams::register_type(keyspace_);
        zsets::register_type(keyspace_);
        keyspace_.set_now_ms(1'700'000'000'000);
    }

    [[nodiscard]] Database& database() { return keyspace_.database(0); }
    /// Frees all keys and expects that nothing is left in the arena.
    void expect_no_leak() {
        keyspace_.flush_all();
        keyspace_.drain_now();
        EXPECT_EQ(arena_->stats().slot_count, 0U);
        EXPECT_EQ(arena_->stats().extent_bytes_used, 0U);
    }

    std::unique_ptr<Arena> arena_;
    Keyspace keyspace_;
    Random random_{99};
};

}  // namespace tern::store
