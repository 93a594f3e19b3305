#include "server/commands/argument_shapes.hpp"
#include "server/commands/streams.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::Consumer;
using store::streams::EntryId;
using store::streams::Group;
using store::streams::Pending;
using store::streams::Stream;

// XACK

struct AckArguments {
    std::string_view key;
    std::string_view group;
    EntryIds ids;
};
bool parse_text(Arguments& in, AckArguments& out, Reply&) {
    out.key = in.take();
    out.group = in.take();
    out.ids = take_entry_ids(in);
    return true;
}
template <typename View>
bool decode_wire(const View& view, AckArguments& out, Scratch& scratch) {
    out.ids = wire_entry_ids(view, scratch);
    out.group = as_text(view.group());
    return decode_only_key(view, out.key) && !out.ids.ids.empty();
}

void xack(Call& call, const AckArguments& args) {
    const Stream stream(call.database, args.key);
    bool failed = false;
    Group* const group = find_group(call, stream, args.group, failed);
    if (failed) {
        return;
    }
    if (group == nullptr) {
        call.reply.integer(0);
        return;
    }
    if (!args.ids.are_valid) {
        call.reply.error(kInvalidEntryId);
        return;
    }
    std::int64_t count = 0;
    for (const EntryId& id : args.ids.ids) {
        if (Pending* const pending = group->find_pending(id); pending != nullptr) {
            group->erase_pending(*pending);
            ++count;
        }
    }
    call.keyspace.add_dirty(count);
    call.reply.integer(count);
}

// XPENDING

struct PendingArguments {
    std::string_view key;
    std::string_view group;
    bool has_range = false;
    std::int64_t idle_ms_min = 0;
    IdRange range;
    std::int64_t count_max = 0;
    bool has_consumer = false;
    std::string_view consumer;
};

bool parse_text(Arguments& in, PendingArguments& out, Reply& reply) {
    out.key = in.take();
    out.group = in.take();
    if (in.is_empty()) {
        return true;
    }
    constexpr std::size_t kRangeWords = 3;
    constexpr std::size_t kWordsMax = kRangeWords + 3;
    if (in.left() < kRangeWords || in.left() > kWordsMax) {
        return syntax_error(reply);
    }
    if (in.take_option("IDLE")) {
        if (!in.read_integer(out.idle_ms_min, reply)) {
            return false;
        }
        if (in.left() < kRangeWords) {
            return syntax_error(reply);
        }
    }
    out.has_range = true;
    const auto ends = in.take(2);
    if (!in.read_integer(out.count_max, reply) ||
        !read_range_start(ends[0], out.range.first, reply) ||
        !read_range_end(ends[1], out.range.last, reply)) {
        return false;
    }
    out.has_consumer = !in.is_empty();
    if (out.has_consumer) {
        out.consumer = in.take();
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, PendingArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.group = as_text(view.group());
    out.has_range = view.flags().has_range();
    out.idle_ms_min = view.min_idle_ms();
    out.range = wire_range(view);
    out.count_max = view.count();
    out.has_consumer = view.flags().has_consumer();
    out.consumer = as_text(view.consumer());
    return true;
}

/// What is pending in all: how many, from where to where, and how many for whom.
void write_summary(Reply& reply, const Group& group) {
    constexpr std::size_t kPartCount = 4;
    reply.array(kPartCount);
    reply.integer(static_cast<std::int64_t>(group.pending_count()));
    if (group.pending_count() == 0) {
        reply.null();
        reply.null();
        reply.null_array();
        return;
    }
    write_id(reply, group.first_pending()->id);
    write_id(reply, group.last_pending()->id);
    const Reply::Open open = reply.open_array();
    std::size_t count = 0;
    group.walk_consumers([&](const Consumer& consumer) {
        if (!consumer.pending.empty()) {
            reply.array(2);
            reply.bulk(group.name_of(consumer));
            reply.bulk_integer(static_cast<std::int64_t>(consumer.pending.size()));
            ++count;
        }
        return true;
    });
    reply.close_array(open, count);
}

/// The pending entries of a range, each with its consumer.
void write_pending(Call& call, const PendingArguments& args, const Group& group) {
    const Consumer* const consumer =
        args.has_consumer ? group.find_consumer(args.consumer) : nullptr;
    if (args.count_max <= 0 || (args.has_consumer && consumer == nullptr)) {
        call.reply.array(0);
        return;
    }
    const Reply::Open open = call.reply.open_array();
    std::size_t count = 0;
    const auto visit = [&](const Pending& pending) {
        if (args.idle_ms_min != 0 && call.now_ms - pending.delivered_at_ms < args.idle_ms_min) {
            return true;
        }
        constexpr std::size_t kFieldCount = 4;
        call.reply.array(kFieldCount);
        write_id(call.reply, pending.id);
        call.reply.bulk(group.name_of(group.consumer_of(pending)));
        call.reply.integer(elapsed_ms(call, pending.delivered_at_ms));
        call.reply.integer(static_cast<std::int64_t>(pending.delivery_count));
        return ++count != static_cast<std::size_t>(args.count_max);
    };
    if (consumer != nullptr) {
        group.walk_pending(*consumer, args.range.first, args.range.last, visit);
    } else {
        group.walk_pending(args.range.first, args.range.last, visit);
    }
    call.reply.close_array(open, count);
}

void xpending(Call& call, const PendingArguments& args) {
    const Stream stream(call.database, args.key);
    bool failed = false;
    const Group* const group = find_group(call, stream, args.group, failed);
    if (failed) {
        return;
    }
    if (group == nullptr) {
        write_no_group(call.reply, args.key, args.group);
    } else if (args.has_range) {
        write_pending(call, args, *group);
    } else {
        write_summary(call.reply, *group);
    }
}

constexpr std::array kTable = {
    row<xack, wire::VerifiedXAckRequestView>(
        stream_info("xack",
                    -4,
                    kWrite | kFast,
                    kOneKey,
                    "5.0.0",
                    "O(log(P)) for each id, P pending",
                    "key group id [id ...]",
                    "Says that entries that a group was given are done.")),
    row<xpending, wire::VerifiedXPendingRequestView>(
        stream_info("xpending",
                    -3,
                    kReadonly,
                    kOneKey,
                    "5.0.0",
                    "O(log(P)+N) for N of P pending entries, or O(C) for C consumers",
                    "key group [[IDLE min-idle-time] start end count [consumer]]",
                    "Tells what a group was given and has not acknowledged.")),
};

}  // namespace

std::span<const CommandSpec> stream_pending_table() {
    return kTable;
}

}  // namespace tern::server::commands
