#include "server/commands/sets.hpp"

#include <algorithm>
#include <array>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::sets::AddOutcome;
using store::sets::IntegerText;
using store::sets::Set;

// Members

void sadd(Call& call, const MembersArguments& args) {
    Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    std::int64_t added_count = 0;
    bool has_memory = set.expect(args.members.size(), set_limits(call));
    for (std::size_t i = 0; i < args.members.size() && has_memory; ++i) {
        const AddOutcome outcome = set.add(args.members[i], set_limits(call), args.members.size());
        has_memory = outcome != AddOutcome::kOutOfMemory;
        added_count += outcome == AddOutcome::kAdded ? 1 : 0;
    }
    if (added_count != 0) {
        set.mark_modified();
    }
    if (has_memory) {
        call.reply.integer(added_count);
    } else {
        call.reply.error(kOutOfMemory);
    }
}

void srem(Call& call, const MembersArguments& args) {
    Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    std::int64_t removed_count = 0;
    for (const std::string_view member : args.members) {
        removed_count += set.erase(member) ? 1 : 0;
    }
    if (removed_count != 0) {
        set.mark_modified();
    }
    call.reply.integer(removed_count);
}

void smembers(Call& call, const KeyArguments& args) {
    const Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    call.reply.set(set.size());
    set.for_each([&](std::string_view member) { call.reply.bulk(member); });
}

void sismember(Call& call, const MemberArguments& args) {
    const Set set(call.database, args.key);
    if (is_usable(call, set)) {
        call.reply.integer(set.contains(args.member) ? 1 : 0);
    }
}

void smismember(Call& call, const MembersArguments& args) {
    const Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    call.reply.array(args.members.size());
    for (const std::string_view member : args.members) {
        call.reply.integer(set.contains(member) ? 1 : 0);
    }
}

void scard(Call& call, const KeyArguments& args) {
    const Set set(call.database, args.key);
    if (is_usable(call, set)) {
        call.reply.integer(static_cast<std::int64_t>(set.size()));
    }
}

struct MoveArguments {
    std::string_view source;
    std::string_view destination;
    std::string_view member;
};
bool parse_text(Arguments& in, MoveArguments& out, Reply&) {
    out.source = in.take();
    out.destination = in.take();
    out.member = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, MoveArguments& out, Scratch&) {
    out.source = as_text(view.key());
    out.destination = as_text(view.destination());
    out.member = as_text(view.member());
    return true;
}

void smove(Call& call, const MoveArguments& args) {
    Set source(call.database, args.source);
    if (!source.exists() && !source.is_wrong_type()) {
        call.reply.integer(0);
        return;
    }
    if (!is_usable(call, source)) {
        return;
    }
    {
        const Set destination(call.database, args.destination);
        if (!is_usable(call, destination)) {
            return;
        }
    }
    if (args.source == args.destination || !source.contains(args.member)) {
        call.reply.integer(source.contains(args.member) ? 1 : 0);
        return;
    }
    // Added first: without memory nothing has changed. Each is opened anew after the other changed.
    Set destination(call.database, args.destination);
    const AddOutcome outcome = destination.add(args.member, set_limits(call));
    if (outcome == AddOutcome::kOutOfMemory) {
        call.reply.error(kOutOfMemory);
        return;
    }
    if (outcome == AddOutcome::kAdded) {
        destination.mark_modified();
    }
    Set emptied(call.database, args.source);
    emptied.erase(args.member);
    emptied.mark_modified();
    call.reply.integer(1);
}

// At random

struct PopArguments : RandomArguments {};
bool parse_text(Arguments& in, PopArguments& out, Reply& reply) {
    out.key = in.take();
    if (in.is_empty()) {
        return true;
    }
    if (in.left() > 1) {
        return syntax_error(reply);
    }
    constexpr std::string_view kNotPositive = "ERR value is out of range, must be positive";
    out.has_count = true;
    if (!in.read_integer(out.count, reply, kNotPositive)) {
        return false;
    }
    if (out.count < 0) {
        reply.error(kNotPositive);
        return false;
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, PopArguments& out, Scratch& scratch) {
    return server::decode_wire(view, static_cast<RandomArguments&>(out), scratch) &&
           out.count >= 0 && !out.with_values;
}

void spop(Call& call, const PopArguments& args) {
    Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    const std::uint64_t wanted = args.has_count ? args.absolute_count() : 1;
    const std::uint64_t count = std::min<std::uint64_t>(wanted, set.size());
    if (args.has_count) {
        call.reply.set(count);
    } else if (count == 0) {
        call.reply.null();
    }
    if (count == 0) {
        return;
    }
    set.pop(count, call.keyspace.random(), [&](std::string_view one) { call.reply.bulk(one); });
    set.mark_modified();
}

struct RandomMemberArguments : RandomArguments {};
bool parse_text(Arguments& in, RandomMemberArguments& out, Reply& reply) {
    if (in.left() > 2) {
        return syntax_error(reply);
    }
    return parse_random(in, out, reply, {});
}
template <typename View>
bool decode_wire(const View& view, RandomMemberArguments& out, Scratch& scratch) {
    return server::decode_wire(view, static_cast<RandomArguments&>(out), scratch) &&
           !out.with_values;
}

void srandmember(Call& call, const RandomMemberArguments& args) {
    const Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    Random& random = call.keyspace.random();
    if (!args.has_count) {
        IntegerText text;
        if (set.exists()) {
            call.reply.bulk(set.random_member(random, text));
        } else {
            call.reply.null();
        }
        return;
    }
    const bool repeats = args.count < 0;
    const std::uint64_t wanted = args.absolute_count();
    const std::uint64_t count = !set.exists() ? 0
                                : repeats     ? wanted
                                              : std::min<std::uint64_t>(wanted, set.size());
    call.reply.array(count);
    const auto write = [&](std::string_view member) { call.reply.bulk(member); };
    if (count != 0 && repeats) {
        set.random_repeating(count, random, write);
    } else if (count != 0) {
        set.random_distinct(count, random, write);
    }
}

void sscan(Call& call, const KeyScanArguments& args) {
    const Set set(call.database, args.key);
    if (!is_usable(call, set)) {
        return;
    }
    ScratchList<std::string_view> found(call.scratch);
    const std::uint64_t next =
        set.scan(args.options.cursor, args.options.count, [&](std::string_view member) {
            if (args.options.matches(member)) {
                found.push_back(set.members_last() ? member : call.scratch.copy(member));
            }
        });
    write_scan_reply(call.reply, next, found.items());
}

constexpr std::uint32_t kFastWrite = kWrite | kFast;
constexpr std::uint32_t kFastRead = kReadonly | kFast;
constexpr std::uint32_t kFastAdd = kWrite | kDenyOom | kFast;

constexpr std::array kTable = {
    row<sadd, wire::VerifiedSAddRequestView>(set_info("sadd",
                                                      -3,
                                                      kFastAdd,
                                                      kOneKey,
                                                      "1.0.0",
                                                      "O(1) a member",
                                                      "key member [member ...]",
                                                      "Adds members and counts the new ones.")),
    row<scard, wire::VerifiedSCardRequestView>(
        set_info("scard", 2, kFastRead, kOneKey, "1.0.0", "O(1)", "key", "Counts the members.")),
    row<sismember, wire::VerifiedSIsMemberRequestView>(set_info("sismember",
                                                                3,
                                                                kFastRead,
                                                                kOneKey,
                                                                "1.0.0",
                                                                "O(1)",
                                                                "key member",
                                                                "Tells whether a member is in.")),
    row<smembers, wire::VerifiedSMembersRequestView>(
        set_info("smembers", 2, kReadonly, kOneKey, "1.0.0", "O(N)", "key", "Lists the members.")),
    row<smismember, wire::VerifiedSMIsMemberRequestView>(
        set_info("smismember",
                 -3,
                 kFastRead,
                 kOneKey,
                 "6.2.0",
                 "O(N)",
                 "key member [member ...]",
                 "Tells for each member whether it is in.")),
    row<smove, wire::VerifiedSMoveRequestView>(set_info("smove",
                                                        4,
                                                        kFastWrite,
                                                        kTwoKeys,
                                                        "1.0.0",
                                                        "O(1)",
                                                        "source destination member",
                                                        "Moves a member to another set.")),
    row<spop, wire::VerifiedSPopRequestView>(set_info("spop",
                                                      -2,
                                                      kFastWrite,
                                                      kOneKey,
                                                      "1.0.0",
                                                      "O(1) a member",
                                                      "key [count]",
                                                      "Takes members away at random.")),
    row<srandmember, wire::VerifiedSRandMemberRequestView>(set_info("srandmember",
                                                                    -2,
                                                                    kReadonly,
                                                                    kOneKey,
                                                                    "1.0.0",
                                                                    "O(1) a member",
                                                                    "key [count]",
                                                                    "Picks members at random.")),
    row<srem, wire::VerifiedSRemRequestView>(set_info("srem",
                                                      -3,
                                                      kFastWrite,
                                                      kOneKey,
                                                      "1.0.0",
                                                      "O(N)",
                                                      "key member [member ...]",
                                                      "Removes members.")),
    row<sscan, wire::VerifiedSScanRequestView>(set_info("sscan",
                                                        -3,
                                                        kReadonly,
                                                        kOneKey,
                                                        "2.8.0",
                                                        "O(1) a call, O(N) in all",
                                                        "key cursor [MATCH pattern] [COUNT count]",
                                                        "Walks the members, some at a call.")),
};

}  // namespace

std::span<const CommandSpec> set_table() {
    return kTable;
}

}  // namespace tern::server::commands
