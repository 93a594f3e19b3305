#include "store/stream/entry_log.hpp"

#include <algorithm>
#include <utility>

namespace tern::store::streams {

EntryLog::~EntryLog() {
    static_cast<void>(drain(UINT64_MAX));
}

bool EntryLog::drain(std::uint64_t budget) noexcept {
    nodes_.drain(budget, [this](Handle handle) {
        size_ -= Node(*arena_, handle).live_count();
        node_bytes_ -= Node(*arena_, handle).memory_bytes();
        Node::free(*arena_, handle);
    });
    return nodes_.empty();
}

void EntryLog::swap(EntryLog& other) noexcept {
    nodes_.swap(other.nodes_);
    std::swap(size_, other.size_);
    std::swap(node_bytes_, other.node_bytes_);
}

void EntryLog::drop_node(Handle handle) noexcept {
    nodes_.erase(handle);
    size_ -= Node(*arena_, handle).live_count();
    node_bytes_ -= Node(*arena_, handle).memory_bytes();
    Node::free(*arena_, handle);
}

// Adding

/// Whether the last node takes one more entry: Redis's rule, which counts an entry by its texts,
/// and our own bound.
bool EntryLog::takes(const Node& node,
                     FieldTexts fields,
                     std::size_t entry_bytes,
                     const NodeLimits& limits) const noexcept {
    std::size_t text_bytes = 0;
    for (const std::string_view text : fields) {
        text_bytes += text.size();
    }
    if (limits.bytes_max != 0 && node.listpack_bytes() + text_bytes >= limits.bytes_max) {
        return false;
    }
    return (limits.entry_count_max == 0 ||
            node.live_count() + node.deleted_count() < limits.entry_count_max) &&
           node.is_in_slot() && node.run().size() + entry_bytes <= Node::kRunBytesMax;
}

bool EntryLog::resize(Handle& handle, std::size_t capacity_bytes) noexcept {
    const std::size_t old_bytes = Node(*arena_, handle).memory_bytes();
    const Handle fresh = Node::copy(*arena_, handle, capacity_bytes);
    if (!fresh) {
        return false;
    }
    nodes_.replace(handle, fresh);
    Node::free(*arena_, handle);
    handle = fresh;
    node_bytes_ += Node(*arena_, fresh).memory_bytes() - old_bytes;
    return true;
}

/// Begins a node behind `tail`, the last one (or null), which gives its room up. The fresh one gets
/// what the last one needed: nodes of a stream are much alike.
bool EntryLog::add_node(Handle tail, const EntryId& id, FieldTexts fields) noexcept {
    const std::size_t capacity_bytes = tail ? Node(*arena_, tail).run().size() : 0;
    const Handle fresh = Node::make(*arena_, id, fields, capacity_bytes);
    if (!fresh) {
        return false;
    }
    if (!nodes_.insert(fresh)) {
        Node::free(*arena_, fresh);
        return false;
    }
    node_bytes_ += Node(*arena_, fresh).memory_bytes();
    ++size_;
    if (tail) {
        const Node node(*arena_, tail);
        const std::size_t tight_bytes =
            Arena::class_bytes(Node::kHeadBytes + (node.is_in_slot() ? node.run().size() : 0));
        if (tight_bytes < arena_->slot_bytes(tail) && node.is_in_slot()) {
            static_cast<void>(resize(tail, node.run().size()));
        }
    }
    return true;
}

bool EntryLog::append(const EntryId& id, FieldTexts fields, const NodeLimits& limits) noexcept {
    const OrderedCursor last = nodes_.last();
    if (!last) {
        return add_node({}, id, fields);
    }
    Handle tail = last.get();
    const std::size_t entry_bytes = Node(*arena_, tail).entry_bytes(id, fields);
    if (!takes(Node(*arena_, tail), fields, entry_bytes, limits)) {
        return add_node(tail, id, fields);
    }
    const std::size_t needed_bytes = Node(*arena_, tail).run().size() + entry_bytes;
    if (needed_bytes > Node(*arena_, tail).capacity_bytes()) {
        const std::size_t doubled_bytes = 2 * Node(*arena_, tail).capacity_bytes();
        if (!resize(tail, std::max(needed_bytes, std::min(doubled_bytes, Node::kRunBytesMax)))) {
            return false;
        }
    }
    Node(*arena_, tail).append(id, fields, entry_bytes);
    ++size_;
    return true;
}

// Looking

std::optional<EntryId> EntryLog::edge_id(const Node& node, bool backwards) noexcept {
    std::optional<EntryId> id;
    node.walk(backwards, [&](const EntryView& entry) {
        if (!entry.is_deleted) {
            id = entry.id;
        }
        return entry.is_deleted;
    });
    return id;
}

std::optional<EntryId> EntryLog::edge_id(bool backwards) const noexcept {
    const OrderedCursor cursor = backwards ? nodes_.last() : nodes_.first();
    return cursor ? edge_id(Node(*arena_, cursor.get()), backwards) : std::nullopt;
}

std::optional<EntryView> EntryLog::find(const Node& node, const EntryId& id) const noexcept {
    std::optional<EntryView> found;
    node.walk(false, [&](const EntryView& entry) {
        if (entry.id == id && !entry.is_deleted) {
            found = entry;
        }
        return entry.id < id;
    });
    return found;
}

bool EntryLog::contains(const EntryId& id) const noexcept {
    const OrderedCursor cursor = nodes_.at_or_below(id);
    return cursor && find(Node(*arena_, cursor.get()), id).has_value();
}

// Removing

bool EntryLog::erase(const EntryId& id) noexcept {
    const OrderedCursor cursor = nodes_.at_or_below(id);
    if (!cursor) {
        return false;
    }
    Node node(*arena_, cursor.get());
    const std::optional<EntryView> entry = find(node, id);
    if (!entry) {
        return false;
    }
    if (node.live_count() == 1) {
        drop_node(cursor.get());
    } else {
        node.mark_deleted(*entry);
        --size_;
    }
    return true;
}

/// Whether a trim takes the whole of the first node.
bool EntryLog::node_goes(const Node& node, const Trim& trim) const noexcept {
    return trim.kind == Trim::Kind::kCount ? size_ - node.live_count() >= trim.count_max
                                           : *edge_id(node, true) < trim.id_min;
}

/// Marks entries of the first node, not all of which go, as deleted.
std::uint64_t EntryLog::trim_first_node(const Trim& trim) noexcept {
    std::uint64_t removed = 0;
    Node node(*arena_, nodes_.first().get());
    node.walk(false, [&](const EntryView& entry) {
        if (trim.kind == Trim::Kind::kCount ? size_ <= trim.count_max : entry.id >= trim.id_min) {
            return false;
        }
        if (!entry.is_deleted) {
            node.mark_deleted(entry);
            --size_;
            ++removed;
        }
        return true;
    });
    return removed;
}

bool EntryLog::takes_all(const Trim& trim) const noexcept {
    if (nodes_.empty() || trim.removed_max != 0) {
        return false;
    }
    return trim.kind == Trim::Kind::kCount ? trim.count_max == 0 : *last_id() < trim.id_min;
}

std::uint64_t EntryLog::trim(const Trim& trim) noexcept {
    std::uint64_t removed = 0;
    while (!nodes_.empty()) {
        if (trim.kind == Trim::Kind::kCount && size_ <= trim.count_max) {
            break;
        }
        const Handle handle = nodes_.first().get();
        const Node node(*arena_, handle);
        if (trim.removed_max != 0 && removed + node.live_count() > trim.removed_max) {
            break;
        }
        if (!node_goes(node, trim)) {
            return removed + (trim.whole_nodes_only ? 0 : trim_first_node(trim));
        }
        removed += node.live_count();
        drop_node(handle);
    }
    return removed;
}

// All of it

bool EntryLog::copy_to(EntryLog& target) const noexcept {
    for (OrderedCursor cursor = nodes_.first(); cursor; cursor.next()) {
        const Handle fresh = Node::copy(*target.arena_, cursor.get());
        if (!fresh) {
            return false;
        }
        if (!target.nodes_.insert(fresh)) {
            Node::free(*target.arena_, fresh);
            return false;
        }
        target.size_ += Node(*arena_, fresh).live_count();
        target.node_bytes_ += Node(*arena_, fresh).memory_bytes();
    }
    return true;
}

void EntryLog::check_invariants() const {
    nodes_.check_invariants();
    std::uint64_t size = 0;
    std::size_t bytes = 0;
    std::optional<EntryId> previous;
    for_each_node([&](const Node& node) {
        std::uint32_t live = 0;
        std::uint32_t deleted = 0;
        node.walk(false, [&](const EntryView& entry) {
            TERN_CHECK(!previous || *previous < entry.id);
            previous = entry.id;
            TERN_CHECK(node.entry_before(entry.end).begin == entry.begin);
            ++(entry.is_deleted ? deleted : live);
            return true;
        });
        TERN_CHECK(live > 0 && live == node.live_count() && deleted == node.deleted_count());
        size += live;
        bytes += node.memory_bytes();
    });
    TERN_CHECK(size == size_ && bytes == node_bytes_);
}

}  // namespace tern::store::streams
