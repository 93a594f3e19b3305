#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/rdb/payload.hpp"
#include "tern_store_wire/all.hpp"

/// DUMP and RESTORE.
namespace tern::server::commands {

namespace {

namespace rdb = store::rdb;

void dump(Call& call, const KeyArguments& args) {
    const store::EntryRef ref = call.database.find(args.key);
    if (!ref) {
        call.reply.null();
        return;
    }
    BufferSink payload;
    rdb::dump(payload, ref, call.server.settings().text("rdbcompression") == "yes");
    call.reply.bulk(payload.view());
}

struct RestoreArguments {
    std::string_view key;
    /// RESP's time, read after the key was found free, as Redis does.
    std::string_view ttl_text;
    std::int64_t ttl_ms = 0;
    std::string_view payload;
    std::int64_t idle_s = -1;     ///< negative: not given
    std::int64_t frequency = -1;  ///< negative: not given
    bool replaces = false;
    bool ttl_is_absolute = false;
};

constexpr std::int64_t kFrequencyMax = 255;

bool take_restore_option(Arguments& in, RestoreArguments& out, Reply& reply) {
    if (in.take_option("REPLACE")) {
        out.replaces = true;
    } else if (in.take_option("ABSTTL")) {
        out.ttl_is_absolute = true;
    } else if (in.left() > 1 && out.frequency < 0 && in.take_option("IDLETIME")) {
        if (!in.read_integer(out.idle_s, reply)) {
            return false;
        }
        if (out.idle_s < 0) {
            reply.error("ERR Invalid IDLETIME value, must be >= 0");
            return false;
        }
    } else if (in.left() > 1 && out.idle_s < 0 && in.take_option("FREQ")) {
        if (!in.read_integer(out.frequency, reply)) {
            return false;
        }
        if (out.frequency < 0 || out.frequency > kFrequencyMax) {
            reply.error("ERR Invalid FREQ value, must be >= 0 and <= 255");
            return false;
        }
    } else {
        return syntax_error(reply);
    }
    return true;
}
bool parse_text(Arguments& in, RestoreArguments& out, Reply& reply) {
    out.key = in.take();
    out.ttl_text = in.take();
    out.payload = in.take();
    while (!in.is_empty()) {
        if (!take_restore_option(in, out, reply)) {
            return false;
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, RestoreArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.payload = as_text(view.payload());
    out.ttl_ms = view.ttl_ms();
    out.idle_s = view.idle_seconds();
    out.frequency = view.frequency();
    out.replaces = view.flags().replace();
    out.ttl_is_absolute = view.flags().absolute_ttl();
    return out.frequency <= kFrequencyMax && (out.idle_s < 0 || out.frequency < 0);
}

/// Reads and checks what RESP gave as text; answers what is wrong.
bool read_ttl(Reply& reply, const RestoreArguments& args, std::int64_t& ttl_ms) {
    ttl_ms = args.ttl_ms;
    if (args.ttl_text.data() != nullptr && !parse_int64(args.ttl_text, ttl_ms)) {
        reply.error(kNotInteger);
        return false;
    }
    if (ttl_ms < 0) {
        reply.error("ERR Invalid TTL value, must be >= 0");
        return false;
    }
    return true;
}

/// When the key's time is over. A sum that is too large lies in the past, as in Redis.
store::ExpireAtMs deadline_of(Call& call, const RestoreArguments& args, std::int64_t ttl_ms) {
    if (ttl_ms == 0) {
        return store::kNeverExpires;
    }
    return args.ttl_is_absolute ? ttl_ms : absolute_ms(ttl_ms, 1, call.now_ms).value_or(0);
}

rdb::RestoreOptions options_of(Call& call,
                               const RestoreArguments& args,
                               store::ExpireAtMs expire_at_ms) {
    rdb::RestoreOptions options{.expire_at_ms = expire_at_ms, .stamp = -1};
    if (call.keyspace.counts_uses()) {
        if (args.frequency >= 0) {
            options.stamp =
                call.keyspace.stamp_of_count(static_cast<std::uint32_t>(args.frequency));
        }
    } else if (args.idle_s >= 0) {
        const std::int64_t used_s = call.now_ms / 1000 - args.idle_s;
        options.stamp = used_s & store::Entry::kStampMask;
    }
    return options;
}

void restore(Call& call, const RestoreArguments& args) {
    const store::EntryRef present = call.database.find(args.key);
    if (present && !args.replaces) {
        call.reply.error("BUSYKEY Target key name already exists.");
        return;
    }
    std::int64_t ttl_ms = 0;
    if (!read_ttl(call.reply, args, ttl_ms)) {
        return;
    }
    const Bytes value = rdb::value_of_payload(args.payload, call.server.checks_payload_sums());
    if (value.empty()) {
        call.reply.error("ERR DUMP payload version or checksum are wrong");
        return;
    }
    const store::ExpireAtMs expire_at_ms = deadline_of(call, args, ttl_ms);
    const rdb::RestoreStatus status = rdb::restore(call.database,
                                                   args.key,
                                                   value,
                                                   options_of(call, args, expire_at_ms),
                                                   load_limits(call.server.config()));
    if (status == rdb::RestoreStatus::kBad) {
        call.reply.error("ERR Bad data format");
        return;
    }
    if (status == rdb::RestoreStatus::kOutOfMemory) {
        call.reply.error(kOutOfMemory);
        return;
    }
    call.reply.ok();
}

}  // namespace

std::span<const CommandSpec> payload_table() {
    static constexpr std::array kTable = {
        row<dump, wire::VerifiedDumpRequestView>({.name = "dump",
                                                  .arity = 2,
                                                  .flags = kReadonly,
                                                  .keys = {1, 1, 1},
                                                  .acl_categories = kAclKeyspace,
                                                  .group = "generic",
                                                  .since = "2.6.0",
                                                  .complexity = "O(N)",
                                                  .summary = "Gets a key's value in a form that "
                                                             "RESTORE takes.",
                                                  .syntax = "key"}),
        row<restore, wire::VerifiedRestoreRequestView>(
            {.name = "restore",
             .arity = -4,
             .flags = kWrite | kDenyOom,
             .keys = {1, 1, 1},
             .acl_categories = kAclKeyspace | kAclDangerous,
             .group = "generic",
             .since = "2.6.0",
             .complexity = "O(N)",
             .summary = "Makes a key from what DUMP returned.",
             .syntax = "key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ "
                       "frequency]"}),
    };
    return kTable;
}

}  // namespace tern::server::commands
