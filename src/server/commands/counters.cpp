#include <array>
#include <limits>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/keys.hpp"
#include "server/commands/string_replies.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/string/strings.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

namespace strings = store::strings;
using strings::Status;

// Counters

void increment(Call& call, std::string_view key, std::int64_t by) {
    const strings::Integer sum = strings::increment(call.database, key, by);
    if (!failed(call.reply, sum.status)) {
        call.reply.integer(sum.value);
    }
}

void incr(Call& call, const KeyArguments& args) {
    increment(call, args.key, 1);
}
void decr(Call& call, const KeyArguments& args) {
    increment(call, args.key, -1);
}

struct IncrByArguments {
    std::string_view key;
    std::int64_t by = 0;
};
struct DecrByArguments : IncrByArguments {};
bool parse_text(Arguments& in, IncrByArguments& out, Reply& reply) {
    out.key = in.take();
    return in.read_integer(out.by, reply);
}
template <typename View>
bool decode_wire(const View& view, IncrByArguments& out, Scratch&) {
    if constexpr (requires { view.decrement(); }) {
        out.by = view.decrement();
    } else {
        out.by = view.increment();
    }
    out.key = as_text(view.key());
    return true;
}

void incrby(Call& call, const IncrByArguments& args) {
    increment(call, args.key, args.by);
}
void decrby(Call& call, const DecrByArguments& args) {
    if (args.by == std::numeric_limits<std::int64_t>::min()) {
        call.reply.error("ERR decrement would overflow");
        return;
    }
    increment(call, args.key, -args.by);
}

struct IncrByFloatArguments {
    std::string_view key;
    std::string_view
        text;  ///< RESP's increment, read after the value's type is known, as Redis does
    long double by = 0;
};
bool parse_text(Arguments& in, IncrByFloatArguments& out, Reply&) {
    out.key = in.take();
    out.text = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, IncrByFloatArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.by = view.increment();
    return out.by == out.by;
}

void incrbyfloat(Call& call, const IncrByFloatArguments& args) {
    long double by = args.by;
    if (args.text.data() != nullptr && !parse_long_double(args.text, by)) {
        const Status status = strings::get(call.database, args.key).status;
        call.reply.error(status == Status::kWrongType ? kWrongType : kNotFloat);
        return;
    }
    const strings::Text sum = strings::increment_float(call.database, args.key, by);
    if (!failed(call.reply, sum.status)) {
        call.reply.bulk(sum.text);
    }
}

constexpr std::array kTable = {
    row<decr, wire::VerifiedDecrRequestView>(string_info(
        "decr", 2, kFastAdd, kOneKey, "1.0.0", "O(1)", "key", "Takes one from an integer.")),
    row<decrby, wire::VerifiedDecrByRequestView>(string_info("decrby",
                                                             3,
                                                             kFastAdd,
                                                             kOneKey,
                                                             "1.0.0",
                                                             "O(1)",
                                                             "key decrement",
                                                             "Takes a number from an integer.")),
    row<incr, wire::VerifiedIncrRequestView>(string_info(
        "incr", 2, kFastAdd, kOneKey, "1.0.0", "O(1)", "key", "Adds one to an integer.")),
    row<incrby, wire::VerifiedIncrByRequestView>(string_info("incrby",
                                                             3,
                                                             kFastAdd,
                                                             kOneKey,
                                                             "1.0.0",
                                                             "O(1)",
                                                             "key increment",
                                                             "Adds a number to an integer.")),
    row<incrbyfloat, wire::VerifiedIncrByFloatRequestView>(
        string_info("incrbyfloat",
                    3,
                    kFastAdd,
                    kOneKey,
                    "2.6.0",
                    "O(1)",
                    "key increment",
                    "Adds to a floating-point number.")),
};

}  // namespace

std::span<const CommandSpec> counter_table() {
    return kTable;
}

}  // namespace tern::server::commands
