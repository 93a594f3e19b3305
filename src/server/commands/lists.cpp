#include "server/commands/lists.hpp"

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/list_spans.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

using store::lists::End;
using store::lists::Entry;
using store::lists::List;
using store::lists::ListLimits;
using store::lists::Text;
using store::lists::Value;

bool take_end(Arguments& in, End& end) {
    if (in.take_option("LEFT")) {
        end = End::kHead;
        return true;
    }
    end = End::kTail;
    return in.take_option("RIGHT");
}

void mark_changed(Call& call, List& list, std::uint64_t count) {
    list.mark_modified();
    // The key's own change, or its going, counts one.
    call.keyspace.add_dirty(static_cast<std::int64_t>(count) - 1);
}

void pop_elements(Call& call, List& list, End end, std::uint64_t count) {
    const bool backwards = end == End::kTail;
    list.walk(backwards ? list.size() - 1 : 0, count, backwards, [&](const Entry& entry) {
        call.reply.bulk(Text(entry).view());
        return true;
    });
    list.erase_end(end, count);
    list.settle(list_limits(call));
    mark_changed(call, list, count);
}

namespace {

// LPUSH, RPUSH, LPUSHX, RPUSHX

struct PushArguments {
    std::string_view key;
    std::span<const std::string_view> elements;
};
bool parse_text(Arguments& in, PushArguments& out, Reply&) {
    out.key = in.take();
    out.elements = in.take_rest();
    return true;
}
template <typename View>
bool decode_wire(const View& view, PushArguments& out, Scratch& scratch) {
    out.elements =
        texts_of(view.elements(), scratch, [](const auto& entry) { return entry.element(); });
    return decode_only_key(view, out.key) && !out.elements.empty();
}

void push(Call& call, const PushArguments& args, End end, bool only_existing) {
    List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    if (only_existing && !list.exists()) {
        call.reply.integer(0);
        return;
    }
    std::size_t text_bytes = 0;
    for (const std::string_view element : args.elements) {
        text_bytes += element.size();
    }
    const ListLimits limits = list_limits(call);
    bool is_complete = list.prepare_growth(text_bytes, args.elements.size(), limits);
    for (std::size_t i = 0; i < args.elements.size() && is_complete; ++i) {
        is_complete = list.push(end, Value(args.elements[i]), limits);
    }
    if (!is_complete) {
        call.reply.error(kOutOfMemory);
        return;
    }
    mark_changed(call, list, args.elements.size());
    call.reply.integer(static_cast<std::int64_t>(list.size()));
}

void lpush(Call& call, const PushArguments& args) {
    push(call, args, End::kHead, false);
}
void rpush(Call& call, const PushArguments& args) {
    push(call, args, End::kTail, false);
}
void lpushx(Call& call, const PushArguments& args) {
    push(call, args, End::kHead, true);
}
void rpushx(Call& call, const PushArguments& args) {
    push(call, args, End::kTail, true);
}

// LPOP, RPOP

struct PopArguments {
    std::string_view key;
    std::int64_t count = -1;  ///< negative: one, answered without a list
};
struct RPopArguments : PopArguments {};

bool parse_pop(Arguments& in, PopArguments& out, Reply& reply, std::string_view name) {
    constexpr std::string_view kNotPositive = "ERR value is out of range, must be positive";
    out.key = in.take();
    if (in.left() > 1) {
        reply.error(fmt::format("ERR wrong number of arguments for '{}' command", name));
        return false;
    }
    if (in.is_empty()) {
        return true;
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
bool parse_text(Arguments& in, PopArguments& out, Reply& reply) {
    return parse_pop(in, out, reply, "lpop");
}
bool parse_text(Arguments& in, RPopArguments& out, Reply& reply) {
    return parse_pop(in, out, reply, "rpop");
}
template <typename View>
bool decode_wire(const View& view, PopArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.count = view.count();
    return true;
}

void pop(Call& call, const PopArguments& args, End end) {
    List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    const bool has_count = args.count >= 0;
    if (!list.exists()) {
        if (has_count) {
            call.reply.null_array();
        } else {
            call.reply.null();
        }
        return;
    }
    const std::uint64_t count =
        has_count ? std::min(static_cast<std::uint64_t>(args.count), list.size()) : 1;
    if (has_count) {
        call.reply.array(count);
    }
    if (count != 0) {
        pop_elements(call, list, end, count);
    }
}

void lpop(Call& call, const PopArguments& args) {
    pop(call, args, End::kHead);
}
void rpop(Call& call, const RPopArguments& args) {
    pop(call, args, End::kTail);
}

// LLEN, LRANGE, LINDEX

void llen(Call& call, const KeyArguments& args) {
    const List list(call.database, args.key);
    if (is_usable(call, list)) {
        call.reply.integer(static_cast<std::int64_t>(list.size()));
    }
}

void lrange(Call& call, const SpanArguments& args) {
    const List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    const IndexSpan span = args.within(list.size());
    call.reply.array(span.count);
    list.walk(span.first, span.count, false, [&](const Entry& entry) {
        call.reply.bulk(Text(entry).view());
        return true;
    });
}

struct IndexArguments {
    std::string_view key;
    std::int64_t index = 0;
    bool is_integer = true;  ///< what RESP brought; the key is looked at first
};
bool parse_text(Arguments& in, IndexArguments& out, Reply&) {
    out.key = in.take();
    out.is_integer = parse_int64(in.take(), out.index);
    return true;
}
template <typename View>
bool decode_wire(const View& view, IndexArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.index = view.index();
    return true;
}

void lindex(Call& call, const IndexArguments& args) {
    const List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    if (list.exists() && !args.is_integer) {
        call.reply.error(kNotInteger);
        return;
    }
    const std::optional<std::uint64_t> index = index_within(args.index, list.size());
    if (!index) {
        call.reply.null();
        return;
    }
    list.walk(*index, 1, false, [&](const Entry& entry) {
        call.reply.bulk(Text(entry).view());
        return true;
    });
}

constexpr std::uint32_t kPush = kWrite | kDenyOom | kFast;
constexpr std::string_view kPushSyntax = "key element [element ...]";

constexpr std::array kTable = {
    row<lindex, wire::VerifiedLIndexRequestView>(list_info("lindex",
                                                           3,
                                                           kReadonly,
                                                           kOneKey,
                                                           "1.0.0",
                                                           "O(log(N))",
                                                           "key index",
                                                           "Reads the element at an index.")),
    row<llen, wire::VerifiedLLenRequestView>(list_info("llen",
                                                       2,
                                                       kReadonly | kFast,
                                                       kOneKey,
                                                       "1.0.0",
                                                       "O(1)",
                                                       "key",
                                                       "Counts the elements of a list.")),
    row<lpop, wire::VerifiedLPopRequestView>(
        list_info("lpop",
                  -2,
                  kWrite | kFast,
                  kOneKey,
                  "1.0.0",
                  "O(N)",
                  "key [count]",
                  "Removes the first elements and answers with them.")),
    row<lpush, wire::VerifiedLPushRequestView>(
        list_info("lpush",
                  -3,
                  kPush,
                  kOneKey,
                  "1.0.0",
                  "O(N)",
                  kPushSyntax,
                  "Puts elements in front of a list, which it makes if need be.")),
    row<lpushx, wire::VerifiedLPushXRequestView>(
        list_info("lpushx",
                  -3,
                  kPush,
                  kOneKey,
                  "2.2.0",
                  "O(N)",
                  kPushSyntax,
                  "Puts elements in front of a list that is there.")),
    row<lrange, wire::VerifiedLRangeRequestView>(list_info("lrange",
                                                           4,
                                                           kReadonly,
                                                           kOneKey,
                                                           "1.0.0",
                                                           "O(log(N)+M)",
                                                           "key start stop",
                                                           "Reads a range of elements.")),
    row<rpop, wire::VerifiedRPopRequestView>(
        list_info("rpop",
                  -2,
                  kWrite | kFast,
                  kOneKey,
                  "1.0.0",
                  "O(N)",
                  "key [count]",
                  "Removes the last elements and answers with them.")),
    row<rpush, wire::VerifiedRPushRequestView>(
        list_info("rpush",
                  -3,
                  kPush,
                  kOneKey,
                  "1.0.0",
                  "O(N)",
                  kPushSyntax,
                  "Puts elements behind a list, which it makes if need be.")),
    row<rpushx, wire::VerifiedRPushXRequestView>(
        list_info("rpushx",
                  -3,
                  kPush,
                  kOneKey,
                  "2.2.0",
                  "O(N)",
                  kPushSyntax,
                  "Puts elements behind a list that is there.")),
};

}  // namespace

std::span<const CommandSpec> list_table() {
    return kTable;
}

}  // namespace tern::server::commands
