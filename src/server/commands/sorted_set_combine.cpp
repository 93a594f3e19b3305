#include <array>
#include <deque>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/sets.hpp"
#include "server/commands/sorted_sets.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/set/combine.hpp"
#include "store/zset/combine.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::sets::Set;
using store::sets::SetSource;
using store::zsets::Aggregate;
using store::zsets::Element;
using store::zsets::Source;
using store::zsets::WeightedSource;
using store::zsets::Zset;
using store::zsets::ZsetResult;
using store::zsets::ZsetSource;

enum class Operation : std::uint8_t { kUnion, kIntersection, kDifference };

/// ZUNION, ZINTER, ZDIFF and their STORE forms.
struct CombineArguments {
    std::string_view destination;
    std::span<const std::string_view> keys;
    std::span<double> weights;  ///< as many as keys
    Aggregate aggregate = Aggregate::kSum;
    bool with_scores = false;
    /// What is wrong with the options: told after the keys' types were found right, as Redis does.
    std::string_view option_error;
};

struct CombineForm {
    Operation operation = Operation::kUnion;
    bool stores = false;
    std::string_view name;
};

/// The next word as an aggregate; an error's text otherwise.
std::string_view read_aggregate(Arguments& in, Aggregate& out) {
    if (in.take_option("SUM")) {
        out = Aggregate::kSum;
    } else if (in.take_option("MIN")) {
        out = Aggregate::kMin;
    } else if (in.take_option("MAX")) {
        out = Aggregate::kMax;
    } else {
        return kSyntaxError;
    }
    return {};
}

/// One option; returns an error's text, or nothing.
std::string_view read_combine_option(Arguments& in,
                                     const CombineForm& form,
                                     CombineArguments& out) {
    const bool weighs = form.operation != Operation::kDifference;
    if (weighs && in.left() > out.keys.size() && in.take_option("WEIGHTS")) {
        for (double& weight : out.weights) {
            if (!parse_double(in.take(), weight)) {
                return "ERR weight value is not a float";
            }
        }
        return {};
    }
    if (weighs && in.left() > 1 && in.take_option("AGGREGATE")) {
        return read_aggregate(in, out.aggregate);
    }
    if (!form.stores && in.take_option("WITHSCORES")) {
        out.with_scores = true;
        return {};
    }
    return kSyntaxError;
}

/// numkeys and so many keys.
bool read_keys(Arguments& in,
               std::string_view command_name,
               std::span<const std::string_view>& keys,
               Reply& reply) {
    std::int64_t key_count = 0;
    if (!in.read_integer(key_count, reply)) {
        return false;
    }
    if (key_count < 1) {
        reply.error(
            fmt::format("ERR at least 1 input key is needed for '{}' command", command_name));
        return false;
    }
    if (static_cast<std::uint64_t>(key_count) > in.left()) {
        return syntax_error(reply);
    }
    keys = in.take(static_cast<std::size_t>(key_count));
    return true;
}

bool parse_combine(Arguments& in, const CombineForm& form, CombineArguments& out, Reply& reply) {
    if (form.stores) {
        out.destination = in.take();
    }
    if (!read_keys(in, form.name, out.keys, reply)) {
        return false;
    }
    out.weights = in.scratch().array<double>(out.keys.size());
    std::fill(out.weights.begin(), out.weights.end(), 1.0);
    while (!in.is_empty() && out.option_error.empty()) {
        out.option_error = read_combine_option(in, form, out);
    }
    return true;
}

template <typename View>
bool decode_combine(const View& view, CombineArguments& out, Scratch& scratch) {
    const auto entries = view.keys();
    const std::span<std::string_view> keys = scratch.array<std::string_view>(entries.size());
    out.weights = scratch.array<double>(entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        keys[i] = as_text(entry.key());
        out.weights[i] = 1;
        if constexpr (requires { entry.weight(); }) {
            out.weights[i] = entry.weight();
            if (out.weights[i] != out.weights[i]) {
                return false;
            }
        }
        ++i;
    }
    out.keys = keys;
    if constexpr (requires { view.aggregate(); }) {
        constexpr std::array kAggregates = {Aggregate::kSum, Aggregate::kMin, Aggregate::kMax};
        const auto aggregate = static_cast<std::size_t>(view.aggregate().raw());
        if (aggregate >= kAggregates.size()) {
            return false;
        }
        out.aggregate = kAggregates[aggregate];
    }
    if constexpr (requires { view.flags(); }) {
        out.with_scores = view.flags().with_scores();
    }
    if constexpr (requires { view.destinations(); }) {
        const auto destinations = view.destinations();
        if (destinations.size() != 1) {
            return false;
        }
        out.destination = as_text((*destinations.begin()).key());
    }
    return !keys.empty();
}

/// The inputs of a combination, open while it is computed.
class Inputs {
public:
    /// Opens the keys; false after WRONGTYPE was answered.
    bool open(Call& call, std::span<const std::string_view> keys, std::span<const double> weights) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const Source* const source = open(call, keys[i]);
            if (source == nullptr) {
                return false;
            }
            weighted_.push_back({source, weights.empty() ? 1.0 : weights[i]});
        }
        return true;
    }
    [[nodiscard]] std::span<const WeightedSource> sources() const noexcept { return weighted_; }

private:
    /// A sorted set, a set or a key that is not there; null after WRONGTYPE was answered.
    const Source* open(Call& call, std::string_view key) {
        const Zset& zset = zsets_.emplace_back(call.database, key);
        if (!zset.is_wrong_type()) {
            return &zset_sources_.emplace_back(zset);
        }
        const Set& set = sets_.emplace_back(call.database, key);
        return is_usable(call, set) ? &set_sources_.emplace_back(set) : nullptr;
    }

    std::deque<Zset> zsets_;
    std::deque<ZsetSource> zset_sources_;
    std::deque<Set> sets_;
    std::deque<SetSource> set_sources_;
    std::vector<WeightedSource> weighted_;
};

/// Computes the combination. False after an error was answered.
bool combine(Call& call, Operation operation, const CombineArguments& args, ZsetResult& result) {
    Inputs inputs;
    if (!inputs.open(call, args.keys, args.weights)) {
        return false;
    }
    if (!args.option_error.empty()) {
        call.reply.error(args.option_error);
        return false;
    }
    bool has_memory = false;
    switch (operation) {
        case Operation::kUnion:
            has_memory = store::zsets::unite(inputs.sources(), args.aggregate, result);
            break;
        case Operation::kIntersection:
            has_memory = store::zsets::intersect(inputs.sources(), args.aggregate, result);
            break;
        case Operation::kDifference:
            has_memory = store::zsets::subtract(inputs.sources(), result);
            break;
    }
    if (!has_memory) {
        call.reply.error(kOutOfMemory);
    }
    return has_memory;
}

template <const CombineForm& Form>
struct FormArguments : CombineArguments {};
template <const CombineForm& Form>
bool parse_text(Arguments& in, FormArguments<Form>& out, Reply& reply) {
    return parse_combine(in, Form, out, reply);
}
template <typename View, const CombineForm& Form>
bool decode_wire(const View& view, FormArguments<Form>& out, Scratch& scratch) {
    return decode_combine(view, out, scratch);
}

template <const CombineForm& Form>
void run(Call& call, const FormArguments<Form>& args) {
    ZsetResult result(call.keyspace);
    if (!combine(call, Form.operation, args, result)) {
        return;
    }
    const std::uint64_t count = result.size();
    if (!Form.stores) {
        begin_member_list(call.reply, count, args.with_scores);
        result.visit(
            [&](const Element& element) { write_member(call.reply, element, args.with_scores); });
        return;
    }
    if (!result.store_as(call.database, args.destination, zset_limits(call))) {
        call.reply.error(kOutOfMemory);
        return;
    }
    call.reply.integer(static_cast<std::int64_t>(count));
}

struct IntersectionCountArguments {
    std::span<const std::string_view> keys;
    std::int64_t limit = 0;
    std::string_view option_error;  ///< as in CombineArguments
};
bool parse_text(Arguments& in, IntersectionCountArguments& out, Reply& reply) {
    if (!read_keys(in, "zintercard", out.keys, reply)) {
        return false;
    }
    while (!in.is_empty() && out.option_error.empty()) {
        const bool is_limit = in.left() > 1 && in.take_option("LIMIT");
        if (!is_limit) {
            out.option_error = kSyntaxError;
        } else if (!parse_int64(in.take(), out.limit) || out.limit < 0) {
            out.option_error = "ERR LIMIT can't be negative";
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, IntersectionCountArguments& out, Scratch& scratch) {
    KeysArguments keys;
    out.limit = view.limit();
    const bool is_whole = server::decode_wire(view, keys, scratch) && out.limit >= 0;
    out.keys = keys.keys;
    return is_whole;
}

void zintercard(Call& call, const IntersectionCountArguments& args) {
    Inputs inputs;
    if (!inputs.open(call, args.keys, {})) {
        return;
    }
    if (!args.option_error.empty()) {
        call.reply.error(args.option_error);
    } else {
        call.reply.integer(static_cast<std::int64_t>(store::zsets::count_intersection(
            inputs.sources(), static_cast<std::uint64_t>(args.limit))));
    }
}

constexpr CombineForm kZunion{Operation::kUnion, false, "zunion"};
constexpr CombineForm kZinter{Operation::kIntersection, false, "zinter"};
constexpr CombineForm kZdiff{Operation::kDifference, false, "zdiff"};
constexpr CombineForm kZunionstore{Operation::kUnion, true, "zunionstore"};
constexpr CombineForm kZinterstore{Operation::kIntersection, true, "zinterstore"};
constexpr CombineForm kZdiffstore{Operation::kDifference, true, "zdiffstore"};

constexpr std::uint32_t kRead = kReadonly | kMovableKeys;
constexpr std::uint32_t kStore = kWrite | kDenyOom | kMovableKeys;
constexpr std::string_view kCombineSyntax =
    "numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] "
    "[WITHSCORES]";
constexpr std::string_view kStoreSyntax =
    "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]";

constexpr std::array kTable = {
    row<run<kZdiff>, wire::VerifiedZDiffRequestView>(
        zset_info("zdiff",
                  -3,
                  kRead,
                  kCountedKeys,
                  "6.2.0",
                  "O(L + (N-K)log(N))",
                  "numkeys key [key ...] [WITHSCORES]",
                  "Lists the members that only the first set has.")),
    row<run<kZdiffstore>, wire::VerifiedZDiffStoreRequestView>(
        zset_info("zdiffstore",
                  -4,
                  kStore,
                  kStoreAndCountedKeys,
                  "6.2.0",
                  "O(L + (N-K)log(N))",
                  "destination numkeys key [key ...]",
                  "Stores the members that only the first set has.")),
    row<run<kZinter>, wire::VerifiedZInterRequestView>(
        zset_info("zinter",
                  -3,
                  kRead,
                  kCountedKeys,
                  "6.2.0",
                  "O(N*K)+O(M*log(M))",
                  kCombineSyntax,
                  "Lists the members that all sets have.")),
    row<zintercard, wire::VerifiedZInterCardRequestView>(
        zset_info("zintercard",
                  -3,
                  kRead,
                  kCountedKeys,
                  "7.0.0",
                  "O(N*K)",
                  "numkeys key [key ...] [LIMIT limit]",
                  "Counts the members that all sets have.")),
    row<run<kZinterstore>, wire::VerifiedZInterStoreRequestView>(
        zset_info("zinterstore",
                  -4,
                  kStore,
                  kStoreAndCountedKeys,
                  "2.0.0",
                  "O(N*K)+O(M*log(M))",
                  kStoreSyntax,
                  "Stores the members that all sets have.")),
    row<run<kZunion>, wire::VerifiedZUnionRequestView>(
        zset_info("zunion",
                  -3,
                  kRead,
                  kCountedKeys,
                  "6.2.0",
                  "O(N)+O(M*log(M))",
                  kCombineSyntax,
                  "Lists the members that any set has.")),
    row<run<kZunionstore>, wire::VerifiedZUnionStoreRequestView>(
        zset_info("zunionstore",
                  -4,
                  kStore,
                  kStoreAndCountedKeys,
                  "2.0.0",
                  "O(N)+O(M*log(M))",
                  kStoreSyntax,
                  "Stores the members that any set has.")),
};

}  // namespace

std::span<const CommandSpec> sorted_set_combine_table() {
    return kTable;
}

}  // namespace tern::server::commands
