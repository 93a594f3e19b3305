#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/number_text.hpp"
#include "base/random.hpp"
#include "store/hash/collection.hpp"
#include "store/hash/sampling.hpp"
#include "store/set/integer_set.hpp"
#include "store/set/large_set.hpp"
#include "store/set/packed_set.hpp"

/// Sets: what the commands of Redis's set group do, typed.
namespace tern::store::sets {

/// Says to the keyspace how large sets are freed, copied and measured. Once, at the start.
void register_type(Keyspace& keyspace) noexcept;

/// Up to where a set keeps a compact form. Redis's names: set-max-intset-entries and
/// set-max-listpack-*.
struct SetLimits {
    std::size_t integer_count_max = 512;
    CompactLimits packed{.entry_count_max = 128, .text_bytes_max = 64};
};

/// "intset", "listpack" or "hashtable", as OBJECT ENCODING says it.
[[nodiscard]] std::string_view encoding_name(const EntryRef& ref) noexcept;

/// Room for the text of an integer.
using IntegerText = std::array<char, kInt64TextBytes>;

/// The set under one key, open for one command.
///
/// Members that it visits lie in the store, or in the visit only while the set is one of integers:
/// see `members_last`. Texts given to it may not lie in the store.
class Set : public Collection {
public:
    /// Looks the key up.
    Set(Database& database, std::string_view key) : Collection(database, key, Type::kSet) {}

    /// SCARD; 0 without a key.
    [[nodiscard]] std::size_t size() const noexcept;
    /// SISMEMBER, SMISMEMBER.
    [[nodiscard]] bool contains(std::string_view member) const noexcept;
    /// Whether visited members stay valid behind the visit, until the set changes.
    [[nodiscard]] bool members_last() const noexcept { return !is_integers(); }

    /// SADD before its members: `count` of them come. A set that could not stay compact with so
    /// many new ones becomes large at once, as in Redis. False without memory.
    [[nodiscard]] bool expect(std::size_t count, const SetLimits& limits);
    /// SADD of one member out of `expected_count`; makes the key when there is none.
    [[nodiscard]] AddOutcome add(std::string_view member,
                                 const SetLimits& limits,
                                 std::size_t expected_count = 1);
    /// SREM: whether the member was there. With the last member the key goes.
    bool erase(std::string_view member);

    /// SMEMBERS: calls `visit(std::string_view)` for each member; integers in order, texts in order
    /// of insertion while the set is compact.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        if (is_large()) {
            large().for_each(visit);
            return;
        }
        for_each_while([&](std::string_view member) {
            visit(member);
            return true;
        });
    }
    /// The same until `visit` returns false; costs no more than about what it saw.
    template <typename Visit>
    void for_each_while(Visit&& visit) const;

    /// SSCAN: visits about `count` members from `cursor` on and returns the next cursor, 0 at the
    /// end. A compact set comes in one go. What is in the set throughout a scan is visited at least
    /// once.
    template <typename Visit>
    std::uint64_t scan(std::uint64_t cursor, std::uint64_t count, Visit&& visit) const;

    /// SRANDMEMBER without a count: one member, which may lie in `text`; not for an empty set.
    [[nodiscard]] std::string_view random_member(Random& random, IntegerText& text) const;
    /// SRANDMEMBER with a count of at least 0: `count` different members, or all.
    template <typename Visit>
    void random_distinct(std::uint64_t count, Random& random, Visit&& visit) const;
    /// SRANDMEMBER with a negative count: `count` members, each drawn from all.
    template <typename Visit>
    void random_repeating(std::uint64_t count, Random& random, Visit&& visit) const;

    /// SPOP: visits `count` different members at random, or all, and removes them. Takes steps for
    /// those it visits, or for a compact set's own size.
    template <typename Visit>
    void pop(std::uint64_t count, Random& random, Visit&& visit);

private:
    /// Bounds empty buckets in one step of a scan, as in Redis.
    static constexpr std::uint64_t kScanBucketsPerMember = 10;

    [[nodiscard]] LargeSet& large() const noexcept { return entry().object<LargeSet>(); }
    [[nodiscard]] bool is_integers() const noexcept {
        return exists() && !is_large() && !PackedSet::is_packed(bytes());
    }
    [[nodiscard]] AddOutcome create(std::string_view member,
                                    const SetLimits& limits,
                                    std::size_t expected_count);
    [[nodiscard]] AddOutcome add_integer(std::int64_t value,
                                         std::string_view text,
                                         const SetLimits& limits);
    [[nodiscard]] AddOutcome add_packed(std::string_view member, const SetLimits& limits);
    [[nodiscard]] AddOutcome add_to_integers(std::string_view member, const SetLimits& limits);
    [[nodiscard]] AddOutcome add_as_large(std::string_view member);
    [[nodiscard]] bool become_packed(std::size_t packed_bytes);
    [[nodiscard]] bool become_large();
    bool erase_integer(std::string_view member);
    bool erase_packed(std::string_view member);
    template <typename Visit>
    void pop_compact(std::uint64_t count, Random& random, Visit& visit);
};

template <typename Visit>
void Set::for_each_while(Visit&& visit) const {
    if (!exists()) {
        return;
    }
    bool goes_on = true;
    if (is_large()) {
        std::uint64_t cursor = 0;
        do {
            cursor = large().scan(
                cursor, [&](std::string_view member) { goes_on = goes_on && visit(member); });
        } while (cursor != 0 && goes_on);
    } else if (is_integers()) {
        const IntegerSet integers(bytes());
        IntegerText text;
        for (std::size_t i = 0; goes_on && i < integers.size(); ++i) {
            goes_on =
                visit(std::string_view(text.data(), format_int64(text.data(), integers.at(i))));
        }
    } else {
        PackedSet(bytes()).for_each(
            [&](const PackedSet::Entry& entry) { return visit(entry.text); });
    }
}

template <typename Visit>
std::uint64_t Set::scan(std::uint64_t cursor, std::uint64_t count, Visit&& visit) const {
    if (!is_large()) {
        for_each(visit);
        return 0;
    }
    std::uint64_t visited = 0;
    std::uint64_t buckets_left =
        count > UINT64_MAX / kScanBucketsPerMember ? UINT64_MAX : count * kScanBucketsPerMember;
    do {
        cursor = large().scan(cursor, [&](std::string_view member) {
            ++visited;
            visit(member);
        });
    } while (cursor != 0 && visited < count && --buckets_left != 0);
    return cursor;
}

template <typename Visit>
void Set::random_distinct(std::uint64_t count, Random& random, Visit&& visit) const {
    if (is_large()) {
        sample_distinct(
            count,
            size(),
            random,
            [this](auto&& inner) { large().for_each(inner); },
            [&] { return large().random(random); },
            [](std::string_view member) { return member.data(); },
            visit);
        return;
    }
    SelectionSampler sampler(count < size() ? count : size(), size());
    for_each([&](std::string_view member) {
        if (sampler.take(random)) {
            visit(member);
        }
    });
}

template <typename Visit>
void Set::random_repeating(std::uint64_t count, Random& random, Visit&& visit) const {
    if (!exists()) {
        return;
    }
    IntegerText text;
    for (std::uint64_t i = 0; i < count; ++i) {
        visit(random_member(random, text));
    }
}

template <typename Visit>
void Set::pop(std::uint64_t count, Random& random, Visit&& visit) {
    if (!exists() || count == 0) {
        return;
    }
    if (count >= size()) {
        for_each(visit);
        erase_key();
        return;
    }
    if (!is_large()) {
        pop_compact(count, random, visit);
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string_view member = large().random(random);
        visit(member);
        TERN_CHECK(large().erase(member));
    }
}

/// One walk that keeps what is not taken, moved together.
template <typename Visit>
void Set::pop_compact(std::uint64_t count, Random& random, Visit& visit) {
    const bool packed = !is_integers();
    const std::size_t old_size = size();
    SelectionSampler sampler(count, old_size);
    std::size_t kept_bytes = packed ? PackedSet::kHeaderBytes : IntegerSet::kHeaderBytes;
    std::size_t offset = kept_bytes;
    for_each([&](std::string_view member) {
        const std::size_t entry_bytes =
            packed ? PackedSet::entry_bytes(member.size()) : IntegerSet(bytes()).width();
        if (sampler.take(random)) {
            visit(member);
        } else {
            std::memmove(data() + kept_bytes, data() + offset, entry_bytes);
            kept_bytes += entry_bytes;
        }
        offset += entry_bytes;
    });
    if (packed) {
        PackedSet::write_header(data(), old_size - count);
    }
    TERN_CHECK(resize(kept_bytes));
}

}  // namespace tern::store::sets
