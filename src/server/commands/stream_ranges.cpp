#include "server/commands/streams.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::Stream;

struct RangeArguments {
    std::string_view key;
    IdRange range;
    std::int64_t count = -1;  ///< negative: all
};
struct ReversedArguments : RangeArguments {};

bool parse_range(Arguments& in, RangeArguments& out, Reply& reply, bool is_reversed) {
    out.key = in.take();
    const std::string_view one = in.take();
    const std::string_view other = in.take();
    if (!read_range_start(is_reversed ? other : one, out.range.first, reply) ||
        !read_range_end(is_reversed ? one : other, out.range.last, reply)) {
        return false;
    }
    while (!in.is_empty()) {
        if (in.left() < 2 || !in.take_option("COUNT")) {
            return syntax_error(reply);
        }
        if (!in.read_integer(out.count, reply)) {
            return false;
        }
        out.count = out.count < 0 ? 0 : out.count;
    }
    return true;
}
bool parse_text(Arguments& in, RangeArguments& out, Reply& reply) {
    return parse_range(in, out, reply, false);
}
bool parse_text(Arguments& in, ReversedArguments& out, Reply& reply) {
    return parse_range(in, out, reply, true);
}
template <typename View>
bool decode_wire(const View& view, RangeArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.range = wire_range(view);
    out.count = view.count();
    return true;
}

void answer_range(Call& call, const RangeArguments& args, bool backwards) {
    const Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    if (!stream.exists()) {
        call.reply.array(0);
    } else if (args.count == 0) {
        call.reply.null_array();
    } else {
        write_entries(call.reply,
                      stream.get().entries(),
                      args.range,
                      args.count < 0 ? 0 : static_cast<std::uint64_t>(args.count),
                      backwards);
    }
}

void xrange(Call& call, const RangeArguments& args) {
    answer_range(call, args, false);
}
void xrevrange(Call& call, const ReversedArguments& args) {
    answer_range(call, args, true);
}

constexpr std::string_view kRangeComplexity = "O(log(M)+N) for N entries of M";

constexpr std::array kTable = {
    row<xrange, wire::VerifiedXRangeRequestView>(
        stream_info("xrange",
                    -4,
                    kReadonly,
                    kOneKey,
                    "5.0.0",
                    kRangeComplexity,
                    "key start end [COUNT count]",
                    "Reads entries from a lower to a higher id.")),
    row<xrevrange, wire::VerifiedXRevRangeRequestView>(
        stream_info("xrevrange",
                    -4,
                    kReadonly,
                    kOneKey,
                    "5.0.0",
                    kRangeComplexity,
                    "key end start [COUNT count]",
                    "Reads entries from a higher to a lower id.")),
};

}  // namespace

std::span<const CommandSpec> stream_range_table() {
    return kTable;
}

}  // namespace tern::server::commands
