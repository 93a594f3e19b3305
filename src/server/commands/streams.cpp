#include "server/commands/streams.hpp"

#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::EntryId;
using store::streams::kIdMax;
using store::streams::LargeStream;
using store::streams::Node;
using store::streams::Stream;

// XADD

/// Which id an entry gets.
enum class IdKind : std::uint8_t { kAuto, kAutoSequence, kGiven };

struct AddArguments {
    std::string_view key;
    IdKind id_kind = IdKind::kAuto;
    EntryId id;
    bool only_existing = false;
    TrimArguments trim;
    std::span<const std::string_view> fields;  ///< names and values in turn
};

/// The id, which ends the options.
bool read_new_id(Arguments& in, AddArguments& out, Reply& reply) {
    const std::string_view text = in.take();
    if (text == "*") {
        return true;
    }
    if (parse_entry_ms(text, out.id.ms)) {
        out.id_kind = IdKind::kAutoSequence;
        return true;
    }
    out.id_kind = IdKind::kGiven;
    return read_entry_id(text, out.id, reply);
}

bool parse_text(Arguments& in, AddArguments& out, Reply& reply) {
    out.key = in.take();
    while (true) {
        const Taken taken = take_trim_option(in, out.trim, reply);
        if (taken == Taken::kFailed) {
            return false;
        }
        if (taken == Taken::kYes) {
            if (in.is_empty()) {
                break;
            }
            continue;
        }
        if (!in.take_option("NOMKSTREAM")) {
            if (!read_new_id(in, out, reply)) {
                return false;
            }
            break;
        }
        out.only_existing = true;
        if (in.is_empty()) {
            break;
        }
    }
    if (const std::string_view error = broken_rule(out.trim); !error.empty()) {
        reply.error(error);
        return false;
    }
    out.fields = in.take_rest();
    if (out.fields.empty() || out.fields.size() % 2 != 0) {
        reply.error("ERR wrong number of arguments for 'xadd' command");
        return false;
    }
    return true;
}

template <typename View>
bool decode_wire(const View& view, AddArguments& out, Scratch& scratch) {
    out.id_kind = static_cast<IdKind>(view.id_kind().raw());
    out.id = {view.ms(), view.sequence()};
    out.only_existing = view.flags().no_create();
    const auto entries = view.fields();
    const auto texts = scratch.array<std::string_view>(2 * entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        texts[i++] = as_text(entry.field());
        texts[i++] = as_text(entry.value());
    }
    out.fields = texts;
    return view.id_kind().known() && decode_trim(view, out.trim) &&
           decode_only_key(view, out.key) && !out.fields.empty();
}

constexpr std::string_view kIdTooSmall =
    "ERR The ID specified in XADD is equal or smaller than the target stream top item";

/// The id of a new entry behind `last`; an error when there is none.
std::string_view choose_id(Call& call, const AddArguments& args, const EntryId& last, EntryId& id) {
    if (last == kIdMax) {
        return "ERR The stream has exhausted the last possible ID, unable to add more items";
    }
    switch (args.id_kind) {
        case IdKind::kAuto:
            id = {static_cast<std::uint64_t>(call.now_ms), 0};
            if (id.ms <= last.ms) {
                id = last;
                static_cast<void>(store::streams::increment(id));
            }
            return {};
        case IdKind::kAutoSequence:
            id = {args.id.ms, args.id.ms == last.ms ? last.sequence + 1 : 0};
            break;
        case IdKind::kGiven:
            id = args.id;
            break;
    }
    return id > last ? std::string_view() : kIdTooSmall;
}

[[nodiscard]] bool are_too_large(std::span<const std::string_view> texts) noexcept {
    std::size_t bytes = 0;
    for (const std::string_view text : texts) {
        bytes += text.size();
    }
    return bytes > Node::kTextBytesMax;
}

void xadd(Call& call, const AddArguments& args) {
    if (args.id_kind == IdKind::kGiven && args.id.is_zero()) {
        call.reply.error("ERR The ID specified in XADD must be greater than 0-0");
        return;
    }
    Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    const bool is_new = !stream.exists();
    if (is_new && args.only_existing) {
        call.reply.null();
        return;
    }
    EntryId id;
    std::string_view error = choose_id(call, args, is_new ? EntryId{} : stream.get().last_id, id);
    if (error.empty() && are_too_large(args.fields)) {
        error = "ERR Elements are too large to be stored";
    }
    if (!error.empty()) {
        call.reply.error(error);
        return;
    }
    if (!stream.create() || !stream.append(id, args.fields, call.server.config().stream_limits)) {
        if (is_new && stream.exists()) {
            stream.remove();
        }
        call.reply.error(kOutOfMemory);
        return;
    }
    write_id(call.reply, id);
    if (args.trim.kind != TrimArguments::Kind::kNone) {
        trim_stream(call, stream, args.trim);
    }
    if (!is_new) {
        stream.mark_modified();
    }
}

// XLEN

void xlen(Call& call, const KeyArguments& args) {
    const Stream stream(call.database, args.key);
    if (is_usable(call, stream)) {
        call.reply.integer(static_cast<std::int64_t>(stream.size()));
    }
}

// XDEL

struct DeleteArguments {
    std::string_view key;
    EntryIds ids;
};
bool parse_text(Arguments& in, DeleteArguments& out, Reply&) {
    out.key = in.take();
    out.ids = take_entry_ids(in);
    return true;
}
template <typename View>
bool decode_wire(const View& view, DeleteArguments& out, Scratch& scratch) {
    out.ids = wire_entry_ids(view, scratch);
    return decode_only_key(view, out.key) && !out.ids.ids.empty();
}

/// Tells of changes of a stream: the key's own change counts one.
void mark_changed(Call& call, Stream& stream, std::uint64_t count) {
    if (count != 0) {
        stream.mark_modified();
        call.keyspace.add_dirty(static_cast<std::int64_t>(count) - 1);
    }
}

void xdel(Call& call, const DeleteArguments& args) {
    Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    if (!stream.exists()) {
        call.reply.integer(0);
        return;
    }
    if (!args.ids.are_valid) {
        call.reply.error(kInvalidEntryId);
        return;
    }
    std::uint64_t count = 0;
    for (const EntryId& id : args.ids.ids) {
        count += stream.erase(id) ? 1 : 0;
    }
    mark_changed(call, stream, count);
    call.reply.integer(static_cast<std::int64_t>(count));
}

// XTRIM

struct XTrimArguments {
    std::string_view key;
    TrimArguments trim;
};
bool parse_text(Arguments& in, XTrimArguments& out, Reply& reply) {
    out.key = in.take();
    while (!in.is_empty()) {
        switch (take_trim_option(in, out.trim, reply)) {
            case Taken::kYes:
                continue;
            case Taken::kNo:
                return syntax_error(reply);
            case Taken::kFailed:
                return false;
        }
    }
    std::string_view error = broken_rule(out.trim);
    if (out.trim.kind == TrimArguments::Kind::kNone && out.trim.limit <= 0) {
        error = "ERR syntax error, XTRIM must be called with a trimming strategy";
    }
    if (!error.empty()) {
        reply.error(error);
    }
    return error.empty();
}
template <typename View>
bool decode_wire(const View& view, XTrimArguments& out, Scratch&) {
    out.key = as_text(view.key());
    return decode_trim(view, out.trim) && out.trim.kind != TrimArguments::Kind::kNone;
}

void xtrim(Call& call, const XTrimArguments& args) {
    Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    const std::uint64_t count = stream.exists() ? trim_stream(call, stream, args.trim) : 0;
    mark_changed(call, stream, count);
    call.reply.integer(static_cast<std::int64_t>(count));
}

// XSETID

struct SetIdArguments {
    std::string_view key;
    EntryId id;
    std::int64_t entries_added = -1;  ///< negative: as it is
    EntryId deleted_id_max;           ///< 0-0: as it is
};

[[nodiscard]] std::string_view broken_rule(const SetIdArguments& args) noexcept {
    return args.id < args.deleted_id_max
               ? "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id"
               : std::string_view();
}

bool parse_set_id_option(Arguments& in, SetIdArguments& out, Reply& reply) {
    if (in.left() < 2) {
        return syntax_error(reply);
    }
    if (in.take_option("ENTRIESADDED")) {
        if (!in.read_integer(out.entries_added, reply)) {
            return false;
        }
        if (out.entries_added < 0) {
            reply.error("ERR entries_added must be positive");
            return false;
        }
        return true;
    }
    if (!in.take_option("MAXDELETEDID")) {
        return syntax_error(reply);
    }
    if (!read_entry_id(in.take(), out.deleted_id_max, reply)) {
        return false;
    }
    if (const std::string_view error = broken_rule(out); !error.empty()) {
        reply.error(error);
        return false;
    }
    return true;
}

bool parse_text(Arguments& in, SetIdArguments& out, Reply& reply) {
    out.key = in.take();
    if (!read_entry_id(in.take(), out.id, reply)) {
        return false;
    }
    while (!in.is_empty()) {
        if (!parse_set_id_option(in, out, reply)) {
            return false;
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, SetIdArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.id = {view.ms(), view.sequence()};
    out.entries_added = view.entries_added();
    out.deleted_id_max = {view.max_deleted_ms(), view.max_deleted_sequence()};
    return out.entries_added >= -1 && broken_rule(out).empty();
}

/// Why a stream cannot have the last id that XSETID gives it; empty: it can.
[[nodiscard]] std::string_view refusal(const LargeStream& stream, const SetIdArguments& args) {
    if (args.id < stream.deleted_id_max) {
        return "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id";
    }
    const std::uint64_t length = stream.entries().size();
    if (length == 0) {
        return {};
    }
    if (args.id < *stream.entries().last_id()) {
        return "ERR The ID specified in XSETID is smaller than the target stream top item";
    }
    if (args.entries_added >= 0 && static_cast<std::uint64_t>(args.entries_added) < length) {
        return "ERR The entries_added specified in XSETID is smaller than the target stream length";
    }
    return {};
}

void xsetid(Call& call, const SetIdArguments& args) {
    Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    const std::string_view error =
        stream.exists() ? refusal(stream.get(), args) : std::string_view("ERR no such key");
    if (!error.empty()) {
        call.reply.error(error);
        return;
    }
    LargeStream& large = stream.get();
    large.last_id = args.id;
    if (args.entries_added >= 0) {
        large.entries_added = static_cast<std::uint64_t>(args.entries_added);
    }
    if (!args.deleted_id_max.is_zero()) {
        large.deleted_id_max = args.deleted_id_max;
    }
    stream.mark_modified();
    call.reply.ok();
}

constexpr std::array kTable = {
    row<xadd, wire::VerifiedXAddRequestView>(
        stream_info("xadd",
                    -5,
                    kWrite | kDenyOom | kFast,
                    kOneKey,
                    "5.0.0",
                    "O(1), and O(N) for N entries that are trimmed",
                    "key [NOMKSTREAM] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count]] "
                    "<* | id> field value [field value ...]",
                    "Adds an entry to a stream, which it makes if need be.")),
    row<xdel, wire::VerifiedXDelRequestView>(stream_info("xdel",
                                                         -3,
                                                         kWrite | kFast,
                                                         kOneKey,
                                                         "5.0.0",
                                                         "O(log(M)) for each id in a stream of M",
                                                         "key id [id ...]",
                                                         "Takes entries out of a stream.")),
    row<xlen, wire::VerifiedXLenRequestView>(stream_info("xlen",
                                                         2,
                                                         kReadonly | kFast,
                                                         kOneKey,
                                                         "5.0.0",
                                                         "O(1)",
                                                         "key",
                                                         "Counts the entries of a stream.")),
    row<xsetid, wire::VerifiedXSetIdRequestView>(
        stream_info("xsetid",
                    -3,
                    kWrite | kDenyOom | kFast,
                    kOneKey,
                    "5.0.0",
                    "O(1)",
                    "key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]",
                    "Sets the last id of a stream and what is known of entries that went.")),
    row<xtrim, wire::VerifiedXTrimRequestView>(
        stream_info("xtrim",
                    -4,
                    kWrite,
                    kOneKey,
                    "5.0.0",
                    "O(N) for N entries that go",
                    "key <MAXLEN | MINID> [= | ~] threshold [LIMIT count]",
                    "Takes entries from the front of a stream.")),
};

}  // namespace

std::span<const CommandSpec> stream_table() {
    return kTable;
}

}  // namespace tern::server::commands
