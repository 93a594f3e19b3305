#include <malloc.h>

#include "server/observe/heap.hpp"
#include "server/server.hpp"

/// maxmemory: the part of Server that keeps memory below it.
namespace tern::server {

namespace {

/// How many keys go before one command at most. The default, 10, is 88: some 50 µs.
std::int64_t evictions_max(std::int64_t tenacity) noexcept {
    constexpr std::int64_t kTenacityMax = 100;
    constexpr std::int64_t kUnbounded = std::int64_t{1} << 40;
    constexpr std::int64_t kKeys = 8;
    return tenacity == kTenacityMax ? kUnbounded : kKeys * (tenacity + 1);
}

}  // namespace

std::uint64_t heap_bytes_in_use() noexcept {
    const struct mallinfo2 heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

std::uint64_t Server::memory_used_bytes() const noexcept {
    return keyspace_.arena().used_bytes() + heap_bytes_;
}

bool Server::make_room() {
    is_full_ = false;
    if (config_.maxmemory == 0 || memory_used_bytes() < config_.maxmemory) {
        return false;
    }
    const std::uint64_t start = meter_.start();
    bool is_over = true;
    for (std::int64_t left = evictions_max(config_.maxmemory_eviction_tenacity); left > 0; --left) {
        // What was removed before and waits to be freed counts as room that comes.
        const bool had_frees = keyspace_.has_pending_frees();
        keyspace_.drain_step();
        is_over = memory_used_bytes() >= config_.maxmemory;
        if (!is_over) {
            break;
        }
        if (!evictor_.evict_one() && !had_frees) {
            is_full_ = true;
            break;
        }
    }
    meter_.note_since("eviction-cycle", start, now_ms_);
    return is_over && !is_full_;
}

void Server::apply_settings() {
    evictor_.configure(config_.maxmemory_policy,
                       static_cast<std::size_t>(config_.maxmemory_samples));
    keyspace_.count_uses(store::counts_uses(config_.maxmemory_policy), config_.lfu);
    defragmenter_.configure(config_.defrag);
    meter_.slow_log().trim(static_cast<std::size_t>(config_.slowlog_max_len));
    if (config_.maxmemory != 0 && heap_bytes_ == 0) {
        heap_bytes_ = heap_bytes_in_use();
    }
}

}  // namespace tern::server
