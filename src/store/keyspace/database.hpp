#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "store/hash/splice.hpp"
#include "store/index/key_hash.hpp"
#include "store/keyspace/database_tables.hpp"
#include "store/keyspace/database_types.hpp"
#include "store/keyspace/entry.hpp"
#include "store/keyspace/object_ops.hpp"
#include "store/memory/arena.hpp"

namespace tern::store {

/// One numbered database: keys, their types, values and times to live. It knows no command.
///
/// A key whose time is over is gone for every function here: those that look it up remove it first.
/// Every function takes a bounded number of steps, apart from copying the value it is given.
///
/// Errors:   a null EntryRef or false when the arena is exhausted; nothing changed then.
/// Threads:  the store's one thread.
class Database {
public:
    Database(Keyspace& keyspace, std::size_t number);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    [[nodiscard]] std::size_t number() const noexcept { return number_; }
    [[nodiscard]] Keyspace& keyspace() noexcept { return *keyspace_; }
    [[nodiscard]] Arena& arena() noexcept { return *arena_; }

    // Look-up

    /// The hash that the functions with a hash argument want, and the line that they will read
    /// first.
    [[nodiscard]] std::uint64_t hash_of(std::string_view key) const noexcept {
        return (*hasher_)(key);
    }
    void prefetch(std::uint64_t hash) const noexcept { tables_->keys.prefetch(hash); }
    /// And what they will read after that.
    void prefetch_entry(std::uint64_t hash) const noexcept { tables_->keys.prefetch_entry(hash); }

    /// Finds a key and notes that it was used.
    [[nodiscard]] EntryRef find(std::string_view key) { return find(key, hash_of(key)); }
    [[nodiscard]] EntryRef find(std::string_view key, std::uint64_t hash) {
        EntryRef ref = peek(key, hash);
        ++(ref ? lookups_->hits : lookups_->misses);
        // Compared first: a line that is only read stays clean.
        if (ref && ref.stamp() != clock_->access_stamp) {
            note_use(ref);
        }
        return ref;
    }
    /// Finds a key without noting it: TTL, TYPE, OBJECT and whatever must not change LRU.
    [[nodiscard]] EntryRef peek(std::string_view key) { return peek(key, hash_of(key)); }
    [[nodiscard]] EntryRef peek(std::string_view key, std::uint64_t hash) {
        const Handle handle = tables_->keys.find(hash, key);
        if (!handle) {
            return {};
        }
        EntryRef ref(*arena_, handle, hash);
        if (is_over(ref.entry())) [[unlikely]] {
            remove(ref, KeyEvent::kExpired);
            return {};
        }
        return ref;
    }

    /// Keys, with those whose time is over but which nobody has met yet.
    [[nodiscard]] std::size_t size() const noexcept { return tables_->keys.size(); }
    [[nodiscard]] std::size_t volatile_count() const noexcept {
        return static_cast<std::size_t>(tables_->deadlines.size());
    }

    // Change

    /// Adds a key that is not there, with room for `value_bytes`, not initialised.
    [[nodiscard]] EntryRef create(std::string_view key, Type type, std::size_t value_bytes) {
        return create(key, hash_of(key), type, value_bytes, kNeverExpires);
    }
    [[nodiscard]] EntryRef create(std::string_view key,
                                  std::uint64_t hash,
                                  Type type,
                                  std::size_t value_bytes,
                                  ExpireAtMs expire_at_ms);
    /// Adds a key that is not there, whose value is an object of its type's module.
    [[nodiscard]] EntryRef create_object(std::string_view key, Type type, void* object);

    /// Gives `key` a value of `value_bytes`, not initialised, whatever it held before; in place
    /// when the size class is the same. The mark is 0.
    ///
    /// `found` is what `find` or `peek` said about `key`, null included; it is no longer valid.
    /// `key` may not lie in the old value.
    [[nodiscard]] EntryRef assign(const EntryRef& found,
                                  std::string_view key,
                                  std::uint64_t hash,
                                  Type type,
                                  std::size_t value_bytes,
                                  Deadline deadline);

    /// The case of `assign` that servers meet most, without its calls: another value of the very
    /// length the key has. Returns where to write it, or null when `assign` has to decide.
    [[nodiscard]] std::byte* overwrite_same_length(const EntryRef& found,
                                                   Type type,
                                                   std::size_t value_bytes,
                                                   Deadline deadline) const noexcept {
        if (!found || found.form() != Form::kInline || deadline.kind == Deadline::Kind::kAt ||
            (found.has_expiry() && deadline.kind == Deadline::Kind::kNone)) {
            return nullptr;
        }
        Entry entry = found.entry();
        std::byte* const tail = entry.tail();
        const std::byte* value = tail;
        if (length_code::read(value) != value_bytes) {
            return nullptr;
        }
        entry.write_header(
            type, Form::kInline, found.has_expiry(), 0, clock_->stamp_over(found.stamp()));
        return tail + (value - tail);
    }

    /// Makes the value `value_bytes` long, keeping what fits; `ref` follows the entry where it
    /// goes.
    [[nodiscard]] bool resize_value(EntryRef& ref, std::size_t value_bytes);
    /// Makes room in the value for a change of a compact collection, or closes the gap behind it.
    [[nodiscard]] bool splice_value(EntryRef& ref, const Splice& splice);
    /// Makes the value an object, which the entry then owns; the old bytes or object are freed.
    [[nodiscard]] bool set_object(EntryRef& ref, void* object);
    /// Makes an object's entry one of `value_bytes` inline bytes, not initialised; frees the
    /// object.
    [[nodiscard]] bool set_bytes(EntryRef& ref, std::size_t value_bytes);

    /// Removes a key. Large objects are freed later, in steps.
    void erase(EntryRef ref);
    /// The same by name; false when there is no such key.
    bool erase(std::string_view key);

    /// Gives the key a deadline or another one. The deadline may be past: the key then goes with
    /// the next look-up.
    [[nodiscard]] bool set_expiry(EntryRef& ref, ExpireAtMs expire_at_ms);
    /// Takes the deadline away. False when the arena is exhausted; true also when there was none.
    [[nodiscard]] bool persist(EntryRef& ref);

    /// Says that a value changed: counts it as dirty and tells the observer. Commands call it once
    /// for each key they changed in place.
    void mark_modified(const EntryRef& ref);

    /// Gives `ref` the name `to`; a key that has it goes. Time to live moves along.
    [[nodiscard]] bool rename(EntryRef ref, std::string_view to);
    /// Puts a copy of `ref` under the name `to` of database `target`; a key there goes.
    [[nodiscard]] bool copy(EntryRef ref, Database& target, std::string_view to);
    /// Moves `ref` to database `target`, where the name is free.
    [[nodiscard]] bool move_to(EntryRef ref, Database& target);

    /// Removes a key for want of memory.
    void evict(EntryRef ref) { remove(ref, KeyEvent::kEvicted); }
    /// The entry that `handle` names if it is still one of this database; null otherwise, whatever
    /// the handle names by now.
    [[nodiscard]] EntryRef entry_at(Handle handle, std::uint64_t hash) const noexcept;
    /// Entries at random, those whose time is over included; null when there is none.
    [[nodiscard]] EntryRef random_entry() noexcept;
    [[nodiscard]] EntryRef random_volatile_entry() noexcept;
    /// The entry with the next deadline, or null.
    [[nodiscard]] EntryRef first_volatile_entry() const noexcept;

    /// Removes every key at once; they are freed later, in steps.
    void flush();

    // Walking

    /// A key at random, or null when there is none.
    [[nodiscard]] EntryRef random_key();

    /// Visits the keys of at least one bucket and of more until `count` were visited; returns the
    /// next cursor, 0 at the end. SCAN's guarantee: see LinearHashIndex::scan. The visitor gets an
    /// EntryRef and may not change the database; keys whose time is over are left out, and removed
    /// afterwards.
    template <typename Visitor>
    std::uint64_t scan(std::uint64_t cursor, std::size_t count, Visitor&& visitor) {
        std::vector<Handle> over;  // takes memory only when there are any
        std::size_t visited = 0;
        std::size_t buckets_left = count * kScanBucketsPerKey;
        do {
            cursor = tables_->keys.scan(cursor, [&](Handle handle) {
                ++visited;
                if (is_over(Entry(arena_->at(handle)))) [[unlikely]] {
                    over.push_back(handle);
                } else {
                    visitor(EntryRef(*arena_, handle, 0));
                }
            });
        } while (cursor != 0 && visited < count && --buckets_left != 0);
        for (const Handle handle : over) {
            const std::string_view key = Entry(arena_->at(handle)).key(*arena_);
            remove(EntryRef(*arena_, handle, hash_of(key)), KeyEvent::kExpired);
        }
        return cursor;
    }

    /// Visits every key: KEYS, DBSIZE checks, snapshots. Takes as long as there are keys.
    template <typename Visitor>
    void for_each(Visitor&& visitor) {
        tables_->keys.for_each([&](Handle handle) { visit_live(handle, visitor); });
    }

    // Upkeep

    /// Removes keys whose time is over, the oldest first, at most `key_count_max`; returns how
    /// many.
    std::size_t expire_step(std::size_t key_count_max);
    /// The next deadline, or kNeverExpires.
    [[nodiscard]] ExpireAtMs next_deadline_ms() const noexcept;

    /// Moves the keys of one bucket that lie in sparsely used slabs; returns the next cursor, 0 at
    /// the end. No EntryRef may be held.
    std::uint64_t defrag_bucket(std::uint64_t cursor, DefragStats& stats);

    /// The time to live that keys with a deadline have left on average, from a sample of 32 spread
    /// over all deadlines; 0 when there is none.
    [[nodiscard]] std::int64_t average_ttl_ms() const noexcept;

    /// What a key takes: its slot, its value, its share of the indexes.
    [[nodiscard]] std::size_t memory_bytes(const EntryRef& ref) const noexcept;

    /// The indexes, for tests and figures.
    [[nodiscard]] const DatabaseTables& tables() const noexcept { return *tables_; }

private:
    friend class Keyspace;
    static constexpr std::size_t kScanBucketsPerKey = 10;  // Redis's bound on empty buckets too

    struct Body;
    struct Head;

    template <typename Visitor>
    void visit_live(Handle handle, Visitor& visitor) {
        const Entry entry(arena_->at(handle));
        if (!is_over(entry)) {
            visitor(EntryRef(*arena_, handle, 0));
        }
    }
    [[nodiscard]] bool is_over(const Entry& entry) const noexcept {
        return entry.has_expiry() && clock_->now_ms > entry.expire_at_ms();
    }

    [[nodiscard]] static Head head_of(const Entry& entry) noexcept;
    [[nodiscard]] static Body body_of(const Entry& entry) noexcept;
    [[nodiscard]] std::optional<Body> new_body(std::size_t head_bytes,
                                               std::size_t value_bytes,
                                               std::size_t capacity_bytes) noexcept;
    [[nodiscard]] Handle build(const Head& head, std::string_view key, const Body& body) noexcept;
    [[nodiscard]] bool place(std::uint64_t hash, const EntryRef& replaced, Handle fresh) noexcept;
    [[nodiscard]] EntryRef put(const Head& head,
                               std::string_view key,
                               std::uint64_t hash,
                               const EntryRef& replaced,
                               const Body& body);
    [[nodiscard]] bool move_entry(EntryRef& ref, const Head& head, const Body& body);
    [[nodiscard]] bool change_head(EntryRef& ref, const Head& head);

    [[nodiscard]] bool add_deadline(Handle handle) noexcept;
    void drop_deadline(Handle handle) noexcept;
    [[nodiscard]] bool change_deadline(Entry entry, Handle handle, ExpireAtMs at_ms) noexcept;
    [[nodiscard]] bool fits_in_place(const EntryRef& ref,
                                     const std::byte* tail,
                                     std::size_t value_bytes) const noexcept;
    static void write_length(Form form, std::byte* tail, std::size_t value_bytes) noexcept;
    [[nodiscard]] bool overwrite_in_place(EntryRef& ref,
                                          Type type,
                                          std::size_t value_bytes,
                                          ExpireAtMs at_ms) noexcept;

    void note_use(EntryRef& ref) noexcept;
    [[nodiscard]] EntryRef ref_of(Handle handle) const noexcept;
    [[nodiscard]] bool move_out(Handle handle) noexcept;
    void free_slot(Handle handle) noexcept;
    void free_body(Type type, const Body& body);
    void free_entry(Handle handle);
    void unlink(const EntryRef& ref) noexcept;
    void remove(const EntryRef& ref, KeyEvent event);
    void notify(KeyEvent event, std::string_view key);

    Keyspace* keyspace_;
    Arena* arena_;
    const KeyHasher* hasher_;
    const StoreClock* clock_;
    LookupStats* lookups_;
    std::unique_ptr<DatabaseTables> tables_;
    std::size_t number_;
};

}  // namespace tern::store
