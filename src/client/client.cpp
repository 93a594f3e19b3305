#include <tern/client/client.hpp>
#include <utility>

#include "client/calls.hpp"
#include "client/core.hpp"

/// Connection, strings and keys. Hashes and sorted sets: client_collections.cpp.
namespace tern {

Result<Client> Client::connect(const ClientOptions& options) {
    Result<std::unique_ptr<ClientCore>> core = ClientCore::connect(options);
    if (!core) {
        return std::move(core).error();
    }
    return Client(std::move(*core));
}

Client::Client(std::unique_ptr<ClientCore> core) noexcept : core_(std::move(core)) {}
Client::Client(Client&& other) noexcept = default;
Client& Client::operator=(Client&& other) noexcept = default;
Client::~Client() = default;

bool Client::is_connected() const noexcept {
    return core_ != nullptr && core_->is_connected();
}
const ClientOptions& Client::options() const noexcept {
    return core_->options();
}
std::uint64_t Client::instance_id() const noexcept {
    return core_->instance_id();
}

Pipeline Client::pipeline(std::size_t reply_count_max) & {
    return Pipeline(core_.get(), reply_count_max);
}

ReplyResult Client::command(std::span<const std::string_view> arguments) & {
    ReplyView reply;
    const CallStatus status = core_->call_command(arguments, reply);
    if (status == CallStatus::kOk && !reply.is_error()) {
        return ReplyResult(reply);
    }
    return failed_result<ReplyView>(status, reply, *core_);
}

// ---- Connection ----

TextResult Client::ping() & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        calls::kBareBytes,
        [&](WireWriter& out) {
            out.begin(wire_template::kPing, calls::kBareBlockBytes, core_->request_id());
        },
        calls::kNameBytes,
        [&](TextWriter& out) { out.begin(1).argument("PING"); });
    return text_result(status, reply, *core_);
}

TextResult Client::echo(std::string_view message) & {
    ReplyView reply;
    return text_result(
        calls::key(*core_, reply, {wire_template::kEcho, "ECHO"}, message), reply, *core_);
}

TextResult Client::select(std::uint32_t database) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        calls::kBareBytes + sizeof database,
        [&](WireWriter& out) {
            out.begin(wire_template::kSelect,
                      calls::kBareBlockBytes + sizeof database,
                      core_->request_id())
                .put(database);
        },
        calls::kNameBytes + calls::kNumberBytes,
        [&](TextWriter& out) { out.begin(2).argument("SELECT").integer(database); });
    return text_result(status, reply, *core_);
}

// ---- Strings ----

TextResult Client::get(std::string_view key) & {
    ReplyView reply;
    return text_result(calls::key(*core_, reply, {wire_template::kGet, "GET"}, key), reply, *core_);
}

namespace {

// SetRequest's block: correlation id, expiryMs, expiryKind, condition, flags.
constexpr std::uint16_t kSetBlockBytes = 8 + 8 + 1 + 1 + 1;
constexpr std::uint8_t kExpiryClear = 0;
constexpr std::uint8_t kExpiryKeep = 1;
constexpr std::uint8_t kExpiryAfter = 2;
constexpr std::uint8_t kSetReturnOld = 1;

void write_set(WireWriter& out,
               std::uint64_t id,
               std::string_view key,
               std::string_view value,
               const SetOptions& options) noexcept {
    const std::uint8_t expiry = options.keep_expiry            ? kExpiryKeep
                                : options.expire_after_ms != 0 ? kExpiryAfter
                                                               : kExpiryClear;
    out.begin(wire_template::kSet, kSetBlockBytes, id)
        .put(options.expire_after_ms)
        .put(expiry)
        .put(static_cast<std::uint8_t>(options.condition))
        .put(options.return_old ? kSetReturnOld : std::uint8_t{0})
        .data(key)
        .data(value);
}

constexpr std::size_t kSetOptionBytesMax = 5 * calls::kNumberBytes;

void write_set(TextWriter& out,
               std::string_view key,
               std::string_view value,
               const SetOptions& options) noexcept {
    const bool has_condition = options.condition != SetOptions::Condition::kAlways;
    const bool has_expiry = options.expire_after_ms != 0 && !options.keep_expiry;
    out.begin(3U + (has_condition ? 1U : 0U) + (options.keep_expiry ? 1U : 0U) +
              (has_expiry ? 2U : 0U) + (options.return_old ? 1U : 0U))
        .argument("SET")
        .argument(key)
        .argument(value);
    if (has_condition) {
        out.argument(options.condition == SetOptions::Condition::kIfAbsent ? "NX" : "XX");
    }
    if (options.return_old) {
        out.argument("GET");
    }
    if (options.keep_expiry) {
        out.argument("KEEPTTL");
    } else if (has_expiry) {
        out.argument("PX").integer(options.expire_after_ms);
    }
}

}  // namespace

TextResult Client::set(std::string_view key, std::string_view value) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        WireWriter::kHeaderBytes + kSetBlockBytes + calls::data_bytes(key) +
            calls::data_bytes(value),
        [&](WireWriter& out) { write_set(out, core_->request_id(), key, value, {}); },
        calls::kNameBytes + calls::argument_bytes(key) + calls::argument_bytes(value),
        [&](TextWriter& out) { out.begin(3).argument("SET").argument(key).argument(value); });
    return text_result(status, reply, *core_);
}

TextResult Client::set(std::string_view key, std::string_view value, const SetOptions& options) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        WireWriter::kHeaderBytes + kSetBlockBytes + calls::data_bytes(key) +
            calls::data_bytes(value),
        [&](WireWriter& out) { write_set(out, core_->request_id(), key, value, options); },
        calls::kNameBytes + calls::argument_bytes(key) + calls::argument_bytes(value) +
            kSetOptionBytesMax,
        [&](TextWriter& out) { write_set(out, key, value, options); });
    return text_result(status, reply, *core_);
}

TextResult Client::get_del(std::string_view key) & {
    ReplyView reply;
    return text_result(
        calls::key(*core_, reply, {wire_template::kGetDel, "GETDEL"}, key), reply, *core_);
}

IntegerResult Client::append(std::string_view key, std::string_view value) & {
    ReplyView reply;
    return integer_result(
        calls::key_and_text(*core_, reply, {wire_template::kAppend, "APPEND"}, key, value),
        reply,
        *core_);
}

IntegerResult Client::str_len(std::string_view key) & {
    ReplyView reply;
    return integer_result(
        calls::key(*core_, reply, {wire_template::kStrLen, "STRLEN"}, key), reply, *core_);
}

IntegerResult Client::incr_by(std::string_view key, std::int64_t increment) & {
    ReplyView reply;
    return integer_result(
        calls::key_and_integer(*core_, reply, {wire_template::kIncrBy, "INCRBY"}, key, increment),
        reply,
        *core_);
}

NumberResult Client::incr_by_float(std::string_view key, double increment) & {
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        calls::kBareBytes + sizeof increment + calls::data_bytes(key),
        [&](WireWriter& out) {
            out.begin(wire_template::kIncrByFloat,
                      calls::kBareBlockBytes + sizeof increment,
                      core_->request_id())
                .put(increment)
                .data(key);
        },
        calls::kNameBytes + calls::argument_bytes(key) + calls::kNumberBytes,
        [&](TextWriter& out) {
            out.begin(3).argument("INCRBYFLOAT").argument(key).number(increment);
        });
    return number_result(status, reply, *core_);
}

CallResult<ValuesView> Client::mget(std::span<const std::string_view> keys) & {
    ReplyView reply;
    const CallStatus status = calls::keys(*core_, reply, {wire_template::kMGet, "MGET"}, keys);
    if (status == CallStatus::kOk && reply.type() == ReplyType::kArray) {
        return CallResult<ValuesView>(ValuesView(reply));
    }
    return failed_result<ValuesView>(status, reply, *core_);
}

TextResult Client::mset(std::span<const KeyValue> pairs) & {
    std::size_t wire_bytes = calls::kBareBytes + WireWriter::kGroupHeaderBytes;
    std::size_t text_bytes = calls::kNameBytes;
    for (const KeyValue& pair : pairs) {
        wire_bytes += calls::data_bytes(pair.key) + calls::data_bytes(pair.value);
        text_bytes += calls::argument_bytes(pair.key) + calls::argument_bytes(pair.value);
    }
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        wire_bytes,
        [&](WireWriter& out) {
            out.begin(wire_template::kMSet, calls::kBareBlockBytes, core_->request_id())
                .group(0, pairs.size());
            for (const KeyValue& pair : pairs) {
                out.data(pair.key).data(pair.value);
            }
        },
        text_bytes,
        [&](TextWriter& out) {
            out.begin(1 + 2 * pairs.size()).argument("MSET");
            for (const KeyValue& pair : pairs) {
                out.argument(pair.key).argument(pair.value);
            }
        });
    return text_result(status, reply, *core_);
}

// ---- Keys ----

IntegerResult Client::del(std::span<const std::string_view> keys) & {
    ReplyView reply;
    return integer_result(
        calls::keys(*core_, reply, {wire_template::kDel, "DEL"}, keys), reply, *core_);
}

IntegerResult Client::unlink(std::span<const std::string_view> keys) & {
    ReplyView reply;
    return integer_result(
        calls::keys(*core_, reply, {wire_template::kUnlink, "UNLINK"}, keys), reply, *core_);
}

IntegerResult Client::exists(std::span<const std::string_view> keys) & {
    ReplyView reply;
    return integer_result(
        calls::keys(*core_, reply, {wire_template::kExists, "EXISTS"}, keys), reply, *core_);
}

IntegerResult Client::expire_ms(std::string_view key,
                                std::int64_t after_ms,
                                ExpireCondition condition) & {
    constexpr std::string_view kWords[] = {"", "NX", "XX", "GT", "LT"};
    constexpr std::uint16_t kBlockBytes = 8 + 8 + 1;
    const auto condition_index = static_cast<std::uint8_t>(condition);
    ReplyView reply;
    const CallStatus status = calls::call(
        *core_,
        reply,
        WireWriter::kHeaderBytes + kBlockBytes + calls::data_bytes(key),
        [&](WireWriter& out) {
            out.begin(wire_template::kPExpire, kBlockBytes, core_->request_id())
                .put(after_ms)
                .put(condition_index)
                .data(key);
        },
        calls::kNameBytes + calls::argument_bytes(key) + 2 * calls::kNumberBytes,
        [&](TextWriter& out) {
            const bool has_condition = condition != ExpireCondition::kAlways;
            out.begin(has_condition ? 4 : 3).argument("PEXPIRE").argument(key).integer(after_ms);
            if (has_condition) {
                out.argument(kWords[condition_index]);
            }
        });
    return integer_result(status, reply, *core_);
}

IntegerResult Client::pttl(std::string_view key) & {
    ReplyView reply;
    return integer_result(
        calls::key(*core_, reply, {wire_template::kPTtl, "PTTL"}, key), reply, *core_);
}

IntegerResult Client::persist(std::string_view key) & {
    ReplyView reply;
    return integer_result(
        calls::key(*core_, reply, {wire_template::kPersist, "PERSIST"}, key), reply, *core_);
}

TextResult Client::type(std::string_view key) & {
    ReplyView reply;
    return text_result(
        calls::key(*core_, reply, {wire_template::kType, "TYPE"}, key), reply, *core_);
}

}  // namespace tern
