#include "store/zset/compact_zset.hpp"

#include <algorithm>
#include <cstring>

namespace tern::store::zsets {

CompactZset::Entry CompactZset::read(std::size_t offset, std::uint64_t rank) const noexcept {
    TERN_DCHECK(offset < bytes_.size());
    const std::byte* const begin = bytes_.data() + offset;
    const std::byte* at = begin;
    const double score = score_code::read(at);
    const std::size_t member_bytes = length_code::read(at);
    const std::size_t size_bytes = static_cast<std::size_t>(at - begin) + member_bytes;
    TERN_DCHECK(offset + size_bytes <= bytes_.size());
    return {offset, size_bytes, rank, {{reinterpret_cast<const char*>(at), member_bytes}, score}};
}

std::optional<CompactZset::Entry> CompactZset::find(std::string_view member) const noexcept {
    std::uint64_t rank = 0;
    for (std::size_t offset = kHeaderBytes; offset < bytes_.size(); ++rank) {
        const Entry entry = read(offset, rank);
        if (entry.element.member == member) {
            return entry;
        }
        offset += entry.size_bytes;
    }
    return std::nullopt;
}

CompactZset::Entry CompactZset::at_rank(std::uint64_t rank) const noexcept {
    TERN_CHECK(rank < size());
    std::size_t offset = kHeaderBytes;
    for (std::uint64_t i = 0; i < rank; ++i) {
        offset += read(offset, i).size_bytes;
    }
    return read(offset, rank);
}

template <typename IsBefore>
std::uint64_t CompactZset::count_while(const IsBefore& is_before) const noexcept {
    std::uint64_t count = 0;
    for (std::size_t offset = kHeaderBytes; offset < bytes_.size(); ++count) {
        const Entry entry = read(offset, count);
        if (!is_before(entry.element)) {
            break;
        }
        offset += entry.size_bytes;
    }
    return count;
}

RankSpan CompactZset::span(const ScoreRange& range) const noexcept {
    const std::uint64_t begin =
        count_while([&](const Element& e) { return !range.is_above_min(e.score); });
    const std::uint64_t end =
        count_while([&](const Element& e) { return range.is_below_max(e.score); });
    return {begin, end > begin ? end - begin : 0};
}

/// As Redis walks a listpack: from the first member that is not too low to the first that is too
/// high.
/// That says what comes out where scores differ, which a lexicographic range is not made for.
RankSpan CompactZset::span(const LexRange& range) const noexcept {
    const std::size_t count = size();
    if (count == 0 || !range.is_below_max(at_rank(0).element.member) ||
        !range.is_above_min(at_rank(count - 1).element.member)) {
        return {};
    }
    RankSpan span;
    bool is_inside = false;
    (void)count_while([&](const Element& e) {
        is_inside = is_inside || range.is_above_min(e.member);
        if (!is_inside) {
            ++span.begin;
            return true;
        }
        if (!range.is_below_max(e.member)) {
            return false;
        }
        ++span.count;
        return true;
    });
    return span;
}

std::size_t CompactZset::offsets_before(std::uint64_t end,
                                        std::uint64_t count,
                                        Offsets& offsets) const noexcept {
    const std::uint64_t taken = std::min<std::uint64_t>(count, kReversedChunk);
    TERN_CHECK(taken > 0 && end >= taken);
    std::size_t offset = at_rank(end - taken).offset;
    for (std::uint64_t i = 0; i < taken; ++i) {
        offsets.at[i] = static_cast<std::uint32_t>(offset);
        offset += read(offset, 0).size_bytes;
    }
    return taken;
}

Splice CompactZset::insert(const Element& element) const noexcept {
    std::size_t offset = kHeaderBytes;
    while (offset < bytes_.size()) {
        const Entry entry = read(offset, 0);
        if (!entry.element.is_before(element)) {
            break;
        }
        offset += entry.size_bytes;
    }
    return {offset, 0, entry_bytes(element)};
}

Splice CompactZset::erase(RankSpan span) const noexcept {
    TERN_CHECK(span.count > 0 && span.end() <= size());
    const std::size_t begin = at_rank(span.begin).offset;
    const Entry last = at_rank(span.end() - 1);
    return {begin, last.offset + last.size_bytes - begin, 0};
}

bool CompactZset::can_overwrite(const Entry& entry, double score) const noexcept {
    const Element changed{entry.element.member, score};
    if (entry_bytes(changed) != entry.size_bytes) {
        return false;
    }
    if (entry.rank > 0 && !at_rank(entry.rank - 1).element.is_before(changed)) {
        return false;
    }
    const std::size_t next = entry.offset + entry.size_bytes;
    return next == bytes_.size() || changed.is_before(read(next, 0).element);
}

void CompactZset::write_entry(std::byte* to, const Element& element) noexcept {
    to = score_code::write(to, element.score);
    to = length_code::write(to, element.member.size());
    std::memcpy(to, element.member.data(), element.member.size());
}

}  // namespace tern::store::zsets
