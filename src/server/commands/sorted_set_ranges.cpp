#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/sorted_sets.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/zset/combine.hpp"
#include "store/zset/range_text.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::LexRange;
using store::RankSpan;
using store::ScoreRange;
using store::zsets::Element;
using store::zsets::Zset;

constexpr std::string_view kNotAFloatRange = "ERR min or max is not a float";
constexpr std::string_view kNotALexRange = "ERR min or max not valid string range item";

enum class RangeKind : std::uint8_t { kAuto, kRank, kScore, kLex };

/// Every form of ZRANGE: which elements, in which direction, how many of them, with or without
/// scores.
struct RangeArguments {
    std::string_view destination;  ///< ZRANGESTORE
    std::string_view key;
    RangeKind kind = RangeKind::kRank;
    bool is_reversed = false;
    bool with_scores = false;
    bool has_limit = false;
    std::int64_t offset = 0;
    std::int64_t count = -1;
    std::int64_t start = 0;
    std::int64_t stop = 0;
    ScoreRange scores;
    LexRange members;
};

bool read_ends(std::string_view start, std::string_view stop, RangeArguments& out, Reply& reply) {
    // Reversed ranges by score and member are given from the highest to the lowest.
    const std::string_view min = out.is_reversed ? stop : start;
    const std::string_view max = out.is_reversed ? start : stop;
    switch (out.kind) {
        case RangeKind::kScore:
            if (!store::parse_score_range(min, max, out.scores)) {
                reply.error(kNotAFloatRange);
                return false;
            }
            return true;
        case RangeKind::kLex:
            if (!store::parse_lex_range(min, max, out.members)) {
                reply.error(kNotALexRange);
                return false;
            }
            return true;
        case RangeKind::kAuto:
        case RangeKind::kRank:
            if (!parse_int64(start, out.start) || !parse_int64(stop, out.stop)) {
                reply.error(kNotInteger);
                return false;
            }
            return true;
    }
    return false;
}

/// What of the options a command knows already: kAuto leaves kind (and REV) to the arguments.
struct RangeForm {
    RangeKind kind = RangeKind::kAuto;
    bool is_reversed = false;
    bool stores = false;
};

bool parse_range_option(Arguments& in, const RangeForm& form, RangeArguments& out, Reply& reply) {
    const bool is_auto = form.kind == RangeKind::kAuto;
    if (!form.stores && in.take_option("WITHSCORES")) {
        out.with_scores = true;
    } else if (in.left() > 2 && in.take_option("LIMIT")) {
        out.has_limit = true;
        return in.read_integer(out.offset, reply) && in.read_integer(out.count, reply);
    } else if (is_auto && !out.is_reversed && in.take_option("REV")) {
        out.is_reversed = true;
    } else if (is_auto && out.kind == RangeKind::kAuto && in.take_option("BYLEX")) {
        out.kind = RangeKind::kLex;
    } else if (is_auto && out.kind == RangeKind::kAuto && in.take_option("BYSCORE")) {
        out.kind = RangeKind::kScore;
    } else {
        return syntax_error(reply);
    }
    return true;
}

bool parse_range(Arguments& in, const RangeForm& form, RangeArguments& out, Reply& reply) {
    if (form.stores) {
        out.destination = in.take();
    }
    out.key = in.take();
    out.kind = form.kind;
    out.is_reversed = form.is_reversed;
    const std::string_view start = in.take();
    const std::string_view stop = in.take();
    while (!in.is_empty()) {
        if (!parse_range_option(in, form, out, reply)) {
            return false;
        }
    }
    const bool is_by_rank = out.kind == RangeKind::kAuto || out.kind == RangeKind::kRank;
    // A limit of -1 is the default and so goes unnoticed, as in Redis.
    if (out.has_limit && out.count != -1 && is_by_rank) {
        reply.error(
            "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
            "BYLEX");
        return false;
    }
    if (out.with_scores && out.kind == RangeKind::kLex) {
        reply.error("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
        return false;
    }
    return read_ends(start, stop, out, reply);
}

template <RangeForm Form>
struct FormArguments : RangeArguments {};
template <RangeForm Form>
bool parse_text(Arguments& in, FormArguments<Form>& out, Reply& reply) {
    return parse_range(in, Form, out, reply);
}

template <typename View>
ScoreRange decode_scores(const View& view) {
    return {.min = {view.min_score(), view.flags().min_exclusive()},
            .max = {view.max_score(), view.flags().max_exclusive()}};
}

template <typename View>
bool decode_wire(const View& view, RangeArguments& out, Scratch&) {
    constexpr std::array kKinds = {RangeKind::kRank, RangeKind::kScore, RangeKind::kLex};
    const auto kind = static_cast<std::size_t>(view.kind().raw());
    if (kind >= kKinds.size()) {
        return false;
    }
    out.kind = kKinds[kind];
    out.is_reversed = view.flags().reverse();
    out.with_scores = view.flags().with_scores();
    out.has_limit = view.flags().has_limit();
    if (out.has_limit) {
        out.offset = view.offset();
        out.count = view.count();
    }
    out.start = view.start();
    out.stop = view.stop();
    out.scores = decode_scores(view);
    if constexpr (requires { view.destination(); }) {
        out.destination = as_text(view.destination());
    }
    out.key = as_text(view.key());
    return out.kind != RangeKind::kLex ||
           store::parse_lex_range(as_text(view.min_lex()), as_text(view.max_lex()), out.members);
}

RankSpan span_of(const Zset& zset, const RangeArguments& args) {
    switch (args.kind) {
        case RangeKind::kScore:
            return zset.span(args.scores).limited(args.offset, args.count, args.is_reversed);
        case RangeKind::kLex:
            return zset.span(args.members).limited(args.offset, args.count, args.is_reversed);
        case RangeKind::kAuto:
        case RangeKind::kRank:
            break;
    }
    return zset.span(args.start, args.stop, args.is_reversed);
}

void write_range(Call& call, const RangeArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    const RankSpan span = span_of(zset, args);
    begin_member_list(call.reply, span.count, args.with_scores);
    const auto write = [&](const Element& element) {
        write_member(call.reply, element, args.with_scores);
    };
    if (args.is_reversed) {
        zset.visit_reversed(span, write);
    } else {
        zset.visit(span, write);
    }
}

template <RangeForm Form>
void range(Call& call, const FormArguments<Form>& args) {
    write_range(call, args);
}

void store_range(Call& call, const FormArguments<RangeForm{.stores = true}>& args) {
    store::zsets::ZsetResult result(call.keyspace);
    std::uint64_t count = 0;
    {
        const Zset zset(call.database, args.key);
        if (!is_usable(call, zset)) {
            return;
        }
        const RankSpan span = span_of(zset, args);
        if (!store::zsets::copy_span(zset, span, result)) {
            call.reply.error(kOutOfMemory);
            return;
        }
        count = span.count;
    }
    if (!result.store_as(call.database, args.destination, zset_limits(call))) {
        call.reply.error(kOutOfMemory);
        return;
    }
    call.reply.integer(static_cast<std::int64_t>(count));
}

// Counting and removing

struct ScoreRangeArguments {
    std::string_view key;
    ScoreRange range;
};
bool parse_text(Arguments& in, ScoreRangeArguments& out, Reply& reply) {
    out.key = in.take();
    const std::string_view min = in.take();
    if (!store::parse_score_range(min, in.take(), out.range)) {
        reply.error(kNotAFloatRange);
        return false;
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, ScoreRangeArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.range = decode_scores(view);
    return true;
}

struct LexRangeArguments {
    std::string_view key;
    LexRange range;
};
bool parse_text(Arguments& in, LexRangeArguments& out, Reply& reply) {
    out.key = in.take();
    const std::string_view min = in.take();
    if (!store::parse_lex_range(min, in.take(), out.range)) {
        reply.error(kNotALexRange);
        return false;
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, LexRangeArguments& out, Scratch&) {
    out.key = as_text(view.key());
    return store::parse_lex_range(as_text(view.min_lex()), as_text(view.max_lex()), out.range);
}

struct RankRangeArguments {
    std::string_view key;
    std::int64_t start = 0;
    std::int64_t stop = 0;
};
bool parse_text(Arguments& in, RankRangeArguments& out, Reply& reply) {
    out.key = in.take();
    return in.read_integer(out.start, reply) && in.read_integer(out.stop, reply);
}
template <typename View>
bool decode_wire(const View& view, RankRangeArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.start = view.start();
    out.stop = view.stop();
    return true;
}

template <typename Range>
void count_span(Call& call, std::string_view key, const Range& range_of_elements) {
    const Zset zset(call.database, key);
    if (is_usable(call, zset)) {
        call.reply.integer(static_cast<std::int64_t>(zset.span(range_of_elements).count));
    }
}

void zcount(Call& call, const ScoreRangeArguments& args) {
    count_span(call, args.key, args.range);
}
void zlexcount(Call& call, const LexRangeArguments& args) {
    count_span(call, args.key, args.range);
}

template <typename SpanOf>
void remove_span(Call& call, std::string_view key, SpanOf span_of_zset) {
    Zset zset(call.database, key);
    if (!is_usable(call, zset)) {
        return;
    }
    const RankSpan span = span_of_zset(zset);
    if (span.count != 0) {
        zset.erase(span);
        zset.mark_modified();
    }
    call.reply.integer(static_cast<std::int64_t>(span.count));
}

void zremrangebyscore(Call& call, const ScoreRangeArguments& args) {
    remove_span(call, args.key, [&](const Zset& zset) { return zset.span(args.range); });
}
void zremrangebylex(Call& call, const LexRangeArguments& args) {
    remove_span(call, args.key, [&](const Zset& zset) { return zset.span(args.range); });
}
void zremrangebyrank(Call& call, const RankRangeArguments& args) {
    remove_span(
        call, args.key, [&](const Zset& zset) { return zset.span(args.start, args.stop, false); });
}

constexpr std::string_view kLogPlusM = "O(log(N)+M)";
constexpr std::string_view kByScoreSyntax = "key min max [WITHSCORES] [LIMIT offset count]";
constexpr std::string_view kByLexSyntax = "key min max [LIMIT offset count]";

constexpr RangeForm kZrange{};
constexpr RangeForm kZrevrange{.kind = RangeKind::kRank, .is_reversed = true};
constexpr RangeForm kByScore{.kind = RangeKind::kScore};
constexpr RangeForm kRevByScore{.kind = RangeKind::kScore, .is_reversed = true};
constexpr RangeForm kByLex{.kind = RangeKind::kLex};
constexpr RangeForm kRevByLex{.kind = RangeKind::kLex, .is_reversed = true};

constexpr std::array kTable = {
    row<zcount, wire::VerifiedZCountRequestView>(zset_info("zcount",
                                                           4,
                                                           kReadonly | kFast,
                                                           kOneKey,
                                                           "2.0.0",
                                                           "O(log(N))",
                                                           "key min max",
                                                           "Counts the members of a score range.")),
    row<zlexcount, wire::VerifiedZLexCountRequestView>(
        zset_info("zlexcount",
                  4,
                  kReadonly | kFast,
                  kOneKey,
                  "2.8.9",
                  "O(log(N))",
                  "key min max",
                  "Counts the members of a lexicographic range.")),
    row<range<kZrange>, wire::VerifiedZRangeRequestView>(
        zset_info("zrange",
                  -4,
                  kReadonly,
                  kOneKey,
                  "1.2.0",
                  kLogPlusM,
                  "key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
                  "Lists members by rank, score or name.")),
    row<range<kByLex>>(zset_info("zrangebylex",
                                 -4,
                                 kReadonly,
                                 kOneKey,
                                 "2.8.9",
                                 kLogPlusM,
                                 kByLexSyntax,
                                 "Lists the members of a lexicographic range.")),
    row<range<kByScore>>(zset_info("zrangebyscore",
                                   -4,
                                   kReadonly,
                                   kOneKey,
                                   "1.0.5",
                                   kLogPlusM,
                                   kByScoreSyntax,
                                   "Lists the members of a score range.")),
    row<store_range, wire::VerifiedZRangeStoreRequestView>(
        zset_info("zrangestore",
                  -5,
                  kWrite | kDenyOom,
                  kTwoKeys,
                  "6.2.0",
                  kLogPlusM,
                  "dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]",
                  "Stores a range of members in another key.")),
    row<zremrangebylex, wire::VerifiedZRemRangeByLexRequestView>(
        zset_info("zremrangebylex",
                  4,
                  kWrite,
                  kOneKey,
                  "2.8.9",
                  kLogPlusM,
                  "key min max",
                  "Removes the members of a lexicographic range.")),
    row<zremrangebyrank, wire::VerifiedZRemRangeByRankRequestView>(
        zset_info("zremrangebyrank",
                  4,
                  kWrite,
                  kOneKey,
                  "2.0.0",
                  kLogPlusM,
                  "key start stop",
                  "Removes the members of a range of ranks.")),
    row<zremrangebyscore, wire::VerifiedZRemRangeByScoreRequestView>(
        zset_info("zremrangebyscore",
                  4,
                  kWrite,
                  kOneKey,
                  "1.2.0",
                  kLogPlusM,
                  "key min max",
                  "Removes the members of a score range.")),
    row<range<kZrevrange>>(zset_info("zrevrange",
                                     -4,
                                     kReadonly,
                                     kOneKey,
                                     "1.2.0",
                                     kLogPlusM,
                                     "key start stop [WITHSCORES]",
                                     "Lists members by rank from the highest score.")),
    row<range<kRevByLex>>(zset_info("zrevrangebylex",
                                    -4,
                                    kReadonly,
                                    kOneKey,
                                    "2.8.9",
                                    kLogPlusM,
                                    "key max min [LIMIT offset count]",
                                    "Lists the members of a lexicographic range backwards.")),
    row<range<kRevByScore>>(zset_info("zrevrangebyscore",
                                      -4,
                                      kReadonly,
                                      kOneKey,
                                      "2.2.0",
                                      kLogPlusM,
                                      "key max min [WITHSCORES] [LIMIT offset count]",
                                      "Lists the members of a score range backwards.")),
};

}  // namespace

std::span<const CommandSpec> sorted_set_range_table() {
    return kTable;
}

}  // namespace tern::server::commands
