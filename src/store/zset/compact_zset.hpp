#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "store/hash/length_code.hpp"
#include "store/hash/splice.hpp"
#include "store/zset/range.hpp"
#include "store/zset/score_code.hpp"

namespace tern::store::zsets {

/// A member and its score, as visitors see them.
///
/// Lifetime: until the sorted set changes.
struct Element {
    std::string_view member;
    double score = 0;

    /// The order of a sorted set: by score, then by the member's bytes.
    [[nodiscard]] bool is_before(const Element& other) const noexcept {
        return score != other.score ? score < other.score : member < other.member;
    }
};

/// A small sorted set in one run of bytes, in order.
///
///     +---------+----------------------------------------+-----
///     | count 2 | score    | member length | member       | ...
///     |         |  1 to 9  |   1, 3 or 5   |              |
///     +---------+----------------------------------------+-----
///
/// This is a view; changes are Splices that the owner of the bytes carries out.
///
/// Lifetime: of the bytes.
class CompactZset {
public:
    static constexpr std::size_t kHeaderBytes = 2;
    static constexpr std::size_t kCountMax = UINT16_MAX;

    /// An element and where it lies.
    struct Entry {
        std::size_t offset = 0;
        std::size_t size_bytes = 0;
        std::uint64_t rank = 0;
        Element element;
    };

    explicit CompactZset(Bytes bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] std::size_t size() const noexcept { return load<std::uint16_t>(bytes_.data()); }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }
    [[nodiscard]] std::optional<Entry> find(std::string_view member) const noexcept;
    /// The entry with `rank`, which is below `size()`.
    [[nodiscard]] Entry at_rank(std::uint64_t rank) const noexcept;
    [[nodiscard]] RankSpan span(const ScoreRange& range) const noexcept;
    [[nodiscard]] RankSpan span(const LexRange& range) const noexcept;

    /// Calls `visit(const Element&)` for a span in order.
    template <typename Visit>
    void visit(RankSpan span, Visit&& visit) const {
        if (span.count == 0) {
            return;
        }
        std::size_t offset = at_rank(span.begin).offset;
        for (std::uint64_t i = 0; i < span.count; ++i) {
            const Entry entry = read(offset, span.begin + i);
            visit(entry.element);
            offset += entry.size_bytes;
        }
    }
    /// The same from the last element of the span to its first.
    template <typename Visit>
    void visit_reversed(RankSpan span, Visit&& visit) const {
        while (span.count > 0) {
            Offsets offsets;
            const std::size_t count = offsets_before(span.end(), span.count, offsets);
            for (std::size_t i = count; i > 0; --i) {
                visit(read(offsets.at[i - 1], 0).element);
            }
            span.count -= count;
        }
    }

    /// The change that puts `element`, whose member is not in the set, in its place.
    [[nodiscard]] Splice insert(const Element& element) const noexcept;
    [[nodiscard]] static Splice erase(const Entry& entry) noexcept {
        return {entry.offset, entry.size_bytes, 0};
    }
    /// The change that removes a span.
    [[nodiscard]] Splice erase(RankSpan span) const noexcept;
    /// Whether `entry` with `score` keeps its place between its neighbours and its size.
    [[nodiscard]] bool can_overwrite(const Entry& entry, double score) const noexcept;

    [[nodiscard]] static std::size_t entry_bytes(const Element& element) noexcept {
        return score_code::size_of(element.score) + length_code::size_of(element.member.size()) +
               element.member.size();
    }
    static void write_entry(std::byte* to, const Element& element) noexcept;
    static void write_count(std::byte* header, std::size_t count) noexcept {
        TERN_CHECK(count <= kCountMax);
        store_value(header, static_cast<std::uint16_t>(count));
    }

private:
    static constexpr std::size_t kReversedChunk = 128;
    struct Offsets {
        std::uint32_t at[kReversedChunk];
    };

    [[nodiscard]] Entry read(std::size_t offset, std::uint64_t rank) const noexcept;
    /// The offsets of the last elements before rank `end`, at most `count` and what `offsets`
    /// holds.
    [[nodiscard]] std::size_t offsets_before(std::uint64_t end,
                                             std::uint64_t count,
                                             Offsets& offsets) const noexcept;
    template <typename IsBefore>
    [[nodiscard]] std::uint64_t count_while(const IsBefore& is_before) const noexcept;

    Bytes bytes_;
};

}  // namespace tern::store::zsets
