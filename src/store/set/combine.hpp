#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "store/set/set.hpp"
#include "store/zset/combine.hpp"

/// Unions, intersections and differences of sets, and results that become keys.
namespace tern::store::sets {

/// A set as an input of ZUNION and its like: every member scores 1.
///
/// Lifetime: of the Set, which is not of the wrong type.
class SetSource final : public zsets::Source {
public:
    explicit SetSource(const Set& set) noexcept : set_(&set) {}
    [[nodiscard]] std::uint64_t size() const noexcept override { return set_->size(); }
    [[nodiscard]] std::optional<double> score(std::string_view member) const noexcept override {
        return set_->contains(member) ? std::optional(1.0) : std::nullopt;
    }
    void for_each(Visitor& visitor) const override {
        set_->for_each_while([&](std::string_view member) { return visitor.visit({member, 1.0}); });
    }

private:
    const Set* set_;
};

/// A set without a key: the result of a combination, to be visited or stored.
///
/// Threads:  the store's one thread. What it holds is freed in steps by the keyspace.
class SetResult {
public:
    /// Nothing is allocated before the first member.
    explicit SetResult(Keyspace& keyspace) noexcept : keyspace_(&keyspace) {}
    SetResult(const SetResult&) = delete;
    SetResult& operator=(const SetResult&) = delete;
    ~SetResult();

    [[nodiscard]] std::size_t size() const noexcept { return set_ != nullptr ? set_->size() : 0; }
    [[nodiscard]] AddOutcome add(std::string_view member);
    /// Calls `visit(std::string_view)` for every member, in no order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        if (set_ != nullptr) {
            set_->for_each(visit);
        }
    }
    /// Makes the members the value of `key`, whatever that held, without a time to live, and
    /// empties the result; an empty result removes the key. False without memory; an old value of
    /// the key may be gone then.
    [[nodiscard]] bool store_as(Database& database, std::string_view key, const SetLimits& limits);

private:
    [[nodiscard]] bool fits_integers(const SetLimits& limits) const noexcept;
    [[nodiscard]] bool fits_packed(const SetLimits& limits) const noexcept;
    [[nodiscard]] bool store_integers(Database& database, std::string_view key) const;
    [[nodiscard]] bool store_packed(Database& database, std::string_view key) const;
    [[nodiscard]] bool store_large(Database& database, std::string_view key);

    Keyspace* keyspace_;
    LargeSet* set_ = nullptr;
    std::size_t packed_bytes_ = PackedSet::kHeaderBytes;
    std::size_t member_bytes_max_ = 0;
    std::size_t integer_width_ = 2;
    bool are_integers_ = true;
};

/// SINTER: calls `visit(std::string_view)`, which returns whether to go on, for each member that
/// all of `sets` have. Sorts `sets` by size. At least one set.
template <typename Visit>
void intersect(std::span<const Set*> sets, Visit&& visit);

/// SDIFF: the same for members of the first of `sets` that no other has.
template <typename Visit>
void subtract(std::span<const Set* const> sets, Visit&& visit);

/// Puts the smallest first.
void sort_by_size(std::span<const Set*> sets) noexcept;

template <typename Visit>
void intersect(std::span<const Set*> sets, Visit&& visit) {
    TERN_CHECK(!sets.empty());
    sort_by_size(sets);
    sets.front()->for_each_while([&](std::string_view member) {
        for (const Set* const other : sets.subspan(1)) {
            if (other != sets.front() && !other->contains(member)) {
                return true;
            }
        }
        return static_cast<bool>(visit(member));
    });
}

template <typename Visit>
void subtract(std::span<const Set* const> sets, Visit&& visit) {
    TERN_CHECK(!sets.empty());
    sets.front()->for_each_while([&](std::string_view member) {
        for (const Set* const other : sets.subspan(1)) {
            if (other->contains(member)) {
                return true;
            }
        }
        return static_cast<bool>(visit(member));
    });
}

}  // namespace tern::store::sets
