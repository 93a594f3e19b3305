#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/command/call.hpp"
#include "server/config/config.hpp"
#include "store/keyspace/database.hpp"
#include "store/rdb/value_codec.hpp"

/// What several command groups ask about keys.
namespace tern::server {

/// Finds `key` for a command of type `type`; answers WRONGTYPE and sets `failed` when it holds
/// another.
[[nodiscard]] store::EntryRef find_typed(Call& call,
                                         std::string_view key,
                                         store::Type type,
                                         bool& failed);

/// OBJECT ENCODING's word for a key's value.
[[nodiscard]] std::string_view encoding_name(const store::EntryRef& ref);

/// Up to where loaded collections are compact.
[[nodiscard]] inline store::rdb::LoadLimits load_limits(const Config& config) {
    return {.hash = config.hash_limits,
            .set = config.set_limits,
            .zset = config.zset_limits,
            .list = store::lists::ListLimits::of_parameter(config.list_max_listpack_size),
            .stream = config.stream_limits};
}

/// TYPE's word.
[[nodiscard]] std::string_view type_name(store::Type type);

/// A point in time from a command's number: `base_ms` plus `value` units of `unit_ms`. Empty when
/// the sum is not a time (overflow).
[[nodiscard]] std::optional<std::int64_t> absolute_ms(std::int64_t value,
                                                      std::int64_t unit_ms,
                                                      std::int64_t base_ms);

}  // namespace tern::server
