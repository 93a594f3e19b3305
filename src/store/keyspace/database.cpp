#include "store/keyspace/database.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "store/keyspace/entry_parts.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::store {
namespace {

/// What an entry's share of the indexes is in MEMORY USAGE (docs/decisions/store-memory.md).
constexpr std::size_t kIndexBytesPerKey = 7;
constexpr std::size_t kDeadlineBytesPerKey = 5;

}  // namespace

Database::Database(Keyspace& keyspace, std::size_t number)
    : keyspace_(&keyspace),
      arena_(&keyspace.arena()),
      hasher_(&keyspace.hasher()),
      clock_(&keyspace.clock()),
      lookups_(&keyspace.lookups_),
      tables_(std::make_unique<DatabaseTables>(*arena_, *hasher_)),
      number_(number) {}

Database::~Database() = default;

// Look-up

/// Brings the stamp of a used entry up to date where that is more than writing the time.
void Database::note_use(EntryRef& ref) noexcept {
    ref.set_stamp(keyspace_->stamp_of_use(ref.stamp()));
}

EntryRef Database::ref_of(Handle handle) const noexcept {
    return EntryRef(*arena_, handle, hash_of(Entry(arena_->at(handle)).key(*arena_)));
}

EntryRef Database::entry_at(Handle handle, std::uint64_t hash) const noexcept {
    if (!tables_->keys.contains(hash, handle)) {
        return {};
    }
    // Another key may have the slot by now, and a place in the same bucket.
    const EntryRef ref = ref_of(handle);
    return ref.hash() == hash ? ref : EntryRef();
}

EntryRef Database::random_entry() noexcept {
    const Handle handle = tables_->keys.random_entry([this] { return keyspace_->random()(); });
    return handle ? ref_of(handle) : EntryRef();
}

EntryRef Database::random_volatile_entry() noexcept {
    const std::uint64_t count = tables_->deadlines.size();
    return count == 0 ? EntryRef()
                      : ref_of(tables_->deadlines.at_rank(keyspace_->random().below(count)).get());
}

EntryRef Database::first_volatile_entry() const noexcept {
    const OrderedCursor first = tables_->deadlines.first();
    return first ? ref_of(first.get()) : EntryRef();
}

EntryRef Database::random_key() {
    while (true) {
        const Handle handle = tables_->keys.random_entry([this] { return keyspace_->random()(); });
        if (!handle) {
            return {};
        }
        const std::uint64_t hash = hash_of(Entry(arena_->at(handle)).key(*arena_));
        const EntryRef ref(*arena_, handle, hash);
        if (!is_over(ref.entry())) {
            return ref;
        }
        remove(ref, KeyEvent::kExpired);
    }
}

// Building entries

Database::Head Database::head_of(const Entry& entry) noexcept {
    return {entry.type(), entry.mark(), entry.stamp(), entry.expire_at_ms()};
}

Database::Body Database::body_of(const Entry& entry) noexcept {
    Body body{.form = entry.form()};
    const std::byte* tail = entry.tail();
    switch (body.form) {
        case Form::kInline:
            body.length_bytes = static_cast<std::uint32_t>(length_code::read(tail));
            break;
        case Form::kExtent:
            body.extent = entry.value_extent();
            body.length_bytes = load<std::uint32_t>(tail + 4);
            break;
        case Form::kObject:
            body.object = entry.object();
            break;
    }
    return body;
}

/// A body for a new value: inline when the whole entry fits a slot, else an extent with room for
/// `capacity_bytes`.
std::optional<Database::Body> Database::new_body(std::size_t head_bytes,
                                                 std::size_t value_bytes,
                                                 std::size_t capacity_bytes) noexcept {
    if (value_bytes > UINT32_MAX) {
        return std::nullopt;
    }
    Body body{.length_bytes = static_cast<std::uint32_t>(value_bytes)};
    if (Entry::inline_bytes(head_bytes, value_bytes) <= kSlotBytesMax) {
        return body;
    }
    body.form = Form::kExtent;
    body.extent = arena_->allocate_extent(capacity_bytes);
    if (!body.extent && capacity_bytes > value_bytes) {
        body.extent = arena_->allocate_extent(value_bytes);
    }
    return body.extent ? std::optional(body) : std::nullopt;
}

/// An entry in a new slot, in no index yet; an inline value is not initialised.
Handle Database::build(const Head& head, std::string_view key, const Body& body) noexcept {
    const Handle handle = arena_->allocate(head.size_bytes(key) + body.size_bytes());
    if (!handle) {
        return {};
    }
    ExtentId key_extent;
    if (key.size() > Entry::kKeyInlineMax) {
        key_extent = key.size() <= UINT32_MAX ? arena_->allocate_extent(key.size()) : ExtentId{};
        if (!key_extent) {
            arena_->free(handle);
            return {};
        }
    }
    Entry entry(arena_->at(handle));
    entry.write_header(head.type, body.form, head.has_expiry(), head.mark, head.stamp);
    if (head.has_expiry()) {
        entry.write_expire_at_ms(head.expire_at_ms);
    }
    std::byte* to = entry.key_code();
    if (key_extent) {
        *to = length_code::kElsewhere;
        store_value(to + 1, key_extent.value);
        store_value(to + 5, static_cast<std::uint32_t>(key.size()));
        std::memcpy(arena_->at(key_extent), key.data(), key.size());
        to += 1 + Entry::kReferenceBytes;
    } else {
        to = length_code::write(to, key.size());
        std::memcpy(to, key.data(), key.size());
        to += key.size();
    }
    switch (body.form) {
        case Form::kInline:
            length_code::write(to, body.length_bytes);
            break;
        case Form::kExtent:
            store_value(to, body.extent.value);
            store_value(to + 4, body.length_bytes);
            break;
        case Form::kObject:
            store_value(to, reinterpret_cast<std::uintptr_t>(body.object));
            break;
    }
    return handle;
}

/// Puts a built entry into the indexes, in the place of `replaced` if that is one. The replaced
/// entry is then in no index, but not freed.
bool Database::place(std::uint64_t hash, const EntryRef& replaced, Handle fresh) noexcept {
    const bool is_volatile = Entry(arena_->at(fresh)).has_expiry();
    if (is_volatile && !add_deadline(fresh)) {
        return false;
    }
    if (!replaced) {
        if (!tables_->keys.insert(hash, fresh)) {
            if (is_volatile) {
                drop_deadline(fresh);
            }
            return false;
        }
        return true;
    }
    if (replaced.has_expiry()) {
        drop_deadline(replaced.handle());
    }
    TERN_CHECK(tables_->keys.replace(hash, replaced.handle(), fresh));
    return true;
}

/// Builds an entry and places it; on failure nothing changed and the body is still the caller's.
EntryRef Database::put(const Head& head,
                       std::string_view key,
                       std::uint64_t hash,
                       const EntryRef& replaced,
                       const Body& body) {
    const Handle fresh = build(head, key, body);
    if (!fresh) {
        return {};
    }
    if (!place(hash, replaced, fresh)) {
        free_slot(fresh);
        return {};
    }
    return EntryRef(*arena_, fresh, hash);
}

/// Moves an entry to another head, another body or both. Frees the old slot, never a body; a value
/// that was inline comes along as far as it fits.
bool Database::move_entry(EntryRef& ref, const Head& head, const Body& body) {
    const EntryRef moved = put(head, ref.key(), ref.hash(), ref, body);
    if (!moved) {
        return false;
    }
    if (ref.form() == Form::kInline && body.form != Form::kObject) {
        const MutableBytes from = ref.value();
        const MutableBytes to = moved.value();
        std::memcpy(to.data(), from.data(), std::min(from.size(), to.size()));
    }
    free_slot(ref.handle());
    ref = moved;
    return true;
}

// Adding and overwriting

EntryRef Database::create(std::string_view key,
                          std::uint64_t hash,
                          Type type,
                          std::size_t value_bytes,
                          ExpireAtMs expire_at_ms) {
    const Deadline deadline =
        expire_at_ms == kNeverExpires ? Deadline::none() : Deadline::at(expire_at_ms);
    return assign({}, key, hash, type, value_bytes, deadline);
}

EntryRef Database::create_object(std::string_view key, Type type, void* object) {
    const Head head{.type = type, .stamp = clock_->fresh_stamp};
    const EntryRef ref =
        put(head, key, hash_of(key), {}, Body{.form = Form::kObject, .object = object});
    if (ref) {
        notify(KeyEvent::kAdded, key);
    }
    return ref;
}

EntryRef Database::assign(const EntryRef& found,
                          std::string_view key,
                          std::uint64_t hash,
                          Type type,
                          std::size_t value_bytes,
                          Deadline deadline) {
    ExpireAtMs at_ms = kNeverExpires;
    if (deadline.kind == Deadline::Kind::kAt) {
        at_ms = deadline.at_ms;
    } else if (deadline.kind == Deadline::Kind::kKeep && found) {
        at_ms = found.expire_at_ms();
    }
    EntryRef ref = found;
    if (found && overwrite_in_place(ref, type, value_bytes, at_ms)) {
        return ref;
    }
    const std::uint32_t stamp = found ? clock_->stamp_over(found.stamp()) : clock_->fresh_stamp;
    const Head head{.type = type, .stamp = stamp, .expire_at_ms = at_ms};
    const std::optional<Body> body = new_body(head.size_bytes(key), value_bytes, value_bytes);
    if (!body) {
        return {};
    }
    ref = put(head, key, hash, found, *body);
    if (!ref) {
        arena_->free(body->extent);
        return {};
    }
    if (found) {
        free_entry(found.handle());
    } else {
        notify(KeyEvent::kAdded, key);
    }
    return ref;
}

/// Whether the value may take another length where it is: the class stays the same, and an extent
/// neither overflows nor wastes three quarters.
bool Database::fits_in_place(const EntryRef& ref,
                             const std::byte* tail,
                             std::size_t value_bytes) const noexcept {
    const Entry& entry = ref.entry();
    if (entry.form() == Form::kObject) {
        return false;
    }
    const std::size_t head_bytes = static_cast<std::size_t>(tail - entry.begin());
    const std::size_t total_bytes = Entry::inline_bytes(head_bytes, value_bytes);
    if (entry.form() == Form::kInline) {
        return total_bytes <= kSlotBytesMax &&
               Arena::class_bytes(total_bytes) == arena_->slot_bytes(ref.handle());
    }
    const std::size_t capacity_bytes = arena_->extent_bytes(entry.value_extent());
    return total_bytes > kSlotBytesMax && value_bytes <= capacity_bytes &&
           value_bytes >= capacity_bytes / 4;
}

void Database::write_length(Form form, std::byte* tail, std::size_t value_bytes) noexcept {
    if (form == Form::kInline) {
        length_code::write(tail, value_bytes);
    } else {
        store_value(tail + 4, static_cast<std::uint32_t>(value_bytes));
    }
}

bool Database::overwrite_in_place(EntryRef& ref,
                                  Type type,
                                  std::size_t value_bytes,
                                  ExpireAtMs at_ms) noexcept {
    Entry& entry = ref.entry();
    const bool is_volatile = at_ms != kNeverExpires;
    std::byte* tail = entry.tail();
    if (entry.has_expiry() != is_volatile || !fits_in_place(ref, tail, value_bytes)) {
        return false;
    }
    if (is_volatile && !change_deadline(entry, ref.handle(), at_ms)) {
        return false;
    }
    entry.write_header(type, entry.form(), is_volatile, 0, clock_->stamp_over(entry.stamp()));
    write_length(entry.form(), tail, value_bytes);
    return true;
}

bool Database::resize_value(EntryRef& ref, std::size_t value_bytes) {
    Entry& entry = ref.entry();
    std::byte* const tail = entry.tail();
    const Body old = body_of(entry);
    TERN_CHECK(old.form != Form::kObject);
    const bool shrinks = value_bytes <= old.length_bytes;
    const Head head = head_of(entry);
    const auto resize_here = [&] {
        const std::size_t shift = length_code::size_of(value_bytes);
        const std::size_t old_shift = length_code::size_of(old.length_bytes);
        if (old.form == Form::kInline && shift != old_shift) {
            std::memmove(tail + shift,
                         tail + old_shift,
                         std::min<std::size_t>(value_bytes, old.length_bytes));
        }
        write_length(old.form, tail, value_bytes);
        return true;
    };
    if (fits_in_place(ref, tail, value_bytes)) {
        return resize_here();
    }
    // A quarter more for an extent that grows: room for the next appends; untouched, it costs
    // nothing.
    const std::size_t capacity_bytes =
        shrinks ? value_bytes : std::min<std::size_t>(value_bytes + value_bytes / 4, UINT32_MAX);
    const std::string_view key = ref.key();
    const std::optional<Body> body = new_body(head.size_bytes(key), value_bytes, capacity_bytes);
    if (!body) {
        return shrinks && resize_here();
    }
    const MutableBytes from = ref.value();
    const EntryRef fresh = put(head, key, ref.hash(), ref, *body);
    if (!fresh) {
        arena_->free(body->extent);
        return shrinks && resize_here();
    }
    std::memcpy(fresh.value().data(), from.data(), std::min(from.size(), value_bytes));
    free_entry(ref.handle());
    ref = fresh;
    return true;
}

bool Database::splice_value(EntryRef& ref, const Splice& splice) {
    const std::size_t size_bytes = ref.value().size();
    const std::size_t size_bytes_after = splice.size_after(size_bytes);
    if (size_bytes_after > size_bytes && !resize_value(ref, size_bytes_after)) {
        return false;
    }
    move_tail(ref.value().data(), size_bytes, splice);
    return size_bytes_after >= size_bytes || resize_value(ref, size_bytes_after);
}

bool Database::set_object(EntryRef& ref, void* object) {
    const Body old = body_of(ref.entry());
    const Type type = ref.type();
    if (!move_entry(ref, head_of(ref.entry()), Body{.form = Form::kObject, .object = object})) {
        return false;
    }
    free_body(type, old);
    return true;
}

bool Database::set_bytes(EntryRef& ref, std::size_t value_bytes) {
    const Body old = body_of(ref.entry());
    const Head head = head_of(ref.entry());
    const std::optional<Body> body = new_body(head.size_bytes(ref.key()), value_bytes, value_bytes);
    if (!body) {
        return false;
    }
    if (!move_entry(ref, head, *body)) {
        arena_->free(body->extent);
        return false;
    }
    free_body(head.type, old);
    return true;
}

// Removing

void Database::free_slot(Handle handle) noexcept {
    arena_->free(Entry(arena_->at(handle)).key_extent());
    arena_->free(handle);
}

void Database::free_body(Type type, const Body& body) {
    if (body.form == Form::kObject) {
        keyspace_->dispose(type, body.object);
    } else {
        arena_->free(body.extent);
    }
}

void Database::free_entry(Handle handle) {
    const Entry entry(arena_->at(handle));
    free_body(entry.type(), body_of(entry));
    free_slot(handle);
}

/// Takes an entry out of the indexes.
void Database::unlink(const EntryRef& ref) noexcept {
    if (ref.has_expiry()) {
        drop_deadline(ref.handle());
    }
    TERN_CHECK(tables_->keys.erase(ref.hash(), ref.handle()));
}

void Database::remove(const EntryRef& ref, KeyEvent event) {
    unlink(ref);
    switch (event) {
        case KeyEvent::kExpired:
            ++keyspace_->stats_.expired_keys;
            break;
        case KeyEvent::kEvicted:
            ++keyspace_->stats_.evicted_keys;
            break;
        default:
            ++keyspace_->stats_.dirty;
            break;
    }
    notify(event, ref.key());
    free_entry(ref.handle());
}

void Database::erase(EntryRef ref) {
    remove(ref, KeyEvent::kRemoved);
}

bool Database::erase(std::string_view key) {
    const EntryRef ref = peek(key);
    if (ref) {
        remove(ref, KeyEvent::kRemoved);
    }
    return static_cast<bool>(ref);
}

void Database::flush() {
    keyspace_->stats_.dirty += size();
    keyspace_->retire(std::exchange(tables_, std::make_unique<DatabaseTables>(*arena_, *hasher_)));
    if (keyspace_->observer() != nullptr) {
        keyspace_->observer()->on_database_replaced(number_);
    }
}

void Database::notify(KeyEvent event, std::string_view key) {
    if (keyspace_->observer() != nullptr) [[unlikely]] {
        keyspace_->observer()->on_key_event(event, number_, key);
    }
}

void Database::mark_modified(const EntryRef& ref) {
    ++keyspace_->stats_.dirty;
    if (keyspace_->observer() != nullptr) [[unlikely]] {
        keyspace_->observer()->on_key_event(KeyEvent::kModified, number_, ref.key());
    }
}

std::size_t Database::memory_bytes(const EntryRef& ref) const noexcept {
    const Entry& entry = ref.entry();
    std::size_t bytes = arena_->slot_bytes(ref.handle()) + kIndexBytesPerKey;
    bytes += entry.has_expiry() ? kDeadlineBytesPerKey : 0;
    for (const ExtentId extent : {entry.key_extent(), entry.value_extent()}) {
        bytes += extent ? arena_->extent_bytes(extent) : 0;
    }
    if (entry.form() == Form::kObject) {
        bytes += keyspace_->ops(entry.type()).memory_bytes(entry.object());
    }
    return bytes;
}

}  // namespace tern::store
