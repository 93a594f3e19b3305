#include <tern/client/client.hpp>

#include "client/calls.hpp"
#include "client/core.hpp"

/// Hashes and sorted sets.
namespace tern {
namespace {

/// A list of members as the server sent it: with scores flat (RESP2) or in pairs.
CallResult<MembersView> members_result(CallStatus status,
                                       const ReplyView& reply,
                                       bool has_scores,
                                       const ClientCore& core) {
    if (status != CallStatus::kOk || reply.type() != ReplyType::kArray) {
        return failed_result<MembersView>(status, reply, core);
    }
    MembersView::Shape shape = MembersView::Shape::kMembers;
    if (has_scores && reply.size() != 0) {
        shape = (*reply.begin()).is_aggregate() ? MembersView::Shape::kPairs
                                                : MembersView::Shape::kFlat;
    }
    if (shape == MembersView::Shape::kFlat && reply.size() % 2 != 0) {
        return {CallStatus::kUnexpected, "a list of members and scores of odd length"};
    }
    return CallResult<MembersView>(MembersView(reply, shape));
}

}  // namespace

// ---- Hashes ----

IntegerResult Client::hset(std::string_view key, std::span<const FieldValue> fields) & {
    std::size_t wire_bytes =
        calls::kBareBytes + 2 * WireWriter::kGroupHeaderBytes + calls::data_bytes(key);
    std::size_t text_bytes = calls::kNameBytes + calls::argument_bytes(key);
    for (const FieldValue& one : fields) {
        wire_bytes += calls::data_bytes(one.field) + calls::data_bytes(one.value);
        text_bytes += calls::argument_bytes(one.field) + calls::argument_bytes(one.value);
    }
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        wire_bytes,
        [&](WireWriter& out) {
            out.begin(wire_template::kHSet, calls::kBareBlockBytes, core_->request_id())
                .one_key(key)
                .group(0, fields.size());
            for (const FieldValue& one : fields) {
                out.data(one.field).data(one.value);
            }
        },
        text_bytes,
        [&](TextWriter& out) {
            out.begin(2 + 2 * fields.size()).argument("HSET").argument(key);
            for (const FieldValue& one : fields) {
                out.argument(one.field).argument(one.value);
            }
        });
    return integer_result(status, reply, *core_);
}

TextResult Client::hget(std::string_view key, std::string_view field) & {
    ReplyView reply;
    return text_result(
        calls::key_and_text(*core_, reply, {wire_template::kHGet, "HGET"}, key, field),
        reply,
        *core_);
}

CallResult<ValuesView> Client::hmget(std::string_view key,
                                     std::span<const std::string_view> fields) & {
    ReplyView reply;
    const CallStatus status =
        calls::key_and_list(*core_, reply, {wire_template::kHMGet, "HMGET"}, key, fields);
    if (status == CallStatus::kOk && reply.type() == ReplyType::kArray) {
        return CallResult<ValuesView>(ValuesView(reply));
    }
    return failed_result<ValuesView>(status, reply, *core_);
}

CallResult<FieldsView> Client::hgetall(std::string_view key) & {
    ReplyView reply;
    const CallStatus status = calls::key(*core_, reply, {wire_template::kHGetAll, "HGETALL"}, key);
    if (status == CallStatus::kOk && reply.is_aggregate() && reply.size() % 2 == 0) {
        return CallResult<FieldsView>(FieldsView(reply));
    }
    return failed_result<FieldsView>(status, reply, *core_);
}

IntegerResult Client::hdel(std::string_view key, std::span<const std::string_view> fields) & {
    ReplyView reply;
    return integer_result(
        calls::key_and_list(*core_, reply, {wire_template::kHDel, "HDEL"}, key, fields),
        reply,
        *core_);
}

IntegerResult Client::hlen(std::string_view key) & {
    ReplyView reply;
    return integer_result(
        calls::key(*core_, reply, {wire_template::kHLen, "HLEN"}, key), reply, *core_);
}

IntegerResult Client::hexists(std::string_view key, std::string_view field) & {
    ReplyView reply;
    return integer_result(
        calls::key_and_text(*core_, reply, {wire_template::kHExists, "HEXISTS"}, key, field),
        reply,
        *core_);
}

IntegerResult Client::hincr_by(std::string_view key,
                               std::string_view field,
                               std::int64_t increment) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        calls::kBareBytes + sizeof increment + calls::data_bytes(key) + calls::data_bytes(field),
        [&](WireWriter& out) {
            out.begin(wire_template::kHIncrBy,
                      calls::kBareBlockBytes + sizeof increment,
                      core_->request_id())
                .put(increment)
                .data(key)
                .data(field);
        },
        calls::kNameBytes + calls::argument_bytes(key) + calls::argument_bytes(field) +
            calls::kNumberBytes,
        [&](TextWriter& out) {
            out.begin(4).argument("HINCRBY").argument(key).argument(field).integer(increment);
        });
    return integer_result(status, reply, *core_);
}

// ---- Sorted sets ----

namespace {

struct ZAddWord {
    bool ZAddOptions::*option;
    std::string_view word;
};
/// In the order of the bits of ZAddFlags.
constexpr ZAddWord kZAddWords[] = {
    {&ZAddOptions::if_absent, "NX"},
    {&ZAddOptions::if_present, "XX"},
    {&ZAddOptions::if_greater, "GT"},
    {&ZAddOptions::if_less, "LT"},
    {&ZAddOptions::count_changed, "CH"},
};

std::uint8_t zadd_flags(const ZAddOptions& options) noexcept {
    unsigned flags = 0;
    unsigned bit = 1;
    for (const ZAddWord& one : kZAddWords) {
        flags |= options.*one.option ? bit : 0U;
        bit <<= 1;
    }
    return static_cast<std::uint8_t>(flags);
}

void write_zadd(TextWriter& out,
                std::string_view key,
                std::span<const ScoredMember> members,
                const ZAddOptions& options) noexcept {
    std::size_t word_count = 0;
    for (const ZAddWord& one : kZAddWords) {
        word_count += options.*one.option ? 1 : 0;
    }
    out.begin(2 + word_count + 2 * members.size()).argument("ZADD").argument(key);
    for (const ZAddWord& one : kZAddWords) {
        if (options.*one.option) {
            out.argument(one.word);
        }
    }
    for (const ScoredMember& one : members) {
        out.number(one.score).argument(one.member);
    }
}

}  // namespace

IntegerResult Client::zadd(std::string_view key,
                           std::span<const ScoredMember> members,
                           const ZAddOptions& options) & {
    constexpr std::uint16_t kBlockBytes = 8 + 1;
    constexpr std::uint16_t kEntryBlockBytes = sizeof(double);
    std::size_t wire_bytes = WireWriter::kHeaderBytes + kBlockBytes +
                             2 * WireWriter::kGroupHeaderBytes + calls::data_bytes(key);
    std::size_t text_bytes = calls::kNameBytes + calls::argument_bytes(key) +
                             std::size(kZAddWords) * calls::kNumberBytes;
    for (const ScoredMember& one : members) {
        wire_bytes += kEntryBlockBytes + calls::data_bytes(one.member);
        text_bytes += calls::kNumberBytes + calls::argument_bytes(one.member);
    }
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        wire_bytes,
        [&](WireWriter& out) {
            out.begin(wire_template::kZAdd, kBlockBytes, core_->request_id())
                .put(zadd_flags(options))
                .one_key(key)
                .group(kEntryBlockBytes, members.size());
            for (const ScoredMember& one : members) {
                out.put(one.score).data(one.member);
            }
        },
        text_bytes,
        [&](TextWriter& out) { write_zadd(out, key, members, options); });
    return integer_result(status, reply, *core_);
}

NumberResult Client::zincr_by(std::string_view key, double increment, std::string_view member) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        calls::kBareBytes + sizeof increment + calls::data_bytes(key) + calls::data_bytes(member),
        [&](WireWriter& out) {
            out.begin(wire_template::kZIncrBy,
                      calls::kBareBlockBytes + sizeof increment,
                      core_->request_id())
                .put(increment)
                .data(key)
                .data(member);
        },
        calls::kNameBytes + calls::argument_bytes(key) + calls::argument_bytes(member) +
            calls::kNumberBytes,
        [&](TextWriter& out) {
            out.begin(4).argument("ZINCRBY").argument(key).number(increment).argument(member);
        });
    return number_result(status, reply, *core_);
}

NumberResult Client::zscore(std::string_view key, std::string_view member) & {
    ReplyView reply;
    return number_result(
        calls::key_and_text(*core_, reply, {wire_template::kZScore, "ZSCORE"}, key, member),
        reply,
        *core_);
}

namespace {

/// ZRANK and ZREVRANK, whose SBE request has a set of flags.
CallStatus call_rank(ClientCore& core,
                     ReplyView& reply,
                     const calls::Command& command,
                     std::string_view key,
                     std::string_view member) {
    constexpr std::uint16_t kBlockBytes = 8 + 1;
    return calls::call(
        core,
        reply,
        WireWriter::kHeaderBytes + kBlockBytes + calls::data_bytes(key) + calls::data_bytes(member),
        [&](WireWriter& out) {
            out.begin(command.template_id, kBlockBytes, core.request_id())
                .put(std::uint8_t{0})
                .data(key)
                .data(member);
        },
        calls::kNameBytes + calls::argument_bytes(key) + calls::argument_bytes(member),
        [&](TextWriter& out) {
            out.begin(3).argument(command.name).argument(key).argument(member);
        });
}

// RangeKind and RangeFlags of the schema.
constexpr std::uint8_t kRangeByRank = 0;
constexpr std::uint8_t kRangeByScore = 1;
constexpr std::uint8_t kRangeReverse = 1;
constexpr std::uint8_t kRangeWithScores = 2;
constexpr std::uint8_t kRangeMinExclusive = 4;
constexpr std::uint8_t kRangeMaxExclusive = 8;
constexpr std::uint8_t kRangeHasLimit = 16;

std::uint8_t score_flags(const ScoreRange& range) noexcept {
    return static_cast<std::uint8_t>((range.is_min_exclusive ? kRangeMinExclusive : 0U) |
                                     (range.is_max_exclusive ? kRangeMaxExclusive : 0U));
}

std::uint8_t range_flags(const ZRangeOptions& options) noexcept {
    return static_cast<std::uint8_t>((options.reverse ? kRangeReverse : 0U) |
                                     (options.with_scores ? kRangeWithScores : 0U));
}

/// A bound of a score range as RESP writes it: "(1.5", "-inf".
class ScoreBound {
public:
    ScoreBound(double score, bool is_exclusive) noexcept {
        text_[0] = '(';
        const std::size_t start = is_exclusive ? 0 : 1;
        const std::size_t digit_count = format_double(text_ + 1, score);
        view_ = {text_ + start, 1 - start + digit_count};
    }
    ScoreBound(const ScoreBound&) = delete;
    [[nodiscard]] std::string_view view() const noexcept { return view_; }

private:
    char text_[1 + kDoubleTextBytes];
    std::string_view view_;
};

bool has_limit(const ScoreRange& range) noexcept {
    return range.offset != 0 || range.limit >= 0;
}

constexpr std::uint16_t kRangeBlockBytes = 8 + 6 * 8 + 2;

void write_range(WireWriter& out,
                 std::uint64_t id,
                 std::string_view key,
                 std::int64_t start,
                 std::int64_t stop,
                 const ScoreRange& scores,
                 std::uint8_t kind,
                 std::uint8_t flags) noexcept {
    out.begin(wire_template::kZRange, kRangeBlockBytes, id)
        .put(start)
        .put(stop)
        .put(scores.min)
        .put(scores.max)
        .put(scores.offset)
        .put(scores.limit)
        .put(kind)
        .put(flags)
        .data(key)
        .data({})
        .data({});
}

std::size_t range_wire_bytes(std::string_view key) noexcept {
    return WireWriter::kHeaderBytes + kRangeBlockBytes + calls::data_bytes(key) +
           2 * WireWriter::kDataHeaderBytes;
}

}  // namespace

IntegerResult Client::zrank(std::string_view key, std::string_view member) & {
    ReplyView reply;
    return integer_result(
        call_rank(*core_, reply, {wire_template::kZRank, "ZRANK"}, key, member), reply, *core_);
}

IntegerResult Client::zrev_rank(std::string_view key, std::string_view member) & {
    ReplyView reply;
    return integer_result(
        call_rank(*core_, reply, {wire_template::kZRevRank, "ZREVRANK"}, key, member),
        reply,
        *core_);
}

IntegerResult Client::zcard(std::string_view key) & {
    ReplyView reply;
    return integer_result(
        calls::key(*core_, reply, {wire_template::kZCard, "ZCARD"}, key), reply, *core_);
}

IntegerResult Client::zcount(std::string_view key, const ScoreRange& range) & {
    constexpr std::uint16_t kBlockBytes = 8 + 2 * 8 + 1;
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        WireWriter::kHeaderBytes + kBlockBytes + calls::data_bytes(key),
        [&](WireWriter& out) {
            out.begin(wire_template::kZCount, kBlockBytes, core_->request_id())
                .put(range.min)
                .put(range.max)
                .put(score_flags(range))
                .data(key);
        },
        calls::kNameBytes + calls::argument_bytes(key) + 2 * calls::kNumberBytes,
        [&](TextWriter& out) {
            const ScoreBound min(range.min, range.is_min_exclusive);
            const ScoreBound max(range.max, range.is_max_exclusive);
            out.begin(4).argument("ZCOUNT").argument(key).argument(min.view()).argument(max.view());
        });
    return integer_result(status, reply, *core_);
}

IntegerResult Client::zrem(std::string_view key, std::span<const std::string_view> members) & {
    ReplyView reply;
    return integer_result(
        calls::key_and_list(*core_, reply, {wire_template::kZRem, "ZREM"}, key, members),
        reply,
        *core_);
}

CallResult<MembersView> Client::zrange(std::string_view key,
                                       std::int64_t start,
                                       std::int64_t stop,
                                       const ZRangeOptions& options) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        range_wire_bytes(key),
        [&](WireWriter& out) {
            write_range(out,
                        core_->request_id(),
                        key,
                        start,
                        stop,
                        ScoreRange{},
                        kRangeByRank,
                        range_flags(options));
        },
        calls::kNameBytes + calls::argument_bytes(key) + 4 * calls::kNumberBytes,
        [&](TextWriter& out) {
            out.begin(4U + (options.reverse ? 1U : 0U) + (options.with_scores ? 1U : 0U))
                .argument("ZRANGE")
                .argument(key)
                .integer(start)
                .integer(stop);
            if (options.reverse) {
                out.argument("REV");
            }
            if (options.with_scores) {
                out.argument("WITHSCORES");
            }
        });
    return members_result(status, reply, options.with_scores, *core_);
}

CallResult<MembersView> Client::zrange_by_score(std::string_view key,
                                                const ScoreRange& range,
                                                const ZRangeOptions& options) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        range_wire_bytes(key),
        [&](WireWriter& out) {
            const auto flags = static_cast<std::uint8_t>(range_flags(options) | score_flags(range) |
                                                         (has_limit(range) ? kRangeHasLimit : 0U));
            write_range(out, core_->request_id(), key, 0, 0, range, kRangeByScore, flags);
        },
        calls::kNameBytes + calls::argument_bytes(key) + 8 * calls::kNumberBytes,
        [&](TextWriter& out) {
            const ScoreBound min(range.min, range.is_min_exclusive);
            const ScoreBound max(range.max, range.is_max_exclusive);
            out.begin(5U + (options.reverse ? 1U : 0U) + (options.with_scores ? 1U : 0U) +
                      (has_limit(range) ? 3U : 0U))
                .argument("ZRANGE")
                .argument(key)
                .argument(options.reverse ? max.view() : min.view())
                .argument(options.reverse ? min.view() : max.view())
                .argument("BYSCORE");
            if (options.reverse) {
                out.argument("REV");
            }
            if (has_limit(range)) {
                out.argument("LIMIT").integer(range.offset).integer(range.limit);
            }
            if (options.with_scores) {
                out.argument("WITHSCORES");
            }
        });
    return members_result(status, reply, options.with_scores, *core_);
}

CallResult<MembersView> Client::zpop_min(std::string_view key, std::int64_t count) & {
    ReplyView reply;
    return members_result(
        calls::key_and_integer(*core_, reply, {wire_template::kZPopMin, "ZPOPMIN"}, key, count),
        reply,
        true,
        *core_);
}

CallResult<MembersView> Client::zpop_max(std::string_view key, std::int64_t count) & {
    ReplyView reply;
    return members_result(
        calls::key_and_integer(*core_, reply, {wire_template::kZPopMax, "ZPOPMAX"}, key, count),
        reply,
        true,
        *core_);
}

}  // namespace tern
