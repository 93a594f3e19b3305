#include "server/commands/debug_data.hpp"

#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"
#include "server/commands/keys.hpp"
#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/rdb/payload.hpp"
#include "store/rdb/value_digest.hpp"
#include "store/string/strings.hpp"

namespace tern::server::commands {

namespace {

namespace rdb = store::rdb;

/// A key on its way through DEBUG RELOAD.
struct SavedKey {
    std::string name;
    std::size_t begin = 0;  ///< of its payload
    std::size_t end = 0;
    store::ExpireAtMs expire_at_ms = store::kNeverExpires;
    std::uint32_t stamp = 0;
};

/// Writes every key of a database to `sink`.
std::vector<SavedKey> save_all(store::Database& database, BufferSink& sink) {
    std::vector<SavedKey> keys;
    keys.reserve(database.size());
    database.for_each([&](const store::EntryRef& ref) {
        SavedKey key{.name = std::string(ref.key()),
                     .begin = sink.size(),
                     .end = 0,
                     .expire_at_ms = ref.expire_at_ms(),
                     .stamp = ref.stamp()};
        rdb::dump(sink, ref, true);
        key.end = sink.size();
        keys.push_back(std::move(key));
    });
    return keys;
}

/// Whether every key came back.
bool load_all(Call& call,
              store::Database& database,
              const std::vector<SavedKey>& keys,
              std::string_view payloads) {
    for (const SavedKey& key : keys) {
        const Bytes value = rdb::value_of_payload(payloads.substr(key.begin, key.end - key.begin),
                                                  call.server.checks_payload_sums());
        const rdb::RestoreOptions options{.expire_at_ms = key.expire_at_ms, .stamp = key.stamp};
        if (value.empty() ||
            rdb::restore(database, key.name, value, options, load_limits(call.server.config())) !=
                rdb::RestoreStatus::kOk) {
            return false;
        }
    }
    return true;
}

}  // namespace

void debug_digest(Call& call, DebugWords) {
    rdb::Digest sum;
    for (std::size_t i = 0; i < call.keyspace.database_count(); ++i) {
        store::Database& database = call.keyspace.database(i);
        if (database.size() == 0) {
            continue;
        }
        rdb::Digest part;
        part.append(std::to_string(i));
        part.append(rdb::digest_of(database).text());
        sum.mix(part);
    }
    call.reply.status(sum.text());
}

void debug_digest_value(Call& call, DebugWords words) {
    call.reply.array(words.size());
    for (const std::string_view key : words) {
        const store::EntryRef ref = call.database.peek(key);
        call.reply.status((ref ? rdb::digest_of(ref) : rdb::Digest()).text());
    }
}

void debug_populate(Call& call, DebugWords words) {
    constexpr std::int64_t kSizeMax = 512LL * 1024 * 1024;
    std::int64_t count = 0;
    std::int64_t size_bytes = 0;
    const bool is_read = parse_int64(words[0], count) && count >= 0 &&
                         (words.size() < 3 || parse_int64(words[2], size_bytes)) &&
                         size_bytes >= 0 && size_bytes <= kSizeMax;
    if (!is_read) {
        call.reply.error("ERR value is out of range, must be positive");
        return;
    }
    const std::string_view prefix = words.size() > 1 ? words[1] : "key";
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string key = fmt::format("{}:{}", prefix, i);
        std::string value = fmt::format("value:{}", i);
        if (size_bytes != 0) {
            value.resize(static_cast<std::size_t>(size_bytes));
        }
        const auto status = store::strings::set(
            call.database, key, value, {.condition = store::strings::Condition::kIfMissing});
        if (status == store::strings::Status::kOutOfMemory) {
            call.reply.error(kOutOfMemory);
            return;
        }
    }
    call.reply.ok();
}

void debug_reload(Call& call, DebugWords words) {
    bool flushes = true;
    for (const std::string_view word : words) {
        if (equals_word(word, "NOSAVE")) {
            call.reply.error("ERR Error trying to load the RDB dump, check server logs.");
            return;
        }
        if (!equals_word(word, "NOFLUSH") && !equals_word(word, "MERGE")) {
            call.reply.error(
                "ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.");
            return;
        }
        flushes = flushes && !equals_word(word, "NOFLUSH");
    }
    for (std::size_t i = 0; i < call.keyspace.database_count(); ++i) {
        store::Database& database = call.keyspace.database(i);
        if (database.size() == 0) {
            continue;
        }
        BufferSink payloads;
        const std::vector<SavedKey> keys = save_all(database, payloads);
        if (flushes) {
            database.flush();
        }
        if (!load_all(call, database, keys, payloads.view())) {
            call.reply.error("ERR Error trying to load the RDB dump, check server logs.");
            return;
        }
    }
    call.reply.ok();
}

void debug_object(Call& call, DebugWords words) {
    const store::EntryRef ref = call.database.peek(words[0]);
    if (!ref) {
        call.reply.error("ERR no such key");
        return;
    }
    constexpr std::size_t kKindAndFooterBytes = 11;
    BufferSink payload;
    rdb::dump(payload, ref, true);
    const std::uint32_t idle_s = call.keyspace.idle_s(ref);
    call.reply.status(fmt::format(
        "Value at:0x0 refcount:1 encoding:{} serializedlength:{} lru:{} lru_seconds_idle:{}",
        encoding_name(ref),
        payload.size() - kKindAndFooterBytes,
        ref.stamp(),
        idle_s));
}

void debug_htstats(Call& call, DebugWords words) {
    std::int64_t number = 0;
    if (!parse_int64(words[0], number)) {
        call.reply.error(kNotInteger);
        return;
    }
    if (number < 0 || static_cast<std::uint64_t>(number) >= call.keyspace.database_count()) {
        call.reply.error("ERR Out of range database");
        return;
    }
    const store::Database& database = call.keyspace.database(static_cast<std::size_t>(number));
    call.reply.verbatim(
        "txt",
        fmt::format("[Dictionary HT]\n number of elements: {}\n[Expires HT]\n number "
                    "of elements: {}\n",
                    database.size(),
                    database.volatile_count()));
}

void debug_htstats_key(Call& call, DebugWords words) {
    const store::EntryRef ref = call.database.peek(words[0]);
    if (!ref) {
        call.reply.error("ERR no such key");
        return;
    }
    if (!ref.is_object() || ref.type() == store::Type::kList ||
        ref.type() == store::Type::kStream) {
        call.reply.error(
            "ERR The value stored at the specified key is not represented using an hash table");
        return;
    }
    call.reply.verbatim("txt",
                        fmt::format("Hash table 0 stats (main hash table):\n memory: {}\n",
                                    call.database.memory_bytes(ref)));
}

}  // namespace tern::server::commands
