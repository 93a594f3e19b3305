#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "server/commands/string_replies.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/string/common_subsequence.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

namespace strings = store::strings;
using strings::Status;

struct LcsArguments {
    std::string_view key;
    std::string_view other_key;
    std::int64_t run_bytes_min = 0;
    bool wants_length = false;
    bool wants_matches = false;
    bool with_match_lengths = false;
    /// What is wrong with the options: told after the keys' types were found right, as Redis does.
    std::string_view option_error;
};
/// One option; returns an error's text, or nothing.
std::string_view read_lcs_option(Arguments& in, LcsArguments& out) {
    if (in.take_option("IDX")) {
        out.wants_matches = true;
    } else if (in.take_option("LEN")) {
        out.wants_length = true;
    } else if (in.take_option("WITHMATCHLEN")) {
        out.with_match_lengths = true;
    } else if (in.left() > 1 && in.take_option("MINMATCHLEN")) {
        return parse_int64(in.take(), out.run_bytes_min) ? std::string_view() : kNotInteger;
    } else {
        return kSyntaxError;
    }
    return {};
}
bool parse_text(Arguments& in, LcsArguments& out, Reply&) {
    out.key = in.take();
    out.other_key = in.take();
    while (!in.is_empty() && out.option_error.empty()) {
        out.option_error = read_lcs_option(in, out);
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, LcsArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.other_key = as_text(view.other_key());
    out.run_bytes_min = view.min_match_length();
    out.wants_length = view.flags().length_only();
    out.wants_matches = view.flags().matches();
    out.with_match_lengths = view.flags().match_lengths();
    return true;
}

void write_matches(Reply& reply, const strings::CommonSubsequence& common, bool with_lengths) {
    reply.map(2);
    reply.bulk("matches");
    reply.array(common.runs.size());
    for (const strings::CommonRun& run : common.runs) {
        reply.array(with_lengths ? 3 : 2);
        reply.array(2);
        reply.integer(run.first_begin);
        reply.integer(run.first_end);
        reply.array(2);
        reply.integer(run.second_begin);
        reply.integer(run.second_end);
        if (with_lengths) {
            reply.integer(run.length());
        }
    }
    reply.bulk("len");
    reply.integer(common.length);
}

void lcs(Call& call, const LcsArguments& args) {
    const strings::Text first = strings::get(call.database, args.key);
    const strings::Text second = strings::get(call.database, args.other_key);
    if (first.status == Status::kWrongType || second.status == Status::kWrongType) {
        call.reply.error("ERR The specified keys must contain string values");
        return;
    }
    if (!args.option_error.empty()) {
        call.reply.error(args.option_error);
        return;
    }
    if (args.wants_length && args.wants_matches) {
        call.reply.error("ERR If you want both the length and indexes, please just use IDX.");
        return;
    }
    const auto run_bytes_min =
        static_cast<std::size_t>(std::max<std::int64_t>(args.run_bytes_min, 0));
    const auto common =
        strings::common_subsequence(first.text, second.text, run_bytes_min, string_limit(call));
    if (!common) {
        call.reply.error(
            "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
    } else if (args.wants_matches) {
        write_matches(call.reply, *common, args.with_match_lengths);
    } else if (args.wants_length) {
        call.reply.integer(common->length);
    } else {
        call.reply.bulk(common->text);
    }
}

}  // namespace

std::span<const CommandSpec> lcs_table() {
    static constexpr std::array kTable = {
        row<lcs, wire::VerifiedLcsRequestView>(
            {.name = "lcs",
             .arity = -3,
             .flags = kReadonly,
             .keys = {1, 2, 1},
             .acl_categories = kAclString,
             .group = "string",
             .since = "7.0.0",
             .complexity = "O(N*M)",
             .summary = "Finds the longest common subsequence of two strings.",
             .syntax = "key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]"}),
    };
    return kTable;
}

}  // namespace tern::server::commands
