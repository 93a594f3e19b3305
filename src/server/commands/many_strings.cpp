#include <array>
#include <utility>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/string_replies.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/string/strings.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

namespace strings = store::strings;
using strings::Status;

// Many keys

void mget(Call& call, const KeysArguments& args) {
    call.reply.array(args.keys.size());
    for (const std::string_view key : args.keys) {
        const strings::Text found = strings::get(call.database, key);
        if (found.status == Status::kOk) {
            call.reply.bulk(found.text);
        } else {
            call.reply.null();
        }
    }
}

using Pair = std::pair<std::string_view, std::string_view>;
struct PairsArguments {
    std::span<const Pair> pairs;
};
struct MSetNxArguments : PairsArguments {};
bool parse_pairs(Arguments& in, PairsArguments& out, Reply& reply, std::string_view name) {
    if (in.left() % 2 != 0) {
        reply.error(fmt::format("ERR wrong number of arguments for '{}' command", name));
        return false;
    }
    const std::span<Pair> pairs = in.scratch().array<Pair>(in.left() / 2);
    for (Pair& pair : pairs) {
        pair.first = in.take();
        pair.second = in.take();
    }
    out.pairs = pairs;
    return true;
}
bool parse_text(Arguments& in, PairsArguments& out, Reply& reply) {
    return parse_pairs(in, out, reply, "mset");
}
bool parse_text(Arguments& in, MSetNxArguments& out, Reply& reply) {
    return parse_pairs(in, out, reply, "msetnx");
}
template <typename View>
bool decode_wire(const View& view, PairsArguments& out, Scratch& scratch) {
    const auto entries = view.pairs();
    const std::span<Pair> pairs = scratch.array<Pair>(entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        pairs[i++] = {as_text(entry.key()), as_text(entry.value())};
    }
    out.pairs = pairs;
    return !pairs.empty();
}

void mset(Call& call, const PairsArguments& args) {
    if (!failed(call.reply, strings::set_all(call.database, args.pairs))) {
        call.reply.ok();
    }
}
void msetnx(Call& call, const MSetNxArguments& args) {
    const Status status = strings::set_all_if_missing(call.database, args.pairs);
    if (!failed(call.reply, status)) {
        call.reply.integer(status == Status::kOk ? 1 : 0);
    }
}

constexpr std::array kTable = {
    row<mget, wire::VerifiedMGetRequestView>(string_info("mget",
                                                         -2,
                                                         kFastRead,
                                                         kAllKeys,
                                                         "1.0.0",
                                                         "O(N)",
                                                         "key [key ...]",
                                                         "Gets several strings.")),
    row<mset, wire::VerifiedMSetRequestView>(string_info("mset",
                                                         -3,
                                                         kAdd,
                                                         kKeyValuePairs,
                                                         "1.0.1",
                                                         "O(N)",
                                                         "key value [key value ...]",
                                                         "Sets several strings.")),
    row<msetnx, wire::VerifiedMSetNxRequestView>(
        string_info("msetnx",
                    -3,
                    kAdd,
                    kKeyValuePairs,
                    "1.0.1",
                    "O(N)",
                    "key value [key value ...]",
                    "Sets several strings if none of the keys exists.")),
};

}  // namespace

std::span<const CommandSpec> many_string_table() {
    return kTable;
}

}  // namespace tern::server::commands
