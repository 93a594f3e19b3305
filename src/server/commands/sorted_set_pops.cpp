#include <array>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/blocking.hpp"
#include "server/commands/sorted_sets.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::RankSpan;
using store::zsets::Element;
using store::zsets::Zset;

/// Writes `span` from the end that is popped and removes it.
void pop_span(Zset& zset, RankSpan span, bool highest, const auto& write) {
    if (highest) {
        zset.visit_reversed(span, write);
    } else {
        zset.visit(span, write);
    }
    zset.erase(span);
    zset.mark_modified();
}

// ZPOPMIN, ZPOPMAX

struct PopArguments {
    std::string_view key;
    std::int64_t count = -1;  ///< negative: one, answered without nesting
};
bool parse_text(Arguments& in, PopArguments& out, Reply& reply) {
    constexpr std::string_view kNotPositive = "ERR value is out of range, must be positive";
    out.key = in.take();
    if (in.is_empty()) {
        return true;
    }
    if (in.left() > 1) {
        return syntax_error(reply);
    }
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
bool decode_wire(const View& view, PopArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.count = view.count();
    return true;
}

void pop(Call& call, const PopArguments& args, bool highest) {
    Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    const bool has_count = args.count >= 0;
    const RankSpan span =
        zset.end_span(has_count ? static_cast<std::uint64_t>(args.count) : 1, highest);
    if (span.count == 0) {
        call.reply.array(0);
        return;
    }
    if (has_count) {
        begin_member_list(call.reply, span.count, true);
    } else {
        call.reply.array(2);
    }
    pop_span(zset, span, highest, [&](const Element& element) {
        if (has_count) {
            write_member(call.reply, element, true);
        } else {
            call.reply.bulk(element.member);
            call.reply.number(element.score);
        }
    });
}

void zpopmin(Call& call, const PopArguments& args) {
    pop(call, args, false);
}
void zpopmax(Call& call, const PopArguments& args) {
    pop(call, args, true);
}

// ZMPOP and the blocking pops

struct MultiPopArguments {
    std::span<const std::string_view> keys;
    std::int64_t count = 1;
    bool highest = false;
    double timeout_s = 0;
};

bool parse_multi_pop(Arguments& in, MultiPopArguments& out, Reply& reply) {
    if (!read_counted_keys(in, out.keys, reply)) {
        return false;
    }
    out.highest = in.take_option("MAX");
    if (!out.highest && !in.take_option("MIN")) {
        return syntax_error(reply);
    }
    return read_pop_count(in, out.count, reply);
}

struct ZMPopArguments : MultiPopArguments {};
struct BZMPopArguments : MultiPopArguments {};
struct BZPopArguments : MultiPopArguments {};

bool parse_text(Arguments& in, ZMPopArguments& out, Reply& reply) {
    return parse_multi_pop(in, out, reply);
}
bool parse_text(Arguments& in, BZMPopArguments& out, Reply& reply) {
    return read_timeout(in.take(), out.timeout_s, reply) && parse_multi_pop(in, out, reply);
}
bool parse_text(Arguments& in, BZPopArguments& out, Reply& reply) {
    out.keys = in.take(in.left() - 1);
    return read_timeout(in.take(), out.timeout_s, reply);
}

template <typename View>
bool decode_wire(const View& view, MultiPopArguments& out, Scratch& scratch) {
    KeysArguments keys;
    if (!server::decode_wire(view, keys, scratch)) {
        return false;
    }
    out.keys = keys.keys;
    if constexpr (requires { view.count(); }) {
        out.count = view.count();
        out.highest = view.end().raw() == static_cast<std::uint8_t>(wire::PopEnd::kMax);
    }
    if constexpr (requires { view.timeout_seconds(); }) {
        out.timeout_s = view.timeout_seconds();
        if (!timeout_is_sane(out.timeout_s)) {
            return false;
        }
    }
    return out.count > 0;
}

/// ZMPOP's answer: the key and its popped members. False when the set is empty.
bool pop_from(Call& call, std::string_view key, std::int64_t count, bool highest) {
    Zset zset(call.database, key);
    const RankSpan span = zset.end_span(static_cast<std::uint64_t>(count), highest);
    if (span.count == 0) {
        return false;
    }
    call.reply.array(2);
    call.reply.bulk(key);
    call.reply.array(span.count);
    pop_span(zset, span, highest, [&](const Element& element) {
        call.reply.array(2);
        call.reply.bulk(element.member);
        call.reply.number(element.score);
    });
    return true;
}

/// BZPOPMIN's answer: key, member, score in one list.
bool pop_one_from(Call& call, std::string_view key, bool highest) {
    Zset zset(call.database, key);
    const RankSpan span = zset.end_span(1, highest);
    if (span.count == 0) {
        return false;
    }
    call.reply.array(3);
    call.reply.bulk(key);
    pop_span(zset, span, highest, [&](const Element& element) {
        call.reply.bulk(element.member);
        call.reply.number(element.score);
    });
    return true;
}

/// What a blocked pop does when one of its keys comes to be.
class BlockedPop final : public BlockedClients::Operation {
public:
    BlockedPop(std::int64_t count, bool highest, bool takes_many) noexcept
        : count_(count), highest_(highest), takes_many_(takes_many) {}

    bool try_serve(Call& call, std::string_view key) override {
        // A key of another type does not end the wait.
        const store::EntryRef ref = call.database.peek(key);
        if (!ref || ref.type() != store::Type::kZset) {
            return false;
        }
        return takes_many_ ? pop_from(call, key, count_, highest_)
                           : pop_one_from(call, key, highest_);
    }
    void time_out(Reply& reply) override { reply.null_array(); }

private:
    std::int64_t count_;
    bool highest_;
    bool takes_many_;
};

enum class PopForm : std::uint8_t { kMany, kManyOrWait, kOneOrWait };

void pop_first_of(Call& call, const MultiPopArguments& args, bool highest, PopForm form) {
    for (const std::string_view key : args.keys) {
        const Zset zset(call.database, key);
        if (!is_usable(call, zset)) {
            return;
        }
        if (zset.exists()) {
            static_cast<void>(form == PopForm::kOneOrWait
                                  ? pop_one_from(call, key, highest)
                                  : pop_from(call, key, args.count, highest));
            return;
        }
    }
    if (form == PopForm::kMany) {
        call.reply.null_array();
        return;
    }
    call.server.blocked_clients().block(
        call,
        args.keys,
        deadline_ms(call, args.timeout_s),
        std::make_unique<BlockedPop>(args.count, highest, form == PopForm::kManyOrWait));
}

void zmpop(Call& call, const ZMPopArguments& args) {
    pop_first_of(call, args, args.highest, PopForm::kMany);
}
void bzmpop(Call& call, const BZMPopArguments& args) {
    pop_first_of(call, args, args.highest, PopForm::kManyOrWait);
}
void bzpopmin(Call& call, const BZPopArguments& args) {
    pop_first_of(call, args, false, PopForm::kOneOrWait);
}
void bzpopmax(Call& call, const BZPopArguments& args) {
    pop_first_of(call, args, true, PopForm::kOneOrWait);
}

constexpr std::uint32_t kBlockingPop = kWrite | kFast | kBlocking;

constexpr std::array kTable = {
    row<bzmpop, wire::VerifiedBZMPopRequestView>(
        zset_info("bzmpop",
                  -5,
                  kWrite | kBlocking | kMovableKeys,
                  {.count_at = 2},
                  "7.0.0",
                  "O(K) + O(M*log(N))",
                  "timeout numkeys key [key ...] <MIN | MAX> [COUNT count]",
                  "Pops from the first sorted set that has members, or waits for one.")),
    row<bzpopmax, wire::VerifiedBZPopMaxRequestView>(
        zset_info("bzpopmax",
                  -3,
                  kBlockingPop,
                  kAllKeysButLast,
                  "5.0.0",
                  "O(log(N))",
                  "key [key ...] timeout",
                  "Pops the member of the highest score, or waits for one.")),
    row<bzpopmin, wire::VerifiedBZPopMinRequestView>(
        zset_info("bzpopmin",
                  -3,
                  kBlockingPop,
                  kAllKeysButLast,
                  "5.0.0",
                  "O(log(N))",
                  "key [key ...] timeout",
                  "Pops the member of the lowest score, or waits for one.")),
    row<zmpop, wire::VerifiedZMPopRequestView>(
        zset_info("zmpop",
                  -4,
                  kWrite | kMovableKeys,
                  {.count_at = 1},
                  "7.0.0",
                  "O(K) + O(M*log(N))",
                  "numkeys key [key ...] <MIN | MAX> [COUNT count]",
                  "Pops from the first sorted set that has members.")),
    row<zpopmax, wire::VerifiedZPopMaxRequestView>(
        zset_info("zpopmax",
                  -2,
                  kWrite | kFast,
                  kOneKey,
                  "5.0.0",
                  "O(log(N)*M)",
                  "key [count]",
                  "Pops the members of the highest scores.")),
    row<zpopmin, wire::VerifiedZPopMinRequestView>(
        zset_info("zpopmin",
                  -2,
                  kWrite | kFast,
                  kOneKey,
                  "5.0.0",
                  "O(log(N)*M)",
                  "key [count]",
                  "Pops the members of the lowest scores.")),
};

}  // namespace

std::span<const CommandSpec> sorted_set_pop_table() {
    return kTable;
}

}  // namespace tern::server::commands
