#include "store/keyspace/keyspace.hpp"

#include <algorithm>
#include <utility>

#include "store/keyspace/entry_parts.hpp"

namespace tern::store {
namespace {

/// Objects that empty within this many elements are freed at once.
constexpr std::size_t kElementsFreedAtOnce = 64;
/// How long freed pages stay for others to use before they go back to the system.
constexpr std::int64_t kPagesStayMs = 100;

}  // namespace

Keyspace::Keyspace(Arena& arena, const KeyspaceOptions& options)
    : arena_(&arena), hasher_(options.hash_seed), random_(options.random_seed) {
    databases_.reserve(options.database_count);
    for (std::size_t number = 0; number < options.database_count; ++number) {
        databases_.push_back(std::make_unique<Database>(*this, number));
    }
}

Keyspace::~Keyspace() {
    observer_ = nullptr;
    flush_all();
    drain_now();
}

void Keyspace::swap_databases(std::size_t first, std::size_t second) noexcept {
    if (first == second) {
        return;
    }
    std::swap(database(first).tables_, database(second).tables_);
    ++stats_.dirty;
    if (observer_ != nullptr) {
        observer_->on_database_replaced(first);
        observer_->on_database_replaced(second);
    }
}

void Keyspace::flush_all() {
    for (const auto& database : databases_) {
        database->flush();
    }
}

std::uint32_t Keyspace::stamp_of_use(std::uint32_t stamp) noexcept {
    if (!notes_uses_) {
        return stamp;
    }
    if (!counts_uses_) {
        return second_;
    }
    const std::uint32_t minute = UseCounter::minute_of(clock_.now_ms);
    const std::uint32_t count = UseCounter::count(stamp, minute, lfu_);
    return UseCounter::stamp(minute, UseCounter::count_up(count, random_(), lfu_));
}

// Freeing in steps

void Keyspace::dispose(Type type, void* object) {
    const ObjectOps& object_ops = ops(type);
    if (object_ops.drain(object, kElementsFreedAtOnce)) {
        object_ops.destroy(*this, object);
    } else {
        old_objects_.push_back({&object_ops, object});
    }
}

void Keyspace::retire(std::unique_ptr<DatabaseTables> tables) {
    if (!tables->keys.empty()) {
        old_tables_.push_back(std::move(tables));
    }
}

/// Frees a part of a flushed database; true when nothing is left.
bool Keyspace::drain_tables(DatabaseTables& tables, const MaintainBudget& budget) {
    if (tables.deadlines.size() != 0) {  // first, while the entries that it sorts are there
        tables.deadlines.drain(budget.drained_elements, [](Handle) {});
        return false;
    }
    return tables.keys.drain(budget.drained_buckets, [this](Handle handle) {
        ++stats_.drained_keys;
        databases_.front()->free_entry(handle);
    });
}

void Keyspace::drain_step(const MaintainBudget& budget) {
    if (!old_objects_.empty()) {
        const OldObject old = old_objects_.back();
        if (old.ops->drain(old.object, budget.drained_elements)) {
            old_objects_.pop_back();
            old.ops->destroy(*this, old.object);
            ++stats_.drained_keys;
        }
    }
    if (!old_tables_.empty() && drain_tables(*old_tables_.back(), budget)) {
        old_tables_.pop_back();
    }
}

void Keyspace::drain_now() {
    while (has_pending_frees()) {
        drain_step(MaintainBudget{});
    }
}

std::size_t Keyspace::pending_free_count() const noexcept {
    std::size_t count = old_objects_.size();
    for (const auto& tables : old_tables_) {
        count += tables->keys.size();
    }
    return count;
}

// Upkeep

bool Keyspace::expire_step(std::size_t key_count_max) {
    std::size_t left = key_count_max;
    for (std::size_t i = 0; i < databases_.size() && left != 0; ++i) {
        // Each call begins where the last one stopped, so that no database starves the others.
        left -= databases_[next_expiring_]->expire_step(left);
        if (left != 0) {
            next_expiring_ = (next_expiring_ + 1) % databases_.size();
        }
    }
    return left == 0;
}

bool Keyspace::maintain(std::int64_t now_ms, const MaintainBudget& budget) {
    set_now_ms(now_ms);
    const bool more_expired = active_expiry_ && expire_step(budget.expired_keys);
    drain_step(budget);
    if (now_ms - aged_at_ms_ >= kPagesStayMs || now_ms < aged_at_ms_) {
        aged_at_ms_ = now_ms;
        arena_->age();
    }
    arena_->give_back(budget.given_back_bytes);
    return more_expired || has_pending_frees() || arena_->has_pages_to_give_back();
}

ExpireAtMs Keyspace::next_deadline_ms() const noexcept {
    ExpireAtMs next = kNeverExpires;
    for (const auto& database : databases_) {
        next = std::min(next, database->next_deadline_ms());
    }
    return next;
}

}  // namespace tern::store
