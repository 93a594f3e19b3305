#include "store/rdb/payload.hpp"

#include <string>

#include "store/keyspace/keyspace.hpp"
#include "store/rdb/crc64.hpp"

namespace tern::store::rdb {
namespace {

constexpr std::size_t kFooterBytes = 10;

/// Nobody sees what happens to the key under which a value is built up.
class Unobserved {
public:
    explicit Unobserved(Keyspace& keyspace) noexcept
        : keyspace_(keyspace), observer_(keyspace.observer()), dirty_(keyspace.stats().dirty) {
        keyspace_.set_observer(nullptr);
    }
    Unobserved(const Unobserved&) = delete;
    Unobserved& operator=(const Unobserved&) = delete;
    ~Unobserved() {
        keyspace_.set_observer(observer_);
        keyspace_.add_dirty(static_cast<std::int64_t>(dirty_ - keyspace_.stats().dirty));
    }

private:
    Keyspace& keyspace_;
    KeyspaceObserver* observer_;
    std::uint64_t dirty_;
};

/// A name that no key has.
std::string free_name(Database& database) {
    std::string name("\0restore", 8);
    while (database.peek(name)) {
        name += '\0';
    }
    return name;
}

/// Builds the value up under `name`; `ref` is the key.
RestoreStatus load_under(Database& database,
                         std::string_view name,
                         Bytes value,
                         const RestoreOptions& options,
                         const LoadLimits& limits,
                         EntryRef& ref) {
    const Unobserved unobserved(database.keyspace());
    RdbReader reader(value);
    const LoadStatus status = load_value(reader, database, name, limits);
    if (status != LoadStatus::kOk) {
        return status == LoadStatus::kBad ? RestoreStatus::kBad : RestoreStatus::kOutOfMemory;
    }
    ref = database.peek(name);
    if (options.expire_at_ms <= database.keyspace().now_ms()) {
        database.erase(ref);
        ref = EntryRef();
        return RestoreStatus::kOk;
    }
    if (options.expire_at_ms != kNeverExpires && !database.set_expiry(ref, options.expire_at_ms)) {
        database.erase(ref);
        return RestoreStatus::kOutOfMemory;
    }
    if (options.stamp >= 0) {
        ref.set_stamp(static_cast<std::uint32_t>(options.stamp));
    }
    return RestoreStatus::kOk;
}

}  // namespace

void dump(ByteSink& sink, const EntryRef& ref, bool compresses) {
    const std::size_t begin = sink.size();
    RdbWriter writer(sink, compresses);
    save_value(writer, ref);
    writer.byte(kVersion & 0xFF);
    writer.byte(kVersion >> 8);
    writer.number(crc64(as_bytes(sink.view().substr(begin))));
}

Bytes value_of_payload(std::string_view payload, bool checks_sum) noexcept {
    if (payload.size() < kFooterBytes) {
        return {};
    }
    const Bytes value = as_bytes(payload.substr(0, payload.size() - kFooterBytes));
    const std::byte* const footer = value.data() + value.size();
    const bool is_right =
        !checks_sum || load<std::uint64_t>(footer + 2) == crc64({value.data(), value.size() + 2});
    return load<std::uint16_t>(footer) <= kVersion && is_right ? value : Bytes();
}

RestoreStatus restore(Database& database,
                      std::string_view key,
                      Bytes value,
                      const RestoreOptions& options,
                      const LoadLimits& limits) {
    const std::string name = free_name(database);
    EntryRef ref;
    const RestoreStatus status = load_under(database, name, value, options, limits, ref);
    if (status != RestoreStatus::kOk) {
        return status;
    }
    if (!ref) {
        database.erase(key);
    } else if (!database.rename(ref, key)) {
        const Unobserved unobserved(database.keyspace());
        database.erase(ref);
        return RestoreStatus::kOutOfMemory;
    }
    return RestoreStatus::kOk;
}

}  // namespace tern::store::rdb
