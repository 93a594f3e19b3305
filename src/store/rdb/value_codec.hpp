#pragma once

#include <cstdint>
#include <string_view>

#include "store/hash/collection.hpp"
#include "store/keyspace/database.hpp"
#include "store/list/list_limits.hpp"
#include "store/rdb/rdb_format.hpp"
#include "store/rdb/rdb_reader.hpp"
#include "store/rdb/rdb_writer.hpp"
#include "store/set/set.hpp"
#include "store/stream/node.hpp"

/// Values of keys in Redis's dump format: what DUMP, RESTORE and snapshots are made of.
///
/// Threads:  the store's.
namespace tern::store::rdb {

/// Up to where loaded collections are compact.
struct LoadLimits {
    CompactLimits hash;
    sets::SetLimits set;
    CompactLimits zset;
    lists::ListLimits list;
    streams::NodeLimits stream;
};

/// Writes a value, its kind first. Takes as long as the value is large.
void save_value(RdbWriter& writer, const EntryRef& ref);

enum class LoadStatus : std::uint8_t {
    kOk,
    kBad,  ///< the bytes are no value
    kOutOfMemory,
};

/// Reads a value, its kind first, in any form that Redis ever wrote, and makes it the value of
/// `key`, which is not there. Everything is checked: lengths, codes, order, members that come
/// twice.
///
/// Errors:   the key is still not there.
[[nodiscard]] LoadStatus load_value(RdbReader& reader,
                                    Database& database,
                                    std::string_view key,
                                    const LoadLimits& limits);

}  // namespace tern::store::rdb
