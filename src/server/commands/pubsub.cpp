#include "server/pubsub/pubsub.hpp"

#include <array>

#include "server/commands/admin_rows.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/tables.hpp"
#include "server/server.hpp"
#include "tern_store_wire/all.hpp"

/// SUBSCRIBE, PSUBSCRIBE, SSUBSCRIBE and their opposites, PUBLISH, SPUBLISH, PUBSUB.
namespace tern::server::commands {

namespace {

/// Channels, or patterns.
struct NamesArguments {
    std::span<const std::string_view> names;
};

bool parse_text(Arguments& in, NamesArguments& out, Reply&) {
    out.names = in.take_rest();
    return true;
}

template <typename View>
bool decode_wire(const View& view, NamesArguments& out, Scratch& scratch) {
    out.names = texts_of(view.names(), scratch, [](const auto& entry) { return entry.name(); });
    return true;
}

/// The words that tell the kinds of confirmation apart.
struct Words {
    std::string_view subscribe;
    std::string_view unsubscribe;
};
constexpr Words words_of(Topic topic) {
    switch (topic) {
        case Topic::kPattern:
            return {"psubscribe", "punsubscribe"};
        case Topic::kShardChannel:
            return {"ssubscribe", "sunsubscribe"};
        case Topic::kChannel:
            break;
    }
    return {"subscribe", "unsubscribe"};
}

/// What the confirmation counts: channels and patterns together, shard channels alone.
std::int64_t counted(const Session& session, Topic topic) noexcept {
    const auto& counts = session.subscription_counts;
    const auto at = [&counts](Topic one) { return counts[static_cast<std::size_t>(one)]; };
    return topic == Topic::kShardChannel ? at(topic) : at(Topic::kChannel) + at(Topic::kPattern);
}

/// RESP answers a name with a message of its own; an SBE reply is one message, a list of them.
void begin_confirmations(Reply& reply, std::size_t count) {
    if (reply.protocol() == Protocol::kSbe) {
        reply.array(count);
    }
}

void begin_confirmation(Reply& reply, std::string_view kind) {
    constexpr std::size_t kFieldCount = 3;
    if (reply.protocol() == Protocol::kSbe) {
        reply.array(kFieldCount);
    } else {
        reply.push(kFieldCount);
    }
    reply.bulk(kind);
}

template <Topic topic>
void subscribe(Call& call, const NamesArguments& args) {
    if (args.names.empty()) {
        call.reply.error("ERR malformed SBE request");  // RESP's arity does not let it happen
        return;
    }
    begin_confirmations(call.reply, args.names.size());
    for (const std::string_view name : args.names) {
        static_cast<void>(call.server.pubsub().subscribe(call.session, topic, name));
        begin_confirmation(call.reply, words_of(topic).subscribe);
        call.reply.bulk(name);
        call.reply.integer(counted(call.session, topic));
    }
}

/// Without names: all of them, and a confirmation without a name when there are none.
template <Topic topic>
void unsubscribe(Call& call, const NamesArguments& args) {
    PubSub& pubsub = call.server.pubsub();
    const std::vector<std::string> own =
        args.names.empty() ? pubsub.names_of(call.session, topic) : std::vector<std::string>();
    const auto confirm = [&](std::string_view name) {
        static_cast<void>(pubsub.unsubscribe(call.session, topic, name));
        begin_confirmation(call.reply, words_of(topic).unsubscribe);
        call.reply.bulk(name);
        call.reply.integer(counted(call.session, topic));
    };
    if (!args.names.empty()) {
        begin_confirmations(call.reply, args.names.size());
        std::for_each(args.names.begin(), args.names.end(), confirm);
    } else if (!own.empty()) {
        begin_confirmations(call.reply, own.size());
        std::for_each(own.begin(), own.end(), confirm);
    } else {
        begin_confirmations(call.reply, 1);
        begin_confirmation(call.reply, words_of(topic).unsubscribe);
        call.reply.null();
        call.reply.integer(counted(call.session, topic));
    }
}

struct PublishArguments {
    std::string_view channel;
    std::string_view message;
};

bool parse_text(Arguments& in, PublishArguments& out, Reply&) {
    out.channel = in.take();
    out.message = in.take();
    return true;
}

template <typename View>
bool decode_wire(const View& view, PublishArguments& out, Scratch&) {
    out.channel = as_text(view.channel());
    out.message = as_text(view.message());
    return true;
}

template <Topic topic>
void publish(Call& call, const PublishArguments& args) {
    call.reply.integer(call.server.pubsub().publish(topic, args.channel, args.message));
}

// PUBSUB

struct PatternArguments {
    std::string_view pattern;
};

bool parse_text(Arguments& in, PatternArguments& out, Reply& reply) {
    if (in.left() > 1) {
        reply.error(
            "ERR unknown subcommand or wrong number of arguments for 'channels'. Try "
            "PUBSUB HELP.");
        return false;
    }
    if (!in.is_empty()) {
        out.pattern = in.take();
    }
    return true;
}

template <Topic topic>
void channels(Call& call, const PatternArguments& args) {
    const std::vector<std::string_view> names =
        call.server.pubsub().matching_names(topic, args.pattern);
    call.reply.array(names.size());
    for (const std::string_view name : names) {
        call.reply.bulk(name);
    }
}

template <Topic topic>
void subscriber_counts(Call& call, const NamesArguments& args) {
    call.reply.array(2 * args.names.size());
    for (const std::string_view name : args.names) {
        call.reply.bulk(name);
        call.reply.integer(
            static_cast<std::int64_t>(call.server.pubsub().subscriber_count(topic, name)));
    }
}

void pattern_count(Call& call, const NoArguments&) {
    call.reply.integer(static_cast<std::int64_t>(call.server.pubsub().name_count(Topic::kPattern)));
}

constexpr std::uint32_t kListens = kPubsub | kNoScript | kAnyTime | kRunsSubscribed;
constexpr std::uint32_t kPublishes = kPubsub | kAnyTime | kFast | kMayReplicate;
constexpr std::uint32_t kLooks = kPubsub | kAnyTime;
constexpr GroupInfo kInfo("pubsub", kAclPubsub);
constexpr GroupInfo kSubInfo("pubsub", 0);

constexpr std::array kSubcommands = {
    row<channels<Topic::kChannel>>(kSubInfo("channels",
                                            -2,
                                            kLooks,
                                            {},
                                            "2.8.0",
                                            "O(N) where N is the number of active channels",
                                            "[pattern]",
                                            "The channels that somebody listens to.")),
    row<container_help>(
        kSubInfo("help", 2, kAnyTime, {}, "6.2.0", "O(1)", "", "What there is of PUBSUB.")),
    row<pattern_count>(kSubInfo("numpat",
                                2,
                                kLooks,
                                {},
                                "2.8.0",
                                "O(1)",
                                "",
                                "How many different patterns somebody listens to.")),
    row<subscriber_counts<Topic::kChannel>>(
        kSubInfo("numsub",
                 -2,
                 kLooks,
                 {},
                 "2.8.0",
                 "O(N) for the NUMSUB subcommand, where N is the number of requested channels",
                 "[channel [channel ...]]",
                 "How many listen to each channel; patterns do not count.")),
    row<channels<Topic::kShardChannel>>(
        kSubInfo("shardchannels",
                 -2,
                 kLooks,
                 {},
                 "7.0.0",
                 "O(N) where N is the number of active shard channels",
                 "[pattern]",
                 "The shard channels that somebody listens to.")),
    row<subscriber_counts<Topic::kShardChannel>>(
        kSubInfo("shardnumsub",
                 -2,
                 kLooks,
                 {},
                 "7.0.0",
                 "O(N) where N is the number of requested shard channels",
                 "[shardchannel [shardchannel ...]]",
                 "How many listen to each shard channel.")),
};

}  // namespace

std::span<const CommandSpec> pubsub_table() {
    static constexpr std::array kTable = {
        row<subscribe<Topic::kPattern>, wire::VerifiedPSubscribeRequestView>(
            kInfo("psubscribe",
                  -2,
                  kListens,
                  {},
                  "2.0.0",
                  "O(N) where N is the number of patterns to subscribe to.",
                  "pattern [pattern ...]",
                  "Listens to every channel that a pattern matches.")),
        row<publish<Topic::kChannel>, wire::VerifiedPublishRequestView>(
            kInfo("publish",
                  3,
                  kPublishes,
                  {},
                  "2.0.0",
                  "O(N+M) where N is the number of clients subscribed to the receiving channel and "
                  "M is the total number of subscribed patterns",
                  "channel message",
                  "Sends a message to who listens to the channel.")),
        container_row(
            kInfo(
                "pubsub", -2, 0, {}, "2.8.0", "Depends on subcommand.", "", "Who listens to what."),
            kSubcommands),
        row<unsubscribe<Topic::kPattern>, wire::VerifiedPUnsubscribeRequestView>(
            kInfo("punsubscribe",
                  -1,
                  kListens,
                  {},
                  "2.0.0",
                  "O(N) where N is the number of patterns to unsubscribe.",
                  "[pattern [pattern ...]]",
                  "Listens no more to patterns, or to any pattern.")),
        row<publish<Topic::kShardChannel>, wire::VerifiedSPublishRequestView>(kInfo(
            "spublish",
            3,
            kPublishes,
            kOneKey,
            "7.0.0",
            "O(N) where N is the number of clients subscribed to the receiving shard channel.",
            "shardchannel message",
            "Sends a message to who listens to the shard channel.")),
        row<subscribe<Topic::kShardChannel>, wire::VerifiedSSubscribeRequestView>(
            kInfo("ssubscribe",
                  -2,
                  kListens,
                  kAllKeys,
                  "7.0.0",
                  "O(N) where N is the number of shard channels to subscribe to.",
                  "shardchannel [shardchannel ...]",
                  "Listens to shard channels.")),
        row<subscribe<Topic::kChannel>, wire::VerifiedSubscribeRequestView>(
            kInfo("subscribe",
                  -2,
                  kListens,
                  {},
                  "2.0.0",
                  "O(N) where N is the number of channels to subscribe to.",
                  "channel [channel ...]",
                  "Listens to channels.")),
        row<unsubscribe<Topic::kShardChannel>, wire::VerifiedSUnsubscribeRequestView>(
            kInfo("sunsubscribe",
                  -1,
                  kListens,
                  kAllKeys,
                  "7.0.0",
                  "O(N) where N is the number of shard channels to unsubscribe.",
                  "[shardchannel [shardchannel ...]]",
                  "Listens no more to shard channels, or to any.")),
        row<unsubscribe<Topic::kChannel>, wire::VerifiedUnsubscribeRequestView>(
            kInfo("unsubscribe",
                  -1,
                  kListens,
                  {},
                  "2.0.0",
                  "O(N) where N is the number of channels to unsubscribe.",
                  "[channel [channel ...]]",
                  "Listens no more to channels, or to any.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
