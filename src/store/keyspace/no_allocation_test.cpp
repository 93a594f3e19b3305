// Counts allocations: overwriting values of one size class calls neither malloc nor the kernel.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "store/keyspace/keyspace_fixture.hpp"
#include "store/string/strings.hpp"

namespace {
std::size_t g_allocation_count = 0;  // the test program is single-threaded
}  // namespace

// noinline: GCC 12 takes an inlined free() of new memory for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size_bytes) {
    ++g_allocation_count;
    if (void* memory = std::malloc(size_bytes != 0 ? size_bytes : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace tern::store {
namespace {

TEST(NoAllocation, OverwritesOfOneByteTo64KiBAllocateNothing) {
    KeyspaceFixture fixture;
    for (const std::size_t bytes : {1UL, 16UL, 64UL, 1'024UL, 65'536UL}) {
        const std::string key = "tern:local-transport-latency";
        const std::string values[] = {std::string(bytes, 'a'), std::string(bytes, 'b')};
        ASSERT_EQ(strings::set(fixture.db(), key, values[0]), strings::Status::kOk);
        const std::size_t count_before = g_allocation_count;
        const std::uint64_t arena_before = fixture.arena->stats().allocation_count;
        const int rounds = bytes > 10'000 ? 10'000 : 100'000;
        bool all_done = true;
        for (int i = 0; i < rounds; ++i) {
            all_done &= strings::set(fixture.db(), key, values[i & 1]) == strings::Status::kOk;
            all_done &= strings::get(fixture.db(), key).text.size() == bytes;
        }
        EXPECT_TRUE(all_done);
        EXPECT_EQ(g_allocation_count, count_before) << bytes << " bytes";
        EXPECT_EQ(fixture.arena->stats().allocation_count, arena_before) << bytes << " bytes";
    }
}

TEST(NoAllocation, NewKeysTakeSlotsOfTheArenaOnly) {
    KeyspaceFixture fixture;
    std::string key(16, 'k');
    const std::size_t count_before = g_allocation_count;
    for (int i = 0; i < 50'000; ++i) {
        key[0] = static_cast<char>(i);
        key[1] = static_cast<char>(i >> 8);
        if (strings::set(fixture.db(), key, "0123456789abcdef") != strings::Status::kOk) {
            FAIL();
        }
    }
    EXPECT_EQ(g_allocation_count, count_before);
    EXPECT_EQ(fixture.db().size(), 50'000U);
}

TEST(NoAllocation, OneNewKeyMovesAFewIndexEntriesAtMost) {
    constexpr std::size_t kMovedMax = 40;  // the bound that linear_hash_index_test explains
    KeyspaceFixture fixture;
    for (int i = 0; i < 100'000; ++i) {
        fixture.set("key:" + std::to_string(i), "v");
    }
    EXPECT_LE(fixture.db().tables().keys.entries_moved_max(), kMovedMax);
}

}  // namespace
}  // namespace tern::store
