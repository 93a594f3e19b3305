#include "server/pubsub/pubsub.hpp"

#include <algorithm>

#include "server/glob.hpp"
#include "server/reply.hpp"
#include "server/server.hpp"

namespace tern::server {

namespace {

/// Memory that a long message leaves behind is given back above this.
constexpr std::size_t kKeptMessageBytes = 64 * 1024;

std::size_t protocol_index(Protocol protocol) noexcept {
    return protocol == Protocol::kResp2 ? 0 : protocol == Protocol::kResp3 ? 1 : 2;
}

}  // namespace

/// What is delivered, in whatever language.
class PubSub::Message {
public:
    Message(std::string_view kind, std::string_view channel, std::string_view payload) noexcept
        : kind_(kind), channel_(channel), payload_(payload) {}
    Message(std::string_view pattern,
            std::string_view kind,
            std::string_view channel,
            std::string_view payload) noexcept
        : Message(kind, channel, payload) {
        pattern_ = pattern;
        has_pattern_ = true;
    }

    void write(Reply& reply) const {
        reply.push(has_pattern_ ? 4 : 3);
        reply.bulk(kind_);
        if (has_pattern_) {
            reply.bulk(pattern_);
        }
        reply.bulk(channel_);
        reply.bulk(payload_);
        reply.finish();
    }

private:
    std::string_view kind_;
    std::string_view pattern_;
    std::string_view channel_;
    std::string_view payload_;
    bool has_pattern_ = false;
};

bool PubSub::subscribe(Session& session, Topic topic, std::string_view name) {
    const auto index = static_cast<std::size_t>(topic);
    if (!by_session_[&session][index].emplace(name).second) {
        return false;
    }
    Table& names = table(topic);
    auto place = names.find(name);
    if (place == names.end()) {
        place = names.emplace(std::string(name), std::vector<Session*>()).first;
    }
    place->second.push_back(&session);
    ++session.subscription_counts[index];
    return true;
}

bool PubSub::remove_from_table(Session& session, Topic topic, std::string_view name) {
    Table& names = table(topic);
    const auto place = names.find(name);
    if (place == names.end() || std::erase(place->second, &session) == 0) {
        return false;
    }
    if (place->second.empty()) {
        names.erase(place);
    }
    --session.subscription_counts[static_cast<std::size_t>(topic)];
    return true;
}

bool PubSub::unsubscribe(Session& session, Topic topic, std::string_view name) {
    if (!remove_from_table(session, topic, name)) {
        return false;
    }
    const auto own = by_session_.find(&session);
    auto& names = own->second[static_cast<std::size_t>(topic)];
    names.erase(names.find(name));
    if (!session.is_subscribed()) {
        by_session_.erase(own);
    }
    return true;
}

void PubSub::forget(Session& session) {
    if (!session.is_subscribed()) {
        return;
    }
    const auto own = by_session_.find(&session);
    for (std::size_t i = 0; i < kTopicCount; ++i) {
        for (const std::string& name : own->second[i]) {
            remove_from_table(session, static_cast<Topic>(i), name);
        }
    }
    by_session_.erase(own);
}

std::vector<std::string> PubSub::names_of(const Session& session, Topic topic) const {
    const auto own = by_session_.find(&session);
    if (own == by_session_.end()) {
        return {};
    }
    const auto& names = own->second[static_cast<std::size_t>(topic)];
    return {names.begin(), names.end()};
}

std::int64_t PubSub::publish(Topic topic, std::string_view channel, std::string_view payload) {
    std::int64_t count = 0;
    const Table& names = table(topic);
    if (const auto place = names.find(channel); place != names.end()) {
        count +=
            deliver(place->second,
                    {topic == Topic::kShardChannel ? "smessage" : "message", channel, payload});
    }
    if (topic == Topic::kChannel) {
        for (const auto& [pattern, sessions] : table(Topic::kPattern)) {
            if (glob_match(pattern, channel)) {
                count += deliver(sessions, {pattern, "pmessage", channel, payload});
            }
        }
    }
    return count;
}

std::int64_t PubSub::deliver(const std::vector<Session*>& sessions, const Message& message) {
    for (Session* session : sessions) {
        Encoded& encoded = encoded_[protocol_index(session->protocol)];
        if (!encoded.is_ready) {
            Reply reply(encoded.bytes, session->protocol);
            message.write(reply);
            encoded.is_ready = true;
        }
        Peer& peer = *session->peer;
        const std::uint64_t limit_bytes = server_.config().output_limits.pubsub.hard_bytes;
        if (limit_bytes == 0 || peer.pending_output_bytes() <= limit_bytes) {
            peer.begin_message();
            peer.late_output().append(encoded.bytes.view());
            peer.end_message();
        }
        peer.schedule();
    }
    for (Encoded& encoded : encoded_) {
        encoded.is_ready = false;
        encoded.bytes.clear();
        if (encoded.bytes.capacity() > kKeptMessageBytes) {
            encoded.bytes.release();
        }
    }
    return static_cast<std::int64_t>(sessions.size());
}

std::size_t PubSub::subscriber_count(Topic topic, std::string_view name) const {
    const Table& names = table(topic);
    const auto place = names.find(name);
    return place == names.end() ? 0 : place->second.size();
}

std::vector<std::string_view> PubSub::matching_names(Topic topic, std::string_view pattern) const {
    std::vector<std::string_view> names;
    for (const auto& [name, sessions] : table(topic)) {
        if (pattern.empty() || glob_match(pattern, name)) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace tern::server
