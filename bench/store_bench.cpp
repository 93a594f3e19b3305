// What a key costs: resident bytes for each 16+16 string, and the time of one operation on the
// store alone, without protocol and transport.
//
// The physical floor: a look-up of a random key among a million reads two cold lines, the bucket
// and the entry; the run prints the time of two dependent cold reads beside the figures.
//
//     store_bench [--keys N] [--smoke]

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/string/strings.hpp"

namespace {

using namespace tern;
using namespace tern::store;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kRepetitions = 5;

std::size_t resident_bytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    unsigned long total_pages = 0;
    unsigned long resident_pages = 0;
    if (file != nullptr) {
        if (std::fscanf(file, "%lu %lu", &total_pages, &resident_pages) != 2) {
            resident_pages = 0;
        }
        std::fclose(file);
    }
    return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Sixteen characters that are the number's own.
struct KeyText {
    char text[kKeyBytes];
    explicit KeyText(std::uint64_t number) {
        for (std::size_t i = kKeyBytes; i-- != 0; number /= 16) {
            text[i] = "0123456789abcdef"[number % 16];
        }
    }
    [[nodiscard]] std::string_view view() const { return {text, kKeyBytes}; }
};

/// The fastest of the repetitions and the slowest: the spread is the machine's.
struct Timing {
    double ns_min = 1e300;
    double ns_max = 0;
};

template <typename Operation>
Timing measure(std::size_t repetitions, std::size_t count, Operation&& operation) {
    Timing timing;
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
        const auto begin = Clock::now();
        for (std::size_t i = 0; i < count; ++i) {
            operation(i);
        }
        const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
        const double ns = spent.count() / static_cast<double>(count);
        timing.ns_min = std::min(timing.ns_min, ns);
        timing.ns_max = std::max(timing.ns_max, ns);
    }
    return timing;
}

void print(const char* what, const Timing& timing) {
    std::printf("%-34s %8.1f ns  (slowest repetition %.1f)\n", what, timing.ns_min, timing.ns_max);
}

/// Two cold reads, the second at a place that the first says.
void print_floor(std::size_t count, Random& random) {
    constexpr std::size_t kWords = std::size_t{1} << 23;  // 64 MiB
    std::vector<std::uint64_t> words(kWords);
    for (std::uint64_t& word : words) {
        word = random() % kWords;
    }
    std::uint64_t sum = 0;
    const Timing timing = measure(3, count, [&](std::size_t i) {
        const std::uint64_t place = (i * 0x9e3779b97f4a7c15) % kWords;
        sum += words[words[place] ^ (sum & 1)];
    });
    print(sum == 1 ? "floor (never printed)" : "floor: two dependent cold reads", timing);
}

struct Bench {
    std::size_t key_count = 0;
    std::size_t repetitions = 0;
    std::unique_ptr<Arena> arena = nullptr;
    std::unique_ptr<Keyspace> keyspace = nullptr;
    std::vector<KeyText> keys = {};
    std::vector<KeyText> missing = {};

    void fill();
    void time_operations();
};

void Bench::fill() {
    Database& database = keyspace->database(0);
    const std::size_t before_bytes = resident_bytes();
    const std::size_t used_before = arena->used_bytes();
    const Timing timing = measure(1, key_count, [&](std::size_t i) {
        (void)strings::set(database, keys[i].view(), "0123456789abcdef");
    });
    const auto count = static_cast<double>(key_count);
    std::printf("%-34s %8.2f bytes of RSS, %.2f of slots and index\n",
                "16+16 string, each key",
                static_cast<double>(resident_bytes() - before_bytes) / count,
                static_cast<double>(arena->used_bytes() - used_before) / count);
    std::printf("%-34s %8.2f bytes, %zu buckets, at most %zu entries moved by one insert\n",
                "index, each key",
                static_cast<double>(database.tables().keys.memory_bytes()) / count,
                database.tables().keys.bucket_count(),
                database.tables().keys.entries_moved_max());
    print("SET of a new key", timing);
}

void Bench::time_operations() {
    Database& database = keyspace->database(0);
    Random random(7);
    std::vector<std::uint32_t> order(key_count);
    for (std::uint32_t& place : order) {
        place = static_cast<std::uint32_t>(random.below(key_count));
    }
    std::size_t found_count = 0;
    print("GET, random key", measure(repetitions, key_count, [&](std::size_t i) {
              found_count += strings::get(database, keys[order[i]].view()).text.size();
          }));
    print("GET, missing key", measure(repetitions, key_count, [&](std::size_t i) {
              found_count += strings::get(database, missing[order[i]].view()).text.size();
          }));
    print("SET, random key, same size", measure(repetitions, key_count, [&](std::size_t i) {
              (void)strings::set(database, keys[order[i]].view(), "fedcba9876543210");
          }));
    print("GET, one key", measure(repetitions, key_count, [&](std::size_t) {
              found_count += strings::get(database, keys[0].view()).text.size();
          }));
    print("SET, one key, same size", measure(repetitions, key_count, [&](std::size_t) {
              (void)strings::set(database, keys[0].view(), "fedcba9876543210");
          }));
    print("SET, random key, other size", measure(repetitions, key_count, [&](std::size_t i) {
              const std::string_view text = "fedcba9876543210fedcba9876543210";
              (void)strings::set(database, keys[order[i]].view(), text.substr(i % 16));
          }));
    print("EXPIRE, random key", measure(repetitions, key_count, [&](std::size_t i) {
              EntryRef ref = database.find(keys[order[i]].view());
              (void)database.set_expiry(ref,
                                        1'000'000 + static_cast<ExpireAtMs>(random() % 100'000));
          }));
    if (found_count != 16 * key_count * repetitions * 2) {
        std::printf("wrong: %zu bytes were found\n", found_count);
        std::exit(1);
    }
    const std::size_t volatile_count = database.volatile_count();
    const auto begin = Clock::now();
    while (keyspace->maintain(2'000'000)) {}
    const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
    std::printf("%-34s %8.1f ns  (%zu keys)\n",
                "active expiry, each key",
                spent.count() / static_cast<double>(std::max<std::size_t>(volatile_count, 1)),
                volatile_count);
    print("DEL", measure(1, key_count, [&](std::size_t i) { database.erase(keys[i].view()); }));
    if (database.size() != 0) {
        std::printf("wrong: %zu keys are left\n", database.size());
        std::exit(1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t key_count = 1'000'000;
    std::size_t repetitions = kRepetitions;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--smoke") == 0) {
            key_count = 5'000;
            repetitions = 1;
        } else if (std::strcmp(argv[i], "--keys") == 0 && i + 1 < argc) {
            key_count = std::strtoull(argv[++i], nullptr, 10);
        }
    }
    Bench bench{.key_count = key_count, .repetitions = repetitions};
    for (std::uint64_t i = 0; i < key_count; ++i) {
        bench.keys.emplace_back(i);
        bench.missing.emplace_back(i + (std::uint64_t{1} << 40));
    }
    Random random(3);
    print_floor(key_count, random);
    auto arena = Arena::create({});
    if (!arena) {
        std::fprintf(stderr, "%s\n", arena.error().message.c_str());
        return 1;
    }
    bench.arena = std::move(arena).value();
    bench.keyspace = std::make_unique<Keyspace>(*bench.arena, KeyspaceOptions{.hash_seed = 1});
    bench.fill();
    bench.time_operations();
}
