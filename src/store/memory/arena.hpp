#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>
#include <tern/base/result.hpp>
#include <thread>

#include "base/prefetch.hpp"
#include "store/memory/size_classes.hpp"

namespace tern::store {

/// A small object in an arena: 20 bits of slab, 12 bits of slot. Zero is null.
struct Handle {
    std::uint32_t value = 0;

    [[nodiscard]] explicit constexpr operator bool() const noexcept { return value != 0; }
    [[nodiscard]] constexpr auto operator<=>(const Handle&) const noexcept = default;
};

/// A large object in an arena: the number of its first slab. Zero is null.
struct ExtentId {
    std::uint32_t value = 0;

    [[nodiscard]] explicit constexpr operator bool() const noexcept { return value != 0; }
    [[nodiscard]] constexpr auto operator<=>(const ExtentId&) const noexcept = default;
};

struct ArenaOptions {
    /// Address space to reserve, a power of two; halved until the system grants it. A quarter of
    /// it, at most 64 GiB (20 bits of slab), is for small objects and the rest for extents.
    std::size_t reserve_bytes = std::size_t{256} << 30;
    /// What the arena settles for when the system refuses more.
    std::size_t reserve_bytes_min = std::size_t{64} << 20;
};

/// What an arena holds now. All figures are exact but `resident_bytes_estimate`.
struct ArenaStats {
    std::size_t used_bytes = 0;               ///< slots and extents in use, at their rounded sizes
    std::size_t slot_bytes_used = 0;          ///< the part of it in slots
    std::size_t extent_bytes_used = 0;        ///< the part of it in extents
    std::size_t slot_count = 0;               ///< small objects in use
    std::size_t slab_count = 0;               ///< slabs that hold at least one small object
    std::size_t slab_count_free = 0;          ///< slabs used before and free for any class
    std::size_t resident_bytes_estimate = 0;  ///< touched and not given back; counts whole slabs
    std::uint64_t allocation_count = 0;       ///< successful allocations since the start
    std::size_t reserved_bytes = 0;           ///< address space, fixed at the start
};

/// All memory of a store: one range of addresses, reserved once, cut into slabs of 64 KiB.
///
/// Small objects live in slots; a slab has slots of one size class, and a slab that empties serves
/// any class again. Large objects are extents, runs of whole slabs. Nothing is mapped or unmapped
/// after `create`; freed pages go back to the system in `give_back`, which no command calls. Memory
/// is not cleared: a new object holds whatever its place held before. An object moves only by
/// `copy_from_sparse`, when its owner asks.
///
///     slab number   0        1 … small_limit            small_limit … reserved
///                   (null)   slabs of slots, bump up    extents, buddy blocks of slabs
///
/// Alignment: 2 bytes; 4 or 8 when the size asked for is a multiple of that; 64 when it is 64, 128,
/// 192 or a power of two from 256 on.
/// Errors:   a null handle when the range is exhausted; the caller refuses the command.
/// Threads:  one owner thread. `start_prefault` adds a helper that only touches pages.
class Arena {
public:
    /// Reserves the address range; no page of it is touched yet.
    ///
    /// Errors:   kInvalidArgument for sizes that are no powers of two or under 1 MiB; kOs when the
    ///           system grants not even `reserve_bytes_min`.
    [[nodiscard]] static Result<std::unique_ptr<Arena>> create(const ArenaOptions& options);

    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    /// A slot for `bytes`, uninitialised; null when the small range is exhausted.
    ///
    /// Units:    `bytes` at most kSlotBytesMax (32 KiB).
    [[nodiscard]] Handle allocate(std::size_t bytes) noexcept;

    /// Gives a slot back. Null is allowed.
    void free(Handle handle) noexcept;

    /// A copy of an object in a fuller slab, when the slab that it lies in is less than three
    /// quarters full and not the one that fills up next; null otherwise. The caller lets everything
    /// that names the object name the copy, then frees the object.
    [[nodiscard]] Handle copy_from_sparse(Handle handle) noexcept;

    /// Where an object is. Not for null.
    ///
    /// Lifetime: until `free`.
    [[nodiscard]] std::byte* at(Handle handle) const noexcept {
        const std::size_t slab = handle.value >> kSlotBits;
        TERN_DCHECK(slab != 0 && slab < slab_limit_small_);
        return base_ + slab * kSlabBytes +
               std::size_t{handle.value & kSlotMask} *
                   (std::size_t{slot_units_[slab]} * kUnitBytes);
    }

    /// The same as a T.
    template <typename T>
    [[nodiscard]] T* as(Handle handle) const noexcept {
        static_assert(alignof(T) <= 8, "slots are aligned to 8 bytes at most sizes");
        TERN_DCHECK(reinterpret_cast<std::uintptr_t>(at(handle)) % alignof(T) == 0);
        return reinterpret_cast<T*>(at(handle));
    }

    /// The size of the object's slot: what may be written without a new allocation.
    [[nodiscard]] std::size_t slot_bytes(Handle handle) const noexcept {
        return std::size_t{slot_units_[handle.value >> kSlotBits]} * kUnitBytes;
    }

    /// The slot size that `allocate(bytes)` would use.
    [[nodiscard]] static constexpr std::size_t class_bytes(std::size_t bytes) noexcept {
        return class_slot_bytes(size_class_of(bytes));
    }

    /// A run of whole slabs for `bytes`, uninitialised; null when no run is long enough.
    [[nodiscard]] ExtentId allocate_extent(std::size_t bytes) noexcept;

    /// Gives an extent back in a bounded number of steps; its pages go to the system later. Null is
    /// allowed.
    void free(ExtentId extent) noexcept;

    /// Where an extent begins, aligned to a slab. Not for null.
    [[nodiscard]] std::byte* at(ExtentId extent) const noexcept {
        TERN_DCHECK(extent.value >= slab_limit_small_ && extent.value < slab_limit_);
        return base_ + std::size_t{extent.value} * kSlabBytes;
    }

    /// The size of an extent, a multiple of kSlabBytes.
    [[nodiscard]] std::size_t extent_bytes(ExtentId extent) const noexcept;

    /// The object that begins at `place`: the way back from `at`.
    [[nodiscard]] Handle handle_of(const std::byte* place) const noexcept {
        const auto offset = static_cast<std::size_t>(place - base_);
        const std::size_t slab = offset / kSlabBytes;
        TERN_DCHECK(slab != 0 && slab < slab_limit_small_);
        const std::size_t slot =
            offset % kSlabBytes / (std::size_t{slot_units_[slab]} * kUnitBytes);
        return Handle{static_cast<std::uint32_t>((slab << kSlotBits) | slot)};
    }
    [[nodiscard]] ExtentId extent_of(const std::byte* place) const noexcept {
        return ExtentId{
            static_cast<std::uint32_t>(static_cast<std::size_t>(place - base_) / kSlabBytes)};
    }

    /// Asks the processor to fetch the first line of an object that will be read soon.
    void prefetch(Handle handle) const noexcept { prefetch_line(at(handle)); }

    /// Gives pages of freed slabs and extents back to the system: at most `bytes_max` of them,
    /// after looking at a bounded number of slabs. A slab goes only when it was free at the last
    /// `age`.
    /// Returns the bytes given back. The only system call of the owner thread.
    std::size_t give_back(std::size_t bytes_max) noexcept;

    /// Begins a sweep: what is free now and still free when `give_back` comes along goes. Call it
    /// every 100 ms or so: what is freed and used again within that time keeps its pages.
    void age() noexcept;

    /// Whether `give_back` has anything left to do in this sweep.
    [[nodiscard]] bool has_pages_to_give_back() const noexcept { return sweep_slabs_left_ > 0; }

    /// Starts the helper thread that touches the pages of the next slabs before they are needed. It
    /// keeps between 256 KiB and `ahead_bytes_max` ready, by the rate at which slabs are taken, and
    /// sleeps when none are. Where the system cannot populate pages (Linux before 5.14), it ends.
    void start_prefault(std::size_t ahead_bytes_max = std::size_t{2} << 20);

    /// Stops the helper and waits for it. Also done by the destructor.
    void stop_prefault() noexcept;

    [[nodiscard]] ArenaStats stats() const noexcept;

    /// Slots and extents in use, at their rounded sizes; cheap enough for each command.
    [[nodiscard]] std::size_t used_bytes() const noexcept {
        return slot_bytes_used_ + extent_slabs_used_ * kSlabBytes;
    }

private:
    static constexpr unsigned kSlotBits = 12;
    static constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
    static constexpr std::size_t kUnitBytes = 2;
    static constexpr std::size_t kOrderCount = 33;

    struct SlabMeta;
    struct Layout;
    struct ClassState {
        std::uint32_t partial_head =
            0;  ///< slabs with at least one free slot, a list through SlabMeta
        std::uint32_t partial_tail = 0;
    };

    Arena(std::byte* mapping, const Layout& layout) noexcept;

    [[nodiscard]] std::uint32_t take_slab(std::size_t size_class) noexcept;
    void release_slab(std::uint32_t slab) noexcept;
    void unlink_partial(ClassState& state, std::uint32_t slab) noexcept;
    void append_partial(ClassState& state, std::uint32_t slab) noexcept;
    void push_block(std::uint32_t slab, unsigned order) noexcept;
    void unlink_block(std::uint32_t slab, unsigned order) noexcept;
    void free_block(std::uint32_t slab, unsigned order) noexcept;
    void free_run(std::uint32_t slab, std::size_t slab_count) noexcept;
    void mark_dirty(std::uint32_t slab, std::size_t slab_count) noexcept;
    void mark_used(std::uint32_t slab, std::size_t slab_count) noexcept;
    void prefault_loop(std::stop_token stop, std::size_t ahead_bytes_max) noexcept;

    std::byte* base_ = nullptr;            ///< slab 0, aligned to a slab
    std::uint16_t* slot_units_ = nullptr;  ///< slot size of each small slab, in units of 2 bytes
    std::uint32_t slab_limit_small_ = 0;   ///< small slabs are below, extents from here
    std::uint32_t slab_limit_ = 0;
    SlabMeta* meta_ = nullptr;            ///< one for each slab
    std::uint8_t* page_state_ = nullptr;  ///< one PageState for each slab
    std::array<ClassState, kSizeClassCount> classes_{};

    std::uint32_t free_slab_head_ = 0;  ///< small slabs used before, free for any class
    std::array<std::uint32_t, kOrderCount>
        free_blocks_{};  ///< list heads, by log2 of the slab count

    std::size_t slot_bytes_used_ = 0;
    std::size_t extent_slabs_used_ = 0;
    std::size_t slot_count_ = 0;
    std::size_t slab_count_ = 0;
    std::size_t slab_count_free_ = 0;
    std::size_t resident_slabs_ = 0;
    std::size_t dirty_slab_count_ = 0;
    std::uint32_t give_back_cursor_ = 1;
    std::uint32_t sweep_slabs_left_ = 0;
    std::uint8_t epoch_ = 0;             ///< 0 or 1; slabs freed in the other one are old
    std::uint32_t extent_frontier_ = 0;  ///< no extent slab from here on was ever used
    std::uint64_t allocation_count_ = 0;

    std::byte* mapping_ = nullptr;
    std::size_t mapping_bytes_ = 0;
    /// The next small slab that was never used; the owner writes, the prefault helper reads.
    std::atomic<std::uint32_t> frontier_slab_{1};
    std::jthread prefault_thread_;
};

}  // namespace tern::store
