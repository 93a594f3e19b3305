#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <tern/base/result.hpp>
#include <tern/client/options.hpp>
#include <tern/client/pipeline.hpp>
#include <tern/client/reply.hpp>
#include <tern/client/result.hpp>

namespace tern {

class ClientCore;

struct KeyValue {
    std::string_view key;
    std::string_view value;
};

/// What SET does besides setting.
struct SetOptions {
    enum class Condition : std::uint8_t { kAlways, kIfAbsent, kIfPresent };

    Condition condition = Condition::kAlways;
    std::int64_t expire_after_ms = 0;  ///< 0: no expiry
    bool keep_expiry = false;          ///< leave the key's expiry as it is
    bool return_old = false;           ///< answer with the value before, or kMissing
};

/// When EXPIRE takes effect.
enum class ExpireCondition : std::uint8_t { kAlways, kIfNone, kIfAny, kIfGreater, kIfLess };

/// What ZADD does besides adding.
struct ZAddOptions {
    bool if_absent = false;      ///< never change a score
    bool if_present = false;     ///< never add
    bool if_greater = false;     ///< change only to a greater score
    bool if_less = false;        ///< change only to a smaller score
    bool count_changed = false;  ///< the answer counts changed members too
};

/// Which part of a sorted set, and how.
struct ZRangeOptions {
    bool reverse = false;
    bool with_scores = false;
};

/// A range of scores; `limit` members from the `offset`-th on, all when negative.
struct ScoreRange {
    double min = 0;
    double max = 0;
    bool is_min_exclusive = false;
    bool is_max_exclusive = false;
    std::int64_t offset = 0;
    std::int64_t limit = -1;
};

/// A connection to a tern or Redis server over any endpoint, in any of the three protocols.
///
///     auto client = tern::Client::connect({.endpoint = "ring:/run/tern/tern.sock",
///                                          .protocol = tern::Protocol::kSbe});
///     if (!client) { … client.error().message … }
///     client->set("greeting", "hello");
///     if (auto value = client->get("greeting")) { use(*value); }
///
/// Calls are synchronous: one request, then its reply. On a ring a call in steady state allocates
/// nothing, reads no clock and makes no system call, as long as neither side sleeps.
///
/// Threads:  one at a time. Several threads use several clients.
/// Lifetime: texts and views in results are valid until the next call returns, so that they may be
/// its
///           arguments. No call can be made on a temporary client.
class Client {
public:
    /// Connects, logs on, and selects name and database.
    ///
    /// Errors:   kInvalidArgument for an endpoint that cannot be read; what the system says;
    /// kServer
    ///           with the server's text when it refuses; kTimedOut.
    static Result<Client> connect(const ClientOptions& options);

    Client(Client&& other) noexcept;
    Client& operator=(Client&& other) noexcept;
    ~Client();

    [[nodiscard]] bool is_connected() const noexcept;
    [[nodiscard]] const ClientOptions& options() const noexcept;
    /// The server's random id: the ring's, or an SBE server's; 0 for RESP on a socket. Another one
    /// after a reconnection means that another ring or server answers now.
    [[nodiscard]] std::uint64_t instance_id() const noexcept;

    // Any command, its arguments as texts. An error reply is a result with kServerError; everything
    // else that the server answers, null included, is kOk.
    ReplyResult command(std::span<const std::string_view> arguments) &;
    ReplyResult command(std::initializer_list<std::string_view> arguments) & {
        return command(std::span<const std::string_view>(arguments.begin(), arguments.size()));
    }

    /// Commands sent without waiting for each reply. At most `reply_count_max` may be outstanding.
    [[nodiscard]] Pipeline pipeline(
        std::size_t reply_count_max = Pipeline::kDefaultReplyCountMax) &;

    // Connection.
    TextResult ping() &;
    TextResult echo(std::string_view message) &;
    TextResult select(std::uint32_t database) &;

    // Strings.
    TextResult get(std::string_view key) &;
    TextResult set(std::string_view key, std::string_view value) &;
    TextResult set(std::string_view key, std::string_view value, const SetOptions& options) &;
    TextResult get_del(std::string_view key) &;
    IntegerResult append(std::string_view key, std::string_view value) &;
    IntegerResult str_len(std::string_view key) &;
    IntegerResult incr_by(std::string_view key, std::int64_t increment) &;
    NumberResult incr_by_float(std::string_view key, double increment) &;
    CallResult<ValuesView> mget(std::span<const std::string_view> keys) &;
    TextResult mset(std::span<const KeyValue> pairs) &;

    // Keys. Results count the keys that were there.
    IntegerResult del(std::string_view key) & { return del(std::span(&key, 1)); }
    IntegerResult del(std::span<const std::string_view> keys) &;
    IntegerResult unlink(std::span<const std::string_view> keys) &;
    IntegerResult exists(std::string_view key) & { return exists(std::span(&key, 1)); }
    IntegerResult exists(std::span<const std::string_view> keys) &;
    /// 1 when the expiry was set, else 0.
    IntegerResult expire_ms(std::string_view key,
                            std::int64_t after_ms,
                            ExpireCondition condition = ExpireCondition::kAlways) &;
    /// Milliseconds to live; -1 without an expiry, -2 without a key.
    IntegerResult pttl(std::string_view key) &;
    IntegerResult persist(std::string_view key) &;
    TextResult type(std::string_view key) &;

    // Hashes.
    /// The number of fields that are new.
    IntegerResult hset(std::string_view key, std::span<const FieldValue> fields) &;
    IntegerResult hset(std::string_view key, std::string_view field, std::string_view value) & {
        const FieldValue one{field, value};
        return hset(key, std::span(&one, 1));
    }
    TextResult hget(std::string_view key, std::string_view field) &;
    CallResult<ValuesView> hmget(std::string_view key, std::span<const std::string_view> fields) &;
    CallResult<FieldsView> hgetall(std::string_view key) &;
    IntegerResult hdel(std::string_view key, std::span<const std::string_view> fields) &;
    IntegerResult hlen(std::string_view key) &;
    IntegerResult hexists(std::string_view key, std::string_view field) &;
    IntegerResult hincr_by(std::string_view key, std::string_view field, std::int64_t increment) &;

    // Sorted sets.
    /// The number of members that are new (or changed: ZAddOptions::count_changed).
    IntegerResult zadd(std::string_view key,
                       std::span<const ScoredMember> members,
                       const ZAddOptions& options = {}) &;
    IntegerResult zadd(std::string_view key, double score, std::string_view member) & {
        const ScoredMember one{member, score};
        return zadd(key, std::span(&one, 1));
    }
    NumberResult zincr_by(std::string_view key, double increment, std::string_view member) &;
    NumberResult zscore(std::string_view key, std::string_view member) &;
    IntegerResult zrank(std::string_view key, std::string_view member) &;
    IntegerResult zrev_rank(std::string_view key, std::string_view member) &;
    IntegerResult zcard(std::string_view key) &;
    IntegerResult zcount(std::string_view key, const ScoreRange& range) &;
    IntegerResult zrem(std::string_view key, std::span<const std::string_view> members) &;
    /// Members from rank `start` to `stop`, both included; negative ranks count from the end.
    CallResult<MembersView> zrange(std::string_view key,
                                   std::int64_t start,
                                   std::int64_t stop,
                                   const ZRangeOptions& options = {}) &;
    /// Members by score, in ascending order, or in descending order with `reverse`.
    CallResult<MembersView> zrange_by_score(std::string_view key,
                                            const ScoreRange& range,
                                            const ZRangeOptions& options = {}) &;
    CallResult<MembersView> zpop_min(std::string_view key, std::int64_t count = 1) &;
    CallResult<MembersView> zpop_max(std::string_view key, std::int64_t count = 1) &;

private:
    explicit Client(std::unique_ptr<ClientCore> core) noexcept;

    std::unique_ptr<ClientCore> core_;
};

}  // namespace tern
