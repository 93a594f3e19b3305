#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "store/hll/registers.hpp"
#include "store/keyspace/database.hpp"

/// HyperLogLogs under keys: what the commands of Redis's hyperloglog group do.
///
/// Threads:  the store's.
namespace tern::store::hll {

enum class Status : std::uint8_t {
    kOk,
    kMissing,
    kWrongType,  ///< the key holds no string
    kNotValid,   ///< the string is no HyperLogLog
    kCorrupt,    ///< it looks like one, but its runs are not the registers
    kOutOfMemory,
};

/// The string under one key, open for one command.
///
/// Lifetime: while nothing else changes the database; the key's text outlives it.
class HyperLogLog {
public:
    /// `sparse_bytes_max`: hll-sparse-max-bytes, above which a sparse string becomes dense.
    HyperLogLog(Database& database, std::string_view key, std::size_t sparse_bytes_max);

    /// kOk, kMissing, kWrongType or kNotValid. The rest is for kOk.
    [[nodiscard]] Status status() const noexcept { return status_; }
    [[nodiscard]] Bytes bytes() const noexcept { return ref_.value(); }
    [[nodiscard]] Encoding encoding() const noexcept { return encoding_of(bytes()); }

    /// Makes an empty one where the key is missing. False without memory.
    [[nodiscard]] bool create();
    /// Raises the element's register; `has_changed` says whether it was lower.
    ///
    /// Errors:   kCorrupt, kOutOfMemory.
    [[nodiscard]] Status add(std::string_view element, bool& has_changed);
    /// Raises registers to these.
    [[nodiscard]] Status raise(const Registers& registers);
    /// Makes it dense, unless it is.
    [[nodiscard]] Status become_dense();

    /// The cardinality, from the cache or counted and then cached.
    ///
    /// Errors:   kCorrupt.
    [[nodiscard]] Status count(std::uint64_t& cardinality);
    /// Tells the database that the string changed; the cached cardinality is old from now on.
    void mark_modified();

private:
    [[nodiscard]] Status raise(Mark mark, bool& has_changed);
    [[nodiscard]] Status raise_dense(Mark mark, bool& has_changed);
    [[nodiscard]] Status raise_sparse(Mark mark, bool& has_changed);

    Database& database_;
    std::string_view key_;
    std::size_t sparse_bytes_max_;
    EntryRef ref_;
    Status status_ = Status::kMissing;
};

/// PFDEBUG DECODE: the runs as text. False when they are broken.
[[nodiscard]] bool describe_sparse(Bytes bytes, std::string& text);

/// PFSELFTEST: whether registers keep what is written and estimates stay within their error.
[[nodiscard]] bool self_test() noexcept;

}  // namespace tern::store::hll
