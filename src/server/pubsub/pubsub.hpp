#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/session.hpp"

namespace tern::server {

class Server;

/// What a subscription names.
enum class Topic : std::uint8_t {
    kChannel,       ///< SUBSCRIBE
    kPattern,       ///< PSUBSCRIBE: every channel that a glob matches
    kShardChannel,  ///< SSUBSCRIBE: channels of their own, apart from the others
};

/// Who listens to what, and the delivery of what is published.
///
/// A message is encoded once for each language that a subscriber of it speaks, and its bytes are
/// copied to the late output of each: RESP2 as an array, RESP3 as a push, SBE as an AggregateReply
/// of kind push with correlation id 0 (docs/formats/sbe-wire.md). A subscriber beyond the hard
/// limit of `client-output-buffer-limit pubsub` gets nothing more; its connection closes it.
///
/// Cost:    a message takes one look-up, one match for each pattern there is, one copy for each
///          subscriber that it reaches.
/// Threads: the server's one thread.
class PubSub {
public:
    explicit PubSub(Server& server) noexcept : server_(server) {}

    /// False when the session listens to it already.
    bool subscribe(Session& session, Topic topic, std::string_view name);
    /// False when it does not listen to it.
    bool unsubscribe(Session& session, Topic topic, std::string_view name);
    /// RESET, and the end of the session.
    void forget(Session& session);

    /// What the session listens to, in alphabetical order.
    [[nodiscard]] std::vector<std::string> names_of(const Session& session, Topic topic) const;

    /// Sends `payload` to who listens to `channel` (kChannel: patterns too). Returns how many
    /// messages that were: a session that matches twice gets two.
    std::int64_t publish(Topic topic, std::string_view channel, std::string_view payload);

    [[nodiscard]] std::size_t subscriber_count(Topic topic, std::string_view name) const;
    /// How many different names somebody listens to.
    [[nodiscard]] std::size_t name_count(Topic topic) const noexcept { return table(topic).size(); }
    /// Those that match `pattern`; all when it is empty.
    [[nodiscard]] std::vector<std::string_view> matching_names(Topic topic,
                                                               std::string_view pattern) const;

private:
    static constexpr std::size_t kTopicCount = 3;
    static constexpr std::size_t kProtocolCount = 3;

    /// Sessions in the order in which they came.
    using Table = std::map<std::string, std::vector<Session*>, std::less<>>;
    using Names = std::array<std::set<std::string, std::less<>>, kTopicCount>;

    /// One message in each language that somebody needed so far.
    struct Encoded {
        BufferSink bytes;
        bool is_ready = false;
    };
    class Message;

    [[nodiscard]] const Table& table(Topic topic) const noexcept {
        return tables_[static_cast<std::size_t>(topic)];
    }
    [[nodiscard]] Table& table(Topic topic) noexcept {
        return tables_[static_cast<std::size_t>(topic)];
    }
    std::int64_t deliver(const std::vector<Session*>& sessions, const Message& message);
    bool remove_from_table(Session& session, Topic topic, std::string_view name);

    Server& server_;
    std::array<Table, kTopicCount> tables_;
    std::unordered_map<const Session*, Names> by_session_;
    std::array<Encoded, kProtocolCount> encoded_;  // of the message that is being delivered
};

}  // namespace tern::server
