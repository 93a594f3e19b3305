#include "server/commands/sorted_sets.hpp"

#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "server/glob.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::zsets::AddOptions;
using store::zsets::AddResult;
using store::zsets::Element;
using store::zsets::Zset;

constexpr std::string_view kNotANumber = "ERR resulting score is not a number (NaN)";

// ZADD, ZINCRBY

struct ZAddArguments {
    std::string_view key;
    std::span<const Element> elements;
    AddOptions options;
    bool counts_changed = false;
};

bool take_add_option(Arguments& in, ZAddArguments& out) {
    struct Option {
        std::string_view word;
        bool* flag;
    };
    const Option options[] = {
        {"NX", &out.options.only_new},
        {"XX", &out.options.only_existing},
        {"GT", &out.options.only_greater},
        {"LT", &out.options.only_less},
        {"CH", &out.counts_changed},
        {"INCR", &out.options.increment},
    };
    for (const Option& option : options) {
        if (in.take_option(option.word)) {
            *option.flag = true;
            return true;
        }
    }
    return false;
}

/// The first rule that the options break, or nothing.
std::string_view broken_rule(const AddOptions& options, std::size_t element_count) {
    if (options.only_new && options.only_existing) {
        return "ERR XX and NX options at the same time are not compatible";
    }
    if ((options.only_greater && options.only_new) || (options.only_less && options.only_new) ||
        (options.only_greater && options.only_less)) {
        return "ERR GT, LT, and/or NX options at the same time are not compatible";
    }
    if (options.increment && element_count > 1) {
        return "ERR INCR option supports a single increment-element pair";
    }
    return {};
}

bool parse_text(Arguments& in, ZAddArguments& out, Reply& reply) {
    out.key = in.take();
    while (!in.is_empty() && take_add_option(in, out)) {}
    if (in.is_empty() || in.left() % 2 != 0) {
        return syntax_error(reply);
    }
    const std::span<Element> elements = in.scratch().array<Element>(in.left() / 2);
    if (const std::string_view rule = broken_rule(out.options, elements.size()); !rule.empty()) {
        reply.error(rule);
        return false;
    }
    for (Element& element : elements) {
        if (!in.read_double(element.score, reply)) {
            return false;
        }
        element.member = in.take();
    }
    out.elements = elements;
    return true;
}

template <typename View>
bool decode_wire(const View& view, ZAddArguments& out, Scratch& scratch) {
    const auto flags = view.flags();
    out.options = {.only_new = flags.if_absent(),
                   .only_existing = flags.if_present(),
                   .only_greater = flags.if_greater(),
                   .only_less = flags.if_less(),
                   .increment = flags.increment()};
    out.counts_changed = flags.count_changed();
    const auto entries = view.members();
    const std::span<Element> elements = scratch.array<Element>(entries.size());
    std::size_t i = 0;
    bool all_numbers = true;
    for (const auto entry : entries) {
        Element& element = elements[i++];
        element.score = entry.score();
        element.member = as_text(entry.member());
        all_numbers = all_numbers && element.score == element.score;
    }
    out.elements = elements;
    return decode_only_key(view, out.key) && !elements.empty() && all_numbers &&
           broken_rule(out.options, elements.size()).empty();
}

void zadd_increment(Call& call, const ZAddArguments& args, Zset& zset) {
    const AddResult result = zset.add(args.elements.front(), args.options, zset_limits(call));
    switch (result.outcome) {
        case AddResult::Outcome::kRefused:
            call.reply.null();
            return;
        case AddResult::Outcome::kNotANumber:
            call.reply.error(kNotANumber);
            return;
        case AddResult::Outcome::kOutOfMemory:
            call.reply.error(kOutOfMemory);
            return;
        case AddResult::Outcome::kAdded:
        case AddResult::Outcome::kUpdated:
            zset.mark_modified();
            break;
        case AddResult::Outcome::kUnchanged:
            break;
    }
    call.reply.number(result.score);
}

void zadd(Call& call, const ZAddArguments& args) {
    Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    if (args.options.increment) {
        return zadd_increment(call, args, zset);
    }
    std::int64_t added_count = 0;
    std::int64_t updated_count = 0;
    for (const Element& element : args.elements) {
        const AddResult result = zset.add(element, args.options, zset_limits(call));
        if (result.outcome == AddResult::Outcome::kOutOfMemory) {
            call.reply.error(kOutOfMemory);
            return;
        }
        added_count += result.outcome == AddResult::Outcome::kAdded ? 1 : 0;
        updated_count += result.outcome == AddResult::Outcome::kUpdated ? 1 : 0;
    }
    if (added_count + updated_count != 0) {
        zset.mark_modified();
    }
    call.reply.integer(args.counts_changed ? added_count + updated_count : added_count);
}

struct ZIncrByArguments {
    std::string_view key;
    Element element;
};
bool parse_text(Arguments& in, ZIncrByArguments& out, Reply& reply) {
    out.key = in.take();
    // Redis reads ZADD's options here as well, and then lacks a score.
    if (ZAddArguments options; take_add_option(in, options)) {
        return syntax_error(reply);
    }
    if (!in.read_double(out.element.score, reply)) {
        return false;
    }
    out.element.member = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, ZIncrByArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.element.score = view.increment();
    out.element.member = as_text(view.member());
    return out.element.score == out.element.score;
}

void zincrby(Call& call, const ZIncrByArguments& args) {
    Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    const ZAddArguments add{
        .key = args.key, .elements = {&args.element, 1}, .options = {.increment = true}};
    zadd_increment(call, add, zset);
}

// Reading one member

void write_score(Reply& reply, std::optional<double> score) {
    if (score) {
        reply.number(*score);
    } else {
        reply.null();
    }
}

void zcard(Call& call, const KeyArguments& args) {
    const Zset zset(call.database, args.key);
    if (is_usable(call, zset)) {
        call.reply.integer(static_cast<std::int64_t>(zset.size()));
    }
}

void zscore(Call& call, const MemberArguments& args) {
    const Zset zset(call.database, args.key);
    if (is_usable(call, zset)) {
        write_score(call.reply, zset.score(args.member));
    }
}

void zmscore(Call& call, const MembersArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    call.reply.array(args.members.size());
    for (const std::string_view member : args.members) {
        write_score(call.reply, zset.score(member));
    }
}

void zrem(Call& call, const MembersArguments& args) {
    Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    std::int64_t removed_count = 0;
    for (const std::string_view member : args.members) {
        removed_count += zset.erase(member) ? 1 : 0;
    }
    if (removed_count != 0) {
        zset.mark_modified();
    }
    call.reply.integer(removed_count);
}

struct RankArguments : MemberArguments {
    bool with_score = false;
};
bool parse_rank(Arguments& in, RankArguments& out, Reply& reply, std::string_view name) {
    out.key = in.take();
    out.member = in.take();
    if (in.left() > 1) {
        reply.error(fmt::format("ERR wrong number of arguments for '{}' command", name));
        return false;
    }
    if (!in.is_empty()) {
        out.with_score = in.take_option("WITHSCORE");
        return out.with_score || syntax_error(reply);
    }
    return true;
}
struct RevRankArguments : RankArguments {};
bool parse_text(Arguments& in, RankArguments& out, Reply& reply) {
    return parse_rank(in, out, reply, "zrank");
}
bool parse_text(Arguments& in, RevRankArguments& out, Reply& reply) {
    return parse_rank(in, out, reply, "zrevrank");
}
template <typename View>
bool decode_wire(const View& view, RankArguments& out, Scratch& scratch) {
    out.with_score = view.flags().with_scores();
    return decode_wire(view, static_cast<MemberArguments&>(out), scratch);
}

void rank_from(Call& call, const RankArguments& args, bool from_highest) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    const auto found = zset.rank(args.member);
    if (!found) {
        if (args.with_score) {
            call.reply.null_array();
        } else {
            call.reply.null();
        }
        return;
    }
    const std::uint64_t rank = from_highest ? zset.size() - 1 - found->rank : found->rank;
    if (args.with_score) {
        call.reply.array(2);
    }
    call.reply.integer(static_cast<std::int64_t>(rank));
    if (args.with_score) {
        call.reply.number(found->score);
    }
}

void zrank(Call& call, const RankArguments& args) {
    rank_from(call, args, false);
}
void zrevrank(Call& call, const RevRankArguments& args) {
    rank_from(call, args, true);
}

// ZRANDMEMBER, ZSCAN

struct RandomMemberArguments : RandomArguments {};
bool parse_text(Arguments& in, RandomMemberArguments& out, Reply& reply) {
    return parse_random(in, out, reply, "WITHSCORES");
}

void zrandmember(Call& call, const RandomMemberArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    Random& random = call.keyspace.random();
    if (!args.has_count) {
        if (zset.exists()) {
            call.reply.bulk(zset.random_element(random).member);
        } else {
            call.reply.null();
        }
        return;
    }
    const bool repeats = args.count < 0;
    const std::uint64_t wanted = args.absolute_count();
    const std::uint64_t count = !zset.exists() ? 0
                                : repeats      ? wanted
                                               : std::min(wanted, zset.size());
    begin_member_list(call.reply, count, args.with_values);
    const auto write = [&](const Element& element) {
        write_member(call.reply, element, args.with_values);
    };
    if (count == 0) {
        return;
    }
    if (repeats) {
        zset.random_repeating(count, random, write);
    } else {
        zset.random_distinct(count, random, write);
    }
}

void zscan(Call& call, const KeyScanArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    ScratchList<Element> found(call.scratch);
    const std::uint64_t next =
        zset.scan(args.options.cursor, args.options.count, [&](const Element& element) {
            if (args.options.matches(element.member)) {
                found.push_back(element);
            }
        });
    char text[kDoubleTextBytes];
    call.reply.array(2);
    call.reply.bulk({text, format_uint64(text, next)});
    call.reply.array(found.size() * 2);
    for (const Element& element : found.items()) {
        call.reply.bulk(element.member);
        // Redis 7.2 writes a large set's scores with seventeen digits here and only here.
        const std::size_t length = zset.is_large() ? format_double_17g(text, element.score)
                                                   : format_double(text, element.score);
        call.reply.bulk({text, length});
    }
}

constexpr std::uint32_t kFastRead = kReadonly | kFast;
constexpr std::uint32_t kFastAdd = kWrite | kDenyOom | kFast;

constexpr std::array kTable = {
    row<zadd, wire::VerifiedZAddRequestView>(
        zset_info("zadd",
                  -4,
                  kFastAdd,
                  kOneKey,
                  "1.2.0",
                  "O(log(N)) a member",
                  "key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]",
                  "Adds members or changes their scores.")),
    row<zcard, wire::VerifiedZCardRequestView>(
        zset_info("zcard", 2, kFastRead, kOneKey, "1.2.0", "O(1)", "key", "Counts the members.")),
    row<zincrby, wire::VerifiedZIncrByRequestView>(zset_info("zincrby",
                                                             4,
                                                             kFastAdd,
                                                             kOneKey,
                                                             "1.2.0",
                                                             "O(log(N))",
                                                             "key increment member",
                                                             "Adds to a member's score.")),
    row<zmscore, wire::VerifiedZMScoreRequestView>(zset_info("zmscore",
                                                             -3,
                                                             kFastRead,
                                                             kOneKey,
                                                             "6.2.0",
                                                             "O(N)",
                                                             "key member [member ...]",
                                                             "Gets the scores of members.")),
    row<zrandmember, wire::VerifiedZRandMemberRequestView>(zset_info("zrandmember",
                                                                     -2,
                                                                     kReadonly,
                                                                     kOneKey,
                                                                     "6.2.0",
                                                                     "O(N)",
                                                                     "key [count [WITHSCORES]]",
                                                                     "Picks members at random.")),
    row<zrank, wire::VerifiedZRankRequestView>(
        zset_info("zrank",
                  -3,
                  kFastRead,
                  kOneKey,
                  "2.0.0",
                  "O(log(N))",
                  "key member [WITHSCORE]",
                  "Tells a member's rank from the lowest score.")),
    row<zrem, wire::VerifiedZRemRequestView>(zset_info("zrem",
                                                       -3,
                                                       kWrite | kFast,
                                                       kOneKey,
                                                       "1.2.0",
                                                       "O(M*log(N))",
                                                       "key member [member ...]",
                                                       "Removes members.")),
    row<zrevrank, wire::VerifiedZRevRankRequestView>(
        zset_info("zrevrank",
                  -3,
                  kFastRead,
                  kOneKey,
                  "2.0.0",
                  "O(log(N))",
                  "key member [WITHSCORE]",
                  "Tells a member's rank from the highest score.")),
    row<zscan, wire::VerifiedZScanRequestView>(zset_info("zscan",
                                                         -3,
                                                         kReadonly,
                                                         kOneKey,
                                                         "2.8.0",
                                                         "O(1) a call, O(N) in all",
                                                         "key cursor [MATCH pattern] [COUNT count]",
                                                         "Walks the members, some at a call.")),
    row<zscore, wire::VerifiedZScoreRequestView>(zset_info(
        "zscore", 3, kFastRead, kOneKey, "1.2.0", "O(1)", "key member", "Gets a member's score.")),
};

}  // namespace

std::span<const CommandSpec> sorted_set_table() {
    return kTable;
}

}  // namespace tern::server::commands
