#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "server/commands/streams.hpp"

namespace tern::server::commands {

using store::streams::EntryId;
using store::streams::EntryLog;
using store::streams::EntryView;
using store::streams::Stream;
using store::streams::Trim;

// Ids

namespace {

constexpr std::size_t kIdTextMax = 127;

/// One number of an id. Redis reads what is no canonical integer as strtoull does, with blanks and
/// a sign in front.
bool parse_part(std::string_view text, std::uint64_t& value) noexcept {
    std::int64_t number = 0;
    if (parse_int64(text, number)) {
        value = static_cast<std::uint64_t>(number);
        return number >= 0;
    }
    char digits[kIdTextMax + 1] = {};
    std::memcpy(digits, text.data(), text.size());
    char* end = nullptr;
    errno = 0;
    value = std::strtoull(digits, &end, 10);
    return errno == 0 && !text.empty() && end == digits + text.size();
}

}  // namespace

bool parse_entry_id(std::string_view text, std::uint64_t missing_sequence, EntryId& id) noexcept {
    if (text.size() > kIdTextMax) {
        return false;
    }
    text = c_string(text);
    const std::size_t dash = text.find('-');
    id.sequence = missing_sequence;
    return parse_part(text.substr(0, dash), id.ms) &&
           (dash == std::string_view::npos || parse_part(text.substr(dash + 1), id.sequence));
}

bool read_entry_id(std::string_view text, EntryId& id, Reply& reply) {
    if (!parse_entry_id(text, 0, id)) {
        reply.error(kInvalidEntryId);
        return false;
    }
    return true;
}

bool parse_entry_ms(std::string_view text, std::uint64_t& ms) noexcept {
    if (text.size() > kIdTextMax) {
        return false;
    }
    text = c_string(text);
    const std::size_t dash = text.find('-');
    return dash != std::string_view::npos && text.substr(dash + 1) == "*" &&
           parse_part(text.substr(0, dash), ms);
}

namespace {

/// One end of a range; `is_open` when its id is left out.
bool read_end(std::string_view text,
              std::uint64_t missing_sequence,
              EntryId& id,
              bool& is_open,
              Reply& reply) {
    is_open = text.size() > 1 && text.front() == '(';
    if (!is_open && (text == "-" || text == "+")) {
        id = text == "-" ? EntryId{} : store::streams::kIdMax;
        return true;
    }
    if (!parse_entry_id(is_open ? text.substr(1) : text, missing_sequence, id)) {
        reply.error(kInvalidEntryId);
        return false;
    }
    return true;
}

}  // namespace

bool read_range_start(std::string_view text, EntryId& id, Reply& reply) {
    bool is_open = false;
    if (!read_end(text, 0, id, is_open, reply)) {
        return false;
    }
    if (is_open && !store::streams::increment(id)) {
        reply.error("ERR invalid start ID for the interval");
        return false;
    }
    return true;
}

bool read_range_end(std::string_view text, EntryId& id, Reply& reply) {
    bool is_open = false;
    if (!read_end(text, UINT64_MAX, id, is_open, reply)) {
        return false;
    }
    if (is_open && !store::streams::decrement(id)) {
        reply.error("ERR invalid end ID for the interval");
        return false;
    }
    return true;
}

EntryIds take_entry_ids(Arguments& in) {
    const std::span<EntryId> ids = in.scratch().array<EntryId>(in.left());
    EntryIds out{ids, true};
    for (EntryId& id : ids) {
        out.are_valid = parse_entry_id(in.take(), 0, id) && out.are_valid;
    }
    return out;
}

// Entries

void write_entry(Reply& reply, const EntryView& entry) {
    using store::packed_entry::Entry;
    using store::packed_entry::Text;
    reply.array(2);
    write_id(reply, entry.id);
    reply.array(2 * entry.field_count);
    entry.for_each_field([&](const Entry& name, const Entry& value) {
        reply.bulk(Text(name).view());
        reply.bulk(Text(value).view());
    });
}

std::uint64_t write_entries(Reply& reply,
                            const EntryLog& entries,
                            const IdRange& range,
                            std::uint64_t count_max,
                            bool backwards) {
    const Reply::Open open = reply.open_array();
    std::uint64_t count = 0;
    entries.walk(range.first, range.last, backwards, [&](const EntryView& entry) {
        write_entry(reply, entry);
        return ++count != count_max;
    });
    reply.close_array(open, static_cast<std::size_t>(count));
    return count;
}

void write_entry_of(Reply& reply, const EntryLog& entries, const EntryId& id) {
    entries.walk(id, id, false, [&](const EntryView& entry) {
        write_entry(reply, entry);
        return false;
    });
}

// Trimming

namespace {

Taken read_threshold(Arguments& in, TrimArguments::Kind kind, TrimArguments& out, Reply& reply) {
    if (out.kind != TrimArguments::Kind::kNone) {
        reply.error(
            "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
        return Taken::kFailed;
    }
    out.kind = kind;
    out.is_approximate = in.left() >= 2 && in.peek() == "~";
    if (out.is_approximate || (in.left() >= 2 && in.peek() == "=")) {
        static_cast<void>(in.take());
    }
    if (kind == TrimArguments::Kind::kId) {
        return read_entry_id(in.take(), out.id_min, reply) ? Taken::kYes : Taken::kFailed;
    }
    std::int64_t count = 0;
    if (!in.read_integer(count, reply)) {
        return Taken::kFailed;
    }
    if (count < 0) {
        reply.error("ERR The MAXLEN argument must be >= 0.");
        return Taken::kFailed;
    }
    out.count_max = static_cast<std::uint64_t>(count);
    return Taken::kYes;
}

}  // namespace

Taken take_trim_option(Arguments& in, TrimArguments& out, Reply& reply) {
    if (in.left() < 2) {
        return Taken::kNo;
    }
    if (in.take_option("MAXLEN")) {
        return read_threshold(in, TrimArguments::Kind::kCount, out, reply);
    }
    if (in.take_option("MINID")) {
        return read_threshold(in, TrimArguments::Kind::kId, out, reply);
    }
    if (!in.take_option("LIMIT")) {
        return Taken::kNo;
    }
    if (!in.read_integer(out.limit, reply)) {
        return Taken::kFailed;
    }
    if (out.limit < 0) {
        reply.error("ERR The LIMIT argument must be >= 0.");
        return Taken::kFailed;
    }
    return Taken::kYes;
}

std::string_view broken_rule(const TrimArguments& trim) noexcept {
    if (trim.limit > 0 && trim.kind == TrimArguments::Kind::kNone) {
        return "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
    }
    if (trim.limit >= 0 && !trim.is_approximate) {
        return "ERR syntax error, LIMIT cannot be used without the special ~ option";
    }
    return {};
}

std::uint64_t trim_stream(Call& call, Stream& stream, const TrimArguments& trim) {
    constexpr std::uint64_t kLimitMax = 1'000'000;
    constexpr std::uint64_t kLimitWithoutNodes = 10'000;
    constexpr std::uint64_t kNodesAtOnce = 100;
    std::uint64_t limit = 0;
    if (trim.is_approximate) {
        const std::uint64_t node_entries = call.server.config().stream_limits.entry_count_max;
        limit = trim.limit >= 0 ? static_cast<std::uint64_t>(trim.limit)
                : node_entries == 0
                    ? kLimitWithoutNodes
                    : std::min(std::min(node_entries, kLimitMax) * kNodesAtOnce, kLimitMax);
    }
    return stream.trim(
        {.kind = trim.kind == TrimArguments::Kind::kCount ? Trim::Kind::kCount : Trim::Kind::kId,
         .count_max = trim.count_max,
         .id_min = trim.id_min,
         .whole_nodes_only = trim.is_approximate,
         .removed_max = limit});
}

// Groups

void write_no_group(Reply& reply, std::string_view key, std::string_view group) {
    reply.error(fmt::format(
        "NOGROUP No such key '{}' or consumer group '{}'", c_string(key), c_string(group)));
}

store::streams::Consumer* open_consumer(Call& call,
                                        store::streams::Group& group,
                                        std::string_view name) {
    store::streams::Consumer* consumer = group.find_consumer(name);
    if (consumer == nullptr) {
        consumer = group.add_consumer(name, call.now_ms);
        if (consumer == nullptr) {
            call.reply.error(kOutOfMemory);
            return nullptr;
        }
        call.keyspace.add_dirty(1);
    }
    consumer->seen_at_ms = call.now_ms;
    return consumer;
}

store::streams::Group* find_group(Call& call,
                                  const Stream& stream,
                                  std::string_view group,
                                  bool& failed) {
    failed = !is_usable(call, stream);
    return !failed && stream.exists() ? stream.get().find_group(group) : nullptr;
}

}  // namespace tern::server::commands
