#include <array>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/scan.hpp"
#include "server/commands/tables.hpp"
#include "server/glob.hpp"
#include "server/server.hpp"
#include "store/hash/hash.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::hashes::FieldValue;
using store::hashes::Hash;
using store::hashes::SetOutcome;

/// Whether the key can be used as a hash; answers WRONGTYPE otherwise.
bool is_usable(Call& call, const Hash& hash) {
    if (hash.is_wrong_type()) {
        call.reply.error(kWrongType);
    }
    return !hash.is_wrong_type();
}

const store::CompactLimits& limits(Call& call) {
    return call.server.config().hash_limits;
}

// HSET, HMSET, HSETNX

struct FieldsAndValues {
    std::string_view key;
    std::span<const FieldValue> fields;
};

bool parse_pairs(Arguments& in, FieldsAndValues& out, Reply& reply, std::string_view name) {
    out.key = in.take();
    if (in.left() % 2 != 0) {
        reply.error(fmt::format("ERR wrong number of arguments for '{}' command", name));
        return false;
    }
    const std::span<FieldValue> fields = in.scratch().array<FieldValue>(in.left() / 2);
    for (FieldValue& pair : fields) {
        pair.field = in.take();
        pair.value = in.take();
    }
    out.fields = fields;
    return true;
}

struct HSetArguments : FieldsAndValues {};
struct HMSetArguments : FieldsAndValues {};
bool parse_text(Arguments& in, HSetArguments& out, Reply& reply) {
    return parse_pairs(in, out, reply, "hset");
}
bool parse_text(Arguments& in, HMSetArguments& out, Reply& reply) {
    return parse_pairs(in, out, reply, "hmset");
}
template <typename View>
bool decode_wire(const View& view, FieldsAndValues& out, Scratch& scratch) {
    const auto entries = view.fields();
    const std::span<FieldValue> fields = scratch.array<FieldValue>(entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        fields[i++] = {as_text(entry.field()), as_text(entry.value())};
    }
    out.fields = fields;
    return decode_only_key(view, out.key) && !fields.empty();
}

/// Sets all pairs. False after an error was answered.
bool set_fields(Call& call, const FieldsAndValues& args, std::int64_t& added_count) {
    Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return false;
    }
    for (const FieldValue& pair : args.fields) {
        const SetOutcome outcome = hash.set(pair.field, pair.value, limits(call));
        if (outcome == SetOutcome::kOutOfMemory) {
            call.reply.error(kOutOfMemory);
            return false;
        }
        added_count += outcome == SetOutcome::kAdded ? 1 : 0;
    }
    hash.mark_modified();
    return true;
}

void hset(Call& call, const HSetArguments& args) {
    std::int64_t added_count = 0;
    if (set_fields(call, args, added_count)) {
        call.reply.integer(added_count);
    }
}

void hmset(Call& call, const HMSetArguments& args) {
    std::int64_t added_count = 0;
    if (set_fields(call, args, added_count)) {
        call.reply.ok();
    }
}

struct FieldValueArguments {
    std::string_view key;
    std::string_view field;
    std::string_view value;
};
bool parse_text(Arguments& in, FieldValueArguments& out, Reply&) {
    out.key = in.take();
    out.field = in.take();
    out.value = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, FieldValueArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.field = as_text(view.field());
    out.value = as_text(view.value());
    return true;
}

void hsetnx(Call& call, const FieldValueArguments& args) {
    Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    if (hash.get(args.field)) {
        call.reply.integer(0);
        return;
    }
    if (hash.set(args.field, args.value, limits(call)) == SetOutcome::kOutOfMemory) {
        call.reply.error(kOutOfMemory);
        return;
    }
    hash.mark_modified();
    call.reply.integer(1);
}

// Reading

struct FieldArguments {
    std::string_view key;
    std::string_view field;
};
bool parse_text(Arguments& in, FieldArguments& out, Reply&) {
    out.key = in.take();
    out.field = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, FieldArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.field = as_text(view.field());
    return true;
}

void write_value(Reply& reply, std::optional<std::string_view> value) {
    if (value) {
        reply.bulk(*value);
    } else {
        reply.null();
    }
}

void hget(Call& call, const FieldArguments& args) {
    const Hash hash(call.database, args.key);
    if (is_usable(call, hash)) {
        write_value(call.reply, hash.get(args.field));
    }
}

void hmget(Call& call, const MembersArguments& args) {
    const Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    call.reply.array(args.members.size());
    for (const std::string_view field : args.members) {
        write_value(call.reply, hash.get(field));
    }
}

void hdel(Call& call, const MembersArguments& args) {
    Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    std::int64_t removed_count = 0;
    for (const std::string_view field : args.members) {
        removed_count += hash.erase(field) ? 1 : 0;
    }
    if (removed_count != 0) {
        hash.mark_modified();
    }
    call.reply.integer(removed_count);
}

void hgetall(Call& call, const KeyArguments& args) {
    const Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    call.reply.map(hash.size());
    hash.for_each([&](const FieldValue& pair) {
        call.reply.bulk(pair.field);
        call.reply.bulk(pair.value);
    });
}

void hkeys(Call& call, const KeyArguments& args) {
    const Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    call.reply.array(hash.size());
    hash.for_each([&](const FieldValue& pair) { call.reply.bulk(pair.field); });
}

void hvals(Call& call, const KeyArguments& args) {
    const Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    call.reply.array(hash.size());
    hash.for_each([&](const FieldValue& pair) { call.reply.bulk(pair.value); });
}

void hlen(Call& call, const KeyArguments& args) {
    const Hash hash(call.database, args.key);
    if (is_usable(call, hash)) {
        call.reply.integer(static_cast<std::int64_t>(hash.size()));
    }
}

void hexists(Call& call, const FieldArguments& args) {
    const Hash hash(call.database, args.key);
    if (is_usable(call, hash)) {
        call.reply.integer(hash.get(args.field) ? 1 : 0);
    }
}

void hstrlen(Call& call, const FieldArguments& args) {
    const Hash hash(call.database, args.key);
    if (is_usable(call, hash)) {
        call.reply.integer(static_cast<std::int64_t>(hash.get(args.field).value_or("").size()));
    }
}

// Increments

using store::hashes::IncrementOutcome;

/// Answers what went wrong; false when nothing did.
bool increment_failed(Reply& reply, IncrementOutcome outcome, std::string_view not_a_number) {
    switch (outcome) {
        case IncrementOutcome::kDone:
            return false;
        case IncrementOutcome::kNotANumber:
            reply.error(not_a_number);
            break;
        case IncrementOutcome::kOverflow:
            reply.error("ERR increment or decrement would overflow");
            break;
        case IncrementOutcome::kNotFinite:
            reply.error("ERR increment would produce NaN or Infinity");
            break;
        case IncrementOutcome::kOutOfMemory:
            reply.error(kOutOfMemory);
            break;
    }
    return true;
}

struct IncrementArguments : FieldArguments {
    std::int64_t increment = 0;
};
bool parse_text(Arguments& in, IncrementArguments& out, Reply& reply) {
    out.key = in.take();
    out.field = in.take();
    return in.read_integer(out.increment, reply);
}
template <typename View>
bool decode_wire(const View& view, IncrementArguments& out, Scratch& scratch) {
    out.increment = view.increment();
    return decode_wire(view, static_cast<FieldArguments&>(out), scratch);
}

void hincrby(Call& call, const IncrementArguments& args) {
    Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    std::int64_t sum = 0;
    const IncrementOutcome outcome = hash.increment(args.field, args.increment, limits(call), sum);
    if (!increment_failed(call.reply, outcome, "ERR hash value is not an integer")) {
        hash.mark_modified();
        call.reply.integer(sum);
    }
}

struct FloatIncrementArguments : FieldArguments {
    long double increment = 0;
};
bool parse_text(Arguments& in, FloatIncrementArguments& out, Reply& reply) {
    out.key = in.take();
    out.field = in.take();
    if (!parse_long_double(in.take(), out.increment)) {
        reply.error(kNotFloat);
        return false;
    }
    if (!std::isfinite(out.increment)) {
        reply.error("ERR value is NaN or Infinity");
        return false;
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, FloatIncrementArguments& out, Scratch& scratch) {
    out.increment = view.increment();
    return std::isfinite(out.increment) &&
           decode_wire(view, static_cast<FieldArguments&>(out), scratch);
}

void hincrbyfloat(Call& call, const FloatIncrementArguments& args) {
    Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    Hash::FloatText buffer;
    std::string_view text;
    const IncrementOutcome outcome =
        hash.increment_float(args.field, args.increment, limits(call), buffer, text);
    if (!increment_failed(call.reply, outcome, "ERR hash value is not a float")) {
        hash.mark_modified();
        call.reply.bulk(text);
    }
}

// HRANDFIELD, HSCAN

void hrandfield(Call& call, const RandomArguments& args) {
    const Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    Random& random = call.keyspace.random();
    if (!args.has_count) {
        write_value(call.reply,
                    hash.exists() ? std::optional(hash.random_field(random).field) : std::nullopt);
        return;
    }
    const bool repeats = args.count < 0;
    const std::uint64_t wanted = args.absolute_count();
    const std::uint64_t count = !hash.exists() ? 0
                                : repeats      ? wanted
                                               : std::min<std::uint64_t>(wanted, hash.size());
    begin_random_list(call.reply, count, args.with_values);
    const auto write = [&](const FieldValue& pair) {
        if (args.with_values && call.reply.is_typed()) {
            call.reply.array(2);
        }
        call.reply.bulk(pair.field);
        if (args.with_values) {
            call.reply.bulk(pair.value);
        }
    };
    if (count == 0) {
        return;
    }
    if (repeats) {
        hash.random_repeating(count, random, write);
    } else {
        hash.random_distinct(count, random, write);
    }
}

void hscan(Call& call, const KeyScanArguments& args) {
    const Hash hash(call.database, args.key);
    if (!is_usable(call, hash)) {
        return;
    }
    ScratchList<std::string_view> found(call.scratch);
    const std::uint64_t next =
        hash.scan(args.options.cursor, args.options.count, [&](const FieldValue& pair) {
            if (args.options.matches(pair.field)) {
                found.push_back(pair.field);
                found.push_back(pair.value);
            }
        });
    write_scan_reply(call.reply, next, found.items());
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view since,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return GroupInfo("hash", kAclHash)(
        name, arity, flags, kOneKey, since, complexity, syntax, summary);
}

constexpr std::uint32_t kFastWrite = kWrite | kFast;
constexpr std::uint32_t kFastRead = kReadonly | kFast;
constexpr std::uint32_t kFastAdd = kWrite | kDenyOom | kFast;

constexpr std::array kTable = {
    row<hdel, wire::VerifiedHDelRequestView>(
        info("hdel", -3, kFastWrite, "2.0.0", "O(N)", "key field [field ...]", "Removes fields.")),
    row<hexists, wire::VerifiedHExistsRequestView>(info(
        "hexists", 3, kFastRead, "2.0.0", "O(1)", "key field", "Tells whether a field exists.")),
    row<hget, wire::VerifiedHGetRequestView>(
        info("hget", 3, kFastRead, "2.0.0", "O(1)", "key field", "Gets a field's value.")),
    row<hgetall, wire::VerifiedHGetAllRequestView>(
        info("hgetall", 2, kReadonly, "2.0.0", "O(N)", "key", "Gets all fields and values.")),
    row<hincrby, wire::VerifiedHIncrByRequestView>(info("hincrby",
                                                        4,
                                                        kFastAdd,
                                                        "2.0.0",
                                                        "O(1)",
                                                        "key field increment",
                                                        "Adds to a field's integer.")),
    row<hincrbyfloat, wire::VerifiedHIncrByFloatRequestView>(info("hincrbyfloat",
                                                                  4,
                                                                  kFastAdd,
                                                                  "2.6.0",
                                                                  "O(1)",
                                                                  "key field increment",
                                                                  "Adds to a field's number.")),
    row<hkeys, wire::VerifiedHKeysRequestView>(
        info("hkeys", 2, kReadonly, "2.0.0", "O(N)", "key", "Lists the fields.")),
    row<hlen, wire::VerifiedHLenRequestView>(
        info("hlen", 2, kFastRead, "2.0.0", "O(1)", "key", "Counts the fields.")),
    row<hmget, wire::VerifiedHMGetRequestView>(info("hmget",
                                                    -3,
                                                    kFastRead,
                                                    "2.0.0",
                                                    "O(N)",
                                                    "key field [field ...]",
                                                    "Gets the values of fields.")),
    row<hmset, wire::VerifiedHMSetRequestView>(info("hmset",
                                                    -4,
                                                    kFastAdd,
                                                    "2.0.0",
                                                    "O(N)",
                                                    "key field value [field value ...]",
                                                    "Sets fields; HSET in its older form.")),
    row<hrandfield, wire::VerifiedHRandFieldRequestView>(info("hrandfield",
                                                              -2,
                                                              kReadonly,
                                                              "6.2.0",
                                                              "O(N)",
                                                              "key [count [WITHVALUES]]",
                                                              "Picks fields at random.")),
    row<hscan, wire::VerifiedHScanRequestView>(info("hscan",
                                                    -3,
                                                    kReadonly,
                                                    "2.8.0",
                                                    "O(1) a call, O(N) in all",
                                                    "key cursor [MATCH pattern] [COUNT count]",
                                                    "Walks the fields, some at a call.")),
    row<hset, wire::VerifiedHSetRequestView>(info("hset",
                                                  -4,
                                                  kFastAdd,
                                                  "2.0.0",
                                                  "O(N)",
                                                  "key field value [field value ...]",
                                                  "Sets fields and counts the new ones.")),
    row<hsetnx, wire::VerifiedHSetNxRequestView>(info("hsetnx",
                                                      4,
                                                      kFastAdd,
                                                      "2.0.0",
                                                      "O(1)",
                                                      "key field value",
                                                      "Sets a field that does not exist.")),
    row<hstrlen, wire::VerifiedHStrLenRequestView>(info("hstrlen",
                                                        3,
                                                        kFastRead,
                                                        "3.2.0",
                                                        "O(1)",
                                                        "key field",
                                                        "Tells the length of a field's value.")),
    row<hvals, wire::VerifiedHValsRequestView>(
        info("hvals", 2, kReadonly, "2.0.0", "O(N)", "key", "Lists the values.")),
};

}  // namespace

std::span<const CommandSpec> hash_table() {
    return kTable;
}

}  // namespace tern::server::commands
