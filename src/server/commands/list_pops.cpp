#include <array>
#include <string>
#include <vector>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/blocking.hpp"
#include "server/commands/lists.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::lists::End;
using store::lists::List;

struct MultiPopArguments {
    std::span<const std::string_view> keys;
    std::int64_t count = 1;
    End end = End::kHead;
    double timeout_s = 0;
};
struct LMPopArguments : MultiPopArguments {};
struct BLMPopArguments : MultiPopArguments {};
struct BPopArguments : MultiPopArguments {};

bool parse_multi_pop(Arguments& in, MultiPopArguments& out, Reply& reply) {
    if (!read_counted_keys(in, out.keys, reply)) {
        return false;
    }
    return take_end(in, out.end) ? read_pop_count(in, out.count, reply) : syntax_error(reply);
}
bool parse_text(Arguments& in, LMPopArguments& out, Reply& reply) {
    return parse_multi_pop(in, out, reply);
}
bool parse_text(Arguments& in, BLMPopArguments& out, Reply& reply) {
    return read_timeout(in.take(), out.timeout_s, reply) && parse_multi_pop(in, out, reply);
}
bool parse_text(Arguments& in, BPopArguments& out, Reply& reply) {
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
        out.end = end_of(view.end());
    }
    if constexpr (requires { view.timeout_seconds(); }) {
        out.timeout_s = view.timeout_seconds();
    }
    return out.count > 0 && timeout_is_sane(out.timeout_s);
}

enum class Form : std::uint8_t { kOne, kMany };

/// What a multi-key pop does with its keys: looks at them in their order and pops from the first
/// list. False when none of them is there: nothing is answered then.
bool pop_first_of(Call& call,
                  std::span<const std::string_view> keys,
                  End end,
                  std::int64_t count_max,
                  Form form) {
    for (const std::string_view key : keys) {
        List list(call.database, key);
        if (!is_usable(call, list)) {
            return true;
        }
        if (!list.exists()) {
            continue;
        }
        const std::uint64_t count = std::min(static_cast<std::uint64_t>(count_max), list.size());
        call.reply.array(2);
        call.reply.bulk(key);
        if (form == Form::kMany) {
            call.reply.array(count);
        }
        pop_elements(call, list, end, count);
        return true;
    }
    return false;
}

/// What a blocked pop does when one of its keys comes to be: the whole command again, so that an
/// earlier key goes first.
class BlockedPop final : public BlockedClients::Operation {
public:
    BlockedPop(const MultiPopArguments& args, End end, Form form)
        : keys_(args.keys.begin(), args.keys.end()), count_(args.count), end_(end), form_(form) {}

    bool try_serve(Call& call, std::string_view key) override {
        // A key of another type does not end the wait.
        const store::EntryRef ref = call.database.peek(key);
        if (!ref || ref.type() != store::Type::kList) {
            return false;
        }
        const std::vector<std::string_view> keys(keys_.begin(), keys_.end());
        return pop_first_of(call, keys, end_, count_, form_);
    }
    void time_out(Reply& reply) override { reply.null_array(); }

private:
    std::vector<std::string> keys_;
    std::int64_t count_;
    End end_;
    Form form_;
};

void pop_or_wait(Call& call, const MultiPopArguments& args, End end, Form form) {
    if (!pop_first_of(call, args.keys, end, args.count, form)) {
        call.server.blocked_clients().block(call,
                                            args.keys,
                                            deadline_ms(call, args.timeout_s),
                                            std::make_unique<BlockedPop>(args, end, form));
    }
}

void lmpop(Call& call, const LMPopArguments& args) {
    if (!pop_first_of(call, args.keys, args.end, args.count, Form::kMany)) {
        call.reply.null_array();
    }
}
void blmpop(Call& call, const BLMPopArguments& args) {
    pop_or_wait(call, args, args.end, Form::kMany);
}
void blpop(Call& call, const BPopArguments& args) {
    pop_or_wait(call, args, End::kHead, Form::kOne);
}
void brpop(Call& call, const BPopArguments& args) {
    pop_or_wait(call, args, End::kTail, Form::kOne);
}

constexpr std::array kTable = {
    row<blmpop, wire::VerifiedBLMPopRequestView>(
        list_info("blmpop",
                  -5,
                  kWrite | kBlocking | kMovableKeys,
                  {.count_at = 2},
                  "7.0.0",
                  "O(N+M)",
                  "timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
                  "Pops from the first list that is there, or waits for one.")),
    row<blpop, wire::VerifiedBLPopRequestView>(
        list_info("blpop",
                  -3,
                  kWrite | kBlocking,
                  kAllKeysButLast,
                  "2.0.0",
                  "O(N)",
                  "key [key ...] timeout",
                  "Pops the first element of the first list that is there, or waits for one.")),
    row<brpop, wire::VerifiedBRPopRequestView>(
        list_info("brpop",
                  -3,
                  kWrite | kBlocking,
                  kAllKeysButLast,
                  "2.0.0",
                  "O(N)",
                  "key [key ...] timeout",
                  "Pops the last element of the first list that is there, or waits for one.")),
    row<lmpop, wire::VerifiedLMPopRequestView>(
        list_info("lmpop",
                  -4,
                  kWrite | kMovableKeys,
                  {.count_at = 1},
                  "7.0.0",
                  "O(N+M)",
                  "numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
                  "Pops from the first list that is there.")),
};

}  // namespace

std::span<const CommandSpec> list_pop_table() {
    return kTable;
}

}  // namespace tern::server::commands
