#include <fmt/format.h>

#include <optional>
#include <vector>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/streams.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::Consumer;
using store::streams::EntryId;
using store::streams::Group;
using store::streams::kIdMax;
using store::streams::LargeStream;
using store::streams::Pending;
using store::streams::Stream;

/// For whom entries are claimed.
struct Claimant {
    std::string_view key;
    std::string_view group;
    std::string_view consumer;
    std::int64_t idle_ms_min = 0;
    bool only_ids = false;  ///< JUSTID

    [[nodiscard]] bool is_too_young(const Call& call, const Pending& pending) const noexcept {
        return idle_ms_min > 0 && call.now_ms - pending.delivered_at_ms < idle_ms_min;
    }
};

// XCLAIM

/// What `time_ms` of a claim means; the numbers are those of the wire's ClaimTime.
enum class ClaimTime : std::uint8_t { kNow, kIdle, kAt };

struct ClaimArguments : Claimant {
    EntryIds ids;
    ClaimTime time = ClaimTime::kNow;
    std::int64_t time_ms = 0;
    std::int64_t delivery_count = -1;  ///< negative: one more
    EntryId last_id;
    bool forces = false;     ///< also what is not pending
    bool is_integer = true;  ///< what RESP brought for the idle time,
    std::optional<std::string_view>
        broken_option;              ///< and an option that is none; the group comes first
    std::string_view broken_value;  ///< the error of an option's value
};

/// One option; false when it is none or its value is broken: the rest is not looked at then.
bool read_claim_option(Arguments& in, ClaimArguments& out) {
    const std::string_view option = in.peek();
    const auto read = [&](std::string_view word, std::int64_t& value, std::string_view error) {
        if (in.left() < 2 || !in.take_option(word)) {
            return false;
        }
        if (!parse_int64(in.take(), value)) {
            out.broken_value = error;
        }
        return true;
    };
    if (in.take_option("FORCE")) {
        out.forces = true;
    } else if (in.take_option("JUSTID")) {
        out.only_ids = true;
    } else if (read("IDLE", out.time_ms, "ERR Invalid IDLE option argument for XCLAIM")) {
        out.time = ClaimTime::kIdle;
    } else if (read("TIME", out.time_ms, "ERR Invalid TIME option argument for XCLAIM")) {
        out.time = ClaimTime::kAt;
    } else if (read("RETRYCOUNT",
                    out.delivery_count,
                    "ERR Invalid RETRYCOUNT option argument for XCLAIM")) {
    } else if (in.left() >= 2 && in.take_option("LASTID")) {
        if (!parse_entry_id(in.take(), 0, out.last_id)) {
            out.broken_value = kInvalidEntryId;
        }
    } else {
        out.broken_option = option;
        return false;
    }
    return out.broken_value.empty();
}

bool parse_text(Arguments& in, ClaimArguments& out, Reply&) {
    out.key = in.take();
    out.group = in.take();
    out.consumer = in.take();
    out.is_integer = parse_int64(in.take(), out.idle_ms_min);
    const std::span<EntryId> ids = in.scratch().array<EntryId>(in.left());
    std::size_t count = 0;
    while (!in.is_empty() && parse_entry_id(in.peek(), 0, ids[count])) {
        ++count;
        static_cast<void>(in.take());
    }
    out.ids.ids = ids.first(count);
    bool goes_on = true;
    while (goes_on && !in.is_empty()) {
        goes_on = read_claim_option(in, out);
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, ClaimArguments& out, Scratch& scratch) {
    out.group = as_text(view.group());
    out.consumer = as_text(view.consumer());
    out.idle_ms_min = view.min_idle_ms();
    out.ids = wire_entry_ids(view, scratch);
    out.time = static_cast<ClaimTime>(view.time().raw());
    out.time_ms = view.time_ms();
    out.delivery_count = view.retry_count();
    out.last_id = {view.last_ms(), view.last_sequence()};
    out.forces = view.flags().force();
    out.only_ids = view.flags().just_id();
    return decode_only_key(view, out.key) && view.time().known() && !out.ids.ids.empty();
}

/// When claimed entries count as delivered: what makes no sense is now.
[[nodiscard]] std::int64_t delivery_ms(const Call& call, const ClaimArguments& args) noexcept {
    std::int64_t ms = args.time == ClaimTime::kAt ? args.time_ms : call.now_ms;
    if (args.time == ClaimTime::kIdle && __builtin_sub_overflow(call.now_ms, args.time_ms, &ms)) {
        return call.now_ms;
    }
    return ms < 0 || ms > call.now_ms ? call.now_ms : ms;
}

/// Gives a pending entry to a consumer. False without memory.
bool hand_over(Call& call, Group& group, Pending& pending, Consumer& consumer) {
    if (!group.assign(pending, consumer)) {
        return false;
    }
    consumer.active_at_ms = call.now_ms;
    call.keyspace.add_dirty(1);
    return true;
}

void write_claimed(Reply& reply,
                   const Claimant& args,
                   const LargeStream& stream,
                   const EntryId& id) {
    if (args.only_ids) {
        write_id(reply, id);
    } else {
        write_entry_of(reply, stream.entries(), id);
    }
}

/// One id of XCLAIM; whether it was answered with.
bool claim(Call& call,
           const ClaimArguments& args,
           const LargeStream& stream,
           Group& group,
           Consumer& consumer,
           const EntryId& id) {
    Pending* pending = group.find_pending(id);
    if (!stream.entries().contains(id)) {
        if (pending != nullptr) {
            group.erase_pending(*pending);
            call.keyspace.add_dirty(1);
        }
        return false;
    }
    if (pending == nullptr) {
        pending = args.forces ? group.add_pending(id, consumer) : nullptr;
        if (pending == nullptr) {
            return false;
        }
        pending->delivery_count = 1;
    } else if (args.is_too_young(call, *pending)) {
        return false;
    }
    if (!hand_over(call, group, *pending, consumer)) {
        return false;
    }
    pending->delivered_at_ms = delivery_ms(call, args);
    if (args.delivery_count >= 0) {
        pending->delivery_count = static_cast<std::uint64_t>(args.delivery_count);
    } else if (!args.only_ids) {
        ++pending->delivery_count;
    }
    write_claimed(call.reply, args, stream, id);
    return true;
}

/// What is wrong with the texts of an XCLAIM whose group is there; empty: nothing.
[[nodiscard]] std::string broken_text(const ClaimArguments& args) {
    if (!args.is_integer) {
        return "ERR Invalid min-idle-time argument for XCLAIM";
    }
    if (args.broken_option) {
        return fmt::format("ERR Unrecognized XCLAIM option '{}'", c_string(*args.broken_option));
    }
    return std::string(args.broken_value);
}

void xclaim(Call& call, const ClaimArguments& args) {
    const Stream stream(call.database, args.key);
    bool failed = false;
    Group* const group = find_group(call, stream, args.group, failed);
    if (failed) {
        return;
    }
    if (group == nullptr) {
        write_no_group(call.reply, args.key, args.group);
        return;
    }
    if (const std::string error = broken_text(args); !error.empty()) {
        call.reply.error(error);
        return;
    }
    if (args.last_id > group->last_id) {
        group->last_id = args.last_id;
    }
    Consumer* const consumer = open_consumer(call, *group, args.consumer);
    if (consumer == nullptr) {
        return;
    }
    const Reply::Open open = call.reply.open_array();
    std::size_t count = 0;
    for (const EntryId& id : args.ids.ids) {
        count += claim(call, args, stream.get(), *group, *consumer, id) ? 1 : 0;
    }
    call.reply.close_array(open, count);
}

// XAUTOCLAIM

struct AutoClaimArguments : Claimant {
    EntryId first;
    std::int64_t count_max = 100;
};

/// Redis looks at ten pending entries for each that it may answer with.
constexpr std::int64_t kAttemptsPerEntry = 10;
/// Its limit, from 16 bytes an id.
constexpr std::int64_t kClaimCountMax = INT64_MAX / 16;

bool parse_text(Arguments& in, AutoClaimArguments& out, Reply& reply) {
    out.key = in.take();
    out.group = in.take();
    out.consumer = in.take();
    if (!in.read_integer(
            out.idle_ms_min, reply, "ERR Invalid min-idle-time argument for XAUTOCLAIM") ||
        !read_range_start(in.take(), out.first, reply)) {
        return false;
    }
    while (!in.is_empty()) {
        if (in.left() >= 2 && in.take_option("COUNT")) {
            constexpr std::string_view kNoCount = "ERR COUNT must be > 0";
            if (!in.read_integer(out.count_max, reply, kNoCount)) {
                return false;
            }
            if (out.count_max < 1 || out.count_max > kClaimCountMax) {
                reply.error(kNoCount);
                return false;
            }
        } else if (in.take_option("JUSTID")) {
            out.only_ids = true;
        } else {
            return syntax_error(reply);
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, AutoClaimArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.group = as_text(view.group());
    out.consumer = as_text(view.consumer());
    out.idle_ms_min = view.min_idle_ms();
    out.first = {view.start_ms(), view.start_sequence()};
    out.count_max = view.count();
    out.only_ids = view.flags().just_id();
    return out.count_max >= 1 && out.count_max <= kClaimCountMax;
}

/// The pending entry at or above an id; null when there is none.
[[nodiscard]] Pending* pending_from(const Group& group, const EntryId& id) {
    Pending* found = nullptr;
    group.walk_pending(id, kIdMax, [&](Pending& pending) {
        found = &pending;
        return false;
    });
    return found;
}

/// What an XAUTOCLAIM found.
struct Found {
    EntryId next;                  ///< where the following call goes on; 0-0: at the end
    std::vector<EntryId> claimed;  ///< what the consumer has now
    std::vector<EntryId> deleted;  ///< what was pending and is no longer in the stream
};

/// Claims what is pending from `args.first` on.
[[nodiscard]] Found claim_from(Call& call,
                               const AutoClaimArguments& args,
                               const LargeStream& stream,
                               Group& group,
                               Consumer& consumer) {
    Found found;
    std::int64_t left = args.count_max;
    std::int64_t attempts = args.count_max * kAttemptsPerEntry;
    Pending* pending = pending_from(group, args.first);
    for (; pending != nullptr && left > 0 && attempts > 0; --attempts) {
        EntryId id = pending->id;
        if (!stream.entries().contains(id)) {
            group.erase_pending(*pending);
            call.keyspace.add_dirty(1);
            found.deleted.push_back(id);
            --left;
        } else if (!args.is_too_young(call, *pending)) {
            if (!hand_over(call, group, *pending, consumer)) {
                break;
            }
            pending->delivered_at_ms = call.now_ms;
            pending->delivery_count += args.only_ids ? 0 : 1;
            found.claimed.push_back(id);
            --left;
        }
        pending = store::streams::increment(id) ? pending_from(group, id) : nullptr;
    }
    found.next = pending != nullptr ? pending->id : EntryId{};
    return found;
}

void xautoclaim(Call& call, const AutoClaimArguments& args) {
    const Stream stream(call.database, args.key);
    bool failed = false;
    Group* const group = find_group(call, stream, args.group, failed);
    if (failed) {
        return;
    }
    if (group == nullptr) {
        write_no_group(call.reply, args.key, args.group);
        return;
    }
    Consumer* const consumer = open_consumer(call, *group, args.consumer);
    if (consumer == nullptr) {
        return;
    }
    const Found found = claim_from(call, args, stream.get(), *group, *consumer);
    constexpr std::size_t kPartCount = 3;
    call.reply.array(kPartCount);
    write_id(call.reply, found.next);
    call.reply.array(found.claimed.size());
    for (const EntryId& id : found.claimed) {
        write_claimed(call.reply, args, stream.get(), id);
    }
    call.reply.array(found.deleted.size());
    for (const EntryId& id : found.deleted) {
        write_id(call.reply, id);
    }
}

constexpr std::array kTable = {
    row<xautoclaim, wire::VerifiedXAutoClaimRequestView>(
        stream_info("xautoclaim",
                    -6,
                    kWrite | kFast,
                    kOneKey,
                    "6.2.0",
                    "O(N*log(P)) for COUNT N of P pending entries",
                    "key group consumer min-idle-time start [COUNT count] [JUSTID]",
                    "Gives a consumer what has been pending for long for others.")),
    row<xclaim, wire::VerifiedXClaimRequestView>(
        stream_info("xclaim",
                    -6,
                    kWrite | kFast,
                    kOneKey,
                    "5.0.0",
                    "O(log(P)) for each id, P pending",
                    "key group consumer min-idle-time id [id ...] [IDLE ms] [TIME unix-time-ms] "
                    "[RETRYCOUNT count] [FORCE] [JUSTID] [LASTID lastid]",
                    "Gives a consumer entries that are pending for others.")),
};

}  // namespace

std::span<const CommandSpec> stream_claim_table() {
    return kTable;
}

}  // namespace tern::server::commands
