#include <fmt/format.h>

#include <optional>

#include "server/commands/admin_rows.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/streams.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::Consumer;
using store::streams::EntryId;
using store::streams::EntryView;
using store::streams::Group;
using store::streams::kIdMax;
using store::streams::LargeStream;
using store::streams::Pending;
using store::streams::Stream;

void write_count(Reply& reply, std::string_view name, std::uint64_t count) {
    reply.bulk(name);
    reply.integer(static_cast<std::int64_t>(count));
}
void write_named_id(Reply& reply, std::string_view name, const EntryId& id) {
    reply.bulk(name);
    write_id(reply, id);
}
void write_known(Reply& reply, std::string_view name, const std::optional<std::uint64_t>& count) {
    reply.bulk(name);
    if (count) {
        reply.integer(static_cast<std::int64_t>(*count));
    } else {
        reply.null();
    }
}

// XINFO STREAM

constexpr std::int64_t kFullCount = 10;

struct StreamArguments {
    std::string_view key;
    bool is_full = false;
    std::int64_t count = kFullCount;  ///< 0: all
    bool has_other_words = false;     ///< what RESP brought; the key is looked at first
    bool is_integer = true;
};
bool parse_text(Arguments& in, StreamArguments& out, Reply&) {
    out.key = in.take();
    if (in.is_empty()) {
        return true;
    }
    out.is_full = in.take_option("FULL");
    if (out.is_full && in.left() == 2 && in.take_option("COUNT")) {
        out.is_integer = parse_int64(in.take(), out.count);
    }
    out.has_other_words = !out.is_full || !in.is_empty();
    return true;
}
template <typename View>
bool decode_wire(const View& view, StreamArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.is_full = view.flags().full();
    out.count = view.count();
    return true;
}

void write_facts(Reply& reply, const LargeStream& stream) {
    const std::uint64_t nodes = stream.entries().node_count();
    write_count(reply, "length", stream.entries().size());
    // Redis has a radix tree here, whose inner nodes it counts; what is counted here are the nodes
    // of entries, and one more.
    write_count(reply, "radix-tree-keys", nodes);
    write_count(reply, "radix-tree-nodes", nodes + 1);
    write_named_id(reply, "last-generated-id", stream.last_id);
    write_named_id(reply, "max-deleted-entry-id", stream.deleted_id_max);
    write_count(reply, "entries-added", stream.entries_added);
    write_named_id(
        reply, "recorded-first-entry-id", stream.entries().first_id().value_or(EntryId{}));
}

void write_edge(Reply& reply, std::string_view name, const LargeStream& stream, bool backwards) {
    reply.bulk(name);
    bool is_written = false;
    stream.entries().walk({}, kIdMax, backwards, [&](const EntryView& entry) {
        write_entry(reply, entry);
        is_written = true;
        return false;
    });
    if (!is_written) {
        reply.null();
    }
}

void write_short(Reply& reply, const LargeStream& stream) {
    constexpr std::size_t kFieldCount = 10;
    reply.map(kFieldCount);
    write_facts(reply, stream);
    write_count(reply, "groups", stream.group_count());
    write_edge(reply, "first-entry", stream, false);
    write_edge(reply, "last-entry", stream, true);
}

/// Calls `write(pending)` for the first of a walk, as many as are wanted, within an array.
template <typename Walk, typename Write>
void write_first(Reply& reply, std::uint64_t count_max, Walk&& walk, Write&& write) {
    const Reply::Open open = reply.open_array();
    std::uint64_t count = 0;
    walk([&](const Pending& pending) {
        write(pending);
        return ++count != count_max;
    });
    reply.close_array(open, static_cast<std::size_t>(count));
}

void write_full_consumer(Reply& reply,
                         const Group& group,
                         const Consumer& consumer,
                         std::uint64_t count_max) {
    constexpr std::size_t kFieldCount = 5;
    constexpr std::size_t kPendingFieldCount = 3;
    reply.map(kFieldCount);
    reply.bulk("name");
    reply.bulk(group.name_of(consumer));
    reply.bulk("seen-time");
    reply.integer(consumer.seen_at_ms);
    reply.bulk("active-time");
    reply.integer(consumer.active_at_ms);
    write_count(reply, "pel-count", consumer.pending.size());
    reply.bulk("pending");
    write_first(
        reply,
        count_max,
        [&](auto&& visit) { group.walk_pending(consumer, {}, kIdMax, visit); },
        [&](const Pending& pending) {
            reply.array(kPendingFieldCount);
            write_id(reply, pending.id);
            reply.integer(pending.delivered_at_ms);
            reply.integer(static_cast<std::int64_t>(pending.delivery_count));
        });
}

void write_full_group(Reply& reply,
                      const LargeStream& stream,
                      const Group& group,
                      std::uint64_t count_max) {
    constexpr std::size_t kFieldCount = 7;
    constexpr std::size_t kPendingFieldCount = 4;
    reply.map(kFieldCount);
    reply.bulk("name");
    reply.bulk(group.name_text());
    write_named_id(reply, "last-delivered-id", group.last_id);
    write_known(reply, "entries-read", group.known_entries_read());
    write_known(reply, "lag", stream.lag(group));
    write_count(reply, "pel-count", group.pending_count());
    reply.bulk("pending");
    write_first(
        reply,
        count_max,
        [&](auto&& visit) { group.walk_pending({}, kIdMax, visit); },
        [&](const Pending& pending) {
            reply.array(kPendingFieldCount);
            write_id(reply, pending.id);
            reply.bulk(group.name_of(group.consumer_of(pending)));
            reply.integer(pending.delivered_at_ms);
            reply.integer(static_cast<std::int64_t>(pending.delivery_count));
        });
    reply.bulk("consumers");
    reply.array(static_cast<std::size_t>(group.consumer_count()));
    group.walk_consumers([&](const Consumer& consumer) {
        write_full_consumer(reply, group, consumer, count_max);
        return true;
    });
}

void write_full(Reply& reply, const LargeStream& stream, std::uint64_t count_max) {
    constexpr std::size_t kFieldCount = 9;
    reply.map(kFieldCount);
    write_facts(reply, stream);
    reply.bulk("entries");
    write_entries(reply, stream.entries(), {}, count_max, false);
    reply.bulk("groups");
    reply.array(static_cast<std::size_t>(stream.group_count()));
    stream.walk_groups([&](const Group& group) {
        write_full_group(reply, stream, group, count_max);
        return true;
    });
}

/// Whether the key holds a stream; answers with an error otherwise.
bool is_there(Call& call, const Stream& stream) {
    if (is_usable(call, stream) && !stream.exists()) {
        call.reply.error("ERR no such key");
    }
    return !stream.is_wrong_type() && stream.exists();
}

void info_stream(Call& call, const StreamArguments& args) {
    const Stream stream(call.database, args.key);
    if (!is_there(call, stream)) {
        return;
    }
    if (args.has_other_words) {
        call.reply.error(
            "ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.");
    } else if (!args.is_integer) {
        call.reply.error(kNotInteger);
    } else if (args.is_full) {
        write_full(call.reply,
                   stream.get(),
                   static_cast<std::uint64_t>(args.count < 0 ? kFullCount : args.count));
    } else {
        write_short(call.reply, stream.get());
    }
}

// XINFO GROUPS, XINFO CONSUMERS

void info_groups(Call& call, const KeyArguments& args) {
    const Stream stream(call.database, args.key);
    if (!is_there(call, stream)) {
        return;
    }
    const LargeStream& large = stream.get();
    Reply& reply = call.reply;
    reply.array(static_cast<std::size_t>(large.group_count()));
    large.walk_groups([&](const Group& group) {
        constexpr std::size_t kFieldCount = 6;
        reply.map(kFieldCount);
        reply.bulk("name");
        reply.bulk(group.name_text());
        write_count(reply, "consumers", group.consumer_count());
        write_count(reply, "pending", group.pending_count());
        write_named_id(reply, "last-delivered-id", group.last_id);
        write_known(reply, "entries-read", group.known_entries_read());
        write_known(reply, "lag", large.lag(group));
        return true;
    });
}

void info_consumers(Call& call, const GroupArguments& args) {
    const Stream stream(call.database, args.key);
    if (!is_there(call, stream)) {
        return;
    }
    const Group* const group = stream.get().find_group(args.group);
    Reply& reply = call.reply;
    if (group == nullptr) {
        reply.error(fmt::format("NOGROUP No such consumer group '{}' for key name '{}'",
                                c_string(args.group),
                                c_string(args.key)));
        return;
    }
    reply.array(static_cast<std::size_t>(group->consumer_count()));
    group->walk_consumers([&](const Consumer& consumer) {
        constexpr std::size_t kFieldCount = 4;
        reply.map(kFieldCount);
        reply.bulk("name");
        reply.bulk(group->name_of(consumer));
        write_count(reply, "pending", consumer.pending.size());
        reply.bulk("idle");
        reply.integer(elapsed_ms(call, consumer.seen_at_ms));
        reply.bulk("inactive");
        reply.integer(consumer.active_at_ms == -1 ? -1 : elapsed_ms(call, consumer.active_at_ms));
        return true;
    });
}

constexpr std::array kSubcommands = {
    row<info_consumers, wire::VerifiedXInfoConsumersRequestView>(
        stream_info("consumers",
                    4,
                    kReadonly,
                    kStreamSubcommandKey,
                    "5.0.0",
                    "O(C) for C consumers",
                    "key group",
                    "Describes the consumers of a group.")),
    row<info_groups, wire::VerifiedXInfoGroupsRequestView>(
        stream_info("groups",
                    3,
                    kReadonly,
                    kStreamSubcommandKey,
                    "5.0.0",
                    "O(G) for G groups",
                    "key",
                    "Describes the groups of a stream.")),
    row<container_help>(stream_info(
        "help", 2, kLoading | kStale, {}, "5.0.0", "O(1)", "", "Lists the subcommands.")),
    row<info_stream, wire::VerifiedXInfoStreamRequestView>(
        stream_info("stream",
                    -3,
                    kReadonly,
                    kStreamSubcommandKey,
                    "5.0.0",
                    "O(1), and O(N) for N entries of FULL",
                    "key [FULL [COUNT count]]",
                    "Describes a stream.")),
};

constexpr std::array kTable = {
    container_row(GroupInfo("stream", 0)("xinfo",
                                         -2,
                                         0,
                                         {},
                                         "5.0.0",
                                         "Depends on subcommand.",
                                         "",
                                         "Describes streams, groups and consumers."),
                  kSubcommands),
};

}  // namespace

std::span<const CommandSpec> stream_info_table() {
    return kTable;
}

}  // namespace tern::server::commands
