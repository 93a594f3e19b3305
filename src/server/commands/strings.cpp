#include "store/string/strings.hpp"

#include <array>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/string_expiry.hpp"
#include "server/commands/string_replies.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

namespace strings = store::strings;
using strings::Status;

void write_text(Call& call, const strings::Text& found) {
    if (failed(call.reply, found.status)) {
        return;
    }
    if (found.status == Status::kMissing) {
        call.reply.null();
    } else {
        call.reply.bulk(found.text);
    }
}

// GET, GETDEL, GETEX, GETSET, STRLEN, GETRANGE

void get(Call& call, const KeyArguments& args) {
    write_text(call, strings::get(call.database, args.key));
}

void getdel(Call& call, const KeyArguments& args) {
    const Status status = strings::get_and_erase(
        call.database, args.key, [&](std::string_view text) { call.reply.bulk(text); });
    if (!failed(call.reply, status) && status == Status::kMissing) {
        call.reply.null();
    }
}

struct GetExArguments {
    std::string_view key;
    ExpiryArguments expiry;
};
bool parse_text(Arguments& in, GetExArguments& out, Reply& reply) {
    out.key = in.take();
    while (!in.is_empty()) {
        if (in.take_option("PERSIST")) {
            if (!out.expiry.choose(ExpiryArguments::Kind::kPersist)) {
                return syntax_error(reply);
            }
        } else if (!take_expiry_option(in, out.expiry)) {
            return syntax_error(reply);
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, GetExArguments& out, Scratch&) {
    out.key = as_text(view.key());
    return decode_expiry(view, out.expiry);
}

void getex(Call& call, const GetExArguments& args) {
    // The key comes first: a bad time of a key that is not there, or not a string, goes unnoticed.
    if (const strings::Text now = strings::get(call.database, args.key);
        now.status != Status::kOk) {
        write_text(call, now);
        return;
    }
    store::Deadline deadline = store::Deadline::keep();
    if (!resolve_expiry(call, args.expiry, "getex", deadline)) {
        return;
    }
    const bool is_over =
        deadline.kind == store::Deadline::Kind::kAt && deadline.at_ms <= call.now_ms;
    const strings::Text found = strings::get_and_expire(
        call.database, args.key, is_over ? store::Deadline::keep() : deadline);
    write_text(call, found);
    if (is_over && found.status == Status::kOk) {
        call.database.erase(found.ref);
    }
}

struct KeyValueArguments {
    std::string_view key;
    std::string_view value;
};
bool parse_text(Arguments& in, KeyValueArguments& out, Reply&) {
    out.key = in.take();
    out.value = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, KeyValueArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.value = as_text(view.value());
    return true;
}

void getset(Call& call, const KeyValueArguments& args) {
    const strings::Target target = strings::look_up(call.database, args.key);
    if (target.found && target.found.type() != store::Type::kString) {
        call.reply.error(kWrongType);
        return;
    }
    if (target.found) {
        call.reply.bulk(target.found.text());
    } else {
        call.reply.null();
    }
    const Status status = strings::set(call.database, target, args.value);
    if (status != Status::kOk) {
        call.reply.discard();
        static_cast<void>(failed(call.reply, status));
    }
}

void strlen(Call& call, const KeyArguments& args) {
    const strings::Length length = strings::length(call.database, args.key);
    if (!failed(call.reply, length.status)) {
        call.reply.integer(static_cast<std::int64_t>(length.length_bytes));
    }
}

struct RangeArguments {
    std::string_view key;
    std::int64_t start = 0;
    std::int64_t end = 0;
};
bool parse_text(Arguments& in, RangeArguments& out, Reply& reply) {
    out.key = in.take();
    return in.read_integer(out.start, reply) && in.read_integer(out.end, reply);
}
template <typename View>
bool decode_wire(const View& view, RangeArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.start = view.start();
    out.end = view.end();
    return true;
}

void getrange(Call& call, const RangeArguments& args) {
    const strings::Text found = strings::range(call.database, args.key, args.start, args.end);
    if (!failed(call.reply, found.status)) {
        call.reply.bulk(found.text);
    }
}

// SET and its relatives

struct SetArguments {
    std::string_view key;
    std::string_view value;
    ExpiryArguments expiry{.kind = ExpiryArguments::Kind::kClear};
    strings::Condition condition = strings::Condition::kAlways;
    bool returns_old = false;
};

bool take_set_option(Arguments& in, SetArguments& out) {
    using strings::Condition;
    if (out.condition == Condition::kAlways && in.take_option("NX")) {
        out.condition = Condition::kIfMissing;
        return true;
    }
    if (out.condition == Condition::kAlways && in.take_option("XX")) {
        out.condition = Condition::kIfPresent;
        return true;
    }
    if (in.take_option("GET")) {
        out.returns_old = true;
        return true;
    }
    if (in.take_option("KEEPTTL")) {
        return out.expiry.choose(ExpiryArguments::Kind::kKeep);
    }
    return take_expiry_option(in, out.expiry);
}

bool parse_text(Arguments& in, SetArguments& out, Reply& reply) {
    out.key = in.take();
    out.value = in.take();
    while (__builtin_expect(!in.is_empty(), 0)) {
        // The same condition twice is fine, two different ones are not.
        if ((out.condition == strings::Condition::kIfMissing && in.take_option("NX")) ||
            (out.condition == strings::Condition::kIfPresent && in.take_option("XX"))) {
            continue;
        }
        if (!take_set_option(in, out)) {
            return syntax_error(reply);
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, SetArguments& out, Scratch&) {
    constexpr std::array kConditions = {strings::Condition::kAlways,
                                        strings::Condition::kIfMissing,
                                        strings::Condition::kIfPresent};
    const auto condition = static_cast<std::size_t>(view.condition().raw());
    if (condition >= kConditions.size() || !decode_expiry(view, out.expiry)) {
        return false;
    }
    out.condition = kConditions[condition];
    out.returns_old = view.flags().return_old();
    out.key = as_text(view.key());
    out.value = as_text(view.value());
    return true;
}

/// SET … GET: the old value is written first, so a failure takes it back.
void set_and_return_old(Call& call, const SetArguments& args, store::Deadline deadline) {
    const strings::Target target = strings::look_up(call.database, args.key);
    if (target.found && target.found.type() != store::Type::kString) {
        call.reply.error(kWrongType);
        return;
    }
    if (target.found) {
        call.reply.bulk(target.found.text());
    } else {
        call.reply.null();
    }
    const Status status = strings::set(
        call.database, target, args.value, {.condition = args.condition, .deadline = deadline});
    if (status != Status::kOk && status != Status::kRefused) {
        call.reply.discard();
        static_cast<void>(failed(call.reply, status));
    }
}

void set(Call& call, const SetArguments& args) {
    store::Deadline deadline = store::Deadline::none();
    if (!resolve_expiry(call, args.expiry, "set", deadline)) {
        return;
    }
    if (args.returns_old) {
        return set_and_return_old(call, args, deadline);
    }
    const Status status = strings::set(
        call.database, args.key, args.value, {.condition = args.condition, .deadline = deadline});
    if (status == Status::kOk) {
        call.reply.ok();
    } else if (!failed(call.reply, status)) {
        call.reply.null();
    }
}

void setnx(Call& call, const KeyValueArguments& args) {
    const Status status = strings::set(
        call.database, args.key, args.value, {.condition = strings::Condition::kIfMissing});
    if (!failed(call.reply, status)) {
        call.reply.integer(status == Status::kOk ? 1 : 0);
    }
}

struct SetExArguments : KeyValueArguments {
    std::int64_t time = 0;
};
bool parse_text(Arguments& in, SetExArguments& out, Reply& reply) {
    out.key = in.take();
    if (!in.read_integer(out.time, reply)) {
        return false;
    }
    out.value = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, SetExArguments& out, Scratch& scratch) {
    if constexpr (requires { view.expiry_seconds(); }) {
        out.time = view.expiry_seconds();
    } else {
        out.time = view.expiry_ms();
    }
    return decode_wire(view, static_cast<KeyValueArguments&>(out), scratch);
}

void set_with_expiry(Call& call, const SetExArguments& args, std::int64_t unit_ms) {
    const ExpiryArguments expiry{
        .kind = ExpiryArguments::Kind::kAfter, .unit_ms = unit_ms, .value = args.time};
    store::Deadline deadline = store::Deadline::none();
    if (!resolve_expiry(call, expiry, call.spec->info.name, deadline)) {
        return;
    }
    const Status status = strings::set(call.database, args.key, args.value, {.deadline = deadline});
    if (!failed(call.reply, status)) {
        call.reply.ok();
    }
}

void setex(Call& call, const SetExArguments& args) {
    set_with_expiry(call, args, 1000);
}
void psetex(Call& call, const SetExArguments& args) {
    set_with_expiry(call, args, 1);
}

void append(Call& call, const KeyValueArguments& args) {
    const strings::Length length =
        strings::append(call.database, args.key, args.value, string_limit(call));
    if (!failed(call.reply, length.status)) {
        call.reply.integer(static_cast<std::int64_t>(length.length_bytes));
    }
}

struct SetRangeArguments : KeyValueArguments {
    std::int64_t offset = 0;
};
bool parse_text(Arguments& in, SetRangeArguments& out, Reply& reply) {
    out.key = in.take();
    if (!in.read_integer(out.offset, reply)) {
        return false;
    }
    out.value = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, SetRangeArguments& out, Scratch& scratch) {
    out.offset = view.offset();
    return decode_wire(view, static_cast<KeyValueArguments&>(out), scratch);
}

void setrange(Call& call, const SetRangeArguments& args) {
    if (args.offset < 0) {
        call.reply.error("ERR offset is out of range");
        return;
    }
    const strings::Length length = strings::set_range(call.database,
                                                      args.key,
                                                      static_cast<std::size_t>(args.offset),
                                                      args.value,
                                                      string_limit(call));
    if (!failed(call.reply, length.status)) {
        call.reply.integer(static_cast<std::int64_t>(length.length_bytes));
    }
}

constexpr std::array kTable = {
    row<append, wire::VerifiedAppendRequestView>(string_info(
        "append", 3, kFastAdd, kOneKey, "2.0.0", "O(1)", "key value", "Appends to a string.")),
    row<get, wire::VerifiedGetRequestView>(
        string_info("get", 2, kFastRead, kOneKey, "1.0.0", "O(1)", "key", "Gets a string.")),
    row<getdel, wire::VerifiedGetDelRequestView>(string_info("getdel",
                                                             2,
                                                             kWrite | kFast,
                                                             kOneKey,
                                                             "6.2.0",
                                                             "O(1)",
                                                             "key",
                                                             "Gets a string and removes its key.")),
    row<getex, wire::VerifiedGetExRequestView>(
        string_info("getex",
                    -2,
                    kWrite | kFast,
                    kOneKey,
                    "6.2.0",
                    "O(1)",
                    "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT "
                    "unix-time-milliseconds | PERSIST]",
                    "Gets a string and sets its time to live.")),
    row<getrange, wire::VerifiedGetRangeRequestView>(string_info("getrange",
                                                                 4,
                                                                 kReadonly,
                                                                 kOneKey,
                                                                 "2.4.0",
                                                                 "O(N)",
                                                                 "key start end",
                                                                 "Gets a part of a string.")),
    row<getset, wire::VerifiedGetSetRequestView>(
        string_info("getset",
                    3,
                    kFastAdd,
                    kOneKey,
                    "1.0.0",
                    "O(1)",
                    "key value",
                    "Sets a string and returns the old one.")),
    row<psetex, wire::VerifiedPSetExRequestView>(
        string_info("psetex",
                    4,
                    kAdd,
                    kOneKey,
                    "2.6.0",
                    "O(1)",
                    "key milliseconds value",
                    "Sets a string with a time to live in milliseconds.")),
    row<set, wire::VerifiedSetRequestView>(string_info(
        "set",
        -3,
        kAdd,
        kOneKey,
        "1.0.0",
        "O(1)",
        "key value [NX | XX] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds "
        "| PXAT unix-time-milliseconds | KEEPTTL]",
        "Sets a string.")),
    row<setex, wire::VerifiedSetExRequestView>(
        string_info("setex",
                    4,
                    kAdd,
                    kOneKey,
                    "2.0.0",
                    "O(1)",
                    "key seconds value",
                    "Sets a string with a time to live in seconds.")),
    row<setnx, wire::VerifiedSetNxRequestView>(
        string_info("setnx",
                    3,
                    kFastAdd,
                    kOneKey,
                    "1.0.0",
                    "O(1)",
                    "key value",
                    "Sets a string if the key does not exist.")),
    row<setrange, wire::VerifiedSetRangeRequestView>(string_info("setrange",
                                                                 4,
                                                                 kAdd,
                                                                 kOneKey,
                                                                 "2.2.0",
                                                                 "O(1)",
                                                                 "key offset value",
                                                                 "Overwrites a part of a string.")),
    row<strlen, wire::VerifiedStrLenRequestView>(string_info(
        "strlen", 2, kFastRead, kOneKey, "2.2.0", "O(1)", "key", "Tells the length of a string.")),
    row<getrange, wire::VerifiedSubStrRequestView>(
        string_info("substr",
                    4,
                    kReadonly,
                    kOneKey,
                    "1.0.0",
                    "O(N)",
                    "key start end",
                    "Gets a part of a string; GETRANGE in its older form.")),
};

}  // namespace

std::span<const CommandSpec> string_table() {
    return kTable;
}

}  // namespace tern::server::commands
