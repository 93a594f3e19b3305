#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/generic_rows.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/scan.hpp"
#include "server/commands/tables.hpp"
#include "server/glob.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

constexpr std::string_view kNoSuchKey = "ERR no such key";
constexpr std::string_view kSameObject = "ERR source and destination objects are the same";
constexpr std::string_view kDatabaseOutOfRange = "ERR DB index is out of range";

// DEL, UNLINK, EXISTS, TOUCH

void del(Call& call, const KeysArguments& args) {
    std::int64_t removed_count = 0;
    for (const std::string_view key : args.keys) {
        removed_count += call.database.erase(key) ? 1 : 0;
    }
    call.reply.integer(removed_count);
}

void exists(Call& call, const KeysArguments& args) {
    std::int64_t found_count = 0;
    for (const std::string_view key : args.keys) {
        found_count += call.database.peek(key) ? 1 : 0;
    }
    call.reply.integer(found_count);
}

void touch(Call& call, const KeysArguments& args) {
    std::int64_t found_count = 0;
    for (const std::string_view key : args.keys) {
        found_count += call.database.find(key) ? 1 : 0;
    }
    call.reply.integer(found_count);
}

void type(Call& call, const KeyArguments& args) {
    const store::EntryRef ref = call.database.peek(args.key);
    call.reply.status(ref ? type_name(ref.type()) : "none");
}

// RENAME, COPY, MOVE

struct RenameArguments {
    std::string_view key;
    std::string_view new_key;
};
bool parse_text(Arguments& in, RenameArguments& out, Reply&) {
    out.key = in.take();
    out.new_key = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, RenameArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.new_key = as_text(view.new_key());
    return true;
}

/// Renames, or answers why not and returns false.
bool rename_entry(Call& call, const RenameArguments& args, store::EntryRef ref) {
    if (args.key != args.new_key && !call.database.rename(ref, args.new_key)) {
        call.reply.error(kOutOfMemory);
        return false;
    }
    return true;
}

void rename(Call& call, const RenameArguments& args) {
    const store::EntryRef ref = call.database.find(args.key);
    if (!ref) {
        call.reply.error(kNoSuchKey);
    } else if (rename_entry(call, args, ref)) {
        call.reply.ok();
    }
}

void renamenx(Call& call, const RenameArguments& args) {
    const store::EntryRef ref = call.database.find(args.key);
    if (!ref) {
        call.reply.error(kNoSuchKey);
    } else if (call.database.peek(args.new_key)) {
        call.reply.integer(0);
    } else if (rename_entry(call, args, ref)) {
        call.reply.integer(1);
    }
}

struct CopyArguments {
    std::string_view key;
    std::string_view destination;
    std::int64_t database = -1;  ///< negative: the selected one
    bool replaces = false;
    /// What is wrong with the options; a database that does not exist is told before it.
    std::string_view option_error;
};
/// One option; returns an error's text, or nothing.
std::string_view read_copy_option(Arguments& in, CopyArguments& out) {
    if (in.take_option("REPLACE")) {
        out.replaces = true;
        return {};
    }
    if (in.left() < 2 || !in.take_option("DB")) {
        return kSyntaxError;
    }
    if (!parse_int64(in.take(), out.database)) {
        return kNotInteger;
    }
    return out.database < 0 ? kDatabaseOutOfRange : std::string_view();
}
bool parse_text(Arguments& in, CopyArguments& out, Reply&) {
    out.key = in.take();
    out.destination = in.take();
    while (!in.is_empty() && out.option_error.empty()) {
        out.option_error = read_copy_option(in, out);
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, CopyArguments& out, Scratch&) {
    out.database = view.database();
    out.replaces = view.flags().replace();
    out.key = as_text(view.key());
    out.destination = as_text(view.destination());
    return true;
}

/// The database of that number, or null after an error.
store::Database* database_of(Call& call, std::int64_t number) {
    if (number < 0 || static_cast<std::size_t>(number) >= call.keyspace.database_count()) {
        call.reply.error(kDatabaseOutOfRange);
        return nullptr;
    }
    return &call.keyspace.database(static_cast<std::size_t>(number));
}

void copy(Call& call, const CopyArguments& args) {
    store::Database* target = args.database < 0 ? &call.database : database_of(call, args.database);
    if (target == nullptr) {
        return;
    }
    if (!args.option_error.empty()) {
        call.reply.error(args.option_error);
        return;
    }
    if (target == &call.database && args.key == args.destination) {
        call.reply.error(kSameObject);
        return;
    }
    const store::EntryRef ref = call.database.find(args.key);
    if (!ref || (!args.replaces && target->peek(args.destination))) {
        call.reply.integer(0);
        return;
    }
    if (!call.database.copy(ref, *target, args.destination)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    call.reply.integer(1);
}

struct MoveArguments {
    std::string_view key;
    std::int64_t database = 0;
};
bool parse_text(Arguments& in, MoveArguments& out, Reply& reply) {
    out.key = in.take();
    return in.read_integer(out.database, reply);
}
template <typename View>
bool decode_wire(const View& view, MoveArguments& out, Scratch&) {
    out.database = view.database();
    out.key = as_text(view.key());
    return true;
}

void move(Call& call, const MoveArguments& args) {
    store::Database* target = database_of(call, args.database);
    if (target == nullptr) {
        return;
    }
    if (target == &call.database) {
        call.reply.error(kSameObject);
        return;
    }
    const store::EntryRef ref = call.database.find(args.key);
    if (!ref || target->peek(args.key)) {
        call.reply.integer(0);
        return;
    }
    if (!call.database.move_to(ref, *target)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    call.reply.integer(1);
}

// RANDOMKEY, KEYS, SCAN

void randomkey(Call& call, const NoArguments&) {
    const store::EntryRef ref = call.database.random_key();
    if (ref) {
        call.reply.bulk(ref.key());
    } else {
        call.reply.null();
    }
}

struct PatternArguments {
    std::string_view pattern;
};
bool parse_text(Arguments& in, PatternArguments& out, Reply&) {
    out.pattern = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, PatternArguments& out, Scratch&) {
    out.pattern = as_text(view.pattern());
    return true;
}

void keys(Call& call, const PatternArguments& args) {
    const Reply::Open list = call.reply.open_array();
    std::size_t key_count = 0;
    const bool matches_all = args.pattern == "*";
    call.database.for_each([&](const store::EntryRef& ref) {
        const std::string_view key = ref.key();
        if (matches_all || glob_match(args.pattern, key)) {
            call.reply.bulk(key);
            ++key_count;
        }
    });
    call.reply.close_array(list, key_count);
}

struct ScanArguments {
    ScanOptions options;
    std::string_view type;
};
bool parse_text(Arguments& in, ScanArguments& out, Reply& reply) {
    if (!parse_cursor(in, out.options, reply)) {
        return false;
    }
    while (!in.is_empty()) {
        if (in.left() > 1 && in.take_option("TYPE")) {
            out.type = in.take();
        } else if (!parse_scan_option(in, out.options, reply)) {
            return false;
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, ScanArguments& out, Scratch&) {
    decode_scan(view, out.options);
    out.type = as_text(view.type());
    return true;
}

void scan(Call& call, const ScanArguments& args) {
    // The cursor comes first in the reply and last in the work, so the keys are gathered before.
    ScratchList<std::string_view> found(call.scratch);
    const std::uint64_t next = call.database.scan(
        args.options.cursor, args.options.count, [&](const store::EntryRef& ref) {
            if ((args.type.empty() || equals_any_case(args.type, type_name(ref.type()))) &&
                (args.options.matches(ref.key()))) {
                found.push_back(ref.key());
            }
        });
    write_scan_reply(call.reply, next, found.items());
}

constexpr std::array kTable = {
    row<copy, wire::VerifiedCopyRequestView>(
        generic_info("copy",
                     -3,
                     kWrite | kDenyOom,
                     kTwoKeys,
                     "6.2.0",
                     "O(N) for collections, O(1) for strings",
                     "source destination [DB destination-db] [REPLACE]",
                     "Copies a key's value to another key.")),
    row<del, wire::VerifiedDelRequestView>(generic_info(
        "del", -2, kWrite, kAllKeys, "1.0.0", "O(N)", "key [key ...]", "Removes keys.")),
    row<exists, wire::VerifiedExistsRequestView>(generic_info("exists",
                                                              -2,
                                                              kReadonly | kFast,
                                                              kAllKeys,
                                                              "1.0.0",
                                                              "O(N)",
                                                              "key [key ...]",
                                                              "Counts the keys that exist.")),
    row<keys, wire::VerifiedKeysRequestView>(
        generic_info("keys",
                     2,
                     kReadonly,
                     {},
                     "1.0.0",
                     "O(N)",
                     "pattern",
                     "Lists the keys whose names match a pattern.",
                     kAclDangerous)),
    row<move, wire::VerifiedMoveRequestView>(generic_info("move",
                                                          3,
                                                          kWrite | kFast,
                                                          kOneKey,
                                                          "1.0.0",
                                                          "O(1)",
                                                          "key db",
                                                          "Moves a key to another database.")),
    row<randomkey, wire::VerifiedRandomKeyRequestView>(
        generic_info("randomkey", 1, kReadonly, {}, "1.0.0", "O(1)", "", "Names a key at random.")),
    row<rename, wire::VerifiedRenameRequestView>(
        generic_info("rename",
                     3,
                     kWrite,
                     kTwoKeys,
                     "1.0.0",
                     "O(1)",
                     "key newkey",
                     "Renames a key and replaces the one of the new name.")),
    row<renamenx, wire::VerifiedRenameNxRequestView>(
        generic_info("renamenx",
                     3,
                     kWrite | kFast,
                     kTwoKeys,
                     "1.0.0",
                     "O(1)",
                     "key newkey",
                     "Renames a key if the new name is free.")),
    row<scan, wire::VerifiedScanRequestView>(
        generic_info("scan",
                     -2,
                     kReadonly,
                     {},
                     "2.8.0",
                     "O(1) a call, O(N) in all",
                     "cursor [MATCH pattern] [COUNT count] [TYPE type]",
                     "Walks all keys, some at a call.")),
    row<touch, wire::VerifiedTouchRequestView>(
        generic_info("touch",
                     -2,
                     kReadonly | kFast,
                     kAllKeys,
                     "3.2.1",
                     "O(N)",
                     "key [key ...]",
                     "Counts the keys that exist and notes that they were used.")),
    row<type, wire::VerifiedTypeRequestView>(generic_info("type",
                                                          2,
                                                          kReadonly | kFast,
                                                          kOneKey,
                                                          "1.0.0",
                                                          "O(1)",
                                                          "key",
                                                          "Names the type of a key's value.")),
    row<del, wire::VerifiedUnlinkRequestView>(
        generic_info("unlink",
                     -2,
                     kWrite | kFast,
                     kAllKeys,
                     "4.0.0",
                     "O(1) a key",
                     "key [key ...]",
                     "Removes keys; large values are freed later.")),
};

}  // namespace

std::span<const CommandSpec> generic_table() {
    return kTable;
}

}  // namespace tern::server::commands
