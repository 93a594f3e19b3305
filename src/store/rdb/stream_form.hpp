#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/rdb/packed_list.hpp"
#include "store/rdb/rdb_reader.hpp"
#include "store/rdb/rdb_writer.hpp"
#include "store/stream/entry_id.hpp"

/// Streams in Redis's dump format: what stands where.
///
///     nodes     count | (first id, 16 bytes; listpack)…
///     facts     length, last id; since version 2: first id, highest deleted id, entries added
///     groups    count | (name, last id, entries read since 2, pending, consumers)…
///     pending   count | (id, 16 bytes; delivered at, 8 bytes; delivery count)…
///     consumers count | (name, seen at, 8 bytes; active at, 8 bytes, since 3; count | ids)…
///
///     listpack  live, deleted, field count, fields…, 0 | entry…
///     entry     flags (1 deleted, 2 with the node's fields), ms and sequence less the node's
///     first,
///               values, or field count and fields with values, number of elements in front of here
namespace tern::store::rdb {

using StreamEntryId = streams::EntryId;

using StreamFields = std::vector<std::pair<std::string, std::string>>;

struct StreamFacts {
    std::uint64_t length = 0;
    StreamEntryId last;
    StreamEntryId first;
    StreamEntryId highest_deleted;
    std::uint64_t entries_added = 0;
};

struct StreamGroup {
    std::string name;
    StreamEntryId last;
    std::uint64_t entries_read = 0;  ///< all bits set: not known
};

struct StreamPending {
    StreamEntryId id;
    std::int64_t delivered_at_ms = 0;
    std::uint64_t delivery_count = 0;
};

struct StreamConsumer {
    std::string name;
    std::int64_t seen_at_ms = 0;
    std::int64_t active_at_ms = 0;  ///< -1: never
};

/// Reads a stream behind its kind, part by part, in the order of the functions; the counts say how
/// often the next ones are to be called.
///
/// Errors:   false: the bytes are no stream.
class StreamFormReader {
public:
    StreamFormReader(RdbReader& reader, ValueKind kind) noexcept : reader_(reader), kind_(kind) {}

    [[nodiscard]] bool begin() { return reader_.length(node_count_); }
    /// The next entry that is not deleted; `is_end` when there is none. Ids only grow.
    [[nodiscard]] bool next_entry(StreamEntryId& id, StreamFields& fields, bool& is_end);
    [[nodiscard]] bool facts(StreamFacts& out, std::uint64_t& group_count);
    [[nodiscard]] bool group(StreamGroup& out, std::uint64_t& pending_count);
    [[nodiscard]] bool pending(StreamPending& out);
    [[nodiscard]] bool consumer_count(std::uint64_t& count) { return reader_.length(count); }
    [[nodiscard]] bool consumer(StreamConsumer& out, std::uint64_t& pending_count);
    [[nodiscard]] bool consumer_pending(StreamEntryId& out) { return raw_id(out); }

private:
    [[nodiscard]] bool raw_id(StreamEntryId& out);
    [[nodiscard]] bool packed_id(StreamEntryId& out);
    [[nodiscard]] bool begin_node();
    [[nodiscard]] bool end_node();
    [[nodiscard]] bool read_entry(StreamEntryId& id, StreamFields& fields, bool& is_deleted);
    [[nodiscard]] bool next_number(std::uint64_t& out);
    [[nodiscard]] bool next_text(std::string& out);

    RdbReader& reader_;
    ValueKind kind_;
    std::uint64_t node_count_ = 0;
    RdbText node_;
    std::optional<PackedReader> elements_;
    PackedEntry element_;
    StreamEntryId node_first_;
    std::vector<std::string> node_fields_;
    std::uint64_t live_left_ = 0;
    std::uint64_t deleted_left_ = 0;
    std::optional<StreamEntryId> last_;
    std::uint64_t length_ = 0;
};

/// An id as it stands among pending entries and in front of a node: 16 bytes, the high ones first.
void write_raw_id(RdbWriter& writer, const StreamEntryId& id);
/// A node: the first id and the listpack, finished.
void write_node(RdbWriter& writer, const StreamEntryId& first, std::string_view listpack);
void write_facts(RdbWriter& writer, const StreamFacts& facts, std::uint64_t group_count);
void write_group(RdbWriter& writer, const StreamGroup& group, std::uint64_t pending_count);
void write_pending(RdbWriter& writer, const StreamPending& pending);
void write_consumer(RdbWriter& writer, const StreamConsumer& consumer, std::uint64_t pending_count);

}  // namespace tern::store::rdb
