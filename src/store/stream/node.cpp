#include "store/stream/node.hpp"

#include <algorithm>
#include <cstring>

#include "store/list/list_limits.hpp"

namespace tern::store::streams {
namespace {

using packed_entry::Entry;
using packed_entry::Value;

constexpr std::int64_t kDeletedFlag = 1;
constexpr std::int64_t kNodeFieldsFlag = 2;
constexpr std::size_t kFlagBytes = 2;  // the flags are a number of seven bits

[[nodiscard]] Value number_value(std::uint64_t number) noexcept {
    Value value;
    value.number = static_cast<std::int64_t>(number);
    value.is_integer = true;
    return value;
}
[[nodiscard]] std::size_t number_bytes(std::uint64_t number) noexcept {
    return packed_entry::size_of(number_value(number));
}

/// Writes packed elements one behind the other.
class Writer {
public:
    explicit Writer(std::byte* at) noexcept : at_(at) {}
    void number(std::uint64_t number) noexcept { put(number_value(number)); }
    void text(std::string_view text) noexcept { put(Value(text)); }
    [[nodiscard]] const std::byte* end() const noexcept { return at_; }

private:
    void put(const Value& value) noexcept {
        packed_entry::write(at_, value);
        at_ += packed_entry::size_of(value);
    }
    std::byte* at_;
};

/// The elements of an entry in front of their number.
[[nodiscard]] std::size_t element_count(std::size_t field_count, bool has_node_fields) noexcept {
    return has_node_fields ? field_count + 3 : 2 * field_count + 4;
}

[[nodiscard]] std::size_t texts_bytes(FieldTexts fields, bool only_values) noexcept {
    std::size_t bytes = 0;
    for (std::size_t i = only_values ? 1 : 0; i < fields.size(); i += only_values ? 2 : 1) {
        bytes += packed_entry::size_of(Value(fields[i]));
    }
    return bytes;
}

[[nodiscard]] std::size_t names_bytes(FieldTexts fields) noexcept {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < fields.size(); i += 2) {
        bytes += packed_entry::size_of(Value(fields[i]));
    }
    return bytes;
}

[[nodiscard]] std::size_t size_of_entry(const EntryId& less_first,
                                        FieldTexts fields,
                                        bool has_node_fields) noexcept {
    const std::size_t field_count = fields.size() / 2;
    return kFlagBytes + number_bytes(less_first.ms) + number_bytes(less_first.sequence) +
           (has_node_fields ? 0 : number_bytes(field_count)) +
           texts_bytes(fields, has_node_fields) +
           number_bytes(element_count(field_count, has_node_fields));
}

void write_entry(Writer& writer,
                 const EntryId& less_first,
                 FieldTexts fields,
                 bool has_node_fields) noexcept {
    const std::size_t field_count = fields.size() / 2;
    writer.number(has_node_fields ? kNodeFieldsFlag : 0);
    writer.number(less_first.ms);
    writer.number(less_first.sequence);
    if (!has_node_fields) {
        writer.number(field_count);
    }
    for (std::size_t i = has_node_fields ? 1 : 0; i < fields.size(); i += has_node_fields ? 2 : 1) {
        writer.text(fields[i]);
    }
    writer.number(element_count(field_count, has_node_fields));
}

[[nodiscard]] EntryId difference(const EntryId& id, const EntryId& first) noexcept {
    return {id.ms - first.ms, id.sequence - first.sequence};
}

}  // namespace

// Making and freeing

/// A node with its head and no entry; the run's bytes are not written.
Handle Node::allocate(Arena& arena,
                      const EntryId& first,
                      std::size_t run_bytes,
                      std::size_t capacity_bytes) noexcept {
    if (run_bytes > UINT32_MAX) {
        return {};
    }
    const bool in_slot = run_bytes <= kRunBytesMax;
    const Handle handle = arena.allocate(
        kHeadBytes + (in_slot ? std::clamp(capacity_bytes, run_bytes, kRunBytesMax) : 0));
    if (!handle) {
        return {};
    }
    ExtentId extent;
    if (!in_slot) {
        extent = arena.allocate_extent(run_bytes);
        if (!extent) {
            arena.free(handle);
            return {};
        }
    }
    std::byte* const at = arena.at(handle);
    store_value(at, first.ms);
    store_value(at + 8, first.sequence);
    store_value(at + 28, extent.value);
    Node(arena, handle).set_run_bytes(run_bytes);
    return handle;
}

Handle Node::make(Arena& arena,
                  const EntryId& id,
                  FieldTexts fields,
                  std::size_t capacity_bytes) noexcept {
    const std::size_t field_count = fields.size() / 2;
    const std::size_t run_bytes = number_bytes(field_count) + names_bytes(fields) +
                                  number_bytes(0) + size_of_entry({}, fields, true);
    const Handle handle = allocate(arena, id, run_bytes, capacity_bytes);
    if (!handle) {
        return {};
    }
    Node node(arena, handle);
    node.set_counts(1, 0);
    Writer writer(node.run().data());
    writer.number(field_count);
    for (std::size_t i = 0; i < fields.size(); i += 2) {
        writer.text(fields[i]);
    }
    writer.number(0);
    write_entry(writer, {}, fields, true);
    TERN_CHECK(writer.end() == node.run().data() + run_bytes);
    return handle;
}

Handle Node::copy(Arena& arena, Handle handle, std::size_t capacity_bytes) noexcept {
    const Node from(arena, handle);
    const Handle fresh = allocate(arena, from.first_id(), from.run().size(), capacity_bytes);
    if (fresh) {
        Node to(arena, fresh);
        to.set_counts(from.live_count(), from.deleted_count());
        std::memcpy(to.run().data(), from.run().data(), from.run().size());
    }
    return fresh;
}

void Node::free(Arena& arena, Handle handle) noexcept {
    arena.free(Node(arena, handle).extent());
    arena.free(handle);
}

std::size_t Node::listpack_bytes() const noexcept {
    return lists::kListpackFrameBytes + number_bytes(live_count()) + number_bytes(deleted_count()) +
           run().size();
}

// Adding

bool Node::has_fields(FieldTexts fields) const noexcept {
    const std::byte* at = run().data();
    const Entry count = packed_entry::read(at);
    if (static_cast<std::size_t>(count.number) != fields.size() / 2) {
        return false;
    }
    at += count.size_bytes;
    for (std::size_t i = 0; i < fields.size(); i += 2) {
        const Entry name = packed_entry::read(at);
        if (!name.equals(Value(fields[i]))) {
            return false;
        }
        at += name.size_bytes;
    }
    return true;
}

std::size_t Node::entry_bytes(const EntryId& id, FieldTexts fields) const noexcept {
    return size_of_entry(difference(id, first_id()), fields, has_fields(fields));
}

void Node::append(const EntryId& id, FieldTexts fields, std::size_t entry_bytes) noexcept {
    const std::size_t old_bytes = run().size();
    TERN_CHECK(is_in_slot() && entry_bytes <= capacity_bytes() - old_bytes);
    Writer writer(run().data() + old_bytes);
    write_entry(writer, difference(id, first_id()), fields, has_fields(fields));
    set_run_bytes(old_bytes + entry_bytes);
    TERN_CHECK(writer.end() == run().data() + run().size());
    set_counts(live_count() + 1, deleted_count());
}

// Reading

std::size_t Node::entries_begin() const noexcept {
    const std::byte* const begin = run().data();
    const Entry count = packed_entry::read(begin);
    const std::byte* at = begin + count.size_bytes;
    for (std::int64_t i = 0; i <= count.number; ++i) {  // the fields, and the 0 behind them
        at += packed_entry::read(at).size_bytes;
    }
    return static_cast<std::size_t>(at - begin);
}

EntryView Node::entry_at(std::size_t offset) const noexcept {
    const MutableBytes bytes = run();
    TERN_CHECK(offset < bytes.size());
    const std::byte* at = bytes.data() + offset;
    const auto next = [&at] {
        const Entry element = packed_entry::read(at);
        at += element.size_bytes;
        return element.number;
    };
    EntryView entry;
    entry.begin = offset;
    const std::int64_t flags = next();
    entry.is_deleted = (flags & kDeletedFlag) != 0;
    const EntryId first = first_id();
    entry.id.ms = first.ms + static_cast<std::uint64_t>(next());
    entry.id.sequence = first.sequence + static_cast<std::uint64_t>(next());
    std::size_t text_count = 0;
    if ((flags & kNodeFieldsFlag) != 0) {
        const Entry count = packed_entry::read(bytes.data());
        entry.shared_fields = bytes.data() + count.size_bytes;
        text_count = entry.field_count = static_cast<std::size_t>(count.number);
    } else {
        entry.field_count = static_cast<std::size_t>(next());
        text_count = 2 * entry.field_count;
    }
    entry.texts = at;
    for (; text_count > 0; --text_count) {
        at += packed_entry::read(at).size_bytes;
    }
    at += packed_entry::read(at).size_bytes;  // the number of elements
    entry.end = static_cast<std::size_t>(at - bytes.data());
    TERN_CHECK(entry.end <= bytes.size());
    return entry;
}

EntryView Node::entry_before(std::size_t offset) const noexcept {
    const std::byte* at = run().data() + offset;
    at -= packed_entry::size_before(at);
    for (std::int64_t count = packed_entry::read(at).number; count > 0; --count) {
        at -= packed_entry::size_before(at);
    }
    return entry_at(static_cast<std::size_t>(at - run().data()));
}

void Node::mark_deleted(const EntryView& entry) noexcept {
    TERN_CHECK(!entry.is_deleted && live_count() > 1);
    std::byte* const flags = run().data() + entry.begin;
    *flags |= static_cast<std::byte>(kDeletedFlag);
    set_counts(live_count() - 1, deleted_count() + 1);
}

}  // namespace tern::store::streams
