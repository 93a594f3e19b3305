#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "store/hash/splice.hpp"
#include "store/keyspace/database.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::store {

/// Up to where a collection keeps its compact form. Redis's names: *-max-listpack-entries and
/// *-max-listpack-value.
struct CompactLimits {
    std::size_t entry_count_max = 128;
    std::size_t text_bytes_max = 64;  ///< the longest field, value or member
};

/// The compact form costs time in proportion to its size, so it ends here whatever the limits say.
inline constexpr std::size_t kCompactBytesMax = 64 * 1024;

/// A key that holds a collection, may hold one, or holds something else: what Hash and Zset share.
///
/// The key comes into being with the first element and goes with the last.
///
/// Threads:  the store's one thread.
/// Lifetime: while nothing else changes the database; the key's text outlives it.
class Collection {
public:
    /// Whether the key is there and of the right type.
    [[nodiscard]] bool exists() const noexcept { return static_cast<bool>(ref_); }
    /// Whether the key holds another type (WRONGTYPE). No other function may be called then.
    [[nodiscard]] bool is_wrong_type() const noexcept { return is_wrong_type_; }
    /// Whether the value has its large form.
    [[nodiscard]] bool is_large() const noexcept { return exists() && ref_.is_object(); }
    [[nodiscard]] const EntryRef& entry() const noexcept { return ref_; }
    [[nodiscard]] Database& database() const noexcept { return *database_; }
    /// Tells the database that the value changed; once for each command. Not needed when the key
    /// came into being or went, but harmless.
    void mark_modified();

protected:
    Collection(Database& database, std::string_view key, Type type);
    ~Collection() = default;

    [[nodiscard]] Bytes bytes() const noexcept { return ref_.value(); }
    [[nodiscard]] std::byte* data() const noexcept { return ref_.value().data(); }
    [[nodiscard]] bool create_compact(std::size_t value_bytes);
    [[nodiscard]] bool splice(const Splice& splice) {
        return database_->splice_value(ref_, splice);
    }
    [[nodiscard]] bool resize(std::size_t value_bytes) {
        return database_->resize_value(ref_, value_bytes);
    }
    /// Makes `object` the value, of a key that is there or not yet.
    [[nodiscard]] bool adopt(void* object);
    /// Makes the object's entry one of `value_bytes` inline bytes, not initialised; the object
    /// goes.
    [[nodiscard]] bool become_bytes(std::size_t value_bytes) {
        return database_->set_bytes(ref_, value_bytes);
    }
    void erase_key();

private:
    Database* database_;
    std::string_view key_;
    std::uint64_t hash_;
    EntryRef ref_;
    Type type_;
    bool is_wrong_type_ = false;
};

}  // namespace tern::store
