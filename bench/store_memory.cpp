#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/hash/hash.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/list/list.hpp"
#include "store/memory/arena.hpp"
#include "store/stream/stream.hpp"
#include "store/zset/zset.hpp"

/// How much memory one element takes: resident bytes of the whole process for each element, and
/// what the arena counts. The floor is the element's own bytes: 24 of a sorted set's element
/// (member and score), 32 of a hash's field, 23 of a field in the small hashes.
///
///     store_memory [elements]     1,000,000 by default; the smoke test takes 10,000
namespace {

using tern::Random;
using tern::store::Arena;
using tern::store::CompactLimits;
using tern::store::Keyspace;

struct Store {
    Store()
        : arena(Arena::create({}).value()), keyspace(*arena, {.hash_seed = 1, .random_seed = 2}) {
        tern::store::hashes::register_type(keyspace);
        tern::store::lists::register_type(keyspace);
        tern::store::streams::register_type(keyspace);
        tern::store::zsets::register_type(keyspace);
    }
    std::unique_ptr<Arena> arena;
    Keyspace keyspace;
    CompactLimits limits;
    Random random{7};
};

void require(bool condition) {
    if (!condition) {
        std::fputs("store_memory: the store is out of memory or lost an element\n", stderr);
        std::exit(1);
    }
}

/// `prefix` and a number, `width` characters in all.
[[nodiscard]] std::string text_of(char prefix, std::uint64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    return prefix + std::string(width - 1 - digits.size(), '0') + digits;
}

void add(Store& store, std::string_view key, std::string_view member, double score) {
    using Outcome = tern::store::zsets::AddResult::Outcome;
    tern::store::zsets::Zset zset(store.keyspace.database(0), key);
    require(zset.add({member, score}, {}, store.limits).outcome == Outcome::kAdded);
}

void set(Store& store, std::string_view key, std::string_view field, std::string_view value) {
    tern::store::hashes::Hash hash(store.keyspace.database(0), key);
    require(hash.set(field, value, store.limits) == tern::store::hashes::SetOutcome::kAdded);
}

void one_zset(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        add(store,
            "zset",
            text_of('m', i, 16),
            static_cast<double>(store.random.next() >> 11) * 1e-6);
    }
}

void one_hash(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        set(store, "hash", text_of('f', i, 16), text_of('v', i, 16));
    }
}

void push(Store& store, std::string_view key, std::string_view element) {
    namespace lists = tern::store::lists;
    constexpr lists::ListLimits kLimits{};
    lists::List list(store.keyspace.database(0), key);
    require(list.prepare_growth(element.size(), 1, kLimits) &&
            list.push(lists::End::kTail, lists::Value(element), kLimits));
}

void one_list(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        push(store, "list", text_of('e', i, 16));
    }
}

void small_lists(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        push(store, text_of('k', i / 10, 16), text_of('e', i, 16));
    }
}

void one_stream(Store& store, std::uint64_t count) {
    namespace streams = tern::store::streams;
    streams::Stream stream(store.keyspace.database(0), "stream");
    require(stream.create());
    const std::string field = text_of('f', 0, 16);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string value = text_of('v', i, 16);
        const std::string_view texts[] = {field, value};
        require(stream.append({1'700'000'000'000 + i, 0}, texts, {}));
    }
}

void small_zsets(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        add(store,
            text_of('k', i / 10, 16),
            text_of('m', i, 16),
            static_cast<double>(store.random.below(1'000'000)));
    }
}

void small_zsets_of_doubles(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        add(store,
            text_of('k', i / 10, 16),
            text_of('m', i, 16),
            static_cast<double>(store.random.next() >> 11) * 1e-6);
    }
}

void small_hashes(Store& store, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        set(store, text_of('k', i / 10, 16), text_of('f', i % 10, 7), text_of('v', i, 16));
    }
}

[[nodiscard]] std::size_t resident_bytes() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    unsigned long total = 0;
    unsigned long resident = 0;
    require(file != nullptr && std::fscanf(file, "%lu %lu", &total, &resident) == 2);
    std::fclose(file);
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Case {
    const char* name;
    void (*fill)(Store& store, std::uint64_t count);
    double target_bytes;
};

constexpr Case kCases[] = {
    {"one sorted set, members of 16", one_zset, 48},
    {"one hash, fields of 16, values of 16", one_hash, 45},
    {"one list, elements of 16", one_list, 18.5},
    {"lists of ten, elements of 16", small_lists, 0},
    {"one stream, field of 16, values of 16", one_stream, 31.3},
    {"sorted sets of ten, members of 16, integers", small_zsets, 30},
    {"sorted sets of ten, members of 16, doubles", small_zsets_of_doubles, 0},
    {"hashes of ten, fields of 7, values of 16", small_hashes, 30},
};

void measure(const Case& row, std::uint64_t count) {
    Store store;
    const std::size_t before = resident_bytes();
    row.fill(store, count);
    const std::size_t after = resident_bytes();
    const auto elements = static_cast<double>(count);
    std::printf("%-46s %8.1f %8.1f",
                row.name,
                static_cast<double>(after - before) / elements,
                static_cast<double>(store.arena->used_bytes()) / elements);
    if (row.target_bytes > 0) {
        std::printf(" %8.1f", row.target_bytes);
    }
    std::printf("\n");
    std::fflush(stdout);
    std::_Exit(0);  // freeing a million elements is not what this measures
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    if (count == 0) {
        std::fputs("usage: store_memory [elements]\n", stderr);
        return 2;
    }
    std::printf("%-46s %8s %8s %8s\n", "bytes an element", "RSS", "arena", "target");
    std::fflush(stdout);
    for (const Case& row : kCases) {
        // A process for each case: nothing is resident from the one before.
        const pid_t child = ::fork();
        if (child == 0) {
            measure(row, count);
        }
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) {
            return 1;
        }
    }
    return 0;
}
