#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/number_text.hpp"
#include "base/random.hpp"
#include "store/hash/collection.hpp"
#include "store/hash/compact_hash.hpp"
#include "store/hash/large_hash.hpp"
#include "store/hash/sampling.hpp"

/// Hashes: what the commands of Redis's hash group do, typed.
namespace tern::store::hashes {

/// Says to the keyspace how large hashes are freed, copied and measured. Once, at the start.
void register_type(Keyspace& keyspace) noexcept;

/// What an increment did.
enum class IncrementOutcome : std::uint8_t {
    kDone,
    /// the value is no number ("hash value is not an integer" or "… a float")
    kNotANumber,
    kOverflow,     ///< the sum does not fit ("increment or decrement would overflow")
    kNotFinite,    ///< the sum is NaN or infinite ("increment would produce NaN or Infinity")
    kOutOfMemory,  ///< nothing changed
};

/// The hash under one key, open for one command.
///
/// Texts that it returns or visits lie in the store. Texts given to it may not.
///
///     Hash hash(database, key);
///     if (hash.is_wrong_type()) { … }
///     for (…) { hash.set(field, value, limits); }
///     hash.mark_modified();
class Hash : public Collection {
public:
    /// Looks the key up.
    Hash(Database& database, std::string_view key) : Collection(database, key, Type::kHash) {}

    /// HLEN; 0 without a key.
    [[nodiscard]] std::size_t size() const noexcept;
    /// HGET, HMGET, HEXISTS, HSTRLEN: the value of a field.
    ///
    /// Lifetime: until the hash changes.
    [[nodiscard]] std::optional<std::string_view> get(std::string_view field) const noexcept;
    /// "listpack" or "hashtable", as OBJECT ENCODING says it.
    [[nodiscard]] std::string_view encoding_name() const noexcept {
        return is_large() ? "hashtable" : "listpack";
    }

    /// HSET, HMSET: gives a field its value; makes the key when there is none.
    [[nodiscard]] SetOutcome set(std::string_view field,
                                 std::string_view value,
                                 const CompactLimits& limits);
    /// HDEL: whether the field was there. With the last field the key goes.
    bool erase(std::string_view field);

    /// HINCRBY: adds to a field, which begins at 0; `sum` is the new value.
    [[nodiscard]] IncrementOutcome increment(std::string_view field,
                                             std::int64_t delta,
                                             const CompactLimits& limits,
                                             std::int64_t& sum);
    /// HINCRBYFLOAT: the same in long double; `text` is the new value as it is stored.
    ///
    /// Units:    `delta` is neither NaN nor infinite.
    /// Lifetime: `text` lies in `buffer`.
    using FloatText = std::array<char, kLongDoubleTextBytes>;
    [[nodiscard]] IncrementOutcome increment_float(std::string_view field,
                                                   long double delta,
                                                   const CompactLimits& limits,
                                                   FloatText& buffer,
                                                   std::string_view& text);

    /// HGETALL, HKEYS, HVALS: calls `visit(FieldValue)` for each field; in order of insertion while
    /// the hash is compact.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        if (is_large()) {
            large().for_each(visit);
        } else if (exists()) {
            CompactHash(bytes()).for_each([&](const CompactHash::Entry& entry) {
                visit(FieldValue{entry.field, entry.value});
            });
        }
    }

    /// HSCAN: visits about `count` fields from `cursor` on and returns the next cursor, 0 at the
    /// end. A compact hash comes in one go. What is in the hash throughout a scan is visited at
    /// least once.
    template <typename Visit>
    std::uint64_t scan(std::uint64_t cursor, std::uint64_t count, Visit&& visit) const;

    /// HRANDFIELD without a count: one field; not for an empty hash.
    [[nodiscard]] FieldValue random_field(Random& random) const;
    /// HRANDFIELD with a count of at least 0: `count` different fields, or all when there are
    /// fewer.
    template <typename Visit>
    void random_distinct(std::uint64_t count, Random& random, Visit&& visit) const;
    /// HRANDFIELD with a negative count: `count` fields, each drawn from all.
    template <typename Visit>
    void random_repeating(std::uint64_t count, Random& random, Visit&& visit) const;

private:
    /// Bounds empty buckets in one step of a scan, as in Redis.
    static constexpr std::uint64_t kScanBucketsPerField = 10;

    [[nodiscard]] LargeHash& large() const noexcept { return entry().object<LargeHash>(); }
    [[nodiscard]] SetOutcome set_compact(std::string_view field,
                                         std::string_view value,
                                         const CompactLimits& limits);
    [[nodiscard]] SetOutcome set_as_large(std::string_view field, std::string_view value);
    [[nodiscard]] SetOutcome create(std::string_view field, std::string_view value);
    [[nodiscard]] bool become_large();
};

template <typename Visit>
std::uint64_t Hash::scan(std::uint64_t cursor, std::uint64_t count, Visit&& visit) const {
    if (!is_large()) {
        for_each(visit);
        return 0;
    }
    std::uint64_t visited = 0;
    std::uint64_t buckets_left =
        count > UINT64_MAX / kScanBucketsPerField ? UINT64_MAX : count * kScanBucketsPerField;
    do {
        cursor = large().scan(cursor, [&](const FieldValue& element) {
            ++visited;
            visit(element);
        });
    } while (cursor != 0 && visited < count && --buckets_left != 0);
    return cursor;
}

template <typename Visit>
void Hash::random_distinct(std::uint64_t count, Random& random, Visit&& visit) const {
    if (is_large()) {
        sample_distinct(
            count,
            size(),
            random,
            [this](auto&& inner) { large().for_each(inner); },
            [&] { return large().random(random); },
            [](const FieldValue& element) { return element.field.data(); },
            visit);
        return;
    }
    SelectionSampler sampler(count < size() ? count : size(), size());
    for_each([&](const FieldValue& element) {
        if (sampler.take(random)) {
            visit(element);
        }
    });
}

template <typename Visit>
void Hash::random_repeating(std::uint64_t count, Random& random, Visit&& visit) const {
    if (!exists()) {
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        visit(random_field(random));
    }
}

}  // namespace tern::store::hashes
