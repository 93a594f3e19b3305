#include <fmt/format.h>

#include <array>

#include "server/commands/admin_rows.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "server/scripting/script_engine.hpp"
#include "server/server.hpp"
#include "tern_store_wire/all.hpp"

/// EVAL, EVALSHA, their read-only forms, and SCRIPT.
namespace tern::server::commands {

namespace {

struct EvalArguments {
    std::string_view script;  ///< its text, or its SHA-1
    std::span<const std::string_view> keys;
    std::span<const std::string_view> arguments;
};

bool parse_text(Arguments& in, EvalArguments& out, Reply& reply) {
    out.script = in.take();
    std::int64_t key_count = 0;
    if (!in.read_integer(key_count, reply)) {
        return false;
    }
    const std::span<const std::string_view> rest = in.take_rest();
    if (key_count > static_cast<std::int64_t>(rest.size())) {
        reply.error("ERR Number of keys can't be greater than number of args");
        return false;
    }
    if (key_count < 0) {
        reply.error("ERR Number of keys can't be negative");
        return false;
    }
    out.keys = rest.first(static_cast<std::size_t>(key_count));
    out.arguments = rest.subspan(out.keys.size());
    return true;
}

template <typename View>
bool decode_wire(const View& view, EvalArguments& out, Scratch& scratch) {
    out.keys = texts_of(view.keys(), scratch, [](const auto& entry) { return entry.key(); });
    out.arguments =
        texts_of(view.arguments(), scratch, [](const auto& entry) { return entry.argument(); });
    out.script = as_text(view.script());
    return true;
}

template <bool is_read_only>
void eval(Call& call, const EvalArguments& args) {
    ScriptEngine& engine = call.server.scripts();
    std::string sha;
    std::string problem;
    const Script* script = engine.load(args.script, sha, problem);
    if (script == nullptr) {
        call.reply.error(problem);
        return;
    }
    engine.run(call, *script, {sha, args.keys, args.arguments, is_read_only});
}

template <bool is_read_only>
void evalsha(Call& call, const EvalArguments& args) {
    ScriptEngine& engine = call.server.scripts();
    const Script* script = engine.find(args.script);
    if (script == nullptr) {
        call.reply.error("NOSCRIPT No matching script. Please use EVAL.");
        return;
    }
    const std::string sha = ScriptEngine::sha1_hex(script->body);
    engine.run(call, *script, {sha, args.keys, args.arguments, is_read_only});
}

void script_load(Call& call, const WordsArguments& args) {
    std::string sha;
    std::string problem;
    if (call.server.scripts().load(args.words[0], sha, problem) == nullptr) {
        call.reply.error(problem);
    } else {
        call.reply.bulk(sha);
    }
}

void script_exists(Call& call, const WordsArguments& args) {
    call.reply.array(args.words.size());
    for (const std::string_view sha : args.words) {
        call.reply.integer(call.server.scripts().find(sha) != nullptr ? 1 : 0);
    }
}

/// SCRIPT FLUSH: the work is the same either way, that of closing one Lua state.
void script_flush(Call& call, const WordsArguments& args) {
    const bool is_known =
        args.words.empty() || (args.words.size() == 1 && (equals_word(args.words[0], "ASYNC") ||
                                                          equals_word(args.words[0], "SYNC")));
    if (!is_known) {
        call.reply.error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
        return;
    }
    call.server.scripts().flush();
    call.reply.ok();
}

void script_kill(Call& call, const NoArguments&) {
    switch (call.server.scripts().kill()) {
        case ScriptEngine::Kill::kDone:
            call.reply.ok();
            return;
        case ScriptEngine::Kill::kNothingRuns:
            call.reply.error("NOTBUSY No scripts in execution right now.");
            return;
        case ScriptEngine::Kill::kHasWritten:
            call.reply.error(
                "UNKILLABLE Sorry the script already executed write commands against the dataset. "
                "You can either wait the script termination or kill the server in a hard way using "
                "the SHUTDOWN NOSAVE command.");
            return;
    }
}

/// SCRIPT DEBUG: there is no debugger; to switch it off is always right.
void script_debug(Call& call, const WordsArguments& args) {
    if (equals_word(args.words[0], "NO")) {
        call.reply.ok();
    } else if (equals_word(args.words[0], "YES") || equals_word(args.words[0], "SYNC")) {
        call.reply.error("ERR this server has no script debugger");
    } else {
        call.reply.error("ERR Use SCRIPT DEBUG YES/SYNC/NO");
    }
}

constexpr std::uint32_t kEval =
    kNoScript | kSkipMonitor | kStale | kMovableKeys | kNoMandatoryKeys | kMayReplicate;
constexpr std::uint32_t kEvalRo =
    kNoScript | kSkipMonitor | kStale | kMovableKeys | kNoMandatoryKeys | kReadonly;
constexpr KeyPositions kKeysAfterScript{.count_at = 2};
constexpr GroupInfo kInfo("scripting", kAclScripting);
constexpr std::string_view kCost = "Depends on the script that is executed.";

constexpr CommandInfo script_info(std::string_view name,
                                  int arity,
                                  std::uint32_t flags,
                                  std::string_view since,
                                  std::string_view complexity,
                                  std::string_view syntax,
                                  std::string_view summary) {
    return kInfo(name, arity, kNoScript | flags, {}, since, complexity, syntax, summary);
}

constexpr std::array kSubcommands = {
    row<script_debug>(script_info("debug",
                                  3,
                                  0,
                                  "3.2.0",
                                  "O(1)",
                                  "<YES | SYNC | NO>",
                                  "Debugging of scripts, which there is not.")),
    row<script_exists>(script_info(
        "exists",
        -3,
        0,
        "2.6.0",
        "O(N) with N being the number of scripts to check (so checking a single script is an O(1) "
        "operation).",
        "sha1 [sha1 ...]",
        "Which scripts the cache has.")),
    row<script_flush>(script_info("flush",
                                  -2,
                                  0,
                                  "2.6.0",
                                  "O(N) with N being the number of scripts in cache",
                                  "[ASYNC | SYNC]",
                                  "Forgets all scripts.")),
    row<container_help>(GroupInfo("scripting", kAclScripting)(
        "help", 2, kAnyTime, {}, "5.0.0", "O(1)", "", "What there is of SCRIPT.")),
    row<script_kill>(script_info("kill",
                                 2,
                                 kAllowBusy,
                                 "2.6.0",
                                 "O(1)",
                                 "",
                                 "Ends the script that runs, unless it has written.")),
    row<script_load>(script_info("load",
                                 3,
                                 kStale,
                                 "2.6.0",
                                 "O(N) with N being the length in bytes of the script body.",
                                 "script",
                                 "Puts a script into the cache and answers its SHA-1.")),
};

constexpr std::string_view kEvalSyntax = "script numkeys [key [key ...]] [arg [arg ...]]";
constexpr std::string_view kShaSyntax = "sha1 numkeys [key [key ...]] [arg [arg ...]]";

}  // namespace

std::span<const CommandSpec> scripting_table() {
    static constexpr std::array kTable = {
        row<eval<false>, wire::VerifiedEvalRequestView>(kInfo(
            "eval", -3, kEval, kKeysAfterScript, "2.6.0", kCost, kEvalSyntax, "Runs a script.")),
        row<eval<true>, wire::VerifiedEvalRoRequestView>(
            kInfo("eval_ro",
                  -3,
                  kEvalRo,
                  kKeysAfterScript,
                  "7.0.0",
                  kCost,
                  kEvalSyntax,
                  "Runs a script that may not write.")),
        row<evalsha<false>, wire::VerifiedEvalShaRequestView>(kInfo("evalsha",
                                                                    -3,
                                                                    kEval,
                                                                    kKeysAfterScript,
                                                                    "2.6.0",
                                                                    kCost,
                                                                    kShaSyntax,
                                                                    "Runs a script of the cache.")),
        row<evalsha<true>, wire::VerifiedEvalShaRoRequestView>(
            kInfo("evalsha_ro",
                  -3,
                  kEvalRo,
                  kKeysAfterScript,
                  "7.0.0",
                  kCost,
                  kShaSyntax,
                  "Runs a script of the cache that may not write.")),
        container_row(kInfo("script",
                            -2,
                            0,
                            {},
                            "2.6.0",
                            "Depends on subcommand.",
                            "",
                            "The cache of scripts, and the one that runs."),
                      kSubcommands),
    };
    return kTable;
}

}  // namespace tern::server::commands
