#include "store/rdb/stream_form.hpp"

#include <limits>

#include "base/number_text.hpp"

namespace tern::store::rdb {
namespace {

constexpr std::size_t kRawIdBytes = 16;
constexpr std::uint64_t kDeletedFlag = 1;
constexpr std::uint64_t kNodeFieldsFlag = 2;
/// No entry has more fields than an argument list has room for.
constexpr std::uint64_t kFieldCountMax = 1U << 20;

}  // namespace

bool StreamFormReader::raw_id(StreamEntryId& out) {
    Bytes bytes;
    if (!reader_.raw(kRawIdBytes, bytes)) {
        return false;
    }
    out = {load<std::uint64_t, std::endian::big>(bytes.data()),
           load<std::uint64_t, std::endian::big>(bytes.data() + 8)};
    return true;
}

bool StreamFormReader::packed_id(StreamEntryId& out) {
    return reader_.length(out.ms) && reader_.length(out.sequence);
}

bool StreamFormReader::next_text(std::string& out) {
    if (!elements_->next(element_)) {
        return false;
    }
    out = element_.text;
    return true;
}

/// The next element as a number; differences may be negative and are then their 64 bits.
bool StreamFormReader::next_number(std::uint64_t& out) {
    std::int64_t value = 0;
    if (!elements_->next(element_) || !parse_int64(element_.text, value)) {
        return false;
    }
    out = static_cast<std::uint64_t>(value);
    return true;
}

bool StreamFormReader::begin_node() {
    RdbText key;
    if (!reader_.text(key) || key.view().size() != kRawIdBytes || !reader_.text(node_)) {
        return false;
    }
    const std::byte* const id = key.bytes().data();
    node_first_ = {load<std::uint64_t, std::endian::big>(id),
                   load<std::uint64_t, std::endian::big>(id + 8)};
    elements_.emplace(PackedReader::Form::kListpack, node_.bytes());
    std::uint64_t field_count = 0;
    if (!next_number(live_left_) || !next_number(deleted_left_) || !next_number(field_count) ||
        field_count > kFieldCountMax || live_left_ == 0 || live_left_ > node_.bytes().size() ||
        deleted_left_ > node_.bytes().size()) {
        return false;
    }
    node_fields_.clear();
    for (; field_count != 0; --field_count) {
        if (!next_text(node_fields_.emplace_back())) {
            return false;
        }
    }
    std::uint64_t terminator = 1;
    return next_number(terminator) && terminator == 0;
}

bool StreamFormReader::end_node() {
    const bool is_whole = !elements_->next(element_) && elements_->is_whole();
    elements_.reset();
    return is_whole;
}

bool StreamFormReader::read_entry(StreamEntryId& id, StreamFields& fields, bool& is_deleted) {
    std::uint64_t flags = 0;
    if (!next_number(flags) || flags > (kDeletedFlag | kNodeFieldsFlag) || !next_number(id.ms) ||
        !next_number(id.sequence)) {
        return false;
    }
    id.ms += node_first_.ms;
    id.sequence += node_first_.sequence;
    is_deleted = (flags & kDeletedFlag) != 0;
    const bool has_node_fields = (flags & kNodeFieldsFlag) != 0;
    std::uint64_t count = node_fields_.size();
    if (!has_node_fields && (!next_number(count) || count > kFieldCountMax)) {
        return false;
    }
    fields.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
        auto& [field, value] = fields.emplace_back();
        if (has_node_fields) {
            field = node_fields_[i];
        } else if (!next_text(field)) {
            return false;
        }
        if (!next_text(value)) {
            return false;
        }
    }
    const std::uint64_t expected = has_node_fields ? count + 3 : 2 * count + 4;
    std::uint64_t element_count = 0;
    return next_number(element_count) && element_count == expected;
}

bool StreamFormReader::next_entry(StreamEntryId& id, StreamFields& fields, bool& is_end) {
    is_end = false;
    while (true) {
        if (!elements_) {
            if (node_count_ == 0) {
                is_end = true;
                return true;
            }
            --node_count_;
            if (!begin_node()) {
                return false;
            }
        }
        bool is_deleted = false;
        if (live_left_ + deleted_left_ != 0) {
            if (!read_entry(id, fields, is_deleted) || (last_ && id <= *last_)) {
                return false;
            }
            std::uint64_t& left = is_deleted ? deleted_left_ : live_left_;
            if (left == 0) {
                return false;
            }
            --left;
            last_ = id;
        }
        if (live_left_ + deleted_left_ == 0 && !end_node()) {
            return false;
        }
        if (!is_deleted) {
            ++length_;
            return true;
        }
    }
}

bool StreamFormReader::facts(StreamFacts& out, std::uint64_t& group_count) {
    if (!reader_.length(out.length) || !packed_id(out.last) || out.length != length_ ||
        (last_ && out.last < *last_)) {
        return false;
    }
    if (kind_ == ValueKind::kStreamListpacks) {
        out.first = {};
        out.highest_deleted = {};
        out.entries_added = out.length;
    } else if (!packed_id(out.first) || !packed_id(out.highest_deleted) ||
               !reader_.length(out.entries_added)) {
        return false;
    }
    return reader_.length(group_count);
}

bool StreamFormReader::group(StreamGroup& out, std::uint64_t& pending_count) {
    RdbText name;
    if (!reader_.text(name) || !packed_id(out.last)) {
        return false;
    }
    out.name = name.view();
    out.entries_read = std::numeric_limits<std::uint64_t>::max();
    return (kind_ == ValueKind::kStreamListpacks || reader_.length(out.entries_read)) &&
           reader_.length(pending_count);
}

bool StreamFormReader::pending(StreamPending& out) {
    return raw_id(out.id) && reader_.number(out.delivered_at_ms) &&
           reader_.length(out.delivery_count);
}

bool StreamFormReader::consumer(StreamConsumer& out, std::uint64_t& pending_count) {
    RdbText name;
    if (!reader_.text(name) || !reader_.number(out.seen_at_ms)) {
        return false;
    }
    out.name = name.view();
    out.active_at_ms = out.seen_at_ms;
    return (kind_ != ValueKind::kStreamListpacks3 || reader_.number(out.active_at_ms)) &&
           reader_.length(pending_count);
}

// Writing

void write_raw_id(RdbWriter& writer, const StreamEntryId& id) {
    writer.number(byte_swap(id.ms));
    writer.number(byte_swap(id.sequence));
}

void write_node(RdbWriter& writer, const StreamEntryId& first, std::string_view listpack) {
    writer.length(kRawIdBytes);
    write_raw_id(writer, first);
    writer.text(listpack);
}

void write_facts(RdbWriter& writer, const StreamFacts& facts, std::uint64_t group_count) {
    writer.length(facts.length);
    for (const StreamEntryId& id : {facts.last, facts.first, facts.highest_deleted}) {
        writer.length(id.ms);
        writer.length(id.sequence);
    }
    writer.length(facts.entries_added);
    writer.length(group_count);
}

void write_group(RdbWriter& writer, const StreamGroup& group, std::uint64_t pending_count) {
    writer.text(group.name);
    writer.length(group.last.ms);
    writer.length(group.last.sequence);
    writer.length(group.entries_read);
    writer.length(pending_count);
}

void write_pending(RdbWriter& writer, const StreamPending& pending) {
    write_raw_id(writer, pending.id);
    writer.number(static_cast<std::uint64_t>(pending.delivered_at_ms));
    writer.length(pending.delivery_count);
}

void write_consumer(RdbWriter& writer,
                    const StreamConsumer& consumer,
                    std::uint64_t pending_count) {
    writer.text(consumer.name);
    writer.number(static_cast<std::uint64_t>(consumer.seen_at_ms));
    writer.number(static_cast<std::uint64_t>(consumer.active_at_ms));
    writer.length(pending_count);
}

}  // namespace tern::store::rdb
