#include <algorithm>
#include <vector>

#include "store/rdb/stream_form.hpp"
#include "store/rdb/value_parts.hpp"
#include "store/stream/stream.hpp"

namespace tern::store::rdb {
namespace {

using streams::Consumer;
using streams::EntryView;
using streams::Group;
using streams::kIdMax;
using streams::LargeStream;
using streams::Node;
using streams::Pending;
using streams::Stream;

// Saving

/// A node is a listpack but for its two counts.
void save_node(RdbWriter& writer, const Node& node) {
    std::size_t element_count = 2 + node.field_count();
    node.walk(false, [&](const EntryView& entry) {
        element_count += entry.element_count();
        return true;
    });
    ListpackBuilder pack;
    pack.append(static_cast<std::int64_t>(node.live_count()));
    pack.append(static_cast<std::int64_t>(node.deleted_count()));
    pack.append_packed(node.run(), element_count);
    write_node(writer, node.first_id(), pack.finish());
}

void save_group(RdbWriter& writer, const Group& group) {
    write_group(writer,
                {.name = std::string(group.name_text()),
                 .last = group.last_id,
                 .entries_read = group.entries_read},
                group.pending_count());
    group.walk_pending({}, kIdMax, [&](const Pending& pending) {
        write_pending(writer,
                      {.id = pending.id,
                       .delivered_at_ms = pending.delivered_at_ms,
                       .delivery_count = pending.delivery_count});
        return true;
    });
    writer.length(group.consumer_count());
    group.walk_consumers([&](const Consumer& consumer) {
        write_consumer(writer,
                       {.name = std::string(group.name_of(consumer)),
                        .seen_at_ms = consumer.seen_at_ms,
                        .active_at_ms = consumer.active_at_ms},
                       consumer.pending.size());
        group.walk_pending(consumer, {}, kIdMax, [&](const Pending& pending) {
            write_raw_id(writer, pending.id);
            return true;
        });
        return true;
    });
}

// Loading

LoadStatus load_entries(LoadTarget& target, StreamFormReader& form, Stream& stream) {
    StreamEntryId id;
    StreamFields fields;
    std::vector<std::string_view> texts;
    bool is_end = false;
    while (true) {
        if (!form.next_entry(id, fields, is_end)) {
            return LoadStatus::kBad;
        }
        if (is_end) {
            return LoadStatus::kOk;
        }
        if (id.is_zero()) {
            return LoadStatus::kBad;  // an id that no entry can have
        }
        texts.clear();
        for (const auto& [name, value] : fields) {
            texts.push_back(name);
            texts.push_back(value);
        }
        if (!stream.append(id, texts, target.limits.stream)) {
            return LoadStatus::kOutOfMemory;
        }
    }
}

/// The pending entries of a group, whose consumers are read behind them.
class PendingTable {
public:
    [[nodiscard]] bool read(StreamFormReader& form, std::uint64_t count) {
        for (; count != 0; --count) {
            StreamPending pending;
            if (!form.pending(pending) || (!rows_.empty() && pending.id <= rows_.back().id)) {
                return false;
            }
            rows_.push_back(pending);
        }
        is_taken_.resize(rows_.size());
        return true;
    }
    /// The entry of that id, once.
    [[nodiscard]] const StreamPending* take(const StreamEntryId& id) {
        const auto found = std::lower_bound(
            rows_.begin(), rows_.end(), id, [](const StreamPending& row, const StreamEntryId& at) {
                return row.id < at;
            });
        const auto index = static_cast<std::size_t>(found - rows_.begin());
        if (found == rows_.end() || found->id != id || is_taken_[index]) {
            return nullptr;
        }
        is_taken_[index] = true;
        ++taken_count_;
        return &*found;
    }
    [[nodiscard]] bool is_empty() const noexcept { return taken_count_ == rows_.size(); }

private:
    std::vector<StreamPending> rows_;
    std::vector<bool> is_taken_;
    std::size_t taken_count_ = 0;
};

LoadStatus load_consumer(StreamFormReader& form, Group& group, PendingTable& table) {
    StreamConsumer row;
    std::uint64_t pending_count = 0;
    if (!form.consumer(row, pending_count) || group.find_consumer(row.name) != nullptr) {
        return LoadStatus::kBad;
    }
    Consumer* const consumer = group.add_consumer(row.name, row.seen_at_ms);
    if (consumer == nullptr) {
        return LoadStatus::kOutOfMemory;
    }
    consumer->active_at_ms = row.active_at_ms;
    for (; pending_count != 0; --pending_count) {
        StreamEntryId id;
        const StreamPending* const from = form.consumer_pending(id) ? table.take(id) : nullptr;
        if (from == nullptr) {
            return LoadStatus::kBad;
        }
        Pending* const pending = group.add_pending(id, *consumer);
        if (pending == nullptr) {
            return LoadStatus::kOutOfMemory;
        }
        pending->delivered_at_ms = from->delivered_at_ms;
        pending->delivery_count = from->delivery_count;
    }
    return LoadStatus::kOk;
}

LoadStatus load_group(StreamFormReader& form, LargeStream& stream, ValueKind kind) {
    StreamGroup row;
    std::uint64_t pending_count = 0;
    if (!form.group(row, pending_count) || stream.find_group(row.name) != nullptr) {
        return LoadStatus::kBad;
    }
    Group* const group = stream.add_group(row.name);
    if (group == nullptr) {
        return LoadStatus::kOutOfMemory;
    }
    group->last_id = row.last;
    // The oldest form does not say it.
    group->entries_read = kind == ValueKind::kStreamListpacks
                              ? stream.entries_up_to(row.last).value_or(Group::kNotKnown)
                              : row.entries_read;
    PendingTable table;
    std::uint64_t consumer_count = 0;
    if (!table.read(form, pending_count) || !form.consumer_count(consumer_count)) {
        return LoadStatus::kBad;
    }
    for (; consumer_count != 0; --consumer_count) {
        if (const LoadStatus status = load_consumer(form, *group, table);
            status != LoadStatus::kOk) {
            return status;
        }
    }
    return good_if(table.is_empty());
}

}  // namespace

void save_stream(RdbWriter& writer, const EntryRef& ref) {
    const auto& stream = ref.object<LargeStream>();
    writer.kind(ValueKind::kStreamListpacks3);
    writer.length(stream.entries().node_count());
    stream.entries().for_each_node([&](const Node& node) { save_node(writer, node); });
    write_facts(writer,
                {.length = stream.entries().size(),
                 .last = stream.last_id,
                 .first = stream.entries().first_id().value_or(StreamEntryId{}),
                 .highest_deleted = stream.deleted_id_max,
                 .entries_added = stream.entries_added},
                stream.group_count());
    stream.walk_groups([&](const Group& group) {
        save_group(writer, group);
        return true;
    });
}

void mix_stream(Digest& sum, const EntryRef& ref) {
    using packed_entry::Entry;
    using packed_entry::Text;
    // The order counts. Groups do not: what is read from a stream does not change it.
    ref.object<LargeStream>().entries().walk({}, kIdMax, false, [&](const EntryView& entry) {
        sum.append({reinterpret_cast<const char*>(&entry.id), sizeof(entry.id)});
        entry.for_each_field([&](const Entry& name, const Entry& value) {
            sum.append(Text(name).view());
            sum.append(Text(value).view());
        });
        return true;
    });
}

LoadStatus load_stream(LoadTarget& target, ValueKind kind) {
    StreamFormReader form(target.reader, kind);
    if (!form.begin()) {
        return LoadStatus::kBad;
    }
    Stream stream(target.database, target.key);
    if (!stream.create()) {
        return LoadStatus::kOutOfMemory;
    }
    if (const LoadStatus status = load_entries(target, form, stream); status != LoadStatus::kOk) {
        return status;
    }
    StreamFacts facts;
    std::uint64_t group_count = 0;
    if (!form.facts(facts, group_count)) {
        return LoadStatus::kBad;
    }
    LargeStream& large = stream.get();
    large.last_id = facts.last;
    large.deleted_id_max = facts.highest_deleted;
    large.entries_added = facts.entries_added;
    for (; group_count != 0; --group_count) {
        if (const LoadStatus status = load_group(form, large, kind); status != LoadStatus::kOk) {
            return status;
        }
    }
    return LoadStatus::kOk;
}

}  // namespace tern::store::rdb
