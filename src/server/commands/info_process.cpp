#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/clock.hpp"
#include "server/commands/info_text.hpp"
#include "server/observe/heap.hpp"
#include "server/reactor/reactor.hpp"
#include "server/version.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kSecondsPerDay = 86400;

std::string executable_path() {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/self/exe", failure).string();
}

std::uint64_t physical_memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
               : 0;
}

double seconds(const timeval& time) {
    constexpr double kMicro = 1e-6;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

/// The first TCP port that is listened on; 0: none.
unsigned tcp_port(const Server& server) {
    if (server.loop() != nullptr) {
        for (const transport::Endpoint& endpoint : server.loop()->bound()) {
            if (endpoint.kind == transport::EndpointKind::kTcp) {
                return endpoint.port;
            }
        }
    }
    return 0;
}

void cpu_fields(InfoText& info, int who, std::string_view suffix) {
    rusage usage{};
    ::getrusage(who, &usage);
    info.field(fmt::format("used_cpu_sys{}", suffix),
               fmt::format("{:.6f}", seconds(usage.ru_stime)));
    info.field(fmt::format("used_cpu_user{}", suffix),
               fmt::format("{:.6f}", seconds(usage.ru_utime)));
}

}  // namespace

std::string human_size(std::uint64_t bytes) {
    constexpr std::string_view kUnits = "BKMGTP";
    constexpr double kStep = 1024;
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= kStep && unit + 1 < kUnits.size()) {
        value /= kStep;
        ++unit;
    }
    return unit == 0 ? fmt::format("{}B", bytes) : fmt::format("{:.2f}{}", value, kUnits[unit]);
}

void InfoText::size(std::string_view name, std::uint64_t bytes) {
    field(name, bytes);
    field(fmt::format("{}_human", name), human_size(bytes));
}

ProcessMemory process_memory(Server& server) {
    ProcessMemory memory;
    std::ifstream statm("/proc/self/statm");
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    if (statm >> total_pages >> resident_pages) {
        memory.resident_bytes =
            resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    }
    memory.heap_bytes = heap_bytes_in_use();
    memory.data_bytes = server.keyspace().arena().used_bytes();
    server.note_memory(memory.used_bytes());
    return memory;
}

void info_server(InfoText& info) {
    Server& server = info.server;
    utsname system{};
    ::uname(&system);
    const std::int64_t uptime_s = (server.now_ms() - server.started_ms()) / kMsPerSecond;
    constexpr unsigned kLruBits = 24;
    info.section("Server");
    info.field("redis_version", kRedisVersion);
    info.field("redis_git_sha1", "00000000");
    info.field("redis_git_dirty", 0);
    info.field("redis_build_id", "0");
    info.field("redis_mode", "standalone");
    info.field("os", fmt::format("{} {} {}", system.sysname, system.release, system.machine));
    info.field("arch_bits", 8 * sizeof(void*));
    info.field("monotonic_clock", server.clock().source());
    info.field("multiplexing_api", "epoll");
    info.field("atomicvar_api", "c++20");
    info.field("gcc_version",
               fmt::format("{}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__));
    info.field("process_id", ::getpid());
    info.field("process_supervised", "no");
    info.field("run_id", server.run_id());
    info.field("tcp_port", tcp_port(server));
    info.field("server_time_usec", wall_ns() / kMsPerSecond);
    info.field("uptime_in_seconds", uptime_s);
    info.field("uptime_in_days", uptime_s / kSecondsPerDay);
    info.field("hz", server.settings().text("hz"));
    info.field("configured_hz", server.settings().text("hz"));
    info.field("lru_clock", (server.now_ms() / kMsPerSecond) & ((1 << kLruBits) - 1));
    info.field("executable", executable_path());
    info.field("config_file", server.settings().file_path());
    info.field("io_threads_active", 0);
    info.field("tern_version", TERN_VERSION);
    if (server.loop() != nullptr) {
        std::size_t number = 0;
        for (const transport::Endpoint& endpoint : server.loop()->bound()) {
            const bool is_tcp = endpoint.kind == transport::EndpointKind::kTcp;
            info.field(fmt::format("listener{}", number++),
                       is_tcp
                           ? fmt::format("name=tcp,bind={},port={}", endpoint.host, endpoint.port)
                           : fmt::format("name=unix,bind={}", endpoint.path));
        }
    }
}

void info_clients(InfoText& info) {
    Server& server = info.server;
    std::size_t input_bytes_max = 0;
    std::size_t output_bytes_max = 0;
    for (const auto& [id, session] : server.clients()) {
        input_bytes_max = std::max(input_bytes_max, session->peer->pending_input_bytes());
        output_bytes_max = std::max(output_bytes_max, session->peer->pending_output_bytes());
    }
    info.section("Clients");
    info.field("connected_clients", server.clients().size());
    info.field("cluster_connections", 0);
    info.field("maxclients", server.config().maxclients);
    info.field("client_recent_max_input_buffer", input_bytes_max);
    info.field("client_recent_max_output_buffer", output_bytes_max);
    info.field("blocked_clients", server.blocked_clients().size());
    info.field("tracking_clients", 0);
    info.field("clients_in_timeout_table", server.blocked_clients().timed_count());
    info.field("total_blocking_keys", server.blocked_clients().key_count());
    info.field("total_blocking_keys_on_nokey", server.blocked_clients().key_count_without_key());
}

namespace {

void fragmentation_fields(InfoText& info, const ProcessMemory& memory) {
    const auto resident = static_cast<double>(memory.resident_bytes);
    const auto used = static_cast<double>(std::max<std::uint64_t>(memory.used_bytes(), 1));
    const auto difference = static_cast<std::int64_t>(memory.resident_bytes) -
                            static_cast<std::int64_t>(memory.used_bytes());
    info.ratio("allocator_frag_ratio", 1);
    info.field("allocator_frag_bytes", 0);
    info.ratio("allocator_rss_ratio", 1);
    info.field("allocator_rss_bytes", 0);
    info.ratio("rss_overhead_ratio", 1);
    info.field("rss_overhead_bytes", 0);
    info.ratio("mem_fragmentation_ratio", resident / used);
    info.field("mem_fragmentation_bytes", difference);
}

void zero_fields(InfoText& info, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        info.field(name, 0);
    }
}

}  // namespace

void script_fields(InfoText& info, const ScriptEngine& scripts) {
    info.size("used_memory_lua", scripts.lua_bytes());
    info.field("used_memory_vm_eval", scripts.lua_bytes());
    info.field("used_memory_scripts_eval", scripts.cache_bytes());
    info.field("number_of_cached_scripts", scripts.script_count());
    zero_fields(info, {"number_of_functions", "number_of_libraries", "used_memory_vm_functions"});
    info.size("used_memory_vm_total", scripts.lua_bytes());
    info.field("used_memory_functions", 0);
    info.size("used_memory_scripts", scripts.cache_bytes());
}

void info_memory(InfoText& info) {
    Server& server = info.server;
    const ProcessMemory memory = process_memory(server);
    const std::uint64_t used_bytes = memory.used_bytes();
    const auto percent = [](std::uint64_t part, std::uint64_t whole) {
        return fmt::format("{:.2f}%",
                           100.0 * static_cast<double>(part) /
                               static_cast<double>(std::max<std::uint64_t>(whole, 1)));
    };
    info.section("Memory");
    info.size("used_memory", used_bytes);
    info.size("used_memory_rss", memory.resident_bytes);
    info.size("used_memory_peak", server.memory_bytes_peak());
    info.field("used_memory_peak_perc", percent(used_bytes, server.memory_bytes_peak()));
    info.field("used_memory_overhead", memory.heap_bytes);
    info.field("used_memory_startup", server.memory_bytes_startup());
    info.field("used_memory_dataset", memory.data_bytes);
    info.field("used_memory_dataset_perc", percent(memory.data_bytes, used_bytes));
    info.field("allocator_allocated", used_bytes);
    info.field("allocator_active", memory.resident_bytes);
    info.field("allocator_resident", memory.resident_bytes);
    info.size("total_system_memory", physical_memory_bytes());
    script_fields(info, server.scripts());
    info.size("maxmemory", server.config().maxmemory);
    info.field("maxmemory_policy", server.settings().text("maxmemory-policy"));
    fragmentation_fields(info, memory);
    zero_fields(info,
                {"mem_not_counted_for_evict",
                 "mem_replication_backlog",
                 "mem_total_replication_buffers",
                 "mem_clients_slaves",
                 "mem_clients_normal",
                 "mem_cluster_links",
                 "mem_aof_buffer"});
    info.field("mem_allocator", "tern-arena");
    info.field("active_defrag_running", server.defragmenter().effort());
    info.field("lazyfree_pending_objects", server.keyspace().pending_free_count());
    info.field("lazyfreed_objects", server.keyspace().stats().drained_keys);
}

void info_cpu(InfoText& info) {
    info.section("CPU");
    cpu_fields(info, RUSAGE_SELF, "");
    cpu_fields(info, RUSAGE_CHILDREN, "_children");
    cpu_fields(info, RUSAGE_THREAD, "_main_thread");
}

void info_tern(InfoText& info) {
    Server& server = info.server;
    const ServerStats& stats = server.stats();
    const ReactorStats loop = server.loop() == nullptr ? ReactorStats{} : server.loop()->stats();
    const store::ArenaStats arena = server.keyspace().arena().stats();
    info.section("Tern");
    info.field("tern_version", TERN_VERSION);
    info.field("rings", loop.rings);
    info.field("active_rings", loop.active_rings);
    info.field("ring_messages", stats.ring_messages);
    info.field("doorbells_rung", stats.doorbells_rung);
    info.field("loop_turns", loop.turns);
    info.field("loop_sleeps", loop.sleeps);
    info.field("loop_direct_reads", loop.direct_reads);
    info.field("output_limit_disconnections", stats.output_limit_disconnections);
    info.field("arena_used_bytes", arena.used_bytes);
    info.field("arena_resident_bytes", arena.resident_bytes_estimate);
    info.field("arena_reserved_bytes", arena.reserved_bytes);
    info.field("arena_slots", arena.slot_count);
    info.field("arena_slabs", arena.slab_count);
    info.field("arena_slabs_free", arena.slab_count_free);
    info.field("arena_allocations", arena.allocation_count);
}

}  // namespace tern::server
