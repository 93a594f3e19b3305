#include "store/memory/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__SANITIZE_ADDRESS__)
    #define TERN_ARENA_POISONS 1
#elif defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define TERN_ARENA_POISONS 1
    #endif
#endif
#ifdef TERN_ARENA_POISONS
    #include <sanitizer/asan_interface.h>
#endif

namespace tern::store {
namespace {

constexpr std::uint16_t kNoSlot = 0xFFFF;
constexpr std::size_t kReserveBytesFloor = std::size_t{1} << 20;
constexpr std::size_t kSmallSlabsMax = std::size_t{1} << 20;  // 20 bits of a handle
/// Free slabs that stay resident whatever happens, so that small swings never fault.
constexpr std::size_t kSlabsKeptWarm = 16;
/// Slabs that one `give_back` looks at: a few microseconds of reading one byte each.
constexpr std::uint32_t kSlabsPerLook = 4096;

enum class SlabKind : std::uint8_t { kNone, kSlots, kExtentUsed, kBlockFree };

enum PageState : std::uint8_t {
    kClean = 0,  ///< never touched, or given back
    kInUse = 1,
    kFreedEven = 2,  ///< freed in epoch 0; kFreedEven + 1 in epoch 1
};

void poison([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t length_bytes) noexcept {
#ifdef TERN_ARENA_POISONS
    ASAN_POISON_MEMORY_REGION(from, length_bytes);
#endif
}

void unpoison([[maybe_unused]] const void* from,
              [[maybe_unused]] std::size_t length_bytes) noexcept {
#ifdef TERN_ARENA_POISONS
    ASAN_UNPOISON_MEMORY_REGION(from, length_bytes);
#endif
}

unsigned floor_log2(std::size_t value) noexcept {
    return static_cast<unsigned>(std::bit_width(value)) - 1;
}

}  // namespace

/// What the arena knows of a slab. Extents use `next`/`prev` of their first slab only.
struct Arena::SlabMeta {
    std::uint32_t next = 0;  ///< list link; for a used extent its length in slabs
    std::uint32_t prev = 0;
    std::uint16_t used_count = 0;
    std::uint16_t bump = 0;  ///< slots from here on were never used
    std::uint16_t free_slot = kNoSlot;
    std::uint8_t size_class = 0;  ///< for a free block its order
    SlabKind kind = SlabKind::kNone;
};

/// How one mapping is shared out: slabs, then the three tables.
struct Arena::Layout {
    std::size_t slab_count;
    std::size_t meta_offset;
    std::size_t units_offset;
    std::size_t state_offset;
    std::size_t mapping_bytes;

    explicit Layout(std::size_t reserve_bytes) noexcept : slab_count(reserve_bytes / kSlabBytes) {
        meta_offset = slab_count * kSlabBytes;
        units_offset = meta_offset + slab_count * sizeof(SlabMeta);
        state_offset = units_offset + slab_count * sizeof(std::uint16_t);
        mapping_bytes = state_offset + slab_count + kSlabBytes;  // the last term: room to align
    }
};

Result<std::unique_ptr<Arena>> Arena::create(const ArenaOptions& options) {
    static_assert(sizeof(SlabMeta) == 16);
    if (!std::has_single_bit(options.reserve_bytes) ||
        !std::has_single_bit(options.reserve_bytes_min) ||
        options.reserve_bytes_min < kReserveBytesFloor ||
        options.reserve_bytes < options.reserve_bytes_min) {
        return error(Errc::kInvalidArgument,
                     "reserve memory: {} bytes, at least {}; both must be powers of two from {} on",
                     options.reserve_bytes,
                     options.reserve_bytes_min,
                     kReserveBytesFloor);
    }
    int refusal = 0;
    for (std::size_t bytes = options.reserve_bytes; bytes >= options.reserve_bytes_min;
         bytes /= 2) {
        const Layout layout(bytes);
        void* mapping = ::mmap(nullptr,
                               layout.mapping_bytes,
                               PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                               -1,
                               0);
        if (mapping != MAP_FAILED) {
            // Small pages: huge ones would make an empty server resident by tens of megabytes.
            (void)::madvise(mapping, layout.mapping_bytes, MADV_NOHUGEPAGE);
            return std::unique_ptr<Arena>(new Arena(static_cast<std::byte*>(mapping), layout));
        }
        refusal = errno;
    }
    return os_error(refusal,
                    "reserve {} bytes of address space; raise `ulimit -v` or allow overcommit",
                    options.reserve_bytes_min);
}

Arena::Arena(std::byte* mapping, const Layout& layout) noexcept
    : mapping_(mapping), mapping_bytes_(layout.mapping_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(mapping);
    base_ = mapping + (align_up(address, std::uintptr_t{kSlabBytes}) - address);
    meta_ = reinterpret_cast<SlabMeta*>(base_ + layout.meta_offset);
    slot_units_ = reinterpret_cast<std::uint16_t*>(base_ + layout.units_offset);
    page_state_ = reinterpret_cast<std::uint8_t*>(base_ + layout.state_offset);
    slab_limit_ = static_cast<std::uint32_t>(layout.slab_count);
    slab_limit_small_ = static_cast<std::uint32_t>(std::min(layout.slab_count / 4, kSmallSlabsMax));
    extent_frontier_ = slab_limit_small_;
    // The rest, cut into blocks whose number is a multiple of their size: [1/4, 1/2) and [1/2, 1).
    for (std::size_t slab = slab_limit_small_; slab < slab_limit_; slab *= 2) {
        push_block(static_cast<std::uint32_t>(slab), floor_log2(slab));
    }
}

Arena::~Arena() {
    stop_prefault();
    // No further than the frontiers: the shadow of all that is reserved would be gigabytes.
    // relaxed: this thread alone moves the frontier.
    unpoison(base_, std::size_t{frontier_slab_.load(std::memory_order_relaxed)} * kSlabBytes);
    unpoison(base_ + std::size_t{slab_limit_small_} * kSlabBytes,
             std::size_t{extent_frontier_ - slab_limit_small_} * kSlabBytes);
    ::munmap(mapping_, mapping_bytes_);
}

// Slots

Handle Arena::allocate(std::size_t bytes) noexcept {
    TERN_CHECK(bytes <= kSlotBytesMax);
    const std::size_t size_class = size_class_of(bytes);
    ClassState& state = classes_[size_class];
    std::uint32_t slab = state.partial_head;
    if (slab == 0) [[unlikely]] {
        slab = take_slab(size_class);
        if (slab == 0) {
            return {};
        }
    }
    SlabMeta& meta = meta_[slab];
    TERN_DCHECK(meta.kind == SlabKind::kSlots && meta.size_class == size_class);
    const std::size_t slot_size = class_slot_bytes(size_class);
    std::uint16_t slot = meta.free_slot;
    std::byte* place = base_ + std::size_t{slab} * kSlabBytes;
    if (slot != kNoSlot) {
        place += slot * slot_size;
        unpoison(place, slot_size);
        meta.free_slot = load<std::uint16_t>(place);
    } else {
        slot = meta.bump++;
        place += slot * slot_size;
        unpoison(place, slot_size);
    }
    if (++meta.used_count == class_slot_count(size_class)) {
        unlink_partial(state, slab);
    }
    slot_bytes_used_ += slot_size;
    ++slot_count_;
    ++allocation_count_;
    return Handle{(slab << kSlotBits) | slot};
}

Handle Arena::copy_from_sparse(Handle handle) noexcept {
    const std::uint32_t slab = handle.value >> kSlotBits;
    const SlabMeta& meta = meta_[slab];
    TERN_DCHECK(meta.kind == SlabKind::kSlots);
    const std::size_t slot_count = class_slot_count(meta.size_class);
    if (meta.used_count * 4U >= slot_count * 3 || classes_[meta.size_class].partial_head == slab) {
        return {};
    }
    const std::size_t slot_size = class_slot_bytes(meta.size_class);
    const Handle copy = allocate(slot_size);
    if (copy) {
        std::memcpy(at(copy), at(handle), slot_size);
    }
    return copy;
}

void Arena::free(Handle handle) noexcept {
    if (!handle) {
        return;
    }
    const std::uint32_t slab = handle.value >> kSlotBits;
    const auto slot = static_cast<std::uint16_t>(handle.value & kSlotMask);
    SlabMeta& meta = meta_[slab];
    TERN_CHECK(meta.kind == SlabKind::kSlots && meta.used_count != 0);
    TERN_DCHECK(slot < meta.bump);
    const std::size_t size_class = meta.size_class;
    const std::size_t slot_size = class_slot_bytes(size_class);
    std::byte* place = base_ + std::size_t{slab} * kSlabBytes + slot * slot_size;
    unpoison(place,
             sizeof(std::uint16_t));  // the neighbour's poison may reach into the first bytes
    store_value(place, meta.free_slot);
    poison(place, slot_size);
    meta.free_slot = slot;
    slot_bytes_used_ -= slot_size;
    --slot_count_;
    ClassState& state = classes_[size_class];
    if (meta.used_count-- == class_slot_count(size_class)) {
        append_partial(state, slab);
    }
    if (meta.used_count == 0) {
        unlink_partial(state, slab);
        release_slab(slab);
    }
}

std::uint32_t Arena::take_slab(std::size_t size_class) noexcept {
    std::uint32_t slab = free_slab_head_;
    if (slab != 0) {
        free_slab_head_ = meta_[slab].next;
        --slab_count_free_;
    } else {
        // relaxed: only this thread writes it; the helper needs no more than a recent value.
        slab = frontier_slab_.load(std::memory_order_relaxed);
        if (slab >= slab_limit_small_) {
            return 0;
        }
        // relaxed: the helper acts on page tables only, never on what the slab holds.
        frontier_slab_.store(slab + 1, std::memory_order_relaxed);
    }
    mark_used(slab, 1);
    poison(base_ + std::size_t{slab} * kSlabBytes, kSlabBytes);
    meta_[slab] = SlabMeta{};
    meta_[slab].size_class = static_cast<std::uint8_t>(size_class);
    meta_[slab].kind = SlabKind::kSlots;
    slot_units_[slab] = static_cast<std::uint16_t>(class_slot_bytes(size_class) / kUnitBytes);
    append_partial(classes_[size_class], slab);
    ++slab_count_;
    return slab;
}

void Arena::release_slab(std::uint32_t slab) noexcept {
    meta_[slab] = SlabMeta{};
    meta_[slab].next = free_slab_head_;
    free_slab_head_ = slab;
    --slab_count_;
    ++slab_count_free_;
    mark_dirty(slab, 1);
}

void Arena::unlink_partial(ClassState& state, std::uint32_t slab) noexcept {
    SlabMeta& meta = meta_[slab];
    (meta.prev != 0 ? meta_[meta.prev].next : state.partial_head) = meta.next;
    (meta.next != 0 ? meta_[meta.next].prev : state.partial_tail) = meta.prev;
    meta.next = 0;
    meta.prev = 0;
}

// Behind the others: the slab in front fills up while those behind have time to empty.
void Arena::append_partial(ClassState& state, std::uint32_t slab) noexcept {
    SlabMeta& meta = meta_[slab];
    meta.prev = state.partial_tail;
    meta.next = 0;
    (meta.prev != 0 ? meta_[meta.prev].next : state.partial_head) = slab;
    state.partial_tail = slab;
}

// Extents

ExtentId Arena::allocate_extent(std::size_t bytes) noexcept {
    if (bytes > std::size_t{slab_limit_} * kSlabBytes) {
        return {};
    }
    const std::size_t slab_count = std::max<std::size_t>((bytes + kSlabBytes - 1) / kSlabBytes, 1);
    unsigned order = static_cast<unsigned>(std::bit_width(slab_count - 1));
    while (order < kOrderCount && free_blocks_[order] == 0) {
        ++order;
    }
    if (order == kOrderCount) {
        return {};
    }
    const std::uint32_t slab = free_blocks_[order];
    unlink_block(slab, order);
    const auto end = static_cast<std::uint32_t>(slab + slab_count);
    free_run(end, (std::size_t{1} << order) - slab_count);
    meta_[slab].kind = SlabKind::kExtentUsed;
    meta_[slab].next = static_cast<std::uint32_t>(slab_count);
    mark_used(slab, slab_count);
    extent_frontier_ = std::max(extent_frontier_, end);
    unpoison(base_ + std::size_t{slab} * kSlabBytes, slab_count * kSlabBytes);
    extent_slabs_used_ += slab_count;
    ++allocation_count_;
    return ExtentId{slab};
}

void Arena::free(ExtentId extent) noexcept {
    if (!extent) {
        return;
    }
    const std::uint32_t slab = extent.value;
    TERN_CHECK(slab >= slab_limit_small_ && meta_[slab].kind == SlabKind::kExtentUsed);
    const std::size_t slab_count = meta_[slab].next;
    meta_[slab].kind = SlabKind::kNone;
    mark_dirty(slab, slab_count);
    poison(base_ + std::size_t{slab} * kSlabBytes, slab_count * kSlabBytes);
    extent_slabs_used_ -= slab_count;
    free_run(slab, slab_count);
}

std::size_t Arena::extent_bytes(ExtentId extent) const noexcept {
    TERN_DCHECK(meta_[extent.value].kind == SlabKind::kExtentUsed);
    return std::size_t{meta_[extent.value].next} * kSlabBytes;
}

void Arena::push_block(std::uint32_t slab, unsigned order) noexcept {
    SlabMeta& meta = meta_[slab];
    meta.kind = SlabKind::kBlockFree;
    meta.size_class = static_cast<std::uint8_t>(order);
    meta.prev = 0;
    meta.next = free_blocks_[order];
    if (meta.next != 0) {
        meta_[meta.next].prev = slab;
    }
    free_blocks_[order] = slab;
}

void Arena::unlink_block(std::uint32_t slab, unsigned order) noexcept {
    SlabMeta& meta = meta_[slab];
    (meta.prev != 0 ? meta_[meta.prev].next : free_blocks_[order]) = meta.next;
    if (meta.next != 0) {
        meta_[meta.next].prev = meta.prev;
    }
    meta.kind = SlabKind::kNone;
}

// Joins the block with its buddy as long as that is free and whole.
void Arena::free_block(std::uint32_t slab, unsigned order) noexcept {
    while (true) {
        const std::uint32_t buddy = slab ^ (1U << order);
        if (buddy < slab_limit_small_ || buddy >= slab_limit_ ||
            meta_[buddy].kind != SlabKind::kBlockFree || meta_[buddy].size_class != order) {
            break;
        }
        unlink_block(buddy, order);
        slab = std::min(slab, buddy);
        ++order;
    }
    push_block(slab, order);
}

void Arena::free_run(std::uint32_t slab, std::size_t slab_count) noexcept {
    while (slab_count != 0) {
        const auto order =
            std::min(static_cast<unsigned>(std::countr_zero(slab)), floor_log2(slab_count));
        free_block(slab, order);
        slab += 1U << order;
        slab_count -= std::size_t{1} << order;
    }
}

// Pages

void Arena::mark_dirty(std::uint32_t slab, std::size_t slab_count) noexcept {
    std::fill_n(page_state_ + slab, slab_count, static_cast<std::uint8_t>(kFreedEven + epoch_));
    dirty_slab_count_ += slab_count;
}

void Arena::mark_used(std::uint32_t slab, std::size_t slab_count) noexcept {
    std::uint8_t* state = page_state_ + slab;
    for (std::size_t i = 0; i < slab_count; ++i) {
        TERN_DCHECK(state[i] != kInUse);
        (state[i] == kClean ? resident_slabs_ : dirty_slab_count_) += state[i] == kClean ? 1 : -1UL;
        state[i] = kInUse;
    }
}

void Arena::age() noexcept {
    epoch_ ^= 1;
    if (dirty_slab_count_ > kSlabsKeptWarm) {
        // relaxed: this thread is the only writer.
        sweep_slabs_left_ =
            frontier_slab_.load(std::memory_order_relaxed) + (extent_frontier_ - slab_limit_small_);
    }
}

std::size_t Arena::give_back(std::size_t bytes_max) noexcept {
    const auto old_state = static_cast<std::uint8_t>(kFreedEven + (epoch_ ^ 1));
    // relaxed: this thread is the only writer.
    const std::uint32_t small_end = frontier_slab_.load(std::memory_order_relaxed);
    std::size_t given_bytes = 0;
    for (std::uint32_t looked = 0; looked < kSlabsPerLook && sweep_slabs_left_ > 0; ++looked) {
        if (dirty_slab_count_ <= kSlabsKeptWarm || given_bytes >= bytes_max) {
            break;
        }
        std::uint32_t& cursor = give_back_cursor_;
        if (cursor >= small_end && cursor < slab_limit_small_) {
            cursor = slab_limit_small_;
        }
        if (cursor >= extent_frontier_ && cursor >= slab_limit_small_) {
            cursor = 1;
        }
        const std::uint32_t limit = cursor < slab_limit_small_ ? small_end : extent_frontier_;
        const std::uint32_t begin = cursor;
        while (cursor < limit && page_state_[cursor] == old_state && given_bytes < bytes_max &&
               dirty_slab_count_ > kSlabsKeptWarm) {
            page_state_[cursor++] = kClean;
            given_bytes += kSlabBytes;
            --dirty_slab_count_;
            --resident_slabs_;
        }
        if (cursor != begin) {
            (void)::madvise(base_ + std::size_t{begin} * kSlabBytes,
                            std::size_t{cursor - begin} * kSlabBytes,
                            MADV_DONTNEED);
        } else {
            ++cursor;
        }
        sweep_slabs_left_ -= std::min(sweep_slabs_left_, std::max(cursor - begin, 1U));
    }
    if (dirty_slab_count_ <= kSlabsKeptWarm) {
        sweep_slabs_left_ = 0;
    }
    return given_bytes;
}

ArenaStats Arena::stats() const noexcept {
    ArenaStats stats;
    stats.slot_bytes_used = slot_bytes_used_;
    stats.extent_bytes_used = extent_slabs_used_ * kSlabBytes;
    stats.used_bytes = used_bytes();
    stats.slot_count = slot_count_;
    stats.slab_count = slab_count_;
    stats.slab_count_free = slab_count_free_;
    stats.resident_bytes_estimate = resident_slabs_ * kSlabBytes;
    stats.allocation_count = allocation_count_;
    stats.reserved_bytes = std::size_t{slab_limit_} * kSlabBytes;
    return stats;
}

// The helper

void Arena::start_prefault(std::size_t ahead_bytes_max) {
    TERN_CHECK(!prefault_thread_.joinable());
    prefault_thread_ = std::jthread(
        [this, ahead_bytes_max](std::stop_token stop) { prefault_loop(stop, ahead_bytes_max); });
}

void Arena::stop_prefault() noexcept {
    if (prefault_thread_.joinable()) {
        prefault_thread_.request_stop();
        prefault_thread_.join();
    }
}

void Arena::prefault_loop(std::stop_token stop, std::size_t ahead_bytes_max) noexcept {
#ifdef MADV_POPULATE_WRITE
    using std::chrono::milliseconds;
    constexpr std::uint32_t kAheadSlabsMin = 4;
    constexpr milliseconds kPauseMin{1};
    constexpr milliseconds kPauseMax{64};
    const auto ahead_max = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(ahead_bytes_max / kSlabBytes, kAheadSlabsMin, slab_limit_small_));
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    std::uint32_t ahead = kAheadSlabsMin;
    std::uint32_t populated = 1;  // slabs below have their pages
    std::uint32_t seen = 1;
    milliseconds pause = kPauseMin;
    while (!stop.stop_requested()) {
        // relaxed: the owner writes; a stale value only means touching a page that is there.
        const std::uint32_t frontier = frontier_slab_.load(std::memory_order_relaxed);
        const std::uint32_t taken = frontier - seen;
        seen = frontier;
        ahead = std::clamp(taken * 4, ahead / 2, ahead_max);
        ahead = std::max(ahead, kAheadSlabsMin);
        pause = taken != 0 ? kPauseMin : std::min(pause * 2, kPauseMax);
        const std::uint32_t end = std::min(frontier + ahead, slab_limit_small_);
        for (populated = std::max(populated, frontier); populated < end; ++populated) {
            if (::madvise(base_ + std::size_t{populated} * kSlabBytes,
                          kSlabBytes,
                          MADV_POPULATE_WRITE) != 0 &&
                errno != EAGAIN && errno != EINTR) {
                return;  // this system cannot; pages fault one by one, which is only slower
            }
        }
        wake.wait_for(lock, stop, pause, [] { return false; });
    }
#else
    (void)stop;
    (void)ahead_bytes_max;
#endif
}

}  // namespace tern::store
