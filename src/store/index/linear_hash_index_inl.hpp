#pragma once

#include <utility>

#include "store/index/linear_hash_index.hpp"

namespace tern::store {

template <IndexTraits Traits>
LinearHashIndex<Traits>::LinearHashIndex(LinearHashIndex&& other) noexcept
    : arena_(other.arena_), traits_(other.traits_) {
    take(other);
}

template <IndexTraits Traits>
LinearHashIndex<Traits>& LinearHashIndex<Traits>::operator=(LinearHashIndex&& other) noexcept {
    if (this != &other) {
        clear();
        arena_ = other.arena_;
        traits_ = other.traits_;
        take(other);
    }
    return *this;
}

template <IndexTraits Traits>
void LinearHashIndex<Traits>::take(LinearHashIndex& other) noexcept {
    bucket_count_ = std::exchange(other.bucket_count_, 0);
    mask_ = std::exchange(other.mask_, 0);
    size_ = std::exchange(other.size_, 0);
    memory_bytes_ = std::exchange(other.memory_bytes_, 0);
    entries_moved_last_ = std::exchange(other.entries_moved_last_, 0);
    entries_moved_max_ = std::exchange(other.entries_moved_max_, 0);
    segment_origin_ = std::exchange(other.segment_origin_, {});
}

// Chains

template <IndexTraits Traits>
std::size_t LinearHashIndex<Traits>::primary_count(const Bucket& bucket) noexcept {
    const std::uint32_t free_mask = detail::match_tags(bucket.tags, 0) | (kSlotsMask + 1);
    return static_cast<std::size_t>(std::countr_zero(free_mask));
}

template <IndexTraits Traits>
typename LinearHashIndex<Traits>::Overflow LinearHashIndex<Traits>::overflow_of(
    const Bucket& bucket) const noexcept {
    if (bucket.overflow == 0) {
        return {};
    }
    const Handle block{bucket.overflow};
    const std::size_t capacity = arena_->slot_bytes(block) / 5 & ~std::size_t{3};
    std::byte* begin = arena_->at(block);
    return {reinterpret_cast<std::uint8_t*>(begin),
            reinterpret_cast<std::uint32_t*>(begin + capacity),
            capacity};
}

template <IndexTraits Traits>
std::size_t LinearHashIndex<Traits>::overflow_count(const Overflow& overflow) noexcept {
    for (std::size_t i = 0; i < overflow.capacity; i += 16) {
        const std::uint32_t free_mask = detail::match_tags(overflow.tags + i, 0);
        if (free_mask != 0) {
            const std::size_t count = i + static_cast<std::size_t>(std::countr_zero(free_mask));
            return std::min(count, overflow.capacity);
        }
    }
    return overflow.capacity;
}

template <IndexTraits Traits>
std::size_t LinearHashIndex<Traits>::chain_count(const Bucket& bucket) const noexcept {
    return primary_count(bucket) + overflow_count(overflow_of(bucket));
}

template <IndexTraits Traits>
typename LinearHashIndex<Traits>::Place LinearHashIndex<Traits>::place_at(
    Bucket& bucket, const Overflow& overflow, std::size_t i) const noexcept {
    if (i < kSlots) {
        return {bucket.tags + i, bucket.handles + i};
    }
    TERN_DCHECK(i - kSlots < overflow.capacity);
    return {overflow.tags + (i - kSlots), overflow.handles + (i - kSlots)};
}

/// Gives the bucket an overflow block for `count` entries, keeping what fits of the present one's.
template <IndexTraits Traits>
bool LinearHashIndex<Traits>::resize_overflow(Bucket& bucket, std::size_t count) noexcept {
    const Overflow old = overflow_of(bucket);
    const std::size_t wanted = (count + 3) & ~std::size_t{3};
    if (wanted == old.capacity) {
        return true;
    }
    Bucket changed = bucket;
    changed.overflow = 0;
    if (wanted != 0) {
        if (wanted > kOverflowMax) {
            return false;
        }
        const Handle block = arena_->allocate(wanted * 5);
        if (!block) {
            return false;
        }
        changed.overflow = block.value;
        memory_bytes_ += arena_->slot_bytes(block);
        const Overflow fresh = overflow_of(changed);
        const std::size_t kept = std::min(overflow_count(old), count);
        std::memset(fresh.tags, 0, fresh.capacity);
        if (kept != 0) {
            std::memcpy(fresh.tags, old.tags, kept);
            std::memcpy(fresh.handles, old.handles, kept * sizeof(std::uint32_t));
        }
    }
    if (bucket.overflow != 0) {
        memory_bytes_ -= arena_->slot_bytes(Handle{bucket.overflow});
        arena_->free(Handle{bucket.overflow});
    }
    bucket.overflow = changed.overflow;
    return true;
}

/// Drops the entries from `count` on; they have gone elsewhere.
template <IndexTraits Traits>
void LinearHashIndex<Traits>::truncate_chain(Bucket& bucket, std::size_t count) noexcept {
    if (count < kSlots) {
        std::memset(bucket.tags + count, 0, kSlots - count);
    }
    const Overflow overflow = overflow_of(bucket);
    if (overflow.capacity != 0) {
        const std::size_t kept = count > kSlots ? count - kSlots : 0;
        if (kept < overflow.capacity) {
            std::memset(overflow.tags + kept, 0, overflow.capacity - kept);
        }
        // A block with room for a whole step more than needed shrinks; a failure leaves it large.
        if (kept == 0 || kept + 8 <= overflow.capacity) {
            (void)resize_overflow(bucket, kept);
        }
    }
}

template <IndexTraits Traits>
bool LinearHashIndex<Traits>::append(Bucket& bucket,
                                     std::uint8_t tag,
                                     std::uint32_t handle) noexcept {
    const std::size_t primary = primary_count(bucket);
    if (primary < kSlots) {
        bucket.tags[primary] = tag;
        bucket.handles[primary] = handle;
        return true;
    }
    Overflow overflow = overflow_of(bucket);
    const std::size_t count = overflow_count(overflow);
    if (count == overflow.capacity) {
        if (!resize_overflow(bucket, count + 1)) {
            return false;
        }
        overflow = overflow_of(bucket);
    }
    overflow.tags[count] = tag;
    overflow.handles[count] = handle;
    return true;
}

template <IndexTraits Traits>
template <typename Visitor>
void LinearHashIndex<Traits>::visit_chain(const Bucket& bucket, Visitor&& visitor) const {
    const std::size_t primary = primary_count(bucket);
    for (std::size_t i = 0; i < primary; ++i) {
        visitor(Handle{bucket.handles[i]});
    }
    const Overflow overflow = overflow_of(bucket);
    const std::size_t count = overflow_count(overflow);
    for (std::size_t i = 0; i < count; ++i) {
        visitor(Handle{overflow.handles[i]});
    }
}

// Look-up and change

template <IndexTraits Traits>
template <typename Key>
Handle LinearHashIndex<Traits>::find(std::uint64_t hash, const Key& key) const noexcept {
    if (bucket_count_ == 0) {
        return {};
    }
    const Bucket& bucket = *bucket_at(bucket_of(hash));
    const std::uint8_t tag = tag_of(hash);
    for (std::uint32_t mask = detail::match_tags(bucket.tags, tag) & kSlotsMask; mask != 0;
         mask &= mask - 1) {
        const Handle handle{bucket.handles[std::countr_zero(mask)]};
        if (traits_.equals(handle, key)) {
            return handle;
        }
    }
    if (bucket.overflow == 0) {
        return {};
    }
    const Overflow overflow = overflow_of(bucket);
    for (std::size_t i = 0; i < overflow.capacity; i += 16) {
        std::uint32_t mask = detail::match_tags(overflow.tags + i, tag);
        if (overflow.capacity - i < 16) {
            mask &= (1U << (overflow.capacity - i)) - 1;
        }
        for (; mask != 0; mask &= mask - 1) {
            const Handle handle{
                overflow.handles[i + static_cast<std::size_t>(std::countr_zero(mask))]};
            if (traits_.equals(handle, key)) {
                return handle;
            }
        }
    }
    return {};
}

template <IndexTraits Traits>
void LinearHashIndex<Traits>::prefetch_entry(std::uint64_t hash) const noexcept {
    if (bucket_count_ == 0) {
        return;
    }
    const Bucket& bucket = *bucket_at(bucket_of(hash));
    const std::uint32_t mask = detail::match_tags(bucket.tags, tag_of(hash)) & kSlotsMask;
    if (mask != 0) {
        traits_.prefetch(Handle{bucket.handles[std::countr_zero(mask)]});
    } else if (bucket.overflow != 0) {
        arena_->prefetch(Handle{bucket.overflow});
    }
}

/// Where the index keeps `handle`, or null. Looks at numbers only, never at the entry.
template <IndexTraits Traits>
std::uint32_t* LinearHashIndex<Traits>::find_handle(std::uint64_t hash,
                                                    Handle handle) const noexcept {
    if (bucket_count_ == 0) {
        return nullptr;
    }
    Bucket& bucket = *bucket_at(bucket_of(hash));
    const std::size_t primary = primary_count(bucket);
    for (std::size_t i = 0; i < primary; ++i) {
        if (bucket.handles[i] == handle.value) {
            return bucket.handles + i;
        }
    }
    const Overflow overflow = overflow_of(bucket);
    const std::size_t count = overflow_count(overflow);
    for (std::size_t i = 0; i < count; ++i) {
        if (overflow.handles[i] == handle.value) {
            return overflow.handles + i;
        }
    }
    return nullptr;
}

template <IndexTraits Traits>
bool LinearHashIndex<Traits>::insert(std::uint64_t hash, Handle handle) noexcept {
    TERN_DCHECK(handle);
    entries_moved_last_ = 0;
    if (bucket_count_ == 0 && !grow()) {
        return false;
    }
    if (!append(*bucket_at(bucket_of(hash)), tag_of(hash), handle.value)) {
        return false;
    }
    ++size_;
    if (size_ > bucket_count_ * kEntriesPerBucket) {
        (void)grow();  // without memory the chains get longer, and the next insert tries again
    }
    return true;
}

template <IndexTraits Traits>
bool LinearHashIndex<Traits>::erase(std::uint64_t hash, Handle handle) noexcept {
    entries_moved_last_ = 0;
    std::uint32_t* found = find_handle(hash, handle);
    if (found == nullptr) {
        return false;
    }
    Bucket& bucket = *bucket_at(bucket_of(hash));
    const Overflow overflow = overflow_of(bucket);
    const std::size_t last = chain_count(bucket) - 1;
    const Place from = place_at(bucket, overflow, last);
    const bool in_primary = found >= bucket.handles && found < bucket.handles + kSlots;
    std::uint8_t* tag = in_primary ? bucket.tags + (found - bucket.handles)
                                   : overflow.tags + (found - overflow.handles);
    *found = *from.handle;
    *tag = *from.tag;
    truncate_chain(bucket, last);
    --size_;
    if (bucket_count_ > 1 && size_ < bucket_count_ * kEntriesPerBucketMin) {
        shrink();
    }
    return true;
}

template <IndexTraits Traits>
bool LinearHashIndex<Traits>::replace(std::uint64_t hash, Handle from, Handle to) noexcept {
    TERN_DCHECK(to);
    std::uint32_t* found = find_handle(hash, from);
    if (found == nullptr) {
        return false;
    }
    *found = to.value;
    return true;
}

// Growing and shrinking

template <IndexTraits Traits>
void LinearHashIndex<Traits>::set_bucket_count(std::size_t count) noexcept {
    bucket_count_ = count;
    mask_ = count == 0 ? 0 : (std::size_t{1} << std::bit_width(count)) - 1;
}

template <IndexTraits Traits>
void LinearHashIndex<Traits>::note_moved(std::size_t count) noexcept {
    entries_moved_last_ += static_cast<std::uint32_t>(count);
    entries_moved_max_ = std::max(entries_moved_max_, entries_moved_last_);
}

template <IndexTraits Traits>
bool LinearHashIndex<Traits>::add_segment_for(std::size_t bucket) noexcept {
    const auto segment = static_cast<std::size_t>(std::bit_width(bucket));
    if (bucket != segment_first(segment)) {
        return true;
    }
    if (segment >= kSegmentCount) {
        return false;
    }
    const std::size_t length_bytes = segment_bytes(segment);
    std::byte* begin = nullptr;
    if (length_bytes <= kSlotBytesMax) {
        if (const Handle handle = arena_->allocate(length_bytes)) {
            begin = arena_->at(handle);
        }
    } else if (const ExtentId extent = arena_->allocate_extent(length_bytes)) {
        begin = arena_->at(extent);
    }
    if (begin == nullptr) {
        return false;
    }
    memory_bytes_ += length_bytes;
    segment_origin_[segment] = reinterpret_cast<std::uintptr_t>(begin) - bucket * sizeof(Bucket);
    return true;
}

template <IndexTraits Traits>
void LinearHashIndex<Traits>::drop_segment_of(std::size_t bucket) noexcept {
    const auto segment = static_cast<std::size_t>(std::bit_width(bucket));
    if (bucket != segment_first(segment)) {
        return;
    }
    auto* begin = reinterpret_cast<std::byte*>(bucket_at(bucket));
    const std::size_t length_bytes = segment_bytes(segment);
    memory_bytes_ -= length_bytes;
    if (length_bytes <= kSlotBytesMax) {
        arena_->free(arena_->handle_of(begin));
    } else {
        arena_->free(arena_->extent_of(begin));
    }
    segment_origin_[segment] = 0;
}

template <IndexTraits Traits>
typename LinearHashIndex<Traits>::Movers LinearHashIndex<Traits>::movers_of(
    Bucket& bucket, std::size_t count, std::uint64_t bit) const noexcept {
    visit_chain(bucket, [this](Handle handle) { traits_.prefetch(handle); });
    const Overflow overflow = overflow_of(bucket);
    Movers movers;
    for (std::size_t i = 0; i < count; ++i) {
        const Handle handle{*place_at(bucket, overflow, i).handle};
        if ((traits_.hash(handle) & bit) != 0) {
            movers.bits[i / 64] |= std::uint64_t{1} << (i % 64);
            ++movers.count;
        }
    }
    return movers;
}

/// Adds one bucket: it takes the entries of its elder sibling whose next hash bit is set.
template <IndexTraits Traits>
bool LinearHashIndex<Traits>::grow() noexcept {
    const std::size_t added = bucket_count_;
    if (!add_segment_for(added)) {
        return false;
    }
    Bucket& to = *bucket_at(added);
    std::memset(to.tags, 0, sizeof to.tags);
    to.overflow = 0;
    if (added == 0) {
        set_bucket_count(1);
        return true;
    }
    const std::size_t bit = std::bit_floor(added);
    Bucket& from = *bucket_at(added - bit);
    const std::size_t count = chain_count(from);
    const Movers movers = movers_of(from, count, bit);
    if (movers.count > kSlots && !resize_overflow(to, movers.count - kSlots)) {
        drop_segment_of(added);
        return false;
    }
    const Overflow from_overflow = overflow_of(from);
    const Overflow to_overflow = overflow_of(to);
    std::size_t kept = 0;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool moves = (movers.bits[i / 64] >> (i % 64) & 1) != 0;
        const Place source = place_at(from, from_overflow, i);
        const Place target =
            moves ? place_at(to, to_overflow, moved++) : place_at(from, from_overflow, kept++);
        *target.tag = *source.tag;
        *target.handle = *source.handle;
    }
    truncate_chain(from, kept);
    set_bucket_count(added + 1);
    note_moved(moved);
    return true;
}

/// Removes the last bucket: its entries go back to its elder sibling. Without memory for them it
/// stays.
template <IndexTraits Traits>
void LinearHashIndex<Traits>::shrink() noexcept {
    const std::size_t removed = bucket_count_ - 1;
    Bucket& from = *bucket_at(removed);
    Bucket& to = *bucket_at(removed - std::bit_floor(removed));
    const std::size_t from_count = chain_count(from);
    const std::size_t to_count = chain_count(to);
    const std::size_t total = from_count + to_count;
    if (total > kSlots && total - kSlots > overflow_of(to).capacity &&
        !resize_overflow(to, total - kSlots)) {
        return;
    }
    const Overflow from_overflow = overflow_of(from);
    const Overflow to_overflow = overflow_of(to);
    for (std::size_t i = 0; i < from_count; ++i) {
        const Place source = place_at(from, from_overflow, i);
        const Place target = place_at(to, to_overflow, to_count + i);
        *target.tag = *source.tag;
        *target.handle = *source.handle;
    }
    truncate_chain(from, 0);
    set_bucket_count(removed);
    drop_segment_of(removed);
    note_moved(from_count);
}

// Walking

template <IndexTraits Traits>
template <typename Visitor>
std::uint64_t LinearHashIndex<Traits>::scan(std::uint64_t cursor, Visitor&& visitor) const {
    if (bucket_count_ == 0) {
        return 0;
    }
    // The cursor counts in bit-reversed order: the lowest bit, which splits a bucket first, counts
    // most. So the buckets that one bucket splits into follow each other, and a cursor that stands
    // behind the one stands behind all of them.
    const std::size_t low_mask = mask_ >> 1;
    const bool is_split = (cursor & low_mask) < bucket_count_ - low_mask - 1;
    const std::uint64_t mask = is_split ? mask_ : low_mask;
    visit_chain(*bucket_at(cursor & mask), visitor);
    cursor |= ~mask;
    const auto reverse = [](std::uint64_t value) {
        value = ((value >> 1) & 0x5555555555555555U) | ((value & 0x5555555555555555U) << 1);
        value = ((value >> 2) & 0x3333333333333333U) | ((value & 0x3333333333333333U) << 2);
        value = ((value >> 4) & 0x0F0F0F0F0F0F0F0FU) | ((value & 0x0F0F0F0F0F0F0F0FU) << 4);
        return __builtin_bswap64(value);
    };
    return reverse(reverse(cursor) + 1);
}

template <IndexTraits Traits>
template <typename Visitor>
void LinearHashIndex<Traits>::for_each(Visitor&& visitor) const {
    for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket) {
        visit_chain(*bucket_at(bucket), visitor);
    }
}

template <IndexTraits Traits>
template <typename Random>
Handle LinearHashIndex<Traits>::random_entry(Random&& random) const {
    while (size_ != 0) {
        const std::uint64_t bits = random();
        Bucket& bucket = *bucket_at(
            static_cast<std::size_t>((static_cast<unsigned __int128>(bits) * bucket_count_) >> 64));
        const std::size_t count = chain_count(bucket);
        const std::size_t slot = bits % std::max(kRandomRange, count);
        if (slot < count) {
            return Handle{*place_at(bucket, overflow_of(bucket), slot).handle};
        }
    }
    return {};
}

template <IndexTraits Traits>
template <typename Visitor>
bool LinearHashIndex<Traits>::drain(std::size_t bucket_count_max, Visitor&& visitor) {
    for (; bucket_count_max != 0 && bucket_count_ != 0; --bucket_count_max) {
        const std::size_t removed = bucket_count_ - 1;
        Bucket& bucket = *bucket_at(removed);
        while (const std::size_t count = chain_count(bucket)) {
            const Handle handle{*place_at(bucket, overflow_of(bucket), count - 1).handle};
            truncate_chain(bucket, count - 1);
            --size_;
            visitor(handle);
        }
        drop_segment_of(removed);
        set_bucket_count(removed);
    }
    return bucket_count_ == 0;
}

}  // namespace tern::store
