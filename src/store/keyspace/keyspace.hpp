#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "store/keyspace/database.hpp"

namespace tern::store {

struct KeyspaceOptions {
    std::size_t database_count = 16;
    /// Where the secret of the hash and the random choices come from: entropy at the edge, a
    /// constant in tests.
    std::uint64_t hash_seed = 0;
    std::uint64_t random_seed = 0;
};

/// How much one call of `maintain` may do. The defaults take some 100 µs where everything is due.
struct MaintainBudget {
    std::size_t expired_keys = 256;
    std::size_t drained_buckets = 16;
    std::size_t drained_elements = 256;
    std::size_t given_back_bytes = 256 * 1024;
};

/// Counters since the start.
struct KeyspaceStats {
    std::uint64_t dirty = 0;  ///< changes of keys, as Redis counts them
    std::uint64_t expired_keys =
        0;  ///< keys whose time was over, met by a look-up or by `maintain`
    std::uint64_t drained_keys = 0;  ///< keys of flushed databases that are freed
};

/// All databases of one store and what they share.
///
/// It has no clock: `set_now_ms` says what time it is, once for each turn of the owner's loop.
///
/// Threads:  one. Lifetime: the arena outlives it.
class Keyspace {
public:
    Keyspace(Arena& arena, const KeyspaceOptions& options);
    Keyspace(const Keyspace&) = delete;
    Keyspace& operator=(const Keyspace&) = delete;
    /// Frees everything, however long that takes.
    ~Keyspace();

    [[nodiscard]] std::size_t database_count() const noexcept { return databases_.size(); }
    [[nodiscard]] Database& database(std::size_t number) noexcept {
        TERN_DCHECK(number < databases_.size());
        return *databases_[number];
    }
    [[nodiscard]] Arena& arena() noexcept { return *arena_; }
    [[nodiscard]] const KeyHasher& hasher() const noexcept { return hasher_; }
    [[nodiscard]] Random& random() noexcept { return random_; }

    /// Sets the time for look-ups and for the stamp of used keys.
    ///
    /// Units:    milliseconds since 1970.
    void set_now_ms(std::int64_t now_ms) noexcept {
        clock_.now_ms = now_ms;
        clock_.access_stamp = static_cast<std::uint32_t>(now_ms / 1000) & Entry::kStampMask;
    }
    [[nodiscard]] const StoreClock& clock() const noexcept { return clock_; }
    [[nodiscard]] std::int64_t now_ms() const noexcept { return clock_.now_ms; }
    [[nodiscard]] std::uint32_t access_stamp() const noexcept { return clock_.access_stamp; }

    /// Whether keys whose time is over go: off for DEBUG SET-ACTIVE-EXPIRE 0 (`maintain` only).
    void set_active_expiry(bool is_on) noexcept { active_expiry_ = is_on; }

    /// Says how objects of a type are freed, copied and measured. Once for each type, at the start.
    void register_type(Type type, const ObjectOps& ops) noexcept {
        ops_[static_cast<std::size_t>(type)] = &ops;
    }
    [[nodiscard]] const ObjectOps& ops(Type type) const noexcept {
        const ObjectOps* ops = ops_[static_cast<std::size_t>(type)];
        TERN_CHECK(ops != nullptr);
        return *ops;
    }

    /// At most one observer; null takes it away.
    void set_observer(KeyspaceObserver* observer) noexcept { observer_ = observer; }
    [[nodiscard]] KeyspaceObserver* observer() const noexcept { return observer_; }

    /// Exchanges the keys of two databases; the references to the databases stay valid.
    void swap_databases(std::size_t first, std::size_t second) noexcept;
    /// Empties every database; the memory is freed later, in steps.
    void flush_all();

    /// Frees an object now if it is small and in steps otherwise.
    void dispose(Type type, void* object);

    /// Upkeep in bounded steps: expiry, freeing of what was flushed and dropped, pages back to the
    /// system. True when there is more to do right now.
    bool maintain(std::int64_t now_ms, const MaintainBudget& budget = {});
    /// The time at which `maintain` has something to do again, or kNeverExpires.
    [[nodiscard]] ExpireAtMs next_deadline_ms() const noexcept;
    /// Frees everything that waits to be freed, however long it takes: FLUSHALL SYNC.
    void drain_now();
    [[nodiscard]] bool has_pending_frees() const noexcept {
        return !old_tables_.empty() || !old_objects_.empty();
    }
    /// Keys that are flushed and not freed yet: INFO's lazyfree_pending_objects.
    [[nodiscard]] std::size_t pending_free_count() const noexcept;

    /// Counts a change that no key shows, or takes one back.
    void add_dirty(std::int64_t count) noexcept {
        stats_.dirty += static_cast<std::uint64_t>(count);
    }
    [[nodiscard]] const KeyspaceStats& stats() const noexcept { return stats_; }
    /// Counts of `find`; the owner may set them back.
    [[nodiscard]] const LookupStats& lookups() const noexcept { return lookups_; }
    void set_lookups(const LookupStats& lookups) noexcept { lookups_ = lookups; }

private:
    friend class Database;

    struct OldObject {
        const ObjectOps* ops;
        void* object;
    };

    void retire(std::unique_ptr<DatabaseTables> tables);
    void drain_step(const MaintainBudget& budget);
    bool drain_tables(DatabaseTables& tables, const MaintainBudget& budget);
    bool expire_step(std::size_t key_count_max);

    Arena* arena_;
    KeyHasher hasher_;
    Random random_;
    StoreClock clock_;
    bool active_expiry_ = true;
    KeyspaceObserver* observer_ = nullptr;
    KeyspaceStats stats_;
    LookupStats lookups_;
    std::array<const ObjectOps*, kTypeCount> ops_{};
    std::vector<std::unique_ptr<Database>> databases_;
    std::size_t next_expiring_ = 0;  ///< the database whose turn it is to expire first
    std::vector<std::unique_ptr<DatabaseTables>> old_tables_;
    std::vector<OldObject> old_objects_;
    std::int64_t aged_at_ms_ = 0;
};

}  // namespace tern::store
