#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "store/hash/collection.hpp"
#include "store/zset/zset.hpp"

/// Unions, intersections and differences of sorted sets and of sets, and results that become keys.
namespace tern::store::zsets {

/// An input of a combination: a sorted set, a set whose members all score 1, or a missing key.
class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    /// What for_each calls; false ends the walk.
    class Visitor {
    public:
        virtual bool visit(const Element& element) = 0;

    protected:
        ~Visitor() = default;
    };

    [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
    [[nodiscard]] virtual std::optional<double> score(std::string_view member) const noexcept = 0;
    virtual void for_each(Visitor& visitor) const = 0;
};

/// A sorted set, or a key that is not there, as an input.
///
/// Lifetime: of the Zset, which is not of the wrong type.
class ZsetSource final : public Source {
public:
    explicit ZsetSource(const Zset& zset) noexcept : zset_(&zset) {}
    [[nodiscard]] std::uint64_t size() const noexcept override { return zset_->size(); }
    [[nodiscard]] std::optional<double> score(std::string_view member) const noexcept override {
        return zset_->score(member);
    }
    void for_each(Visitor& visitor) const override;

private:
    const Zset* zset_;
};

/// How scores of one member in several inputs become one.
enum class Aggregate : std::uint8_t { kSum, kMin, kMax };

/// One input and its weight (WEIGHTS; 1 by default).
struct WeightedSource {
    const Source* source = nullptr;
    double weight = 1;
};

/// A sorted set without a key: the result of a combination, to be visited or stored.
///
/// Errors:   functions that add return false when the arena is exhausted.
/// Threads:  the store's one thread. What it holds is freed in steps by the keyspace.
class ZsetResult {
public:
    /// Nothing is allocated before the first element.
    explicit ZsetResult(Keyspace& keyspace) noexcept : keyspace_(&keyspace) {}
    ZsetResult(const ZsetResult&) = delete;
    ZsetResult& operator=(const ZsetResult&) = delete;
    ~ZsetResult();

    [[nodiscard]] std::uint64_t size() const noexcept {
        return zset_ != nullptr ? zset_->size() : 0;
    }
    /// Adds an element whose member is not there.
    [[nodiscard]] bool add(const Element& element);
    /// Adds an element, or joins its score with that of the one that is there.
    [[nodiscard]] bool merge(const Element& element, Aggregate aggregate);

    /// Calls `visit(const Element&)` for every element in order.
    template <typename Visit>
    void visit(Visit&& visit) const {
        if (zset_ != nullptr) {
            zset_->visit({0, zset_->size()}, visit);
        }
    }
    /// Makes the elements the value of `key`, whatever that held, without a time to live, and
    /// empties the result; an empty result removes the key. False without memory; an old value of
    /// the key may be gone then.
    [[nodiscard]] bool store_as(Database& database,
                                std::string_view key,
                                const CompactLimits& limits);

private:
    [[nodiscard]] bool store_compact(Database& database,
                                     std::string_view key,
                                     std::size_t value_bytes);

    Keyspace* keyspace_;
    LargeZset* zset_ = nullptr;
    std::size_t member_bytes_max_ = 0;
    std::size_t compact_bytes_ = 0;  ///< an upper bound of the compact form's size
};

/// ZUNION, ZUNIONSTORE: every member of any input.
[[nodiscard]] bool unite(std::span<const WeightedSource> sources,
                         Aggregate aggregate,
                         ZsetResult& result);
/// ZINTER, ZINTERSTORE: members that are in all inputs; at least one input.
[[nodiscard]] bool intersect(std::span<const WeightedSource> sources,
                             Aggregate aggregate,
                             ZsetResult& result);
/// ZDIFF, ZDIFFSTORE: members of the first input that are in no other, with their scores.
[[nodiscard]] bool subtract(std::span<const WeightedSource> sources, ZsetResult& result);
/// ZINTERCARD: how many members are in all inputs; counts up to `limit`, 0 for no limit.
[[nodiscard]] std::uint64_t count_intersection(std::span<const WeightedSource> sources,
                                               std::uint64_t limit);

/// ZRANGESTORE: copies a span of `zset` to `result`.
[[nodiscard]] bool copy_span(const Zset& zset, RankSpan span, ZsetResult& result);

}  // namespace tern::store::zsets
