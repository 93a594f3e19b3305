#include "store/hll/hyperloglog.hpp"

#include <array>
#include <string>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

using store::hll::HyperLogLog;
using store::hll::Status;

HyperLogLog open(Call& call, std::string_view key) {
    return HyperLogLog(call.database, key, call.server.config().hll_sparse_bytes_max);
}

/// Answers what went wrong; false when nothing did. kMissing is the caller's.
bool failed(Reply& reply, Status status) {
    switch (status) {
        case Status::kOk:
        case Status::kMissing:
            return false;
        case Status::kWrongType:
            reply.error(kWrongType);
            break;
        case Status::kNotValid:
            reply.error("WRONGTYPE Key is not a valid HyperLogLog string value.");
            break;
        case Status::kCorrupt:
            reply.error("INVALIDOBJ Corrupted HLL object detected");
            break;
        case Status::kOutOfMemory:
            reply.error(kOutOfMemory);
            break;
    }
    return true;
}

// PFADD

struct PfAddArguments {
    std::string_view key;
    std::span<const std::string_view> elements;
};
bool parse_text(Arguments& in, PfAddArguments& out, Reply&) {
    out.key = in.take();
    out.elements = in.take_rest();
    return true;
}
template <typename View>
bool decode_wire(const View& view, PfAddArguments& out, Scratch& scratch) {
    out.elements =
        texts_of(view.elements(), scratch, [](const auto& entry) { return entry.element(); });
    return decode_only_key(view, out.key);
}

void pfadd(Call& call, const PfAddArguments& args) {
    HyperLogLog log = open(call, args.key);
    if (failed(call.reply, log.status())) {
        return;
    }
    bool has_changed = log.status() == Status::kMissing;
    if (has_changed && !log.create()) {
        call.reply.error(kOutOfMemory);
        return;
    }
    Status status = Status::kOk;
    for (std::size_t i = 0; i < args.elements.size() && status == Status::kOk; ++i) {
        status = log.add(args.elements[i], has_changed);
    }
    if (has_changed) {
        log.mark_modified();
    }
    if (!failed(call.reply, status)) {
        call.reply.integer(has_changed ? 1 : 0);
    }
}

// PFCOUNT, PFMERGE

/// Raises `registers` to those of the keys that are there; answers what went wrong.
bool merge_keys(Call& call,
                std::span<const std::string_view> keys,
                store::hll::Registers& registers,
                bool& has_dense) {
    for (const std::string_view key : keys) {
        const HyperLogLog log = open(call, key);
        if (failed(call.reply, log.status())) {
            return false;
        }
        if (log.status() == Status::kMissing) {
            continue;
        }
        has_dense = has_dense || log.encoding() == store::hll::Encoding::kDense;
        if (!store::hll::merge_into(registers, log.bytes())) {
            return !failed(call.reply, Status::kCorrupt);
        }
    }
    return true;
}

void pfcount(Call& call, const KeysArguments& args) {
    std::uint64_t cardinality = 0;
    if (args.keys.size() == 1) {
        HyperLogLog log = open(call, args.keys[0]);
        const Status status = log.status() == Status::kOk ? log.count(cardinality) : log.status();
        if (failed(call.reply, status)) {
            return;
        }
    } else {
        store::hll::Registers registers{};
        bool has_dense = false;
        if (!merge_keys(call, args.keys, registers, has_dense)) {
            return;
        }
        cardinality = store::hll::estimate(store::hll::histogram_of(registers));
    }
    call.reply.integer(static_cast<std::int64_t>(cardinality));
}

struct PfMergeArguments {
    /// The destination, which counts as the first source, and the sources.
    std::span<const std::string_view> keys;
};
bool parse_text(Arguments& in, PfMergeArguments& out, Reply&) {
    out.keys = in.take_rest();
    return true;
}
template <typename View>
bool decode_wire(const View& view, PfMergeArguments& out, Scratch& scratch) {
    const auto sources = view.keys();
    const std::span<std::string_view> keys = scratch.array<std::string_view>(sources.size() + 1);
    if (view.destinations().size() != 1) {
        return false;
    }
    keys[0] = as_text((*view.destinations().begin()).key());
    std::size_t i = 1;
    for (const auto entry : sources) {
        keys[i++] = as_text(entry.key());
    }
    out.keys = keys;
    return true;
}

void pfmerge(Call& call, const PfMergeArguments& args) {
    store::hll::Registers registers{};
    bool has_dense = false;
    if (!merge_keys(call, args.keys, registers, has_dense)) {
        return;
    }
    HyperLogLog log = open(call, args.keys[0]);
    if (log.status() == Status::kMissing && !log.create()) {
        call.reply.error(kOutOfMemory);
        return;
    }
    Status status = has_dense ? log.become_dense() : Status::kOk;
    if (status == Status::kOk) {
        status = log.raise(registers);
    }
    if (!failed(call.reply, status)) {
        log.mark_modified();
        call.reply.ok();
    }
}

// PFDEBUG, PFSELFTEST

void debug_getreg(Call& call, HyperLogLog& log) {
    store::hll::Registers registers{};
    if (failed(call.reply, log.become_dense())) {
        return;
    }
    static_cast<void>(store::hll::merge_into(registers, log.bytes()));  // a dense one is whole
    call.reply.array(registers.size());
    for (const std::uint8_t value : registers) {
        call.reply.integer(value);
    }
}

void debug_decode(Call& call, HyperLogLog& log) {
    if (log.encoding() != store::hll::Encoding::kSparse) {
        call.reply.error("ERR HLL encoding is not sparse");
        return;
    }
    std::string text;
    static_cast<void>(store::hll::describe_sparse(log.bytes(), text));  // as far as it goes
    call.reply.bulk(text);
}

void debug_encoding(Call& call, HyperLogLog& log) {
    call.reply.status(log.encoding() == store::hll::Encoding::kDense ? "dense" : "sparse");
}

void debug_to_dense(Call& call, HyperLogLog& log) {
    const bool was_sparse = log.encoding() == store::hll::Encoding::kSparse;
    if (!failed(call.reply, log.become_dense())) {
        call.reply.integer(was_sparse ? 1 : 0);
    }
}

struct DebugAction {
    std::string_view name;  ///< in capitals
    void (*run)(Call& call, HyperLogLog& log);
};
constexpr std::array kDebugActions = {
    DebugAction{"GETREG", debug_getreg},
    DebugAction{"DECODE", debug_decode},
    DebugAction{"ENCODING", debug_encoding},
    DebugAction{"TODENSE", debug_to_dense},
};

struct PfDebugArguments {
    std::string_view action;
    std::string_view key;
};
bool parse_text(Arguments& in, PfDebugArguments& out, Reply&) {
    out.action = in.take();
    out.key = in.take();
    return true;
}

void pfdebug(Call& call, const PfDebugArguments& args) {
    HyperLogLog log = open(call, args.key);
    if (log.status() == Status::kMissing) {
        call.reply.error("ERR The specified key does not exist");
        return;
    }
    if (failed(call.reply, log.status())) {
        return;
    }
    for (const DebugAction& action : kDebugActions) {
        if (equals_word(args.action, action.name)) {
            action.run(call, log);
            return;
        }
    }
    call.reply.error(fmt::format("ERR Unknown PFDEBUG subcommand '{}'", c_string(args.action)));
}

void pfselftest(Call& call, const NoArguments&) {
    if (store::hll::self_test()) {
        call.reply.ok();
    } else {
        call.reply.error("ERR the HyperLogLog self-test failed");
    }
}

constexpr CommandInfo info(std::string_view name,
                           int arity,
                           std::uint32_t flags,
                           KeyPositions keys,
                           std::string_view complexity,
                           std::string_view syntax,
                           std::string_view summary) {
    return GroupInfo("hyperloglog", kAclHyperloglog)(
        name, arity, flags, keys, "2.8.9", complexity, syntax, summary);
}

}  // namespace

std::span<const CommandSpec> hyperloglog_table() {
    static constexpr std::array kTable = {
        row<pfadd, wire::VerifiedPfAddRequestView>(info("pfadd",
                                                        -2,
                                                        kWrite | kDenyOom | kFast,
                                                        kOneKey,
                                                        "O(1)",
                                                        "key [element [element ...]]",
                                                        "Adds elements to a HyperLogLog.")),
        row<pfcount, wire::VerifiedPfCountRequestView>(
            info("pfcount",
                 -2,
                 kReadonly | kMayReplicate,
                 kAllKeys,
                 "O(N)",
                 "key [key ...]",
                 "Estimates how many different elements HyperLogLogs saw.")),
        row<pfdebug>(info("pfdebug",
                          3,
                          kWrite | kDenyOom | kAdmin,
                          {2, 2, 1},
                          "O(N)",
                          "subcommand key",
                          "Shows or changes how a HyperLogLog is kept; for tests.")),
        row<pfmerge, wire::VerifiedPfMergeRequestView>(info("pfmerge",
                                                            -2,
                                                            kWrite | kDenyOom,
                                                            kAllKeys,
                                                            "O(N)",
                                                            "destkey [sourcekey [sourcekey ...]]",
                                                            "Merges HyperLogLogs into one.")),
        row<pfselftest>(info(
            "pfselftest", 1, kAdmin, {}, "O(1)", "", "Tests HyperLogLogs against known counts.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
