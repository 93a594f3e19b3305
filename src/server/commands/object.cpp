#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/generic_rows.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

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

constexpr KeyPositions kSubcommandKey{2, 2, 1};

constexpr std::array kObjectTable = {
    row<object_encoding, wire::VerifiedObjectEncodingRequestView>(
        generic_info("encoding",
                     3,
                     kReadonly,
                     kSubcommandKey,
                     "2.2.3",
                     "O(1)",
                     "key",
                     "Names the value's representation.")),
    row<object_freq, wire::VerifiedObjectFreqRequestView>(
        generic_info("freq",
                     3,
                     kReadonly,
                     kSubcommandKey,
                     "4.0.0",
                     "O(1)",
                     "key",
                     "Tells how often the key is used.")),
    row<object_help>(generic_info(
        "help", 2, kLoading | kStale, {}, "6.2.0", "O(1)", "", "Lists the subcommands.")),
    row<object_idletime, wire::VerifiedObjectIdleTimeRequestView>(
        generic_info("idletime",
                     3,
                     kReadonly,
                     kSubcommandKey,
                     "2.2.3",
                     "O(1)",
                     "key",
                     "Tells how long the key was not used.")),
    row<object_refcount, wire::VerifiedObjectRefCountRequestView>(
        generic_info("refcount",
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
    spec.info = generic_info(
        "object", -2, 0, {}, "2.2.3", "Depends on subcommand.", "", "Looks into a key's value.");
    spec.subcommands = kObjectTable;
    return spec;
}

constexpr std::array kTable = {object_row()};

}  // namespace

std::span<const CommandSpec> object_table() {
    return kTable;
}

}  // namespace tern::server::commands
