#include "store/zset/large_zset.hpp"

#include <algorithm>
#include <cstring>

namespace tern::store::zsets {

LargeZset::~LargeZset() {
    while (!drain(SIZE_MAX)) {}
}

Element LargeZset::read(const Arena& arena, Handle handle) noexcept {
    const double score = load<double>(arena.at(handle));
    const std::byte* at = element_slot::body(arena, handle, kScoreBytes);
    const std::size_t member_bytes = length_code::read(at);
    return {{reinterpret_cast<const char*>(at), member_bytes}, score};
}

/// The predicate "before `element`", or "before it or the element itself".
template <bool IncludesEqual>
auto LargeZset::below(const Element& element) const noexcept {
    return [arena = arena_, prefix = sortable_score(element.score), member = element.member](
               std::uint64_t other_prefix, Handle other) {
        if (other_prefix != prefix) {
            return other_prefix < prefix;
        }
        const std::string_view other_member = read(*arena, other).member;
        return IncludesEqual ? other_member <= member : other_member < member;
    };
}

Handle LargeZset::make_slot(const Element& element) noexcept {
    const std::size_t body_bytes =
        length_code::size_of(element.member.size()) + element.member.size();
    const auto fresh = element_slot::allocate(*arena_, kScoreBytes, body_bytes);
    if (fresh.handle) {
        store_value(arena_->at(fresh.handle), element.score);
        std::byte* const text = length_code::write(fresh.body, element.member.size());
        std::memcpy(text, element.member.data(), element.member.size());
        element_bytes_ += element_slot::memory_bytes(*arena_, fresh.handle, kScoreBytes);
    }
    return fresh.handle;
}

void LargeZset::free_slot(Handle handle) noexcept {
    element_bytes_ -= element_slot::memory_bytes(*arena_, handle, kScoreBytes);
    element_slot::free(*arena_, handle, kScoreBytes);
}

bool LargeZset::insert_ordered(Handle handle, const Element& element) noexcept {
    return order_.insert(handle, below<false>(element));
}

std::uint64_t LargeZset::rank_of(Handle handle) const noexcept {
    return order_.partition_point(below<false>(element_at(handle))).rank;
}

bool LargeZset::add(const Element& element) noexcept {
    const Handle handle = make_slot(element);
    if (!handle) {
        return false;
    }
    const std::uint64_t hash = (*hasher_)(element.member);
    if (!members_.insert(hash, handle)) {
        free_slot(handle);
        return false;
    }
    if (!insert_ordered(handle, element)) {
        TERN_CHECK(members_.erase(hash, handle));
        free_slot(handle);
        return false;
    }
    return true;
}

/// The score changes in place when the element stays between its neighbours. Else a second slot
/// takes the new place before the first is given up, so that a failure changes nothing.
bool LargeZset::set_score(Handle handle, double score) noexcept {
    const Element present = element_at(handle);
    const Element changed{present.member, score};
    const bool stayed = order_.change_key(
        handle,
        below<true>(present),
        [&](Handle previous, Handle next) {
            return (!previous || element_at(previous).is_before(changed)) &&
                   (!next || changed.is_before(element_at(next)));
        },
        [&] { store_value(arena_->at(handle), score); });
    if (stayed) {
        return true;
    }
    const Handle moved = make_slot(changed);
    if (!moved) {
        return false;
    }
    if (!insert_ordered(moved, changed)) {
        free_slot(moved);
        return false;
    }
    order_.erase(handle, below<true>(present));
    TERN_CHECK(members_.replace((*hasher_)(present.member), handle, moved));
    free_slot(handle);
    return true;
}

void LargeZset::erase(Handle handle) noexcept {
    const Element element = element_at(handle);
    order_.erase(handle, below<true>(element));
    TERN_CHECK(members_.erase((*hasher_)(element.member), handle));
    free_slot(handle);
}

void LargeZset::erase(RankSpan span) noexcept {
    TERN_CHECK(span.end() <= size());
    for (std::uint64_t i = 0; i < span.count; ++i) {
        const Handle handle = order_.erase_at(span.begin);
        TERN_CHECK(members_.erase((*hasher_)(element_at(handle).member), handle));
        free_slot(handle);
    }
}

RankSpan LargeZset::span(const ScoreRange& range) const noexcept {
    const std::uint64_t min = sortable_score(range.min.score);
    const std::uint64_t max = sortable_score(range.max.score);
    const std::uint64_t begin =
        order_
            .partition_point([&](std::uint64_t prefix, Handle) {
                return range.min.is_exclusive ? prefix <= min : prefix < min;
            })
            .rank;
    const std::uint64_t end = order_
                                  .partition_point([&](std::uint64_t prefix, Handle) {
                                      return range.max.is_exclusive ? prefix < max : prefix <= max;
                                  })
                                  .rank;
    return {begin, end > begin ? end - begin : 0};
}

RankSpan LargeZset::span(const LexRange& range) const noexcept {
    const auto member = [this](Handle handle) { return read(*arena_, handle).member; };
    const std::uint64_t begin = order_
                                    .partition_point([&](std::uint64_t, Handle handle) {
                                        return !range.is_above_min(member(handle));
                                    })
                                    .rank;
    const std::uint64_t end = order_
                                  .partition_point([&](std::uint64_t, Handle handle) {
                                      return range.is_below_max(member(handle));
                                  })
                                  .rank;
    return {begin, end > begin ? end - begin : 0};
}

Element LargeZset::random(Random& random) const {
    const Handle handle = members_.random_entry([&random] { return random.next(); });
    TERN_CHECK(handle);
    return read(*arena_, handle);
}

bool LargeZset::copy_to(LargeZset& target) const noexcept {
    bool is_complete = true;
    visit({0, size()},
          [&](const Element& element) { is_complete = is_complete && target.add(element); });
    return is_complete;
}

bool LargeZset::drain(std::size_t budget) noexcept {
    if (order_.size() > 0) {
        // Nodes hold tens of elements each, so they go first and quickly.
        order_.drain(budget, [](Handle) {});
        return false;
    }
    const std::size_t buckets = budget / decltype(members_)::kEntriesPerBucket;
    return members_.drain(std::max<std::size_t>(buckets, 1),
                          [this](Handle handle) { free_slot(handle); });
}

void LargeZset::check_invariants() const {
    order_.check_invariants();
    TERN_CHECK(order_.size() == members_.size());
    Handle previous;
    for (OrderedCursor cursor = order_.first(); cursor; cursor.next()) {
        const Element element = element_at(cursor.get());
        TERN_CHECK(find(element.member) == cursor.get());
        TERN_CHECK(!previous || element_at(previous).is_before(element));
        previous = cursor.get();
    }
}

}  // namespace tern::store::zsets
