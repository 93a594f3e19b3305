#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "store/string/bits.hpp"
#include "store/string/strings.hpp"

/// Strings as arrays of bits: what the commands of Redis's bitmap group change.
///
/// Threads:  the store's.
namespace tern::store::strings {

/// A string open for changes in place.
struct Writable {
    Status status = Status::kOk;
    bool has_grown = false;  ///< it came into being or became longer: a change by itself
    EntryRef ref;
};

/// Makes the string at least `size_bytes` long, new bytes zero, and OBJECT ENCODING raw. A missing
/// key is made. Time to live stays.
///
/// Errors:   kWrongType, kOutOfMemory.
[[nodiscard]] Writable open_writable(Database& database,
                                     std::string_view key,
                                     std::size_t size_bytes);

/// SETBIT: the bit that was there.
[[nodiscard]] Integer set_bit(Database& database,
                              std::string_view key,
                              std::uint64_t at,
                              bool value);

/// BITOP: the length of the result, which becomes the value of `destination` without a time to
/// live; an empty result removes the key. `sources` has room for as many sources as there are keys.
///
/// Errors:   kWrongType when one of the sources is no string; kOutOfMemory.
[[nodiscard]] Length combine_bits(Database& database,
                                  bits::Operation operation,
                                  std::string_view destination,
                                  std::span<const std::string_view> keys,
                                  std::span<Bytes> sources);

}  // namespace tern::store::strings
