#include <array>
#include <string>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/generic_rows.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

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

constexpr std::string_view kExpireSyntax = "key seconds [NX | XX | GT | LT]";
constexpr std::string_view kExpireMsSyntax = "key milliseconds [NX | XX | GT | LT]";

constexpr std::array kTable = {
    row<expire, wire::VerifiedExpireRequestView>(
        generic_info("expire",
                     -3,
                     kWrite | kFast,
                     kOneKey,
                     "1.0.0",
                     "O(1)",
                     kExpireSyntax,
                     "Sets a key's time to live in seconds.")),
    row<expireat, wire::VerifiedExpireAtRequestView>(
        generic_info("expireat",
                     -3,
                     kWrite | kFast,
                     kOneKey,
                     "1.2.0",
                     "O(1)",
                     "key unix-time-seconds [NX | XX | GT | LT]",
                     "Sets when a key expires, in Unix seconds.")),
    row<expiretime, wire::VerifiedExpireTimeRequestView>(
        generic_info("expiretime",
                     2,
                     kReadonly | kFast,
                     kOneKey,
                     "7.0.0",
                     "O(1)",
                     "key",
                     "Tells when a key expires, in Unix seconds.")),
    row<persist, wire::VerifiedPersistRequestView>(
        generic_info("persist",
                     2,
                     kWrite | kFast,
                     kOneKey,
                     "2.2.0",
                     "O(1)",
                     "key",
                     "Takes a key's time to live away.")),
    row<pexpire, wire::VerifiedPExpireRequestView>(
        generic_info("pexpire",
                     -3,
                     kWrite | kFast,
                     kOneKey,
                     "2.6.0",
                     "O(1)",
                     kExpireMsSyntax,
                     "Sets a key's time to live in milliseconds.")),
    row<pexpireat, wire::VerifiedPExpireAtRequestView>(
        generic_info("pexpireat",
                     -3,
                     kWrite | kFast,
                     kOneKey,
                     "2.6.0",
                     "O(1)",
                     "key unix-time-milliseconds [NX | XX | GT | LT]",
                     "Sets when a key expires, in Unix milliseconds.")),
    row<pexpiretime, wire::VerifiedPExpireTimeRequestView>(
        generic_info("pexpiretime",
                     2,
                     kReadonly | kFast,
                     kOneKey,
                     "7.0.0",
                     "O(1)",
                     "key",
                     "Tells when a key expires, in Unix milliseconds.")),
    row<pttl, wire::VerifiedPTtlRequestView>(
        generic_info("pttl",
                     2,
                     kReadonly | kFast,
                     kOneKey,
                     "2.6.0",
                     "O(1)",
                     "key",
                     "Tells a key's time to live in milliseconds.")),
    row<ttl, wire::VerifiedTtlRequestView>(generic_info("ttl",
                                                        2,
                                                        kReadonly | kFast,
                                                        kOneKey,
                                                        "1.0.0",
                                                        "O(1)",
                                                        "key",
                                                        "Tells a key's time to live in seconds.")),
};

}  // namespace

std::span<const CommandSpec> expiry_table() {
    return kTable;
}

}  // namespace tern::server::commands
