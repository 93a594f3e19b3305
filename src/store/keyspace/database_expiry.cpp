// Times to live: the index of deadlines, and keys whose time is over.

#include <algorithm>

#include "store/keyspace/entry_parts.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::store {
namespace {

/// A place in the order of deadlines.
struct DeadlineKey {
    std::uint64_t time;
    Handle handle;

    [[nodiscard]] bool is_above(std::uint64_t prefix, Handle element) const noexcept {
        return prefix != time ? prefix < time : element < handle;
    }
    [[nodiscard]] bool is_at_or_above(std::uint64_t prefix, Handle element) const noexcept {
        return prefix != time ? prefix < time : element <= handle;
    }
};

DeadlineKey deadline_key(const Arena& arena, Handle handle) noexcept {
    return {DeadlineOrder{&arena}.prefix_of(handle), handle};
}

}  // namespace

bool Database::add_deadline(Handle handle) noexcept {
    const DeadlineKey key = deadline_key(*arena_, handle);
    return tables_->deadlines.insert(handle, [key](std::uint64_t prefix, Handle element) {
        return key.is_above(prefix, element);
    });
}

void Database::drop_deadline(Handle handle) noexcept {
    const DeadlineKey key = deadline_key(*arena_, handle);
    tables_->deadlines.erase(handle, [key](std::uint64_t prefix, Handle element) {
        return key.is_at_or_above(prefix, element);
    });
}

/// Gives a volatile entry another deadline where it is; false when its place in the order would
/// change, and the entry has to move to change its deadline.
bool Database::change_deadline(Entry entry, Handle handle, ExpireAtMs at_ms) noexcept {
    if (entry.expire_at_ms() == at_ms) {
        return true;
    }
    const DeadlineKey key = deadline_key(*arena_, handle);
    const DeadlineKey next_key{DeadlineOrder::sort_key(at_ms), handle};
    const DeadlineOrder order{arena_};
    return tables_->deadlines.change_key(
        handle,
        [key](std::uint64_t prefix, Handle element) { return key.is_at_or_above(prefix, element); },
        [&](Handle previous, Handle next) {
            return (!previous || next_key.is_above(order.prefix_of(previous), previous)) &&
                   (!next || !next_key.is_at_or_above(order.prefix_of(next), next));
        },
        [&] { entry.write_expire_at_ms(at_ms); });
}

bool Database::set_expiry(EntryRef& ref, ExpireAtMs expire_at_ms) {
    TERN_DCHECK(expire_at_ms != kNeverExpires);
    if (ref.has_expiry() && change_deadline(ref.entry(), ref.handle(), expire_at_ms)) {
        return true;
    }
    Head head = head_of(ref.entry());
    head.expire_at_ms = expire_at_ms;
    return change_head(ref, head);
}

bool Database::persist(EntryRef& ref) {
    if (!ref.has_expiry()) {
        return true;
    }
    Head head = head_of(ref.entry());
    head.expire_at_ms = kNeverExpires;
    return change_head(ref, head);
}

/// Moves the entry behind another head. A value that was inline and no longer fits goes to an
/// extent; one in an extent stays there.
bool Database::change_head(EntryRef& ref, const Head& head) {
    const Body body = body_of(ref.entry());
    if (body.form == Form::kInline) {
        const std::optional<Body> made =
            new_body(head.size_bytes(ref.key()), body.length_bytes, body.length_bytes);
        if (!made) {
            return false;
        }
        if (!move_entry(ref, head, *made)) {
            arena_->free(made->extent);
            return false;
        }
        return true;
    }
    return move_entry(ref, head, body);
}

std::size_t Database::expire_step(std::size_t key_count_max) {
    std::size_t count = 0;
    for (; count < key_count_max && next_deadline_ms() < clock_->now_ms; ++count) {
        const Handle handle = tables_->deadlines.first().get();
        const std::string_view key = Entry(arena_->at(handle)).key(*arena_);
        remove(EntryRef(*arena_, handle, hash_of(key)), KeyEvent::kExpired);
    }
    return count;
}

std::int64_t Database::average_ttl_ms() const noexcept {
    constexpr std::uint64_t kSamples = 32;
    const std::uint64_t size = tables_->deadlines.size();
    const std::uint64_t count = std::min(size, kSamples);
    std::int64_t average_ms = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Handle handle = tables_->deadlines.at_rank(i * size / count).get();
        const std::int64_t left_ms = Entry(arena_->at(handle)).expire_at_ms() - clock_->now_ms;
        average_ms += std::max<std::int64_t>(left_ms, 0) / static_cast<std::int64_t>(count);
    }
    return average_ms;
}

ExpireAtMs Database::next_deadline_ms() const noexcept {
    const OrderedCursor first = tables_->deadlines.first();
    return first ? Entry(arena_->at(first.get())).expire_at_ms() : kNeverExpires;
}

}  // namespace tern::store
