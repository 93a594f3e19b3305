#include <fmt/format.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/blocking.hpp"
#include "server/commands/streams.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {
namespace {

using store::streams::Consumer;
using store::streams::EntryId;
using store::streams::EntryView;
using store::streams::Group;
using store::streams::kIdMax;
using store::streams::LargeStream;
using store::streams::Pending;
using store::streams::Stream;

/// What of a stream is read; the first three have the numbers of the wire's ReadFrom.
enum class From : std::uint8_t { kAfter, kNewest, kUnread, kBroken };

/// One stream that is read.
struct Source {
    std::string_view key;
    From from = From::kAfter;
    EntryId id;
};

struct ReadArguments {
    std::span<Source> sources;
    std::uint64_t count_max = 0;  ///< 0: all
    std::int64_t block_ms = -1;   ///< negative: does not wait; 0: for ever
    bool is_grouped = false;
    bool skips_pending = false;  ///< NOACK: nothing becomes pending
    std::string_view group;
    std::string_view consumer;
};
struct GroupReadArguments : ReadArguments {};

// Parsing

[[nodiscard]] From parse_from(std::string_view text, EntryId& id) noexcept {
    if (text == "$") {
        return From::kNewest;
    }
    if (text == ">") {
        return From::kUnread;
    }
    return parse_entry_id(text, 0, id) ? From::kAfter : From::kBroken;
}

bool read_block_ms(Arguments& in, std::int64_t& block_ms, Reply& reply) {
    if (!in.read_integer(block_ms, reply, "ERR timeout is not an integer or out of range")) {
        return false;
    }
    if (block_ms < 0) {
        reply.error("ERR timeout is negative");
        return false;
    }
    return true;
}

/// The keys and ids behind STREAMS.
bool read_sources(Arguments& in, ReadArguments& out, Reply& reply) {
    if (in.left() % 2 != 0) {
        reply.error(fmt::format(
            "ERR Unbalanced '{}' list of streams: for each stream key an ID or '{}' must be "
            "specified.",
            out.is_grouped ? "xreadgroup" : "xread",
            out.is_grouped ? '>' : '$'));
        return false;
    }
    out.sources = in.scratch().array<Source>(in.left() / 2);
    for (Source& source : out.sources) {
        source.key = in.take();
    }
    for (Source& source : out.sources) {
        source.from = parse_from(in.take(), source.id);
    }
    return true;
}

/// One option; kNo: STREAMS follows, or nothing that is known.
Taken take_read_option(Arguments& in, ReadArguments& out, Reply& reply, bool& has_group) {
    const auto only_grouped = [&](std::string_view option) {
        if (!out.is_grouped) {
            reply.error(
                fmt::format("ERR The {} option is only supported by XREADGROUP. You called "
                            "XREAD instead.",
                            option));
        }
        return out.is_grouped ? Taken::kYes : Taken::kFailed;
    };
    if (in.left() >= 2 && in.take_option("BLOCK")) {
        return read_block_ms(in, out.block_ms, reply) ? Taken::kYes : Taken::kFailed;
    }
    if (in.left() >= 2 && in.take_option("COUNT")) {
        std::int64_t count = 0;
        if (!in.read_integer(count, reply)) {
            return Taken::kFailed;
        }
        out.count_max = count < 0 ? 0 : static_cast<std::uint64_t>(count);
        return Taken::kYes;
    }
    if (in.left() >= 3 && in.take_option("GROUP")) {
        has_group = true;
        out.group = in.take();
        out.consumer = in.take();
        return only_grouped("GROUP");
    }
    if (in.take_option("NOACK")) {
        out.skips_pending = true;
        return only_grouped("NOACK");
    }
    return Taken::kNo;
}

bool parse_read(Arguments& in, ReadArguments& out, Reply& reply) {
    bool has_group = false;
    while (true) {
        const Taken taken = take_read_option(in, out, reply, has_group);
        if (taken == Taken::kFailed) {
            return false;
        }
        if (taken == Taken::kNo) {
            break;
        }
    }
    if (in.left() < 2 || !in.take_option("STREAMS")) {
        return syntax_error(reply);
    }
    if (!read_sources(in, out, reply)) {
        return false;
    }
    if (out.is_grouped && !has_group) {
        reply.error("ERR Missing GROUP option for XREADGROUP");
        return false;
    }
    return true;
}
bool parse_text(Arguments& in, ReadArguments& out, Reply& reply) {
    return parse_read(in, out, reply);
}
bool parse_text(Arguments& in, GroupReadArguments& out, Reply& reply) {
    out.is_grouped = true;
    return parse_read(in, out, reply);
}

template <typename View>
bool decode_wire(const View& view, ReadArguments& out, Scratch& scratch) {
    out.count_max = view.count() < 0 ? 0 : static_cast<std::uint64_t>(view.count());
    out.block_ms = view.block_ms();
    const auto entries = view.keys();
    out.sources = scratch.array<Source>(entries.size());
    std::size_t i = 0;
    bool are_known = true;
    for (const auto entry : entries) {
        Source& source = out.sources[i++];
        source.from = static_cast<From>(entry.from_().raw());
        source.id = {entry.ms(), entry.sequence()};
        source.key = as_text(entry.key());
        are_known = are_known && entry.from_().known();
    }
    if constexpr (requires { view.group(); }) {
        out.is_grouped = true;
        out.skips_pending = view.flags().no_ack();
        out.group = as_text(view.group());
        out.consumer = as_text(view.consumer());
    }
    return are_known && !out.sources.empty() && out.block_ms >= -1;
}

// Reading

/// Why a stream cannot be read as it says; empty: it can. "$" becomes the id of today.
[[nodiscard]] std::string refusal(const ReadArguments& args, const Stream& stream, Source& source) {
    if (stream.is_wrong_type()) {
        return std::string(kWrongType);
    }
    if (args.is_grouped && (!stream.exists() || stream.get().find_group(args.group) == nullptr)) {
        return fmt::format(
            "NOGROUP No such key '{}' or consumer group '{}' in XREADGROUP with GROUP option",
            c_string(source.key),
            c_string(args.group));
    }
    switch (source.from) {
        case From::kAfter:
            // Redis takes the highest id for ">".
            if (args.is_grouped && source.id == kIdMax) {
                source.from = From::kUnread;
            }
            return {};
        case From::kNewest:
            if (args.is_grouped) {
                return "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read "
                       "the history of this consumer by specifying a proper ID, or use the > ID to "
                       "get new messages. The $ ID would just return an empty result set.";
            }
            source.from = From::kAfter;
            source.id = stream.exists() ? stream.get().last_id : EntryId{};
            return {};
        case From::kUnread:
            return args.is_grouped ? std::string()
                                   : "ERR The > ID can be specified only when calling XREADGROUP "
                                     "using the GROUP <group> <consumer> option.";
        case From::kBroken:
            break;
    }
    return std::string(kInvalidEntryId);
}

/// What a group's reader is given, entry by entry: new ones become pending.
class Delivery {
public:
    Delivery(Call& call, const ReadArguments& args, LargeStream& stream, Group& group, Consumer& to)
        : call_(call), args_(args), stream_(stream), group_(group), consumer_(to) {}

    /// Answers with the entries that the group has not read.
    void write_unread() {
        const Reply::Open open = call_.reply.open_array();
        EntryId first = group_.last_id;
        std::size_t count = 0;
        if (store::streams::increment(first)) {
            stream_.entries().walk(first, kIdMax, false, [&](const EntryView& entry) {
                if (!args_.skips_pending && !make_pending(entry.id)) {
                    return false;  // without memory the reader gets what there was memory for
                }
                stream_.advance(group_, entry.id);
                write_entry(call_.reply, entry);
                return ++count != args_.count_max;
            });
        }
        call_.reply.close_array(open, count);
    }

    /// Answers with the consumer's pending entries behind `after`.
    void write_history(EntryId after) {
        const Reply::Open open = call_.reply.open_array();
        std::size_t count = 0;
        if (store::streams::increment(after)) {
            group_.walk_pending(consumer_, after, kIdMax, [&](Pending& pending) {
                write_again(pending);
                return ++count != args_.count_max;
            });
        }
        call_.reply.close_array(open, count);
    }

private:
    bool make_pending(const EntryId& id) {
        Pending* pending = group_.find_pending(id);
        if (pending == nullptr) {
            pending = group_.add_pending(id, consumer_);
        } else if (!group_.assign(*pending, consumer_)) {
            pending = nullptr;
        }
        if (pending == nullptr) {
            return false;
        }
        pending->delivered_at_ms = call_.now_ms;
        pending->delivery_count = 1;
        consumer_.active_at_ms = call_.now_ms;
        return true;
    }

    void write_again(Pending& pending) {
        if (!stream_.entries().contains(pending.id)) {
            call_.reply.array(2);
            write_id(call_.reply, pending.id);
            call_.reply.null_array();
            return;
        }
        write_entry_of(call_.reply, stream_.entries(), pending.id);
        pending.delivered_at_ms = call_.now_ms;
        ++pending.delivery_count;
    }

    Call& call_;
    const ReadArguments& args_;
    LargeStream& stream_;
    Group& group_;
    Consumer& consumer_;
};

/// One reading of some streams: each that has something is answered with.
class Reading {
public:
    Reading(Call& call, const ReadArguments& args) : call_(call), args_(args) {}

    /// Whether everything was answered: entries, or an error.
    bool answers() {
        for (Source& source : args_.sources) {
            const Stream stream(call_.database, source.key);
            if (const std::string error = refusal(args_, stream, source); !error.empty()) {
                call_.reply.error(error);
                return true;
            }
        }
        for (const Source& source : args_.sources) {
            const Stream stream(call_.database, source.key);
            if (stream.exists() && !(args_.is_grouped ? read_group(source, stream.get())
                                                      : read_all(source, stream.get()))) {
                return true;
            }
        }
        if (count_ == 0) {
            return false;
        }
        if (call_.reply.is_typed()) {
            call_.reply.close_map(open_, count_);
        } else {
            call_.reply.close_array(open_, count_);
        }
        return true;
    }

private:
    void begin(std::string_view key) {
        if (count_++ == 0) {
            open_ = call_.reply.open_array();
        }
        if (!call_.reply.is_typed()) {
            call_.reply.array(2);
        }
        call_.reply.bulk(key);
    }

    [[nodiscard]] static bool has_above(const LargeStream& stream, const EntryId& id) {
        return stream.entries().size() != 0 && *stream.entries().last_id() > id;
    }

    bool read_all(const Source& source, const LargeStream& stream) {
        if (!has_above(stream, source.id)) {
            return true;
        }
        EntryId first = source.id;
        static_cast<void>(store::streams::increment(first));
        begin(source.key);
        write_entries(call_.reply, stream.entries(), {first, kIdMax}, args_.count_max, false);
        return true;
    }

    /// False without memory; the error is answered then.
    bool read_group(const Source& source, LargeStream& stream) {
        Group& group = *stream.find_group(args_.group);
        const bool is_history = source.from == From::kAfter;
        Consumer* const consumer = find_consumer(group);
        if (consumer == nullptr) {
            return false;
        }
        if (!is_history && !has_above(stream, group.last_id)) {
            return true;
        }
        begin(source.key);
        Delivery delivery(call_, args_, stream, group, *consumer);
        if (is_history) {
            delivery.write_history(source.id);
        } else {
            delivery.write_unread();
        }
        call_.keyspace.add_dirty(1);
        return true;
    }

    Consumer* find_consumer(Group& group) {
        if (Consumer* const known = group.find_consumer(args_.consumer); known != nullptr) {
            known->seen_at_ms = call_.now_ms;
            return known;
        }
        Consumer* const fresh = group.add_consumer(args_.consumer, call_.now_ms);
        if (fresh == nullptr) {
            call_.reply.discard();
            call_.reply.error(kOutOfMemory);
            return nullptr;
        }
        call_.keyspace.add_dirty(1);
        return fresh;
    }

    Call& call_;
    const ReadArguments& args_;
    Reply::Open open_;
    std::size_t count_ = 0;
};

// Waiting

/// What a blocked reader does when one of its streams changes: the whole command again.
class BlockedRead final : public BlockedClients::Operation {
public:
    explicit BlockedRead(const ReadArguments& args)
        : args_(args), group_(args.group), consumer_(args.consumer) {
        for (const Source& source : args.sources) {
            keys_.emplace_back(source.key);
            sources_.push_back(source);
        }
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            sources_[i].key = keys_[i];
        }
        args_.sources = sources_;
        args_.group = group_;
        args_.consumer = consumer_;
    }

    bool try_serve(Call& call, std::string_view key) override {
        // A group that is gone, with its key or without, ends the wait with an error. A reader
        // without a group waits on.
        if (!args_.is_grouped) {
            const store::EntryRef ref = call.database.peek(key);
            if (!ref || ref.type() != store::Type::kStream) {
                return false;
            }
        }
        return Reading(call, args_).answers();
    }
    void time_out(Reply& reply) override { reply.null_array(); }
    [[nodiscard]] bool serves_without_key() const noexcept override { return args_.is_grouped; }

private:
    ReadArguments args_;
    std::string group_;
    std::string consumer_;
    std::deque<std::string> keys_;
    std::vector<Source> sources_;
};

void read(Call& call, const ReadArguments& args) {
    if (Reading(call, args).answers()) {
        return;
    }
    if (args.block_ms < 0) {
        call.reply.null_array();
        return;
    }
    std::int64_t deadline_ms = 0;
    if (args.block_ms != 0 && __builtin_add_overflow(call.now_ms, args.block_ms, &deadline_ms)) {
        call.reply.error("ERR timeout is out of range");
        return;
    }
    const auto keys = call.scratch.array<std::string_view>(args.sources.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = args.sources[i].key;
    }
    call.server.blocked_clients().block(
        call, keys, deadline_ms, std::make_unique<BlockedRead>(args));
}

void xread(Call& call, const ReadArguments& args) {
    read(call, args);
}
void xreadgroup(Call& call, const GroupReadArguments& args) {
    read(call, args);
}

constexpr std::array kTable = {
    row<xread, wire::VerifiedXReadRequestView>(
        stream_info("xread",
                    -4,
                    kReadonly | kBlocking | kMovableKeys,
                    {.streams_from = 1},
                    "5.0.0",
                    "O(log(M)+N) for N entries of streams of M",
                    "[COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]",
                    "Reads entries behind ids from streams, or waits for some.")),
    row<xreadgroup, wire::VerifiedXReadGroupRequestView>(
        stream_info("xreadgroup",
                    -7,
                    kWrite | kBlocking | kMovableKeys,
                    {.streams_from = 4},
                    "5.0.0",
                    "O(log(M)+N*log(P)) for N entries of streams of M, P pending",
                    "GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key "
                    "[key ...] id [id ...]",
                    "Reads for a consumer of a group what nobody has read, or what is pending for "
                    "it; or waits.")),
};

}  // namespace

std::span<const CommandSpec> stream_read_table() {
    return kTable;
}

}  // namespace tern::server::commands
