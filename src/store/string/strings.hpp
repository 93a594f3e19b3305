#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "store/keyspace/keyspace.hpp"

/// Strings: the value is bytes, whatever they say. Numbers stay text; only OBJECT ENCODING tells.
///
/// Threads:  the store's.
namespace tern::store::strings {

/// A string's length is at most this unless the owner says less (proto-max-bulk-len).
inline constexpr std::size_t kStringBytesMax = std::size_t{512} << 20;

enum class Status : std::uint8_t {
    kOk,
    kMissing,      ///< there is no such key
    kRefused,      ///< the condition does not hold: nothing changed
    kWrongType,    ///< the key holds another type
    kNotInteger,   ///< the value is no canonical 64-bit integer
    kNotFloat,     ///< the value is no number
    kOverflow,     ///< the sum does not fit 64 bits
    kNotFinite,    ///< the sum is infinite or not a number
    kTooLarge,     ///< the string would be longer than the limit
    kOutOfMemory,  ///< the arena is exhausted: nothing changed
};

/// What OBJECT ENCODING says of a string.
enum class Encoding : std::uint8_t { kInt, kEmbstr, kRaw };

/// As Redis 7.2: "int" for a canonical integer, "embstr" up to 44 bytes, "raw" for longer ones and
/// for those that APPEND or SETRANGE made.
[[nodiscard]] Encoding encoding_of(const EntryRef& ref) noexcept;

/// Says that a value was changed in place: its encoding is raw from now on.
void set_edited(EntryRef& ref) noexcept;

/// A key and what a look-up said about it, so that a command looks up once.
struct Target {
    std::string_view key;
    std::uint64_t hash = 0;
    EntryRef found;
};
[[nodiscard]] inline Target look_up(Database& database, std::string_view key) {
    const std::uint64_t hash = database.hash_of(key);
    return {key, hash, database.find(key, hash)};
}

struct Text {
    Status status = Status::kOk;
    std::string_view text;  ///< until the next change of the database
    EntryRef ref;
};
struct Length {
    Status status = Status::kOk;
    std::size_t length_bytes = 0;
};
struct Integer {
    Status status = Status::kOk;
    std::int64_t value = 0;
};

enum class Condition : std::uint8_t { kAlways, kIfMissing, kIfPresent };

struct SetOptions {
    Condition condition = Condition::kAlways;
    Deadline deadline = Deadline::none();
};

/// GET. kMissing or kWrongType without a text.
[[nodiscard]] Text get(Database& database, std::string_view key);

/// SET and its relatives: gives the key a value of any bytes whatever it held before. `target` is
/// fresh from `look_up`, which a command with GET answers from first.
///
/// Errors:   kRefused when the condition does not hold; kTooLarge; kOutOfMemory.
Status set(Database& database,
           const Target& target,
           std::string_view value,
           const SetOptions& options = {});
Status set(Database& database,
           std::string_view key,
           std::string_view value,
           const SetOptions& options = {});

/// MSET: sets all pairs in order; stops at the first that finds no memory.
Status set_all(Database& database,
               std::span<const std::pair<std::string_view, std::string_view>> pairs);
/// MSETNX: sets all pairs if none of the keys is there, else kRefused.
Status set_all_if_missing(Database& database,
                          std::span<const std::pair<std::string_view, std::string_view>> pairs);

/// GETDEL: gives the value to `visit(std::string_view)` and removes the key.
template <typename Visit>
Status get_and_erase(Database& database, std::string_view key, Visit&& visit) {
    const Text found = get(database, key);
    if (found.status == Status::kOk) {
        visit(found.text);
        database.erase(found.ref);
    }
    return found.status;
}

/// GETEX: the value, after its time to live changed: kKeep leaves it, kNone takes it away, kAt sets
/// it. A deadline that is past is the caller's case: it removes the key instead.
[[nodiscard]] Text get_and_expire(Database& database, std::string_view key, Deadline deadline);

/// STRLEN: 0 for a missing key.
[[nodiscard]] Length length(Database& database, std::string_view key);

/// APPEND: the new length. A missing key is set.
[[nodiscard]] Length append(Database& database,
                            std::string_view key,
                            std::string_view suffix,
                            std::size_t string_bytes_max = kStringBytesMax);

/// SETRANGE: the new length. What lies between the old end and `offset` becomes zero bytes; with no
/// bytes to write nothing changes.
[[nodiscard]] Length set_range(Database& database,
                               std::string_view key,
                               std::size_t offset,
                               std::string_view bytes,
                               std::size_t string_bytes_max = kStringBytesMax);

/// GETRANGE: from `first` to `last`, both included, negative ones from the end; empty when there is
/// nothing.
[[nodiscard]] Text range(Database& database,
                         std::string_view key,
                         std::int64_t first,
                         std::int64_t last);

/// INCR and its relatives: the sum. A missing key counts as 0; time to live stays.
[[nodiscard]] Integer increment(Database& database, std::string_view key, std::int64_t by);

/// INCRBYFLOAT: the sum as it is stored, in Redis's text.
[[nodiscard]] Text increment_float(Database& database, std::string_view key, long double by);

}  // namespace tern::store::strings
