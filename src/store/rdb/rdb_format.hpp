#pragma once

#include <cstdint>

/// Numbers of Redis's dump format, version 11 (Redis 7.2). docs/formats/rdb.md has the layouts.
namespace tern::store::rdb {

inline constexpr std::uint16_t kVersion = 11;

/// The first byte of a value: its type and how it is written.
enum class ValueKind : std::uint8_t {
    kString = 0,
    kList = 1,
    kSet = 2,
    kZset = 3,
    kHash = 4,
    kZset2 = 5,
    kHashZipmap = 9,
    kListZiplist = 10,
    kSetIntset = 11,
    kZsetZiplist = 12,
    kHashZiplist = 13,
    kListQuicklist = 14,
    kStreamListpacks = 15,
    kHashListpack = 16,
    kZsetListpack = 17,
    kListQuicklist2 = 18,
    kStreamListpacks2 = 19,
    kSetListpack = 20,
    kStreamListpacks3 = 21,
};

/// The two highest bits of a length's first byte.
inline constexpr unsigned kLength6 = 0;
inline constexpr unsigned kLength14 = 1;
inline constexpr unsigned kLengthLong = 2;  ///< 0x80: 32 bits follow; 0x81: 64 bits
inline constexpr unsigned kLengthSpecial = 3;
inline constexpr std::uint8_t kLength32 = 0x80;
inline constexpr std::uint8_t kLength64 = 0x81;

/// What stands in place of a length in a string.
enum class StringKind : std::uint8_t { kInt8 = 0, kInt16 = 1, kInt32 = 2, kLzf = 3 };

/// How a node of a list is written.
enum class NodeKind : std::uint8_t { kPlain = 1, kPacked = 2 };

}  // namespace tern::store::rdb
