#include "store/zset/combine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "store/hash/large_object.hpp"

namespace tern::store::zsets {

namespace {

/// A visitor from a callable.
template <typename Function>
class Walk final : public Source::Visitor {
public:
    explicit Walk(Function function) : function_(std::move(function)) {}
    bool visit(const Element& element) override { return function_(element); }

private:
    Function function_;
};

template <typename Function>
void walk(const Source& source, Function function) {
    Walk visitor(std::move(function));
    source.for_each(visitor);
}

/// Infinity minus infinity, and infinity with weight 0, count as 0 (Redis, ZUNIONSTORE).
[[nodiscard]] double zero_if_nan(double score) noexcept {
    return std::isnan(score) ? 0 : score;
}

[[nodiscard]] double join(double present, double other, Aggregate aggregate) noexcept {
    switch (aggregate) {
        case Aggregate::kSum:
            return zero_if_nan(present + other);
        case Aggregate::kMin:
            return other < present ? other : present;
        case Aggregate::kMax:
            return other > present ? other : present;
    }
    return present;
}

/// The inputs from the smallest to the largest: the order in which Redis sums, which decides the
/// last digit, and the cheapest for an intersection.
[[nodiscard]] std::vector<WeightedSource> by_size(std::span<const WeightedSource> sources) {
    std::vector<WeightedSource> sorted(sources.begin(), sources.end());
    std::stable_sort(
        sorted.begin(), sorted.end(), [](const WeightedSource& left, const WeightedSource& right) {
            return left.source->size() < right.source->size();
        });
    return sorted;
}

/// The score of `element`, a member of the first of `sorted`, over all inputs; nothing if one lacks
/// it.
[[nodiscard]] std::optional<double> joined_score(std::span<const WeightedSource> sorted,
                                                 const Element& element,
                                                 Aggregate aggregate) {
    double score = zero_if_nan(sorted.front().weight * element.score);
    for (const WeightedSource& other : sorted.subspan(1)) {
        const std::optional<double> found = other.source->score(element.member);
        if (!found) {
            return std::nullopt;
        }
        score = join(score, *found * other.weight, aggregate);
    }
    return score;
}

}  // namespace

/// In pieces, so that a walk that ends early costs no more than what it saw.
void ZsetSource::for_each(Visitor& visitor) const {
    constexpr std::uint64_t kPiece = 256;
    const std::uint64_t size = zset_->size();
    bool goes_on = true;
    for (std::uint64_t begin = 0; goes_on && begin < size; begin += kPiece) {
        zset_->visit({begin, std::min(kPiece, size - begin)},
                     [&](const Element& element) { goes_on = goes_on && visitor.visit(element); });
    }
}

ZsetResult::~ZsetResult() {
    if (zset_ != nullptr) {
        keyspace_->dispose(Type::kZset, zset_);
    }
}

bool ZsetResult::add(const Element& element) {
    if (zset_ == nullptr) {
        zset_ = large_object::make<LargeZset>(*keyspace_);
        if (zset_ == nullptr) {
            return false;
        }
    }
    member_bytes_max_ = std::max(member_bytes_max_, element.member.size());
    compact_bytes_ += CompactZset::entry_bytes({element.member, 0}) + score_code::kBytesMax;
    return zset_->add(element);
}

bool ZsetResult::merge(const Element& element, Aggregate aggregate) {
    const Handle present = zset_ != nullptr ? zset_->find(element.member) : Handle{};
    if (!present) {
        return add(element);
    }
    const double score = zset_->element_at(present).score;
    const double joined = join(score, element.score, aggregate);
    // -0 and 0 sort alike but read differently.
    const bool is_same = joined == score && std::signbit(joined) == std::signbit(score);
    return is_same || zset_->set_score(present, joined);
}

bool ZsetResult::store_as(Database& database, std::string_view key, const CompactLimits& limits) {
    if (size() == 0) {
        database.erase(key);
        return true;
    }
    if (size() <= limits.entry_count_max && size() <= CompactZset::kCountMax &&
        member_bytes_max_ <= limits.text_bytes_max && compact_bytes_ <= kCompactBytesMax) {
        std::size_t value_bytes = CompactZset::kHeaderBytes;
        visit([&](const Element& element) { value_bytes += CompactZset::entry_bytes(element); });
        return store_compact(database, key, value_bytes);
    }
    EntryRef ref = database.find(key);
    if (!ref) {
        if (!database.create_object(key, Type::kZset, zset_)) {
            return false;
        }
    } else {
        // An empty value of the right type takes the name first, then the object takes its place.
        ref = database.assign(ref, key, database.hash_of(key), Type::kZset, 0, Deadline::none());
        if (!ref) {
            return false;
        }
        if (!database.set_object(ref, zset_)) {
            database.erase(ref);
            return false;
        }
    }
    zset_ = nullptr;
    return true;
}

bool ZsetResult::store_compact(Database& database, std::string_view key, std::size_t value_bytes) {
    const std::uint64_t hash = database.hash_of(key);
    const EntryRef ref = database.assign(
        database.find(key, hash), key, hash, Type::kZset, value_bytes, Deadline::none());
    if (!ref) {
        return false;
    }
    std::byte* to = ref.value().data();
    CompactZset::write_count(to, size());
    to += CompactZset::kHeaderBytes;
    visit([&](const Element& element) {
        CompactZset::write_entry(to, element);
        to += CompactZset::entry_bytes(element);
    });
    return true;
}

bool unite(std::span<const WeightedSource> sources, Aggregate aggregate, ZsetResult& result) {
    for (const WeightedSource& input : by_size(sources)) {
        bool is_done = true;
        walk(*input.source, [&](const Element& element) {
            const double score = zero_if_nan(input.weight * element.score);
            is_done = result.merge({element.member, score}, aggregate);
            return is_done;
        });
        if (!is_done) {
            return false;
        }
    }
    return true;
}

bool intersect(std::span<const WeightedSource> sources, Aggregate aggregate, ZsetResult& result) {
    TERN_CHECK(!sources.empty());
    const std::vector<WeightedSource> sorted = by_size(sources);
    bool is_done = true;
    walk(*sorted.front().source, [&](const Element& element) {
        if (const auto score = joined_score(sorted, element, aggregate)) {
            is_done = result.add({element.member, *score});
        }
        return is_done;
    });
    return is_done;
}

bool subtract(std::span<const WeightedSource> sources, ZsetResult& result) {
    TERN_CHECK(!sources.empty());
    bool is_done = true;
    walk(*sources.front().source, [&](const Element& element) {
        const bool is_elsewhere =
            std::any_of(sources.begin() + 1, sources.end(), [&](const WeightedSource& other) {
                return other.source->score(element.member).has_value();
            });
        is_done = is_elsewhere || result.add(element);
        return is_done;
    });
    return is_done;
}

std::uint64_t count_intersection(std::span<const WeightedSource> sources, std::uint64_t limit) {
    TERN_CHECK(!sources.empty());
    const std::vector<WeightedSource> sorted = by_size(sources);
    std::uint64_t count = 0;
    walk(*sorted.front().source, [&](const Element& element) {
        if (joined_score(sorted, element, Aggregate::kSum)) {
            ++count;
        }
        return limit == 0 || count < limit;
    });
    return count;
}

bool copy_span(const Zset& zset, RankSpan span, ZsetResult& result) {
    bool is_done = true;
    zset.visit(span, [&](const Element& element) { is_done = is_done && result.add(element); });
    return is_done;
}

}  // namespace tern::store::zsets
