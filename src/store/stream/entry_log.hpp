#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "store/stream/id_index.hpp"
#include "store/stream/node.hpp"

namespace tern::store::streams {

/// What a trim takes away: from the front, until nothing more than `count_max` entries is left, or
/// nothing below `id_min`.
struct Trim {
    enum class Kind : std::uint8_t { kCount, kId } kind = Kind::kCount;
    std::uint64_t count_max = 0;
    EntryId id_min{};
    bool whole_nodes_only = false;
    std::uint64_t removed_max = 0;  ///< stop before a node that would make it more; 0: no limit
};

/// The entries of a stream in nodes, found by their ids through a tree.
///
/// Appending, finding and erasing take steps in proportion to the tree's height and to one node.
///
/// Threads:  one at a time. Lifetime: `arena` outlives the log.
class EntryLog {
public:
    explicit EntryLog(Arena& arena) noexcept : arena_(&arena), nodes_(arena) {}
    EntryLog(const EntryLog&) = delete;
    EntryLog& operator=(const EntryLog&) = delete;
    ~EntryLog();

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t node_count() const noexcept { return nodes_.size(); }
    /// Nodes and the tree.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return node_bytes_ + nodes_.memory_bytes();
    }

    /// Adds an entry above all that are there. False without memory, and nothing changed then.
    [[nodiscard]] bool append(const EntryId& id,
                              FieldTexts fields,
                              const NodeLimits& limits) noexcept;
    /// Takes an entry out; false when it is not there.
    bool erase(const EntryId& id) noexcept;
    [[nodiscard]] bool contains(const EntryId& id) const noexcept;
    /// The ids of the first and of the last entry; empty without entries.
    [[nodiscard]] std::optional<EntryId> first_id() const noexcept { return edge_id(false); }
    [[nodiscard]] std::optional<EntryId> last_id() const noexcept { return edge_id(true); }

    /// Whether a trim takes everything: then `swap` with an empty log does the same at once.
    [[nodiscard]] bool takes_all(const Trim& trim) const noexcept;
    /// Removes entries from the front, whole nodes first, in steps in proportion to the nodes that
    /// go; returns how many.
    std::uint64_t trim(const Trim& trim) noexcept;
    /// Exchanges the entries with those of a log over the same arena.
    void swap(EntryLog& other) noexcept;

    /// Calls `visit(EntryView)` for the entries from `first` to `last`, both included, upwards or
    /// downwards, until it says false. The log does not change meanwhile.
    template <typename Visit>
    void walk(const EntryId& first, const EntryId& last, bool backwards, Visit&& visit) const;

    /// Calls `visit(Node)` for all nodes in order: DUMP.
    template <typename Visit>
    void for_each_node(Visit&& visit) const {
        for (OrderedCursor cursor = nodes_.first(); cursor; cursor.next()) {
            visit(Node(*arena_, cursor.get()));
        }
    }

    /// Puts a copy of every node into `target`, which is empty. False without memory.
    [[nodiscard]] bool copy_to(EntryLog& target) const noexcept;
    /// Frees about `budget` nodes; true when none is left.
    bool drain(std::uint64_t budget) noexcept;

    /// Aborts when counts or order are wrong; reads everything. For tests.
    void check_invariants() const;

private:
    [[nodiscard]] std::optional<EntryId> edge_id(bool backwards) const noexcept;
    [[nodiscard]] static std::optional<EntryId> edge_id(const Node& node, bool backwards) noexcept;
    [[nodiscard]] std::optional<EntryView> find(const Node& node, const EntryId& id) const noexcept;
    [[nodiscard]] bool takes(const Node& node,
                             FieldTexts fields,
                             std::size_t entry_bytes,
                             const NodeLimits& limits) const noexcept;
    [[nodiscard]] bool resize(Handle& handle, std::size_t capacity_bytes) noexcept;
    [[nodiscard]] bool add_node(Handle tail, const EntryId& id, FieldTexts fields) noexcept;
    void drop_node(Handle handle) noexcept;
    [[nodiscard]] bool node_goes(const Node& node, const Trim& trim) const noexcept;
    std::uint64_t trim_first_node(const Trim& trim) noexcept;

    Arena* arena_;
    IdIndex nodes_;
    std::uint64_t size_ = 0;
    std::size_t node_bytes_ = 0;
};

template <typename Visit>
void EntryLog::walk(const EntryId& first,
                    const EntryId& last,
                    bool backwards,
                    Visit&& visit) const {
    if (first > last) {
        return;
    }
    OrderedCursor cursor = nodes_.at_or_below(backwards ? last : first);
    if (!cursor && !backwards) {
        cursor = nodes_.first();
    }
    const auto is_before = [&](const EntryId& id) { return backwards ? id > last : id < first; };
    const auto is_behind = [&](const EntryId& id) { return backwards ? id < first : id > last; };
    while (cursor) {
        const bool goes_on =
            Node(*arena_, cursor.get()).walk(backwards, [&](const EntryView& entry) {
                if (is_behind(entry.id)) {
                    return false;
                }
                return entry.is_deleted || is_before(entry.id) || visit(entry);
            });
        if (!goes_on) {
            return;
        }
        if (backwards) {
            cursor.previous();
        } else {
            cursor.next();
        }
    }
}

}  // namespace tern::store::streams
