#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "store/keyspace/keyspace.hpp"

namespace tern::store {

/// A keyspace for tests: small arena, fixed seeds, the time stands at zero.
struct KeyspaceFixture {
    explicit KeyspaceFixture(std::uint64_t seed = 1,
                             std::size_t reserve_bytes = std::size_t{1} << 30) {
        auto made = Arena::create(
            {.reserve_bytes = reserve_bytes, .reserve_bytes_min = std::size_t{1} << 20});
        EXPECT_TRUE(made.ok());
        arena = std::move(made).value();
        keyspace.emplace(*arena, KeyspaceOptions{.hash_seed = seed, .random_seed = seed});
    }

    [[nodiscard]] Database& db(std::size_t number = 0) { return keyspace->database(number); }

    EntryRef set(std::string_view key,
                 std::string_view value,
                 Deadline deadline = Deadline::none()) {
        Database& database = db();
        const std::uint64_t hash = database.hash_of(key);
        const EntryRef ref = database.assign(
            database.find(key, hash), key, hash, Type::kString, value.size(), deadline);
        EXPECT_TRUE(ref);
        std::memcpy(ref.value().data(), value.data(), value.size());
        return ref;
    }

    std::unique_ptr<Arena> arena;
    std::optional<Keyspace> keyspace;
};

}  // namespace tern::store
