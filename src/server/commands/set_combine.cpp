#include <array>
#include <new>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/sets.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/set/combine.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::sets::AddOutcome;
using store::sets::Set;
using store::sets::SetResult;

enum class Operation : std::uint8_t { kUnion, kIntersection, kDifference };

/// SINTERSTORE and its like.
struct StoreArguments {
    std::string_view destination;
    std::span<const std::string_view> keys;
};
bool parse_text(Arguments& in, StoreArguments& out, Reply&) {
    out.destination = in.take();
    out.keys = in.take_rest();
    return true;
}
template <typename View>
bool decode_wire(const View& view, StoreArguments& out, Scratch& scratch) {
    const auto destinations = view.destinations();
    if (destinations.size() != 1) {
        return false;
    }
    out.destination = as_text((*destinations.begin()).key());
    KeysArguments keys;
    const bool is_whole = server::decode_wire(view, keys, scratch);
    out.keys = keys.keys;
    return is_whole;
}

/// The sets under `keys`, in scratch memory; empty after WRONGTYPE was answered. Every key's type
/// is looked at, also behind one that is not there.
std::span<const Set*> open_sets(Call& call, std::span<const std::string_view> keys) {
    struct alignas(Set) Room {
        std::byte bytes[sizeof(Set)];
    };
    static_assert(std::is_trivially_destructible_v<Set>, "scratch memory runs no destructors");
    const std::span<Room> rooms = call.scratch.array<Room>(keys.size());
    const std::span<const Set*> sets = call.scratch.array<const Set*>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        sets[i] = new (&rooms[i]) Set(call.database, keys[i]);
        if (!is_usable(call, *sets[i])) {
            return {};
        }
    }
    return sets;
}

/// Calls `visit(member)`, which returns whether to go on, for each member of the combination; for
/// a union, also for those that were visited already.
template <typename Visit>
void combine(Operation operation, std::span<const Set*> sets, Visit&& visit) {
    switch (operation) {
        case Operation::kUnion:
            for (const Set* const set : sets) {
                bool goes_on = true;
                set->for_each_while(
                    [&](std::string_view member) { return goes_on = visit(member); });
                if (!goes_on) {
                    return;
                }
            }
            break;
        case Operation::kIntersection:
            store::sets::intersect(sets, visit);
            break;
        case Operation::kDifference:
            store::sets::subtract(sets, visit);
            break;
    }
}

/// Puts the combination into `result`. False after an error was answered.
bool collect(Call& call,
             Operation operation,
             std::span<const std::string_view> keys,
             SetResult& result) {
    const std::span<const Set*> sets = open_sets(call, keys);
    if (sets.empty()) {
        return false;
    }
    bool has_memory = true;
    combine(operation, sets, [&](std::string_view member) {
        has_memory = result.add(member) != AddOutcome::kOutOfMemory;
        return has_memory;
    });
    if (!has_memory) {
        call.reply.error(kOutOfMemory);
    }
    return has_memory;
}

void sunion(Call& call, const KeysArguments& args) {
    SetResult result(call.keyspace);
    if (collect(call, Operation::kUnion, args.keys, result)) {
        call.reply.set(result.size());
        result.for_each([&](std::string_view member) { call.reply.bulk(member); });
    }
}

/// SINTER, SDIFF: members go straight to the reply.
template <Operation Which>
void list(Call& call, const KeysArguments& args) {
    const std::span<const Set*> sets = open_sets(call, args.keys);
    if (sets.empty()) {
        return;
    }
    std::size_t count = 0;
    const Reply::Open open = call.reply.open_array();
    combine(Which, sets, [&](std::string_view member) {
        call.reply.bulk(member);
        ++count;
        return true;
    });
    call.reply.close_set(open, count);
}

template <Operation Which>
void store_combination(Call& call, const StoreArguments& args) {
    SetResult result(call.keyspace);
    if (!collect(call, Which, args.keys, result)) {
        return;
    }
    const auto count = static_cast<std::int64_t>(result.size());
    if (result.store_as(call.database, args.destination, set_limits(call))) {
        call.reply.integer(count);
    } else {
        call.reply.error(kOutOfMemory);
    }
}

struct CountArguments {
    std::span<const std::string_view> keys;
    std::int64_t limit = 0;
};
bool parse_text(Arguments& in, CountArguments& out, Reply& reply) {
    constexpr std::string_view kNoKeys = "ERR numkeys should be greater than 0";
    std::int64_t key_count = 0;
    if (!in.read_integer(key_count, reply, kNoKeys)) {
        return false;
    }
    if (key_count < 1) {
        reply.error(kNoKeys);
        return false;
    }
    if (static_cast<std::uint64_t>(key_count) > in.left()) {
        reply.error("ERR Number of keys can't be greater than number of args");
        return false;
    }
    out.keys = in.take(static_cast<std::size_t>(key_count));
    while (!in.is_empty()) {
        constexpr std::string_view kNegative = "ERR LIMIT can't be negative";
        if (in.left() < 2 || !in.take_option("LIMIT")) {
            return syntax_error(reply);
        }
        if (!in.read_integer(out.limit, reply, kNegative)) {
            return false;
        }
        if (out.limit < 0) {
            reply.error(kNegative);
            return false;
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, CountArguments& out, Scratch& scratch) {
    KeysArguments keys;
    out.limit = view.limit();
    const bool is_whole = server::decode_wire(view, keys, scratch) && out.limit >= 0;
    out.keys = keys.keys;
    return is_whole;
}

void sintercard(Call& call, const CountArguments& args) {
    const std::span<const Set*> sets = open_sets(call, args.keys);
    if (sets.empty()) {
        return;
    }
    std::int64_t count = 0;
    store::sets::intersect(sets, [&](std::string_view) {
        ++count;
        return args.limit == 0 || count < args.limit;
    });
    call.reply.integer(count);
}

constexpr std::uint32_t kStore = kWrite | kDenyOom;

constexpr std::array kTable = {
    row<list<Operation::kDifference>, wire::VerifiedSDiffRequestView>(
        set_info("sdiff",
                 -2,
                 kReadonly,
                 kAllKeys,
                 "1.0.0",
                 "O(N)",
                 "key [key ...]",
                 "Lists the members that only the first set has.")),
    row<store_combination<Operation::kDifference>, wire::VerifiedSDiffStoreRequestView>(
        set_info("sdiffstore",
                 -3,
                 kStore,
                 kAllKeys,
                 "1.0.0",
                 "O(N)",
                 "destination key [key ...]",
                 "Stores the members that only the first set has.")),
    row<list<Operation::kIntersection>, wire::VerifiedSInterRequestView>(
        set_info("sinter",
                 -2,
                 kReadonly,
                 kAllKeys,
                 "1.0.0",
                 "O(N*M)",
                 "key [key ...]",
                 "Lists the members that all sets have.")),
    row<sintercard, wire::VerifiedSInterCardRequestView>(
        set_info("sintercard",
                 -3,
                 kReadonly | kMovableKeys,
                 kCountedKeys,
                 "7.0.0",
                 "O(N*M)",
                 "numkeys key [key ...] [LIMIT limit]",
                 "Counts the members that all sets have.")),
    row<store_combination<Operation::kIntersection>, wire::VerifiedSInterStoreRequestView>(
        set_info("sinterstore",
                 -3,
                 kStore,
                 kAllKeys,
                 "1.0.0",
                 "O(N*M)",
                 "destination key [key ...]",
                 "Stores the members that all sets have.")),
    row<sunion, wire::VerifiedSUnionRequestView>(set_info("sunion",
                                                          -2,
                                                          kReadonly,
                                                          kAllKeys,
                                                          "1.0.0",
                                                          "O(N)",
                                                          "key [key ...]",
                                                          "Lists the members that any set has.")),
    row<store_combination<Operation::kUnion>, wire::VerifiedSUnionStoreRequestView>(
        set_info("sunionstore",
                 -3,
                 kStore,
                 kAllKeys,
                 "1.0.0",
                 "O(N)",
                 "destination key [key ...]",
                 "Stores the members that any set has.")),
};

}  // namespace

std::span<const CommandSpec> set_combine_table() {
    return kTable;
}

}  // namespace tern::server::commands
