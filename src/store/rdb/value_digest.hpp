#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/keyspace/database.hpp"

namespace tern::store::rdb {

/// 160 bits that are equal for equal data, however it is kept: DEBUG DIGEST and DIGEST-VALUE. They
/// are no checksum against an enemy.
class Digest {
public:
    /// Takes a part whose place among the others matters.
    void append(std::string_view part);
    /// Takes a part whose place does not matter.
    void mix(const Digest& part) noexcept;
    /// 40 hex digits; zeroes when nothing was taken.
    [[nodiscard]] std::string text() const;

private:
    std::array<std::uint64_t, 3> words_{};
};

/// The digest of a value with its time to live.
[[nodiscard]] Digest digest_of(const EntryRef& ref);

/// The digest of all keys of a database with their names and values.
[[nodiscard]] Digest digest_of(Database& database);

}  // namespace tern::store::rdb
