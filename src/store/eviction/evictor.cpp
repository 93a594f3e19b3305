#include "store/eviction/evictor.hpp"

#include <algorithm>

namespace tern::store {

void Evictor::configure(EvictionPolicy policy, std::size_t sample_count) noexcept {
    if (policy != policy_) {
        pool_count_ = 0;
    }
    policy_ = policy;
    sample_count_ = sample_count;
}

bool Evictor::is_volatile() const noexcept {
    return policy_ <= EvictionPolicy::kVolatileTtl;
}

std::uint64_t Evictor::score_of(const EntryRef& ref) const noexcept {
    return counts_uses(policy_) ? UseCounter::kMax - keyspace_->use_count(ref)
                                : keyspace_->idle_s(ref);
}

/// A key of the database that the policy may remove, at random; null when there is none.
EntryRef Evictor::pick(Database& database) {
    return is_volatile() ? database.random_volatile_entry() : database.random_entry();
}

/// A candidate's entry, null when it is no longer there or was used since it became one.
EntryRef Evictor::live(const Candidate& candidate) {
    Database& database = keyspace_->database(candidate.database);
    const EntryRef ref = database.entry_at(candidate.handle, candidate.hash);
    const bool is_one =
        ref && (!is_volatile() || ref.has_expiry()) && score_of(ref) >= candidate.score;
    return is_one ? ref : EntryRef();
}

void Evictor::add(const Candidate& candidate) noexcept {
    const auto begin = pool_.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(pool_count_);
    const bool is_known = std::any_of(begin, end, [&](const Candidate& one) {
        return one.handle == candidate.handle && one.database == candidate.database;
    });
    if (is_known || (pool_count_ == kPoolSize && candidate.score <= pool_[0].score)) {
        return;
    }
    if (pool_count_ == kPoolSize) {
        std::move(begin + 1, end, begin);  // the worst one makes room
        --pool_count_;
    }
    std::size_t at = pool_count_++;
    for (; at > 0 && pool_[at - 1].score > candidate.score; --at) {
        pool_[at] = pool_[at - 1];
    }
    pool_[at] = candidate;
}

void Evictor::sample() {
    for (std::size_t number = 0; number < keyspace_->database_count(); ++number) {
        Database& database = keyspace_->database(number);
        if (database.size() == 0) {
            continue;
        }
        for (std::size_t i = 0; i < sample_count_; ++i) {
            const EntryRef ref = pick(database);
            if (!ref) {
                break;
            }
            add({score_of(ref), ref.hash(), ref.handle(), static_cast<std::uint32_t>(number)});
        }
    }
}

bool Evictor::evict_best() {
    // A round may find its candidates used since; the next one has fresh ones.
    constexpr int kRounds = 2;
    for (int round = 0; round < kRounds; ++round) {
        sample();
        while (pool_count_ != 0) {
            const Candidate best = pool_[--pool_count_];
            const EntryRef ref = live(best);
            if (ref) {
                keyspace_->database(best.database).evict(ref);
                return true;
            }
        }
    }
    return false;
}

bool Evictor::evict_random() {
    for (std::size_t i = 0; i < keyspace_->database_count(); ++i) {
        next_database_ = (next_database_ + 1) % keyspace_->database_count();
        Database& database = keyspace_->database(next_database_);
        const EntryRef ref = pick(database);
        if (ref) {
            database.evict(ref);
            return true;
        }
    }
    return false;
}

bool Evictor::evict_first_deadline() {
    Database* soonest = nullptr;
    for (std::size_t i = 0; i < keyspace_->database_count(); ++i) {
        Database& database = keyspace_->database(i);
        if (database.volatile_count() != 0 &&
            (soonest == nullptr || database.next_deadline_ms() < soonest->next_deadline_ms())) {
            soonest = &database;
        }
    }
    if (soonest == nullptr) {
        return false;
    }
    soonest->evict(soonest->first_volatile_entry());
    return true;
}

bool Evictor::evict_one() {
    switch (policy_) {
        case EvictionPolicy::kNoEviction:
            return false;
        case EvictionPolicy::kVolatileTtl:
            return evict_first_deadline();
        case EvictionPolicy::kVolatileRandom:
        case EvictionPolicy::kAllkeysRandom:
            return evict_random();
        case EvictionPolicy::kVolatileLru:
        case EvictionPolicy::kVolatileLfu:
        case EvictionPolicy::kAllkeysLru:
        case EvictionPolicy::kAllkeysLfu:
            break;
    }
    return evict_best();
}

}  // namespace tern::store
