#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/generic_rows.hpp"
#include "server/commands/lists.hpp"
#include "server/commands/tables.hpp"
#include "store/hash/hash.hpp"
#include "store/set/set.hpp"
#include "store/string/strings.hpp"
#include "store/zset/zset.hpp"
#include "tern_store_wire/all.hpp"

/// SORT and SORT_RO: the elements of a list, a set or a sorted set, ordered by themselves or by
/// what other keys hold, and answered or stored as they are or as what other keys hold.
namespace tern::server::commands {

namespace {

using store::Type;

struct SortArguments {
    std::string_view key;
    std::optional<std::string_view> by;
    std::span<const std::string_view> patterns;  ///< GET
    std::optional<std::string_view> destination;
    std::int64_t offset = 0;
    std::int64_t count = -1;  ///< negative: all that follow
    bool is_alpha = false;
    bool is_descending = false;
};

/// SORT_RO: the same without STORE.
struct SortRoArguments : SortArguments {};

bool parse_options(Arguments& in, SortArguments& out, Reply& reply, bool may_store) {
    out.key = in.take();
    // At most every second word is a pattern.
    const std::span<std::string_view> patterns =
        in.scratch().array<std::string_view>(in.left() / 2 + 1);
    std::size_t pattern_count = 0;
    while (!in.is_empty()) {
        if (in.take_option("ASC")) {
            out.is_descending = false;
        } else if (in.take_option("DESC")) {
            out.is_descending = true;
        } else if (in.take_option("ALPHA")) {
            out.is_alpha = true;
        } else if (in.left() >= 3 && in.take_option("LIMIT")) {
            if (!in.read_integer(out.offset, reply) || !in.read_integer(out.count, reply)) {
                return false;
            }
        } else if (may_store && in.left() >= 2 && in.take_option("STORE")) {
            out.destination = in.take();
        } else if (in.left() >= 2 && in.take_option("BY")) {
            out.by = in.take();
        } else if (in.left() >= 2 && in.take_option("GET")) {
            patterns[pattern_count++] = in.take();
        } else {
            return syntax_error(reply);
        }
    }
    out.patterns = patterns.first(pattern_count);
    return true;
}
bool parse_text(Arguments& in, SortArguments& out, Reply& reply) {
    return parse_options(in, out, reply, true);
}
bool parse_text(Arguments& in, SortRoArguments& out, Reply& reply) {
    return parse_options(in, out, reply, false);
}

template <typename View>
bool decode_wire(const View& view, SortArguments& out, Scratch& scratch) {
    const auto flags = view.flags();
    out.is_alpha = flags.alpha();
    out.is_descending = flags.descending();
    out.offset = view.offset();
    out.count = view.count();
    if (!decode_only_key(view, out.key)) {
        return false;
    }
    out.patterns =
        texts_of(view.patterns(), scratch, [](const auto& entry) { return entry.pattern(); });
    if (flags.has_by()) {
        out.by = as_text(view.by());
    }
    if constexpr (requires { view.destination(); }) {
        if (flags.stores()) {
            out.destination = as_text(view.destination());
        }
    }
    return true;
}

/// One element, and what it is ordered by.
struct Item {
    std::string text;
    std::optional<std::string> weight_text;  ///< ALPHA with BY
    double weight = 0;
    std::size_t index = 0;  ///< where it came from: equals keep their order
};

/// What the key that `pattern` makes of `element` holds: `*` is replaced, and behind `->` is the
/// field of a hash. Nothing when the pattern has no star or the key no such value.
std::optional<std::string> look_up(Call& call, std::string_view pattern, std::string_view element) {
    if (pattern == "#") {
        return std::string(element);
    }
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view behind = pattern.substr(star + 1);
    std::optional<std::string_view> field;
    const std::size_t arrow = behind.find("->");
    if (arrow != std::string_view::npos && arrow + 2 < behind.size()) {
        field = behind.substr(arrow + 2);
        behind = behind.substr(0, arrow);
    }
    std::string key(pattern.substr(0, star));
    key += element;
    key += behind;
    if (field) {
        const store::hashes::Hash hash(call.database, key);
        const auto value = hash.is_wrong_type() ? std::nullopt : hash.get(*field);
        return value ? std::optional<std::string>(*value) : std::nullopt;
    }
    const store::strings::Text found = store::strings::get(call.database, key);
    return found.status == store::strings::Status::kOk ? std::optional<std::string>(found.text)
                                                       : std::nullopt;
}

/// The elements in the order in which their collection gives them. False after WRONGTYPE.
bool collect(Call& call, const SortArguments& args, std::vector<Item>& items) {
    const auto add = [&items](std::string_view text) {
        items.push_back({std::string(text), std::nullopt, 0, items.size()});
    };
    const store::EntryRef ref = call.database.find(args.key);
    if (!ref) {
        return true;
    }
    switch (ref.type()) {
        case Type::kList: {
            const store::lists::List list(call.database, args.key);
            list.walk(0, list.size(), false, [&](const store::lists::Entry& entry) {
                add(store::lists::Text(entry).view());
                return true;
            });
            return true;
        }
        case Type::kSet:
            store::sets::Set(call.database, args.key).for_each(add);
            return true;
        case Type::kZset: {
            const store::zsets::Zset zset(call.database, args.key);
            zset.visit({0, zset.size()},
                       [&](const store::zsets::Element& element) { add(element.member); });
            return true;
        }
        default:
            call.reply.error(kWrongType);
            return false;
    }
}

/// Fills in what the items are ordered by. False after an error was answered.
bool weigh(Call& call, const SortArguments& args, std::vector<Item>& items) {
    for (Item& item : items) {
        std::optional<std::string> by;
        if (args.by) {
            by = look_up(call, *args.by, item.text);
        }
        if (args.is_alpha) {
            item.weight_text = std::move(by);
            continue;
        }
        std::string_view number = item.text;
        if (args.by) {
            number = by ? std::string_view(*by) : std::string_view("0");
        }
        if (!number.empty() && (!parse_double(number, item.weight) || std::isnan(item.weight))) {
            call.reply.error("ERR One or more scores can't be converted into double");
            return false;
        }
    }
    return true;
}

/// Less, equal or more than zero, ascending.
int compare(const SortArguments& args, const Item& a, const Item& b) noexcept {
    if (!args.is_alpha) {
        if (a.weight != b.weight) {
            return a.weight < b.weight ? -1 : 1;
        }
        return a.text.compare(b.text);
    }
    if (!args.by) {
        return a.text.compare(b.text);
    }
    if (!a.weight_text || !b.weight_text) {
        return static_cast<int>(a.weight_text.has_value()) -
               static_cast<int>(b.weight_text.has_value());
    }
    return a.weight_text->compare(*b.weight_text);
}

/// Orders the items and leaves those that LIMIT wants.
void order(const SortArguments& args, bool sorts, std::vector<Item>& items) {
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t first = std::clamp<std::int64_t>(args.offset, 0, size);
    const std::int64_t last =
        args.count < 0 || args.count > size - first ? size : first + args.count;
    if (sorts) {
        const auto is_before = [&args](const Item& a, const Item& b) {
            const int difference = compare(args, a, b);
            return difference != 0 ? (difference < 0) != args.is_descending : a.index < b.index;
        };
        std::partial_sort(items.begin(), items.begin() + last, items.end(), is_before);
    }
    items.erase(items.begin() + last, items.end());
    items.erase(items.begin(), items.begin() + first);
}

using Output = std::vector<std::optional<std::string>>;

Output output_of(Call& call, const SortArguments& args, std::vector<Item>& items) {
    Output output;
    output.reserve(items.size() * std::max<std::size_t>(args.patterns.size(), 1));
    for (Item& item : items) {
        if (args.patterns.empty()) {
            output.emplace_back(std::move(item.text));
        }
        for (const std::string_view pattern : args.patterns) {
            output.push_back(look_up(call, pattern, item.text));
        }
    }
    return output;
}

/// STORE: a list in place of whatever the key held; nothing makes it go.
void store_output(Call& call, std::string_view destination, const Output& output) {
    const bool was_there = call.database.erase(destination);
    if (output.empty()) {
        call.keyspace.add_dirty(was_there ? 1 : 0);
        call.reply.integer(0);
        return;
    }
    store::lists::List list(call.database, destination);
    const store::lists::ListLimits limits = list_limits(call);
    for (const std::optional<std::string>& text : output) {
        if (!list.push(store::lists::End::kTail,
                       store::lists::Value(text ? std::string_view(*text) : std::string_view()),
                       limits)) {
            call.reply.error(kOutOfMemory);
            return;
        }
    }
    mark_changed(call, list, output.size());
    call.reply.integer(static_cast<std::int64_t>(output.size()));
}

void sort(Call& call, const SortArguments& args) {
    SortArguments plan = args;
    std::vector<Item> items;
    if (!collect(call, args, items)) {
        return;
    }
    bool sorts = !(args.by && args.by->find('*') == std::string_view::npos);
    if (!sorts) {
        const store::EntryRef ref = call.database.find(args.key);
        const bool has_order = !ref || ref.type() != Type::kSet;
        if (!has_order && (args.destination || call.server.scripts().is_running())) {
            // A set has no order of its own, and what is kept should not depend on chance.
            sorts = true;
            plan.is_alpha = true;
            plan.by.reset();
        } else if (has_order && args.is_descending) {
            std::reverse(items.begin(), items.end());
        }
    }
    if (sorts && !weigh(call, plan, items)) {
        return;
    }
    order(plan, sorts, items);
    const Output output = output_of(call, args, items);
    if (args.destination) {
        store_output(call, *args.destination, output);
        return;
    }
    call.reply.array(output.size());
    for (const std::optional<std::string>& text : output) {
        if (text) {
            call.reply.bulk(*text);
        } else {
            call.reply.null();
        }
    }
}

void sort_ro(Call& call, const SortRoArguments& args) {
    sort(call, args);
}

constexpr std::uint32_t kCategories = kAclSet | kAclSortedSet | kAclList | kAclDangerous;
constexpr std::string_view kCost =
    "O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the number "
    "of returned elements. When the elements are not sorted, complexity is O(N).";

}  // namespace

std::span<const CommandSpec> sort_table() {
    static constexpr GroupInfo kInfo("generic", kCategories);
    static constexpr std::array kTable = {
        row<sort, wire::VerifiedSortRequestView>(
            kInfo("sort",
                  -2,
                  kWrite | kDenyOom | kMovableKeys,
                  kOneKey,
                  "1.0.0",
                  kCost,
                  "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | "
                  "DESC] [ALPHA] [STORE destination]",
                  "Orders a list, a set or a sorted set, and answers or stores it.")),
        row<sort_ro, wire::VerifiedSortRoRequestView>(
            kInfo("sort_ro",
                  -2,
                  kReadonly | kMovableKeys,
                  kOneKey,
                  "7.0.0",
                  kCost,
                  "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | "
                  "DESC] [ALPHA]",
                  "Orders a list, a set or a sorted set.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
