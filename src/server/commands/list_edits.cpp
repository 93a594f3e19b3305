#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/list_spans.hpp"
#include "server/commands/lists.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::lists::Entry;
using store::lists::List;
using store::lists::Value;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// The absolute value, also of the least integer.
std::uint64_t magnitude(std::int64_t value) noexcept {
    return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// LSET

struct SetArguments {
    std::string_view key;
    std::int64_t index = 0;
    std::string_view element;
    bool is_integer = true;  ///< what RESP brought; the key is looked at first
};
bool parse_text(Arguments& in, SetArguments& out, Reply&) {
    out.key = in.take();
    out.is_integer = parse_int64(in.take(), out.index);
    out.element = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, SetArguments& out, Scratch&) {
    out.index = view.index();
    out.key = as_text(view.key());
    out.element = as_text(view.element());
    return true;
}

void lset(Call& call, const SetArguments& args) {
    List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    if (!list.exists()) {
        call.reply.error("ERR no such key");
        return;
    }
    if (!args.is_integer) {
        call.reply.error(kNotInteger);
        return;
    }
    const auto limits = list_limits(call);
    if (!list.prepare_growth(args.element.size(), 1, limits)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    const std::optional<std::uint64_t> index = index_within(args.index, list.size());
    if (!index) {
        call.reply.error("ERR index out of range");
        return;
    }
    if (!list.replace(*index, Value(args.element), limits)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    list.settle(limits);
    mark_changed(call, list, 1);
    call.reply.ok();
}

// LINSERT

struct InsertArguments {
    std::string_view key;
    std::string_view pivot;
    std::string_view element;
    bool after = false;
};
bool parse_text(Arguments& in, InsertArguments& out, Reply& reply) {
    out.key = in.take();
    out.after = in.take_option("AFTER");
    if (!out.after && !in.take_option("BEFORE")) {
        return syntax_error(reply);
    }
    out.pivot = in.take();
    out.element = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, InsertArguments& out, Scratch&) {
    out.after = view.side().raw() == static_cast<std::uint8_t>(wire::InsertSide::kAfter);
    out.key = as_text(view.key());
    out.pivot = as_text(view.pivot());
    out.element = as_text(view.element());
    return true;
}

void linsert(Call& call, const InsertArguments& args) {
    List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    if (!list.exists()) {
        call.reply.integer(0);
        return;
    }
    const auto limits = list_limits(call);
    if (!list.prepare_growth(args.element.size(), 1, limits)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    const Value pivot(args.pivot);
    std::uint64_t index = 0;
    bool is_found = false;
    list.walk(0, list.size(), false, [&](const Entry& entry) {
        is_found = entry.equals(pivot);
        index += is_found ? 0 : 1;
        return !is_found;
    });
    if (!is_found) {
        call.reply.integer(-1);
        return;
    }
    if (!list.insert(index + (args.after ? 1 : 0), Value(args.element), limits)) {
        call.reply.error(kOutOfMemory);
        return;
    }
    mark_changed(call, list, 1);
    call.reply.integer(static_cast<std::int64_t>(list.size()));
}

// LREM, LTRIM

struct RemoveArguments {
    std::string_view key;
    std::int64_t count = 0;
    std::string_view element;
};
bool parse_text(Arguments& in, RemoveArguments& out, Reply& reply) {
    out.key = in.take();
    if (!in.read_integer(out.count, reply)) {
        return false;
    }
    out.element = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, RemoveArguments& out, Scratch&) {
    out.count = view.count();
    out.key = as_text(view.key());
    out.element = as_text(view.element());
    return true;
}

void lrem(Call& call, const RemoveArguments& args) {
    List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    const std::uint64_t count = args.count == 0 ? UINT64_MAX : magnitude(args.count);
    const std::uint64_t removed = list.erase_equal(Value(args.element), count, args.count < 0);
    if (removed != 0) {
        list.settle(list_limits(call));
        mark_changed(call, list, removed);
    }
    call.reply.integer(static_cast<std::int64_t>(removed));
}

void ltrim(Call& call, const SpanArguments& args) {
    List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    if (list.exists()) {
        const std::uint64_t size = list.size();
        const IndexSpan span = args.within(size);
        list.trim(span.first, span.count);
        list.settle(list_limits(call));
        mark_changed(call, list, size - span.count);
    }
    call.reply.ok();
}

// LPOS

struct PositionArguments {
    std::string_view key;
    std::string_view element;
    std::int64_t rank = 1;
    std::int64_t count = 1;
    std::int64_t length_max = 0;
    bool has_count = false;
};

bool parse_rank(Arguments& in, PositionArguments& out, Reply& reply) {
    if (!in.read_integer(out.rank, reply)) {
        return false;
    }
    if (out.rank == 0) {
        reply.error(
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or "
            "use negative to start from the end of the list");
        return false;
    }
    if (out.rank < -kLargest) {
        reply.error(fmt::format(
            "ERR value is out of range, value must between {} and {}", -kLargest, kLargest));
        return false;
    }
    return true;
}

bool parse_text(Arguments& in, PositionArguments& out, Reply& reply) {
    constexpr std::string_view kNegativeCount = "ERR COUNT can't be negative";
    constexpr std::string_view kNegativeLength = "ERR MAXLEN can't be negative";
    out.key = in.take();
    out.element = in.take();
    const auto read_natural = [&](std::int64_t& value, std::string_view error) {
        if (!in.read_integer(value, reply, error)) {
            return false;
        }
        if (value < 0) {
            reply.error(error);
        }
        return value >= 0;
    };
    while (!in.is_empty()) {
        if (in.left() < 2) {
            return syntax_error(reply);
        }
        if (in.take_option("RANK")) {
            if (!parse_rank(in, out, reply)) {
                return false;
            }
        } else if (in.take_option("COUNT")) {
            out.has_count = true;
            if (!read_natural(out.count, kNegativeCount)) {
                return false;
            }
        } else if (!in.take_option("MAXLEN")) {
            return syntax_error(reply);
        } else if (!read_natural(out.length_max, kNegativeLength)) {
            return false;
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, PositionArguments& out, Scratch&) {
    out.rank = view.rank();
    out.has_count = view.flags().has_count();
    out.count = out.has_count ? view.count() : 1;
    out.length_max = view.max_length();
    out.key = as_text(view.key());
    out.element = as_text(view.element());
    return out.rank != 0 && out.rank >= -kLargest && out.count >= 0 && out.length_max >= 0;
}

/// Calls `found(index)` for each match that LPOS counts.
template <typename Found>
void each_position(const List& list, const PositionArguments& args, Found&& found) {
    const Value wanted(args.element);
    const std::uint64_t size = list.size();
    const bool backwards = args.rank < 0;
    const std::uint64_t looked_at_max =
        args.length_max == 0 ? size : std::min(size, magnitude(args.length_max));
    const std::uint64_t count_max = args.count == 0 ? UINT64_MAX : magnitude(args.count);
    std::uint64_t to_skip = magnitude(args.rank) - 1;
    std::uint64_t looked_at = 0;
    std::uint64_t count = 0;
    list.walk(backwards && size != 0 ? size - 1 : 0, looked_at_max, backwards, [&](const Entry& e) {
        const std::uint64_t index = backwards ? size - 1 - looked_at : looked_at;
        ++looked_at;
        if (!e.equals(wanted)) {
            return true;
        }
        if (to_skip > 0) {
            --to_skip;
            return true;
        }
        found(index);
        return ++count < count_max;
    });
}

void lpos(Call& call, const PositionArguments& args) {
    const List list(call.database, args.key);
    if (!is_usable(call, list)) {
        return;
    }
    if (!args.has_count) {
        bool is_found = false;
        each_position(list, args, [&](std::uint64_t index) {
            is_found = true;
            call.reply.integer(static_cast<std::int64_t>(index));
        });
        if (!is_found) {
            call.reply.null();
        }
        return;
    }
    const Reply::Open open = call.reply.open_array();
    std::size_t count = 0;
    each_position(list, args, [&](std::uint64_t index) {
        ++count;
        call.reply.integer(static_cast<std::int64_t>(index));
    });
    call.reply.close_array(open, count);
}

constexpr std::array kTable = {
    row<linsert, wire::VerifiedLInsertRequestView>(
        list_info("linsert",
                  5,
                  kWrite | kDenyOom,
                  kOneKey,
                  "2.2.0",
                  "O(N)",
                  "key <BEFORE | AFTER> pivot element",
                  "Puts an element beside the first one that equals the pivot.")),
    row<lpos, wire::VerifiedLPosRequestView>(
        list_info("lpos",
                  -3,
                  kReadonly,
                  kOneKey,
                  "6.0.6",
                  "O(N)",
                  "key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
                  "Finds the indexes of elements that equal one.")),
    row<lrem, wire::VerifiedLRemRequestView>(
        list_info("lrem",
                  4,
                  kWrite,
                  kOneKey,
                  "1.0.0",
                  "O(N+M)",
                  "key count element",
                  "Removes elements that equal one, from the head or the tail.")),
    row<lset, wire::VerifiedLSetRequestView>(list_info("lset",
                                                       4,
                                                       kWrite | kDenyOom,
                                                       kOneKey,
                                                       "1.0.0",
                                                       "O(log(N))",
                                                       "key index element",
                                                       "Overwrites the element at an index.")),
    row<ltrim, wire::VerifiedLTrimRequestView>(list_info("ltrim",
                                                         4,
                                                         kWrite,
                                                         kOneKey,
                                                         "1.0.0",
                                                         "O(log(N)); what goes is freed in steps",
                                                         "key start stop",
                                                         "Removes the elements outside a range.")),
};

}  // namespace

std::span<const CommandSpec> list_edit_table() {
    return kTable;
}

}  // namespace tern::server::commands
