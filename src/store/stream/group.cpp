#include "store/stream/group.hpp"

#include <new>
#include <tern/base/check.hpp>

namespace tern::store::streams {
namespace {

/// An object with a name of its own; null without memory.
template <typename Named>
[[nodiscard]] Named* make_named(Arena& arena, std::string_view name) noexcept {
    static_assert(sizeof(Named) % 8 == 0 && alignof(Named) <= 8,
                  "the arena aligns such sizes to 8");
    const Handle name_handle = name_slot::make(arena, name);
    if (!name_handle) {
        return nullptr;
    }
    const Handle handle = arena.allocate(sizeof(Named));
    if (!handle) {
        element_slot::free(arena, name_handle, 0);
        return nullptr;
    }
    return new (arena.at(handle)) Named(arena, name_handle);
}

template <typename Named>
void free_named(Arena& arena, Named& named) noexcept {
    const Handle handle = arena.handle_of(reinterpret_cast<std::byte*>(&named));
    element_slot::free(arena, named.name, 0);
    named.~Named();
    arena.free(handle);
}

}  // namespace

Group* Group::make(Arena& arena, std::string_view name) noexcept {
    return make_named<Group>(arena, name);
}

void Group::free(Arena& arena, Group& group) noexcept {
    TERN_CHECK(group.consumer_count() == 0 && group.pending_count() == 0);
    free_named(arena, group);
}

bool Group::drain(std::size_t budget) noexcept {
    while (budget > 0) {
        Consumer* const consumer = consumers_.first();
        if (consumer == nullptr) {
            break;
        }
        if (!consumer->pending.empty()) {
            const std::uint64_t before = consumer->pending.size();
            consumer->pending.drain(budget, [](Handle) {});
            const std::uint64_t removed = before - consumer->pending.size();
            budget -= removed < budget ? static_cast<std::size_t>(removed) : budget;
            continue;
        }
        consumers_.erase(handle_of(consumer));
        free_named(*arena_, *consumer);
        --budget;
    }
    if (consumers_.size() == 0) {
        pending_.drain(budget, [this](Handle handle) { arena_->free(handle); });
    }
    return consumers_.size() == 0 && pending_.empty();
}

std::size_t Group::memory_bytes() const noexcept {
    // Each pending entry is in an index of a consumer too, which is about as large as the group's.
    const std::size_t consumer_bytes = Arena::class_bytes(sizeof(Consumer)) + kSlotBytesMin * 2;
    return Arena::class_bytes(sizeof(Group)) + element_slot::memory_bytes(*arena_, name, 0) +
           consumers_.memory_bytes() +
           static_cast<std::size_t>(consumers_.size()) * consumer_bytes +
           2 * pending_.memory_bytes() +
           static_cast<std::size_t>(pending_.size()) * Arena::class_bytes(sizeof(Pending));
}

// Consumers

Consumer* Group::add_consumer(std::string_view consumer_name, std::int64_t now_ms) noexcept {
    auto* const consumer = make_named<Consumer>(*arena_, consumer_name);
    if (consumer == nullptr) {
        return nullptr;
    }
    consumer->seen_at_ms = now_ms;
    if (!consumers_.insert(handle_of(consumer))) {
        free_named(*arena_, *consumer);
        return nullptr;
    }
    return consumer;
}

void Group::erase_consumer(Consumer& consumer) noexcept {
    consumer.pending.drain(UINT64_MAX, [this](Handle handle) {
        pending_.erase(handle);
        arena_->free(handle);
    });
    consumers_.erase(handle_of(&consumer));
    free_named(*arena_, consumer);
}

// Pending entries

Pending* Group::add_pending(const EntryId& id, Consumer& consumer) noexcept {
    const Handle handle = arena_->allocate(sizeof(Pending));
    if (!handle) {
        return nullptr;
    }
    auto* const pending = new (arena_->at(handle)) Pending;
    pending->id = id;
    pending->consumer = handle_of(&consumer);
    if (!pending_.insert(handle)) {
        arena_->free(handle);
        return nullptr;
    }
    if (!consumer.pending.insert(handle)) {
        pending_.erase(handle);
        arena_->free(handle);
        return nullptr;
    }
    return pending;
}

bool Group::assign(Pending& pending, Consumer& consumer) noexcept {
    const Handle owner = handle_of(&consumer);
    if (pending.consumer == owner) {
        return true;
    }
    const Handle handle = handle_of(&pending);
    if (!consumer.pending.insert(handle)) {
        return false;
    }
    consumer_of(pending).pending.erase(handle);
    pending.consumer = owner;
    return true;
}

void Group::erase_pending(Pending& pending) noexcept {
    const Handle handle = handle_of(&pending);
    consumer_of(pending).pending.erase(handle);
    pending_.erase(handle);
    arena_->free(handle);
}

// All of it

bool Group::copy_to(Group& target) const noexcept {
    target.last_id = last_id;
    target.entries_read = entries_read;
    return consumers_.walk([&](const Consumer& consumer) {
        Consumer* const fresh = target.add_consumer(name_of(consumer), consumer.seen_at_ms);
        if (fresh == nullptr) {
            return false;
        }
        fresh->active_at_ms = consumer.active_at_ms;
        bool is_complete = true;
        walk_pending(consumer, {}, kIdMax, [&](const Pending& pending) {
            Pending* const copy = target.add_pending(pending.id, *fresh);
            if (copy != nullptr) {
                copy->delivered_at_ms = pending.delivered_at_ms;
                copy->delivery_count = pending.delivery_count;
            }
            is_complete = copy != nullptr;
            return is_complete;
        });
        return is_complete;
    });
}

void Group::check_invariants() const {
    pending_.check_invariants();
    std::uint64_t count = 0;
    walk_consumers([&](const Consumer& consumer) {
        consumer.pending.check_invariants();
        walk_pending(consumer, {}, kIdMax, [&](const Pending& pending) {
            TERN_CHECK(find_pending(pending.id) == &pending && &consumer_of(pending) == &consumer);
            ++count;
            return true;
        });
        TERN_CHECK(find_consumer(name_of(consumer)) == &consumer);
        return true;
    });
    TERN_CHECK(count == pending_.size());
}

}  // namespace tern::store::streams
