#include <cstddef>
#include <cstdint>
#include <memory>

#include "store/hash/hash.hpp"
#include "store/list/list.hpp"
#include "store/rdb/payload.hpp"
#include "store/stream/stream.hpp"
#include "store/zset/zset.hpp"

/// Any bytes as the value of RESTORE: it is refused without a trace, or kept, written and read back
/// as the same bytes.
namespace {

using namespace tern;         // NOLINT
using namespace tern::store;  // NOLINT

struct Store {
    Store() {
        hashes::register_type(keyspace);
        sets::register_type(keyspace);
        lists::register_type(keyspace);
        streams::register_type(keyspace);
        zsets::register_type(keyspace);
        keyspace.set_now_ms(1'700'000'000'000);
    }

    std::unique_ptr<Arena> arena = std::move(*Arena::create(
        {.reserve_bytes = std::size_t{1} << 30, .reserve_bytes_min = std::size_t{1} << 30}));
    Keyspace keyspace{*arena, {.database_count = 1, .hash_seed = 1, .random_seed = 2}};
};

void expect_empty(Store& store) {
    store.keyspace.drain_now();
    TERN_CHECK(store.keyspace.database(0).size() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Store store;
    Database& database = store.keyspace.database(0);
    const Bytes value{reinterpret_cast<const std::byte*>(data), size};
    const rdb::LoadLimits limits;
    if (rdb::restore(database, "k", value, {}, limits) != rdb::RestoreStatus::kOk) {
        expect_empty(store);
        return 0;
    }
    BufferSink first;
    rdb::dump(first, database.peek("k"), true);
    const Bytes again = rdb::value_of_payload(first.view(), true);
    TERN_CHECK(!again.empty());
    TERN_CHECK(rdb::restore(database, "k", again, {}, limits) == rdb::RestoreStatus::kOk);
    BufferSink second;
    rdb::dump(second, database.peek("k"), true);
    // The order of a large hash is free.
    TERN_CHECK(first.size() == second.size());
    database.erase("k");
    expect_empty(store);
    return 0;
}
