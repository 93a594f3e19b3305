#include "store/zset/zset.hpp"

#include <cmath>

#include "store/hash/large_object.hpp"

namespace tern::store::zsets {

using Outcome = AddResult::Outcome;

void register_type(Keyspace& keyspace) noexcept {
    keyspace.register_type(Type::kZset, large_object::kOps<LargeZset>);
}

std::uint64_t Zset::size() const noexcept {
    if (!exists()) {
        return 0;
    }
    return is_large() ? large().size() : CompactZset(bytes()).size();
}

std::optional<double> Zset::score(std::string_view member) const noexcept {
    if (!exists()) {
        return std::nullopt;
    }
    if (is_large()) {
        const Handle handle = large().find(member);
        return handle ? std::optional(large().element_at(handle).score) : std::nullopt;
    }
    const auto found = CompactZset(bytes()).find(member);
    return found ? std::optional(found->element.score) : std::nullopt;
}

std::optional<RankedScore> Zset::rank(std::string_view member) const noexcept {
    if (!exists()) {
        return std::nullopt;
    }
    if (is_large()) {
        const Handle handle = large().find(member);
        if (!handle) {
            return std::nullopt;
        }
        return RankedScore{large().rank_of(handle), large().element_at(handle).score};
    }
    const auto found = CompactZset(bytes()).find(member);
    return found ? std::optional(RankedScore{found->rank, found->element.score}) : std::nullopt;
}

AddResult Zset::add(const Element& element,
                    const AddOptions& options,
                    const CompactLimits& limits) {
    TERN_DCHECK(!std::isnan(element.score));
    if (is_large()) {
        if (const Handle handle = large().find(element.member)) {
            return update(large().element_at(handle).score, element, options, handle);
        }
    } else if (const auto present = score(element.member)) {
        return update(*present, element, options, Handle{});
    }
    if (options.only_existing) {
        return {};
    }
    return insert(element, limits) ? AddResult{Outcome::kAdded, element.score}
                                   : AddResult{Outcome::kOutOfMemory, 0};
}

/// Changes the score of an element that is there; `handle` is its slot in a large set.
AddResult Zset::update(double present,
                       const Element& element,
                       const AddOptions& options,
                       Handle handle) {
    if (options.only_new) {
        return {};
    }
    const double changed = options.increment ? present + element.score : element.score;
    if (std::isnan(changed)) {
        return {Outcome::kNotANumber, 0};
    }
    if ((options.only_less && changed >= present) || (options.only_greater && changed <= present)) {
        return {};
    }
    if (changed == present) {
        return {Outcome::kUnchanged, changed};
    }
    const bool is_done = is_large() ? large().set_score(handle, changed)
                                    : set_compact_score(element.member, changed);
    return is_done ? AddResult{Outcome::kUpdated, changed} : AddResult{Outcome::kOutOfMemory, 0};
}

/// Adds an element whose member is not in the set.
bool Zset::insert(const Element& element, const CompactLimits& limits) {
    if (is_large()) {
        return large().add(element);
    }
    const std::size_t count = size();
    const std::size_t size_bytes = exists() ? bytes().size() : CompactZset::kHeaderBytes;
    if (count >= limits.entry_count_max || count >= CompactZset::kCountMax ||
        element.member.size() > limits.text_bytes_max ||
        size_bytes + CompactZset::entry_bytes(element) > kCompactBytesMax) {
        return insert_as_large(element);
    }
    if (!exists()) {
        if (!create_compact(size_bytes + CompactZset::entry_bytes(element))) {
            return false;
        }
        CompactZset::write_entry(data() + CompactZset::kHeaderBytes, element);
    } else {
        const Splice change = CompactZset(bytes()).insert(element);
        if (!splice(change)) {
            return false;
        }
        CompactZset::write_entry(data() + change.offset, element);
    }
    CompactZset::write_count(data(), count + 1);
    return true;
}

bool Zset::insert_as_large(const Element& element) {
    if (!become_large()) {
        return false;
    }
    const bool is_done = large().add(element);
    if (large().size() == 0) {
        erase_key();
    }
    return is_done;
}

/// Moves an element of a compact set to the place of its new score. The value grows first and
/// shrinks last, so that a failure changes nothing.
bool Zset::set_compact_score(std::string_view member, double score) {
    const CompactZset compact(bytes());
    const auto found = compact.find(member);
    TERN_CHECK(found);
    const Element changed{member, score};
    if (compact.can_overwrite(*found, score)) {
        CompactZset::write_entry(data() + found->offset, changed);
        return true;
    }
    const std::size_t size_before = bytes().size();
    const Splice removal = CompactZset::erase(*found);
    const std::size_t size_without = removal.size_after(size_before);
    const std::size_t size_after = size_without + CompactZset::entry_bytes(changed);
    if (size_after > size_before && !resize(size_after)) {
        return false;
    }
    move_tail(data(), size_before, removal);
    const Splice insertion = CompactZset(Bytes(data(), size_without)).insert(changed);
    move_tail(data(), size_without, insertion);
    CompactZset::write_entry(data() + insertion.offset, changed);
    if (size_after < size_before) {
        TERN_CHECK(resize(size_after));
    }
    return true;
}

/// Gives the set its large form; a bounded step, as the compact form is small.
bool Zset::become_large() {
    Keyspace& keyspace = database().keyspace();
    LargeZset* const object = large_object::make<LargeZset>(keyspace);
    if (object == nullptr) {
        return false;
    }
    bool is_complete = true;
    visit({0, size()},
          [&](const Element& element) { is_complete = is_complete && object->add(element); });
    if (!is_complete || !adopt(object)) {
        large_object::destroy<LargeZset>(keyspace, object);
        return false;
    }
    return true;
}

bool Zset::erase(std::string_view member) {
    if (!exists()) {
        return false;
    }
    if (!is_large()) {
        const auto found = CompactZset(bytes()).find(member);
        if (found) {
            erase(RankSpan{found->rank, 1});
        }
        return found.has_value();
    }
    const Handle handle = large().find(member);
    if (!handle) {
        return false;
    }
    large().erase(handle);
    if (large().size() == 0) {
        erase_key();
    }
    return true;
}

void Zset::erase(RankSpan span) {
    if (span.count == 0) {
        return;
    }
    TERN_CHECK(span.end() <= size());
    if (span.count == size()) {
        erase_key();  // a large set is freed in steps then
        return;
    }
    if (is_large()) {
        large().erase(span);
        return;
    }
    const CompactZset compact(bytes());
    const std::size_t count_after = compact.size() - span.count;
    TERN_CHECK(splice(compact.erase(span)));
    CompactZset::write_count(data(), count_after);
}

RankSpan Zset::span(const ScoreRange& range) const noexcept {
    if (!exists()) {
        return {};
    }
    return is_large() ? large().span(range) : CompactZset(bytes()).span(range);
}

RankSpan Zset::span(const LexRange& range) const noexcept {
    if (!exists()) {
        return {};
    }
    return is_large() ? large().span(range) : CompactZset(bytes()).span(range);
}

Element Zset::random_element(Random& random) const {
    TERN_CHECK(exists());
    if (is_large()) {
        return large().random(random);
    }
    const CompactZset compact(bytes());
    return compact.at_rank(random.below(compact.size())).element;
}

}  // namespace tern::store::zsets
