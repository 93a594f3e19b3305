#pragma once

#include <cstdint>
#include <tern/base/bytes.hpp>

namespace tern::store::rdb {

/// The checksum of Redis's files and payloads: CRC-64 with the polynomial of Jones
/// (0xad93d23594c935a9), reflected, beginning with 0 and not inverted. The check value of
/// "123456789" is 0xe9c6d914c4b8d9ca. `crc` is what the bytes before gave.
[[nodiscard]] std::uint64_t crc64(Bytes bytes, std::uint64_t crc = 0) noexcept;

}  // namespace tern::store::rdb
