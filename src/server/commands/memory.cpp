#include <malloc.h>

#include <algorithm>
#include <array>
#include <string>

#include "server/commands/admin_rows.hpp"
#include "server/commands/info_text.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server::commands {

namespace {

struct UsageArguments {
    std::string_view key;
};

bool parse_text(Arguments& in, UsageArguments& out, Reply& reply) {
    out.key = in.take();
    while (!in.is_empty()) {
        if (in.left() < 2 || !in.take_option("SAMPLES")) {
            return syntax_error(reply);
        }
        // tern knows the sum of a value without looking at samples of it.
        std::int64_t sample_count = 0;
        if (!in.read_integer(sample_count, reply)) {
            return false;
        }
        if (sample_count < 0) {
            return syntax_error(reply);
        }
    }
    return true;
}

void memory_usage(Call& call, const UsageArguments& args) {
    const store::EntryRef ref = call.database.peek(args.key);
    if (!ref) {
        call.reply.null();
        return;
    }
    call.reply.integer(static_cast<std::int64_t>(call.database.memory_bytes(ref)));
}

void memory_doctor(Call& call, const NoArguments&) {
    const ProcessMemory memory = process_memory(call.server);
    const store::ArenaStats arena = call.keyspace.arena().stats();
    std::string text;
    constexpr std::uint64_t kSmallBytes = 5U * 1024 * 1024;
    if (memory.used_bytes() < kSmallBytes) {
        text = "The server uses very little memory; there is nothing to say about it.\n";
    } else if (arena.resident_bytes_estimate > 2 * arena.used_bytes) {
        text = fmt::format(
            "The arena keeps {} of pages for {} of data. Free pages go back by themselves; MEMORY "
            "PURGE returns them now.\n",
            human_size(arena.resident_bytes_estimate),
            human_size(arena.used_bytes));
    } else {
        text = "Memory is in order.\n";
    }
    call.reply.verbatim("txt", text);
}

void write_field(Reply& reply, std::string_view name, std::uint64_t value) {
    reply.bulk(name);
    reply.integer(static_cast<std::int64_t>(value));
}

void write_ratio(Reply& reply, std::string_view name, double value) {
    reply.bulk(name);
    reply.number(value);
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

/// One map for each database with keys. Returns how many.
std::size_t write_databases(Call& call) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < call.keyspace.database_count(); ++i) {
        const store::Database& database = call.keyspace.database(i);
        if (database.size() == 0) {
            continue;
        }
        ++count;
        call.reply.bulk(fmt::format("db.{}", i));
        call.reply.map(3);
        write_field(call.reply, "overhead.hashtable.main", database.tables().keys.memory_bytes());
        write_field(
            call.reply, "overhead.hashtable.expires", database.tables().deadlines.memory_bytes());
        write_field(call.reply, "overhead.hashtable.slot-to-keys", 0);
    }
    return count;
}

void memory_stats(Call& call, const NoArguments&) {
    Reply& reply = call.reply;
    const ProcessMemory memory = process_memory(call.server);
    const std::uint64_t used_bytes = memory.used_bytes();
    std::uint64_t key_count = 0;
    for (std::size_t i = 0; i < call.keyspace.database_count(); ++i) {
        key_count += call.keyspace.database(i).size();
    }
    constexpr double kPercent = 100;
    const Reply::Open map = reply.open_array();
    write_field(reply, "peak.allocated", call.server.memory_bytes_peak());
    write_field(reply, "total.allocated", used_bytes);
    write_field(reply, "startup.allocated", call.server.memory_bytes_startup());
    for (const std::string_view name : {"replication.backlog",
                                        "clients.slaves",
                                        "clients.normal",
                                        "cluster.links",
                                        "aof.buffer",
                                        "lua.caches",
                                        "functions.caches"}) {
        write_field(reply, name, 0);
    }
    const std::size_t database_count = write_databases(call);
    write_field(reply, "overhead.total", memory.heap_bytes);
    write_field(reply, "keys.count", key_count);
    write_field(reply, "keys.bytes-per-key", key_count == 0 ? 0 : memory.data_bytes / key_count);
    write_field(reply, "dataset.bytes", memory.data_bytes);
    write_ratio(reply, "dataset.percentage", kPercent * ratio(memory.data_bytes, used_bytes));
    write_ratio(
        reply, "peak.percentage", kPercent * ratio(used_bytes, call.server.memory_bytes_peak()));
    write_field(reply, "allocator.allocated", used_bytes);
    write_field(reply, "allocator.active", memory.resident_bytes);
    write_field(reply, "allocator.resident", memory.resident_bytes);
    write_ratio(reply, "allocator-fragmentation.ratio", 1);
    write_field(reply, "allocator-fragmentation.bytes", 0);
    write_ratio(reply, "allocator-rss.ratio", 1);
    write_field(reply, "allocator-rss.bytes", 0);
    write_ratio(reply, "rss-overhead.ratio", 1);
    write_field(reply, "rss-overhead.bytes", 0);
    write_ratio(reply, "fragmentation", ratio(memory.resident_bytes, used_bytes));
    write_field(reply, "fragmentation.bytes", memory.resident_bytes - used_bytes);
    constexpr std::size_t kFieldCount = 27;
    reply.close_map(map, kFieldCount + database_count);
}

void memory_malloc_stats(Call& call, const NoArguments&) {
    const store::ArenaStats arena = call.keyspace.arena().stats();
    const struct mallinfo2 heap = ::mallinfo2();
    call.reply.verbatim(
        "txt",
        fmt::format(
            "arena: {} bytes in use ({} in slots, {} in extents), {} resident, {} slabs, {} "
            "of them free\nheap: {} bytes in use, {} free\n",
            arena.used_bytes,
            arena.slot_bytes_used,
            arena.extent_bytes_used,
            arena.resident_bytes_estimate,
            arena.slab_count,
            arena.slab_count_free,
            heap.uordblks,
            heap.fordblks));
}

/// Gives every free page back, however long that takes.
void memory_purge(Call& call, const NoArguments&) {
    store::Arena& arena = call.keyspace.arena();
    constexpr std::size_t kStepBytes = std::size_t{16} << 20;
    // A page goes only when it was free at the last sweep, hence two.
    for (int sweep = 0; sweep < 2; ++sweep) {
        arena.age();
        while (arena.has_pages_to_give_back()) {
            static_cast<void>(arena.give_back(kStepBytes));
        }
    }
    ::malloc_trim(0);
    call.reply.ok();
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return admin_info("server", 0, name, arity, flags, "4.0.0", complexity, syntax, summary);
}

constexpr CommandInfo usage_info() {
    CommandInfo usage =
        info("usage", -3, kReadonly, "O(1)", "key [SAMPLES count]", "Tells what a key takes.");
    usage.keys = {.first = 2, .last = 2, .step = 1};
    return usage;
}

constexpr std::array kSubcommands = {
    row<memory_doctor>(info("doctor", 2, 0, "O(1)", "", "Says what is wrong with memory.")),
    row<container_help>(info("help", 2, kAnyTime, "O(1)", "", "Lists the subcommands.")),
    row<memory_malloc_stats>(
        info("malloc-stats", 2, 0, "O(1)", "", "Tells the allocators' figures.")),
    row<memory_purge>(info("purge", 2, 0, "O(N)", "", "Gives free memory back to the system.")),
    row<memory_stats>(info("stats", 2, 0, "O(1)", "", "Tells where memory goes.")),
    row<memory_usage>(usage_info()),
};

}  // namespace

std::span<const CommandSpec> memory_table() {
    static constexpr std::array kTable = {
        container_row(info("memory", -2, 0, "Depends on subcommand.", "", "Tells about memory."),
                      kSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
