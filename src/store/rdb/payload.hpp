#pragma once

#include <cstdint>
#include <string_view>

#include "base/byte_sink.hpp"
#include "store/rdb/value_codec.hpp"

/// What DUMP answers and RESTORE takes: a value, two bytes of version, eight of checksum.
namespace tern::store::rdb {

/// Writes the payload of a key's value.
void dump(ByteSink& sink, const EntryRef& ref, bool compresses);

/// The value of a payload whose version is known and whose checksum is right, without the end;
/// empty otherwise. `checks_sum` false: for tests that break values on purpose.
[[nodiscard]] Bytes value_of_payload(std::string_view payload, bool checks_sum) noexcept;

enum class RestoreStatus : std::uint8_t { kOk, kBad, kOutOfMemory };

/// How a restored key lives.
struct RestoreOptions {
    ExpireAtMs expire_at_ms = kNeverExpires;
    /// Replaces the 24 bits that say when the key was used; negative: now.
    std::int64_t stamp = -1;
};

/// Makes a payload's value the value of `key`, whatever that held before. Whoever observes the
/// keyspace sees one change; on failure nothing changed. When the time to live is over already, the
/// value is only checked and the key goes.
[[nodiscard]] RestoreStatus restore(Database& database,
                                    std::string_view key,
                                    Bytes value,
                                    const RestoreOptions& options,
                                    const LoadLimits& limits);

}  // namespace tern::store::rdb
