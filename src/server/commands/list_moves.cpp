#include <array>
#include <string>

#include "server/commands/blocking.hpp"
#include "server/commands/lists.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::lists::End;
using store::lists::Entry;
using store::lists::List;
using store::lists::ListLimits;
using store::lists::Text;
using store::lists::Value;

/// RPOPLPUSH is LMOVE from the tail to the head.
struct MoveArguments {
    std::string_view source;
    std::string_view destination;
    End from = End::kTail;
    End to = End::kHead;
    double timeout_s = 0;
};
struct LMoveArguments : MoveArguments {};
struct BLMoveArguments : MoveArguments {};
struct RPopLPushArguments : MoveArguments {};
struct BRPopLPushArguments : MoveArguments {};

bool parse_keys(Arguments& in, MoveArguments& out) {
    out.source = in.take();
    out.destination = in.take();
    return true;
}
bool parse_text(Arguments& in, LMoveArguments& out, Reply& reply) {
    return (parse_keys(in, out) && take_end(in, out.from) && take_end(in, out.to)) ||
           syntax_error(reply);
}
bool parse_text(Arguments& in, BLMoveArguments& out, Reply& reply) {
    if (!parse_keys(in, out) || !take_end(in, out.from) || !take_end(in, out.to)) {
        return syntax_error(reply);
    }
    return read_timeout(in.take(), out.timeout_s, reply);
}
bool parse_text(Arguments& in, RPopLPushArguments& out, Reply&) {
    return parse_keys(in, out);
}
bool parse_text(Arguments& in, BRPopLPushArguments& out, Reply& reply) {
    return parse_keys(in, out) && read_timeout(in.take(), out.timeout_s, reply);
}
template <typename View>
bool decode_wire(const View& view, MoveArguments& out, Scratch&) {
    if constexpr (requires { view.from_(); }) {
        out.from = end_of(view.from_());
        out.to = end_of(view.to());
    }
    if constexpr (requires { view.timeout_seconds(); }) {
        out.timeout_s = view.timeout_seconds();
    }
    out.source = as_text(view.source());
    out.destination = as_text(view.destination());
    return timeout_is_sane(out.timeout_s);
}

/// A copy of the element at an end: the lists may move while it goes from one to the other.
std::string_view copy_of_end(Call& call, const List& list, End end) {
    std::string_view text;
    const std::uint64_t index = end == End::kHead ? 0 : list.size() - 1;
    list.walk(index, 1, false, [&](const Entry& entry) {
        text = call.scratch.copy(Text(entry).view());
        return true;
    });
    return text;
}

/// Takes the element to the other end of its own list. A list of one stays as it is.
bool rotate(Call& call, List& list, std::string_view text, const MoveArguments& args) {
    const ListLimits limits = list_limits(call);
    if (list.size() > 1) {
        list.erase_end(args.from, 1);
        if (!list.prepare_growth(text.size(), 1, limits) ||
            !list.push(args.to, Value(text), limits)) {
            return false;
        }
        list.settle(limits);
    }
    mark_changed(call, list, 1);
    return true;
}

bool transfer(Call& call, List& source, std::string_view text, const MoveArguments& args) {
    const ListLimits limits = list_limits(call);
    List destination(call.database, args.destination);
    if (!destination.prepare_growth(text.size(), 1, limits) ||
        !destination.push(args.to, Value(text), limits)) {
        return false;
    }
    mark_changed(call, destination, 1);
    source = List(call.database, args.source);
    source.erase_end(args.from, 1);
    source.settle(limits);
    mark_changed(call, source, 0);  // the two changes count one
    return true;
}

/// False when there is no source: nothing is answered then.
bool move(Call& call, const MoveArguments& args) {
    List source(call.database, args.source);
    if (!is_usable(call, source)) {
        return true;
    }
    if (!source.exists()) {
        return false;
    }
    if (!is_usable(call, List(call.database, args.destination))) {
        return true;
    }
    const std::string_view text = copy_of_end(call, source, args.from);
    const bool moved = args.source == args.destination ? rotate(call, source, text, args)
                                                       : transfer(call, source, text, args);
    if (moved) {
        call.reply.bulk(text);
    } else {
        call.reply.error(kOutOfMemory);
    }
    return true;
}

/// What a blocked move does when its source comes to be.
class BlockedMove final : public BlockedClients::Operation {
public:
    explicit BlockedMove(const MoveArguments& args)
        : source_(args.source), destination_(args.destination), from_(args.from), to_(args.to) {}

    bool try_serve(Call& call, std::string_view key) override {
        // A key of another type does not end the wait.
        const store::EntryRef ref = call.database.peek(key);
        return ref && ref.type() == store::Type::kList &&
               move(call,
                    {.source = source_, .destination = destination_, .from = from_, .to = to_});
    }
    void time_out(Reply& reply) override { reply.null_array(); }

private:
    std::string source_;
    std::string destination_;
    End from_;
    End to_;
};

void move_or_null(Call& call, const MoveArguments& args) {
    if (!move(call, args)) {
        call.reply.null();
    }
}

void move_or_wait(Call& call, const MoveArguments& args) {
    if (!move(call, args)) {
        call.server.blocked_clients().block(call,
                                            {&args.source, 1},
                                            deadline_ms(call, args.timeout_s),
                                            std::make_unique<BlockedMove>(args));
    }
}

void lmove(Call& call, const LMoveArguments& args) {
    move_or_null(call, args);
}
void rpoplpush(Call& call, const RPopLPushArguments& args) {
    move_or_null(call, args);
}
void blmove(Call& call, const BLMoveArguments& args) {
    move_or_wait(call, args);
}
void brpoplpush(Call& call, const BRPopLPushArguments& args) {
    move_or_wait(call, args);
}

constexpr std::array kTable = {
    row<blmove, wire::VerifiedBLMoveRequestView>(
        list_info("blmove",
                  6,
                  kWrite | kDenyOom | kBlocking,
                  kTwoKeys,
                  "6.2.0",
                  "O(1)",
                  "source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout",
                  "Moves an element from one list to another, or waits for one.")),
    row<brpoplpush, wire::VerifiedBRPopLPushRequestView>(
        list_info("brpoplpush",
                  4,
                  kWrite | kDenyOom | kBlocking,
                  kTwoKeys,
                  "2.2.0",
                  "O(1)",
                  "source destination timeout",
                  "Moves the last element in front of another list, or waits for one.")),
    row<lmove, wire::VerifiedLMoveRequestView>(
        list_info("lmove",
                  5,
                  kWrite | kDenyOom,
                  kTwoKeys,
                  "6.2.0",
                  "O(1)",
                  "source destination <LEFT | RIGHT> <LEFT | RIGHT>",
                  "Moves an element from one end of a list to an end of another.")),
    row<rpoplpush, wire::VerifiedRPopLPushRequestView>(
        list_info("rpoplpush",
                  3,
                  kWrite | kDenyOom,
                  kTwoKeys,
                  "1.2.0",
                  "O(1)",
                  "source destination",
                  "Moves the last element of a list in front of another.")),
};

}  // namespace

std::span<const CommandSpec> list_move_table() {
    return kTable;
}

}  // namespace tern::server::commands
