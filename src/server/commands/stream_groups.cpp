#include <fmt/format.h>

#include "server/commands/admin_rows.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/streams.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::Consumer;
using store::streams::EntryId;
using store::streams::Group;
using store::streams::Stream;

constexpr std::string_view kNoKey =
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use "
    "the MKSTREAM option to create an empty stream automatically.";

// XGROUP CREATE, XGROUP SETID

/// Where a group begins to read; the numbers are those of the wire's GroupStart.
enum class Start : std::uint8_t { kAfter, kNewest, kBroken };

struct StartArguments {
    std::string_view key;
    std::string_view group;
    Start start = Start::kAfter;
    EntryId id;
    std::int64_t entries_read = -1;  ///< -1: not known
    bool makes_stream = false;
};
struct CreateArguments : StartArguments {};

bool read_entries_read(Arguments& in, std::int64_t& out, Reply& reply) {
    if (!in.read_integer(out, reply)) {
        return false;
    }
    if (out < -1) {
        reply.error("ERR value for ENTRIESREAD must be positive or -1");
        return false;
    }
    return true;
}

/// Answers what Redis says of a CREATE or SETID that it cannot read.
bool unknown_form(Reply& reply, bool creates) {
    reply.error(
        fmt::format("ERR unknown subcommand or wrong number of arguments for '{}'. "
                    "Try XGROUP HELP.",
                    creates ? "CREATE" : "SETID"));
    return false;
}

bool parse_start(Arguments& in, StartArguments& out, Reply& reply, bool creates) {
    out.key = in.take();
    out.group = in.take();
    const std::string_view id = in.take();
    // Redis counts the words of CREATE before it reads them.
    constexpr std::size_t kCreateWordsMax = 3;
    const bool is_too_long = creates && in.left() > kCreateWordsMax;
    while (!in.is_empty()) {
        if (is_too_long) {
            return unknown_form(reply, creates);
        }
        if (creates && in.take_option("MKSTREAM")) {
            out.makes_stream = true;
        } else if (in.left() >= 2 && in.take_option("ENTRIESREAD")) {
            if (!read_entries_read(in, out.entries_read, reply)) {
                return false;
            }
        } else {
            return unknown_form(reply, creates);
        }
    }
    if (id == "$") {
        out.start = Start::kNewest;
    } else if (!creates && (id == "-" || id == "+")) {
        out.id = id == "-" ? EntryId{} : store::streams::kIdMax;
    } else {
        out.start = parse_entry_id(id, 0, out.id) ? Start::kAfter : Start::kBroken;
    }
    return true;
}
bool parse_text(Arguments& in, StartArguments& out, Reply& reply) {
    return parse_start(in, out, reply, false);
}
bool parse_text(Arguments& in, CreateArguments& out, Reply& reply) {
    return parse_start(in, out, reply, true);
}
template <typename View>
bool decode_wire(const View& view, StartArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.group = as_text(view.group());
    out.start = static_cast<Start>(view.start().raw());
    out.id = {view.ms(), view.sequence()};
    out.entries_read = view.entries_read();
    if constexpr (requires { view.flags(); }) {
        out.makes_stream = view.flags().make_stream();
    }
    return view.start().known() && out.entries_read >= -1;
}

void write_unknown_group(Reply& reply, std::string_view key, std::string_view group) {
    reply.error(fmt::format(
        "NOGROUP No such consumer group '{}' for key name '{}'", c_string(group), c_string(key)));
}

/// Sets where a group reads on.
void set_start(Group& group, const StartArguments& args, const EntryId& newest) {
    group.last_id = args.start == Start::kNewest ? newest : args.id;
    group.entries_read = static_cast<std::uint64_t>(args.entries_read);  // -1 is kNotKnown
}
static_assert(static_cast<std::uint64_t>(std::int64_t{-1}) == Group::kNotKnown);

void create_group(Call& call, const CreateArguments& args) {
    Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    const bool is_new = !stream.exists();
    if (is_new && !args.makes_stream) {
        call.reply.error(kNoKey);
        return;
    }
    if (args.start == Start::kBroken) {
        call.reply.error(kInvalidEntryId);
        return;
    }
    if (!is_new && stream.get().find_group(args.group) != nullptr) {
        call.reply.error("BUSYGROUP Consumer Group name already exists");
        return;
    }
    Group* const group = stream.create() ? stream.get().add_group(args.group) : nullptr;
    if (group == nullptr) {
        if (is_new && stream.exists()) {
            stream.remove();
        }
        call.reply.error(kOutOfMemory);
        return;
    }
    set_start(*group, args, stream.get().last_id);
    if (!is_new) {
        call.keyspace.add_dirty(1);
    }
    call.reply.ok();
}

/// The group of an existing key that a subcommand works on; null when that was answered with an
/// error.
Group* require_group(Call& call,
                     const Stream& stream,
                     std::string_view key,
                     std::string_view group) {
    if (!is_usable(call, stream)) {
        return nullptr;
    }
    if (!stream.exists()) {
        call.reply.error(kNoKey);
        return nullptr;
    }
    Group* const found = stream.get().find_group(group);
    if (found == nullptr) {
        write_unknown_group(call.reply, key, group);
    }
    return found;
}

void set_group_id(Call& call, const StartArguments& args) {
    const Stream stream(call.database, args.key);
    Group* const group = require_group(call, stream, args.key, args.group);
    if (group == nullptr) {
        return;
    }
    if (args.start == Start::kBroken) {
        call.reply.error(kInvalidEntryId);
        return;
    }
    set_start(*group, args, stream.get().last_id);
    call.keyspace.add_dirty(1);
    call.reply.ok();
}

// XGROUP DESTROY

void destroy_group(Call& call, const GroupArguments& args) {
    Stream stream(call.database, args.key);
    if (!is_usable(call, stream)) {
        return;
    }
    if (!stream.exists()) {
        call.reply.error(kNoKey);
        return;
    }
    Group* const group = stream.get().find_group(args.group);
    if (group != nullptr) {
        stream.erase_group(*group);
        call.keyspace.add_dirty(1);
        // Who waits for this group waits in vain.
        call.server.blocked_clients().touch(call.session.database_index, args.key);
    }
    call.reply.integer(group != nullptr ? 1 : 0);
}

// XGROUP CREATECONSUMER, XGROUP DELCONSUMER

struct ConsumerArguments : GroupArguments {
    std::string_view consumer;
};
bool parse_text(Arguments& in, ConsumerArguments& out, Reply&) {
    out.key = in.take();
    out.group = in.take();
    out.consumer = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, ConsumerArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.group = as_text(view.group());
    out.consumer = as_text(view.consumer());
    return true;
}

void create_consumer(Call& call, const ConsumerArguments& args) {
    const Stream stream(call.database, args.key);
    Group* const group = require_group(call, stream, args.key, args.group);
    if (group == nullptr) {
        return;
    }
    const bool is_new = group->find_consumer(args.consumer) == nullptr;
    if (is_new && open_consumer(call, *group, args.consumer) == nullptr) {
        return;
    }
    call.reply.integer(is_new ? 1 : 0);
}

void delete_consumer(Call& call, const ConsumerArguments& args) {
    const Stream stream(call.database, args.key);
    Group* const group = require_group(call, stream, args.key, args.group);
    if (group == nullptr) {
        return;
    }
    std::uint64_t pending = 0;
    if (Consumer* const consumer = group->find_consumer(args.consumer); consumer != nullptr) {
        pending = consumer->pending.size();
        group->erase_consumer(*consumer);
        call.keyspace.add_dirty(1);
    }
    call.reply.integer(static_cast<std::int64_t>(pending));
}

constexpr std::array kSubcommands = {
    row<create_group, wire::VerifiedXGroupCreateRequestView>(
        stream_info("create",
                    -5,
                    kWrite | kDenyOom,
                    kStreamSubcommandKey,
                    "5.0.0",
                    "O(1)",
                    "key group <id | $> [MKSTREAM] [ENTRIESREAD entries-read]",
                    "Makes a group of consumers.")),
    row<create_consumer, wire::VerifiedXGroupCreateConsumerRequestView>(
        stream_info("createconsumer",
                    5,
                    kWrite | kDenyOom,
                    kStreamSubcommandKey,
                    "6.2.0",
                    "O(log(N))",
                    "key group consumer",
                    "Makes a consumer of a group.")),
    row<delete_consumer, wire::VerifiedXGroupDelConsumerRequestView>(
        stream_info("delconsumer",
                    5,
                    kWrite,
                    kStreamSubcommandKey,
                    "5.0.0",
                    "O(N*log(P)) for N of P pending entries",
                    "key group consumer",
                    "Removes a consumer with what is pending for it.")),
    row<destroy_group, wire::VerifiedXGroupDestroyRequestView>(stream_info("destroy",
                                                                           4,
                                                                           kWrite,
                                                                           kStreamSubcommandKey,
                                                                           "5.0.0",
                                                                           "O(log(N))",
                                                                           "key group",
                                                                           "Removes a group.")),
    row<container_help>(stream_info(
        "help", 2, kLoading | kStale, {}, "5.0.0", "O(1)", "", "Lists the subcommands.")),
    row<set_group_id, wire::VerifiedXGroupSetIdRequestView>(
        stream_info("setid",
                    -5,
                    kWrite,
                    kStreamSubcommandKey,
                    "5.0.0",
                    "O(1)",
                    "key group <id | $> [ENTRIESREAD entries-read]",
                    "Sets the last id that a group was given.")),
};

constexpr std::array kTable = {
    container_row(GroupInfo("stream", 0)("xgroup",
                                         -2,
                                         0,
                                         {},
                                         "5.0.0",
                                         "Depends on subcommand.",
                                         "",
                                         "Keeps the groups of a stream."),
                  kSubcommands),
};

}  // namespace

std::span<const CommandSpec> stream_group_table() {
    return kTable;
}

}  // namespace tern::server::commands
