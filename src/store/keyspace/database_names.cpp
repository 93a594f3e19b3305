// Keys that change their name or their database, or are copied.

#include <cstring>

#include "store/keyspace/entry_parts.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::store {

bool Database::rename(EntryRef ref, std::string_view to) {
    const std::string_view from = ref.key();
    if (from == to) {
        return true;
    }
    const std::uint64_t to_hash = hash_of(to);
    const EntryRef replaced = peek(to, to_hash);
    const EntryRef fresh = put(head_of(ref.entry()), to, to_hash, replaced, body_of(ref.entry()));
    if (!fresh) {
        return false;
    }
    if (ref.form() == Form::kInline) {
        std::memcpy(fresh.value().data(), ref.value().data(), ref.value().size());
    }
    if (replaced) {
        free_entry(replaced.handle());
    }
    unlink(ref);
    notify(KeyEvent::kRemoved, from);
    notify(replaced ? KeyEvent::kModified : KeyEvent::kAdded, fresh.key());
    ++keyspace_->stats_.dirty;
    free_slot(ref.handle());
    return true;
}

bool Database::copy(EntryRef ref, Database& target, std::string_view to) {
    const std::uint64_t to_hash = hash_of(to);
    const EntryRef replaced = target.peek(to, to_hash);
    if (replaced && replaced.handle() == ref.handle()) {
        return true;
    }
    Body body = body_of(ref.entry());
    const Head head = head_of(ref.entry());
    if (body.form == Form::kObject) {
        body.object = keyspace_->ops(head.type).copy(*keyspace_, body.object);
        if (body.object == nullptr) {
            return false;
        }
    } else {
        const std::optional<Body> made =
            new_body(head.size_bytes(to), body.length_bytes, body.length_bytes);
        if (!made) {
            return false;
        }
        body = *made;
    }
    const EntryRef fresh = target.put(head, to, to_hash, replaced, body);
    if (!fresh) {
        free_body(head.type, body);
        return false;
    }
    if (body.form != Form::kObject) {
        std::memcpy(fresh.value().data(), ref.value().data(), ref.value().size());
    }
    if (replaced) {
        target.free_entry(replaced.handle());
    }
    target.notify(replaced ? KeyEvent::kModified : KeyEvent::kAdded, fresh.key());
    ++keyspace_->stats_.dirty;
    return true;
}

bool Database::move_to(EntryRef ref, Database& target) {
    TERN_CHECK(&target != this);
    // The entry stays where it is; only the indexes change.
    TERN_DCHECK(!target.peek(ref.key(), ref.hash()));
    if (!target.place(ref.hash(), {}, ref.handle())) {
        return false;
    }
    unlink(ref);
    notify(KeyEvent::kRemoved, ref.key());
    target.notify(KeyEvent::kAdded, ref.key());
    ++keyspace_->stats_.dirty;
    return true;
}

}  // namespace tern::store
