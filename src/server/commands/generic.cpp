#include <array>
#include <string>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/scan.hpp"
#include "server/commands/tables.hpp"
#include "server/glob.hpp"
#include "server/server.hpp"
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

// EXPIRE and its kind

struct ExpireArguments {
    enum Condition : unsigned { kNx = 1, kXx = 2, kGt = 4, kLt = 8 };
    std::string_view key;
    std::int64_t time = 0;
    unsigned conditions = 0;
};

bool parse_conditions(Arguments& in, unsigned& conditions, Reply& reply) {
    using Args = ExpireArguments;
    while (!in.is_empty()) {
        const std::string_view word = in.take();
        if (equals_word(word, "NX")) {
            conditions |= Args::kNx;
        } else if (equals_word(word, "XX")) {
            conditions |= Args::kXx;
        } else if (equals_word(word, "GT")) {
            conditions |= Args::kGt;
        } else if (equals_word(word, "LT")) {
            conditions |= Args::kLt;
        } else {
            reply.error("ERR Unsupported option " + std::string(c_string(word)));
            return false;
        }
    }
    if ((conditions & Args::kNx) != 0 && conditions != Args::kNx) {
        reply.error("ERR NX and XX, GT or LT options at the same time are not compatible");
        return false;
    }
    if ((conditions & Args::kGt) != 0 && (conditions & Args::kLt) != 0) {
        reply.error("ERR GT and LT options at the same time are not compatible");
        return false;
    }
    return true;
}

bool parse_text(Arguments& in, ExpireArguments& out, Reply& reply) {
    out.key = in.take();
    const std::string_view time = in.take();
    if (!parse_conditions(in, out.conditions, reply)) {
        return false;
    }
    if (!parse_int64(time, out.time)) {
        reply.error(kNotInteger);
        return false;
    }
    return true;
}

template <typename View>
bool decode_wire(const View& view, ExpireArguments& out, Scratch&) {
    constexpr std::array<unsigned, 5> kConditions = {
        0, ExpireArguments::kNx, ExpireArguments::kXx, ExpireArguments::kGt, ExpireArguments::kLt};
    const auto condition = static_cast<std::size_t>(view.condition().raw());
    if (condition >= kConditions.size()) {
        return false;
    }
    out.conditions = kConditions[condition];
    out.time = view.time();
    out.key = as_text(view.key());
    return true;
}

bool condition_holds(unsigned conditions, std::int64_t current_ms, std::int64_t wanted_ms) {
    using Args = ExpireArguments;
    const bool has_current = current_ms != store::kNeverExpires;
    if (((conditions & Args::kNx) != 0 && has_current) ||
        ((conditions & Args::kXx) != 0 && !has_current)) {
        return false;
    }
    // No expiry counts as one infinitely late.
    if ((conditions & Args::kGt) != 0 && wanted_ms <= current_ms) {
        return false;
    }
    return (conditions & Args::kLt) == 0 || wanted_ms < current_ms;
}

void expire_in_unit(Call& call,
                    const ExpireArguments& args,
                    std::int64_t unit_ms,
                    std::int64_t base_ms) {
    const auto at_ms = absolute_ms(args.time, unit_ms, base_ms);
    if (!at_ms) {
        call.reply.error(
            fmt::format("ERR invalid expire time in '{}' command", call.spec->info.name));
        return;
    }
    store::EntryRef ref = call.database.find(args.key);
    if (!ref || !condition_holds(args.conditions, ref.expire_at_ms(), *at_ms)) {
        call.reply.integer(0);
        return;
    }
    if (*at_ms <= call.now_ms) {
        call.database.erase(ref);
    } else if (!call.database.set_expiry(ref, *at_ms)) {
        call.reply.error(kOutOfMemory);
        return;
    } else {
        call.database.mark_modified(ref);
    }
    call.reply.integer(1);
}

void expire(Call& call, const ExpireArguments& args) {
    expire_in_unit(call, args, 1000, call.now_ms);
}
void pexpire(Call& call, const ExpireArguments& args) {
    expire_in_unit(call, args, 1, call.now_ms);
}
void expireat(Call& call, const ExpireArguments& args) {
    expire_in_unit(call, args, 1000, 0);
}
void pexpireat(Call& call, const ExpireArguments& args) {
    expire_in_unit(call, args, 1, 0);
}

constexpr std::int64_t kMissing = -2;
constexpr std::int64_t kNoExpiry = -1;

template <typename Convert>
void report_expiry(Call& call, std::string_view key, Convert convert) {
    const store::EntryRef ref = call.database.peek(key);
    if (!ref || !ref.has_expiry()) {
        call.reply.integer(ref ? kNoExpiry : kMissing);
        return;
    }
    call.reply.integer(convert(ref.expire_at_ms()));
}

/// Seconds as Redis rounds them: to the nearest.
std::int64_t rounded_seconds(std::int64_t ms) {
    return (ms + 500) / 1000;
}

void ttl(Call& call, const KeyArguments& args) {
    report_expiry(call, args.key, [&](std::int64_t at_ms) {
        return rounded_seconds(std::max<std::int64_t>(at_ms - call.now_ms, 0));
    });
}
void pttl(Call& call, const KeyArguments& args) {
    report_expiry(call, args.key, [&](std::int64_t at_ms) {
        return std::max<std::int64_t>(at_ms - call.now_ms, 0);
    });
}
void expiretime(Call& call, const KeyArguments& args) {
    report_expiry(call, args.key, rounded_seconds);
}
void pexpiretime(Call& call, const KeyArguments& args) {
    report_expiry(call, args.key, [](std::int64_t at_ms) { return at_ms; });
}

void persist(Call& call, const KeyArguments& args) {
    store::EntryRef ref = call.database.find(args.key);
    if (!ref || !ref.has_expiry()) {
        call.reply.integer(0);
        return;
    }
    if (!call.database.persist(ref)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    call.database.mark_modified(ref);
    call.reply.integer(1);
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

// OBJECT

void object_encoding(Call& call, const KeyArguments& args) {
    const store::EntryRef ref = call.database.peek(args.key);
    if (ref) {
        call.reply.bulk(encoding_name(ref));
    } else {
        call.reply.null();
    }
}

void object_refcount(Call& call, const KeyArguments& args) {
    const store::EntryRef ref = call.database.peek(args.key);
    if (!ref) {
        call.reply.null();
        return;
    }
    // Redis shares the numbers 0 to 9999 and shows that with the largest count. Nothing is shared
    // here, but a client may look for it.
    constexpr std::int64_t kShared = 2147483647;
    constexpr std::int64_t kSharedNumbers = 10000;
    std::int64_t number = -1;
    const bool is_shared = ref.type() == store::Type::kString && !ref.is_object() &&
                           parse_int64(ref.text(), number) && number >= 0 &&
                           number < kSharedNumbers;
    call.reply.integer(is_shared ? kShared : 1);
}

void object_idletime(Call& call, const KeyArguments& args) {
    const store::EntryRef ref = call.database.peek(args.key);
    if (!ref) {
        call.reply.null();
        return;
    }
    if (call.keyspace.counts_uses()) {
        call.reply.error(
            "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when "
            "switching between policies at runtime LRU and LFU data will take some time to "
            "adjust.");
        return;
    }
    call.reply.integer(call.keyspace.idle_s(ref));
}

void object_freq(Call& call, const KeyArguments& args) {
    const store::EntryRef ref = call.database.peek(args.key);
    if (!ref) {
        call.reply.null();
        return;
    }
    if (!call.keyspace.counts_uses()) {
        call.reply.error(
            "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please "
            "note that when switching between policies at runtime LRU and LFU data will take some "
            "time to adjust.");
        return;
    }
    call.reply.integer(call.keyspace.use_count(ref));
}

void object_help(Call& call, const NoArguments&) {
    constexpr std::array<std::string_view, 5> kLines = {
        "OBJECT <subcommand> <key>. Subcommands:",
        "ENCODING: how the value is represented in memory.",
        "FREQ: how often the key is used, with an LFU maxmemory-policy.",
        "IDLETIME: seconds since the key was last used.",
        "REFCOUNT: references to the value; always 1 but for small numbers.",
    };
    call.reply.array(kLines.size());
    for (const std::string_view line : kLines) {
        call.reply.status(line);
    }
}

constexpr KeyPositions kFirst{1, 1, 1};
constexpr KeyPositions kFirstTwo{1, 2, 1};
constexpr KeyPositions kAllKeys{1, -1, 1};
constexpr KeyPositions kSubcommandKey{2, 2, 1};

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           KeyPositions keys,
                           std::string_view since,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary,
                           std::uint32_t more_categories = 0) {
    return {.name = name,
            .arity = static_cast<std::int16_t>(arity),
            .flags = flags,
            .keys = keys,
            .acl_categories = kAclKeyspace | more_categories,
            .group = "generic",
            .since = since,
            .complexity = complexity,
            .summary = summary,
            .syntax = syntax};
}

constexpr std::string_view kExpireSyntax = "key seconds [NX | XX | GT | LT]";
constexpr std::string_view kExpireMsSyntax = "key milliseconds [NX | XX | GT | LT]";

constexpr std::array kObjectTable = {
    row<object_encoding, wire::VerifiedObjectEncodingRequestView>(
        info("encoding",
             3,
             kReadonly,
             kSubcommandKey,
             "2.2.3",
             "O(1)",
             "key",
             "Names the value's representation.")),
    row<object_freq, wire::VerifiedObjectFreqRequestView>(info("freq",
                                                               3,
                                                               kReadonly,
                                                               kSubcommandKey,
                                                               "4.0.0",
                                                               "O(1)",
                                                               "key",
                                                               "Tells how often the key is used.")),
    row<object_help>(
        info("help", 2, kLoading | kStale, {}, "6.2.0", "O(1)", "", "Lists the subcommands.")),
    row<object_idletime, wire::VerifiedObjectIdleTimeRequestView>(
        info("idletime",
             3,
             kReadonly,
             kSubcommandKey,
             "2.2.3",
             "O(1)",
             "key",
             "Tells how long the key was not used.")),
    row<object_refcount, wire::VerifiedObjectRefCountRequestView>(
        info("refcount",
             3,
             kReadonly,
             kSubcommandKey,
             "2.2.3",
             "O(1)",
             "key",
             "Tells the references to the value.")),
};

constexpr CommandSpec object_row() {
    CommandSpec spec;
    spec.info = info(
        "object", -2, 0, {}, "2.2.3", "Depends on subcommand.", "", "Looks into a key's value.");
    spec.subcommands = kObjectTable;
    return spec;
}

}  // namespace

std::span<const CommandSpec> generic_table() {
    static constexpr std::array kTable = {
        row<copy, wire::VerifiedCopyRequestView>(
            info("copy",
                 -3,
                 kWrite | kDenyOom,
                 kFirstTwo,
                 "6.2.0",
                 "O(N) for collections, O(1) for strings",
                 "source destination [DB destination-db] [REPLACE]",
                 "Copies a key's value to another key.")),
        row<del, wire::VerifiedDelRequestView>(
            info("del", -2, kWrite, kAllKeys, "1.0.0", "O(N)", "key [key ...]", "Removes keys.")),
        row<exists, wire::VerifiedExistsRequestView>(info("exists",
                                                          -2,
                                                          kReadonly | kFast,
                                                          kAllKeys,
                                                          "1.0.0",
                                                          "O(N)",
                                                          "key [key ...]",
                                                          "Counts the keys that exist.")),
        row<expire, wire::VerifiedExpireRequestView>(info("expire",
                                                          -3,
                                                          kWrite | kFast,
                                                          kFirst,
                                                          "1.0.0",
                                                          "O(1)",
                                                          kExpireSyntax,
                                                          "Sets a key's time to live in seconds.")),
        row<expireat, wire::VerifiedExpireAtRequestView>(
            info("expireat",
                 -3,
                 kWrite | kFast,
                 kFirst,
                 "1.2.0",
                 "O(1)",
                 "key unix-time-seconds [NX | XX | GT | LT]",
                 "Sets when a key expires, in Unix seconds.")),
        row<expiretime, wire::VerifiedExpireTimeRequestView>(
            info("expiretime",
                 2,
                 kReadonly | kFast,
                 kFirst,
                 "7.0.0",
                 "O(1)",
                 "key",
                 "Tells when a key expires, in Unix seconds.")),
        row<keys, wire::VerifiedKeysRequestView>(info("keys",
                                                      2,
                                                      kReadonly,
                                                      {},
                                                      "1.0.0",
                                                      "O(N)",
                                                      "pattern",
                                                      "Lists the keys whose names match a pattern.",
                                                      kAclDangerous)),
        row<move, wire::VerifiedMoveRequestView>(info("move",
                                                      3,
                                                      kWrite | kFast,
                                                      kFirst,
                                                      "1.0.0",
                                                      "O(1)",
                                                      "key db",
                                                      "Moves a key to another database.")),
        object_row(),
        row<persist, wire::VerifiedPersistRequestView>(info("persist",
                                                            2,
                                                            kWrite | kFast,
                                                            kFirst,
                                                            "2.2.0",
                                                            "O(1)",
                                                            "key",
                                                            "Takes a key's time to live away.")),
        row<pexpire, wire::VerifiedPExpireRequestView>(
            info("pexpire",
                 -3,
                 kWrite | kFast,
                 kFirst,
                 "2.6.0",
                 "O(1)",
                 kExpireMsSyntax,
                 "Sets a key's time to live in milliseconds.")),
        row<pexpireat, wire::VerifiedPExpireAtRequestView>(
            info("pexpireat",
                 -3,
                 kWrite | kFast,
                 kFirst,
                 "2.6.0",
                 "O(1)",
                 "key unix-time-milliseconds [NX | XX | GT | LT]",
                 "Sets when a key expires, in Unix milliseconds.")),
        row<pexpiretime, wire::VerifiedPExpireTimeRequestView>(
            info("pexpiretime",
                 2,
                 kReadonly | kFast,
                 kFirst,
                 "7.0.0",
                 "O(1)",
                 "key",
                 "Tells when a key expires, in Unix milliseconds.")),
        row<pttl, wire::VerifiedPTtlRequestView>(
            info("pttl",
                 2,
                 kReadonly | kFast,
                 kFirst,
                 "2.6.0",
                 "O(1)",
                 "key",
                 "Tells a key's time to live in milliseconds.")),
        row<randomkey, wire::VerifiedRandomKeyRequestView>(
            info("randomkey", 1, kReadonly, {}, "1.0.0", "O(1)", "", "Names a key at random.")),
        row<rename, wire::VerifiedRenameRequestView>(
            info("rename",
                 3,
                 kWrite,
                 kFirstTwo,
                 "1.0.0",
                 "O(1)",
                 "key newkey",
                 "Renames a key and replaces the one of the new name.")),
        row<renamenx, wire::VerifiedRenameNxRequestView>(
            info("renamenx",
                 3,
                 kWrite | kFast,
                 kFirstTwo,
                 "1.0.0",
                 "O(1)",
                 "key newkey",
                 "Renames a key if the new name is free.")),
        row<scan, wire::VerifiedScanRequestView>(
            info("scan",
                 -2,
                 kReadonly,
                 {},
                 "2.8.0",
                 "O(1) a call, O(N) in all",
                 "cursor [MATCH pattern] [COUNT count] [TYPE type]",
                 "Walks all keys, some at a call.")),
        row<touch, wire::VerifiedTouchRequestView>(
            info("touch",
                 -2,
                 kReadonly | kFast,
                 kAllKeys,
                 "3.2.1",
                 "O(N)",
                 "key [key ...]",
                 "Counts the keys that exist and notes that they were used.")),
        row<ttl, wire::VerifiedTtlRequestView>(info("ttl",
                                                    2,
                                                    kReadonly | kFast,
                                                    kFirst,
                                                    "1.0.0",
                                                    "O(1)",
                                                    "key",
                                                    "Tells a key's time to live in seconds.")),
        row<type, wire::VerifiedTypeRequestView>(info("type",
                                                      2,
                                                      kReadonly | kFast,
                                                      kFirst,
                                                      "1.0.0",
                                                      "O(1)",
                                                      "key",
                                                      "Names the type of a key's value.")),
        row<del, wire::VerifiedUnlinkRequestView>(
            info("unlink",
                 -2,
                 kWrite | kFast,
                 kAllKeys,
                 "4.0.0",
                 "O(1) a key",
                 "key [key ...]",
                 "Removes keys; large values are freed later.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
