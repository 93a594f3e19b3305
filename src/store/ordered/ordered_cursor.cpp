#include "store/ordered/ordered_index.hpp"

namespace tern::store {

namespace {

/// How many elements ahead of a walk are fetched: enough to hide a miss behind the work per
/// element.
constexpr std::uint32_t kPrefetchDistance = 4;

}  // namespace

OrderedCursor::OrderedCursor(const Arena& arena, Handle leaf, std::uint32_t index) noexcept
    : arena_(&arena), leaf_(arena.as<const ordered::Leaf>(leaf)), index_(index) {
    if (index_ == leaf_->count) {
        settle(leaf_->next);
    }
}

void OrderedCursor::settle(Handle leaf) noexcept {
    leaf_ = leaf ? arena_->as<const ordered::Leaf>(leaf) : nullptr;
    index_ = 0;
}

void OrderedCursor::next() noexcept {
    TERN_DCHECK(leaf_ != nullptr);
    if (++index_ == leaf_->count) {
        settle(leaf_->next);
    } else if (index_ + kPrefetchDistance < leaf_->count) {
        arena_->prefetch(leaf_->entries[index_ + kPrefetchDistance]);
    }
}

void OrderedCursor::previous() noexcept {
    TERN_DCHECK(leaf_ != nullptr);
    if (index_ == 0) {
        settle(leaf_->previous);
        index_ = leaf_ != nullptr ? leaf_->count - 1 : 0;
        return;
    }
    --index_;
    if (index_ >= kPrefetchDistance) {
        arena_->prefetch(leaf_->entries[index_ - kPrefetchDistance]);
    }
}

}  // namespace tern::store
