#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "store/eviction/use_counter.hpp"
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
    std::uint64_t evicted_keys = 0;  ///< keys removed for want of memory
    std::uint64_t drained_keys = 0;  ///< flushed keys and large objects that were freed in steps
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
        second_ = static_cast<std::uint32_t>(now_ms / 1000) & Entry::kStampMask;
        renew_stamps();
    }
    [[nodiscard]] const StoreClock& clock() const noexcept { return clock_; }
    [[nodiscard]] std::int64_t now_ms() const noexcept { return clock_.now_ms; }
    /// Seconds modulo 2^24, the unit of stamps while uses are not counted.
    [[nodiscard]] std::uint32_t access_second() const noexcept { return second_; }

    /// Whether entries keep how often they are used (LFU policies) in place of when.
    void count_uses(bool is_on, const LfuOptions& options) noexcept {
        counts_uses_ = is_on;
        lfu_ = options;
        renew_stamps();
    }
    [[nodiscard]] bool counts_uses() const noexcept { return counts_uses_; }
    /// Whether `find` notes uses: off around the commands of a client that asked for it.
    void note_uses(bool is_on) noexcept {
        notes_uses_ = is_on;
        renew_stamps();
    }
    /// What the stamp of an entry becomes when it is used now.
    [[nodiscard]] std::uint32_t stamp_of_use(std::uint32_t stamp) noexcept;
    /// How often the key is used (OBJECT FREQ), faded to now. Only while uses are counted.
    [[nodiscard]] std::uint32_t use_count(const EntryRef& ref) const noexcept {
        return UseCounter::count(ref.stamp(), UseCounter::minute_of(clock_.now_ms), lfu_);
    }
    /// The stamp of an entry with that use count.
    [[nodiscard]] std::uint32_t stamp_of_count(std::uint32_t count) const noexcept {
        return UseCounter::stamp(UseCounter::minute_of(clock_.now_ms), count);
    }
    /// Seconds since the key was used. Only while uses are not counted.
    [[nodiscard]] std::uint32_t idle_s(const EntryRef& ref) const noexcept {
        return (second_ - ref.stamp()) & Entry::kStampMask;
    }

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
    /// One bounded step of it.
    void drain_step(const MaintainBudget& budget = {});
    /// CONFIG RESETSTAT: all counters but `dirty` begin anew.
    void reset_stats() noexcept {
        const std::uint64_t dirty = stats_.dirty;
        stats_ = {};
        stats_.dirty = dirty;
        lookups_ = {};
    }
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

    void renew_stamps() noexcept {
        clock_.fresh_stamp = counts_uses_ ? UseCounter::stamp(UseCounter::minute_of(clock_.now_ms),
                                                              UseCounter::kInitial)
                                          : second_;
        clock_.access_stamp = counts_uses_ || !notes_uses_ ? StoreClock::kNoStamp : second_;
    }
    void retire(std::unique_ptr<DatabaseTables> tables);
    bool drain_tables(DatabaseTables& tables, const MaintainBudget& budget);
    bool expire_step(std::size_t key_count_max);

    Arena* arena_;
    KeyHasher hasher_;
    Random random_;
    StoreClock clock_;
    std::uint32_t second_ = 0;
    bool counts_uses_ = false;
    bool notes_uses_ = true;
    LfuOptions lfu_;
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
