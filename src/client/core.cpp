#include "client/core.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/idle_strategy.hpp"
#include "base/number_text.hpp"

namespace tern {

using detail::Decode;
using detail::ReplyAccess;

namespace {

constexpr std::size_t kFramePrefixBytes = 4;

std::size_t wire_bytes(std::span<const std::string_view> arguments) noexcept {
    std::size_t bytes = WireWriter::kHeaderBytes + 8 + WireWriter::kGroupHeaderBytes;
    for (const std::string_view argument : arguments) {
        bytes += WireWriter::kDataHeaderBytes + argument.size();
    }
    return bytes;
}

std::size_t text_bytes(std::span<const std::string_view> arguments) noexcept {
    std::size_t bytes = TextWriter::kHeaderBytesMax;
    for (const std::string_view argument : arguments) {
        bytes += TextWriter::kArgumentBytesMax + argument.size();
    }
    return bytes;
}

std::string_view reason_of(ChannelStatus status) noexcept {
    switch (status) {
        case ChannelStatus::kOk:
            return "no reason known";
        case ChannelStatus::kTimedOut:
            return "no reply within the time limit";
        case ChannelStatus::kClosed:
            return "server closed the connection";
        case ChannelStatus::kCorrupt:
            return "the ring holds bytes that no server writes";
        case ChannelStatus::kTooLarge:
            return "reply exceeds every limit";
    }
    return {};
}

}  // namespace

ClientCore::ClientCore(const ClientOptions& options)
    : is_sbe_(options.protocol == Protocol::kSbe), options_(options) {}

Result<std::unique_ptr<ClientCore>> ClientCore::connect(const ClientOptions& options) {
    std::unique_ptr<ClientCore> core(new ClientCore(options));
    if (auto established = core->establish(); !established) {
        return std::move(established).error();
    }
    core->has_connected_ = true;
    return core;
}

// ---- Connecting ----

Result<void> ClientCore::establish() {
    next_request_id_ = 1;
    next_reply_id_ = 1;
    outstanding_count_ = 0;
    parser_.reset();
    if (auto opened = channel_.open(options_); !opened) {
        return opened;
    }
    Result<void> introduced = is_sbe_ ? log_on() : say_hello();
    if (!introduced) {
        channel_.close();
        return std::move(introduced).error().add_context(options_.endpoint);
    }
    return {};
}

Result<void> ClientCore::log_on() {
    constexpr std::uint16_t kBlockBytes = 12;
    constexpr std::size_t kReplyBlockBytes = 26;
    constexpr std::uint32_t kDatabaseMax = 0xFFFF;
    if (options_.database > kDatabaseMax) {
        return error(Errc::kInvalidArgument, "database {} does not exist", options_.database);
    }
    const auto write = [this](char* at) {
        WireWriter writer(at);
        writer.begin(wire_template::kLogon, kBlockBytes, request_id())
            .put(WireWriter::kSchemaVersion)
            .put(static_cast<std::uint16_t>(options_.database))
            .data(options_.user)
            .data(options_.password)
            .data(options_.client_name);
        return writer.end();
    };
    const std::size_t bytes = WireWriter::kHeaderBytes + kBlockBytes +
                              3 * WireWriter::kDataHeaderBytes + options_.user.size() +
                              options_.password.size() + options_.client_name.size();
    if (!queue(bytes, write) || !channel_.flush()) {
        return error(Errc::kUnavailable, "log on: {}", reason_of(channel_.failure()));
    }
    // The one reply that is no value: read its message as it is.
    for (;;) {
        const std::string_view unread = channel_.unread();
        if (unread.size() >= kFramePrefixBytes &&
            unread.size() - kFramePrefixBytes >= load<std::uint32_t>(unread.data())) {
            break;
        }
        if (!channel_.wait_input(0)) {
            return error(Errc::kUnavailable, "log on: {}", reason_of(channel_.failure()));
        }
    }
    const std::string_view frame = channel_.unread();
    const std::string_view message =
        frame.substr(kFramePrefixBytes, load<std::uint32_t>(frame.data()));
    channel_.consume(kFramePrefixBytes + message.size());
    ++next_reply_id_;
    --outstanding_count_;
    ReplyView refusal;
    std::uint64_t id = 0;
    switch (ReplyAccess::wire_scalar(message.data(), message.size(), id, refusal)) {
        case Decode::kDone:
            return error(Errc::kServer, "log on: {}", refusal.text());
        case Decode::kMalformed:
            return error(Errc::kProtocol,
                         "log on: the answer is no message of schema {}",
                         WireWriter::kSchemaId);
        case Decode::kNotPlain:
            break;
    }
    if (load<std::uint16_t>(message.data() + 2) != wire_template::kLogonReply ||
        message.size() < WireWriter::kHeaderBytes + kReplyBlockBytes) {
        return error(Errc::kProtocol, "log on: the answer is no LogonReply");
    }
    const char* const block = message.data() + WireWriter::kHeaderBytes;
    const auto version = load<std::uint16_t>(block + 8);
    if (version == 0 || version > WireWriter::kSchemaVersion) {
        return error(Errc::kProtocol,
                     "log on: the server chose schema version {}, we know 1 to {}",
                     version,
                     WireWriter::kSchemaVersion);
    }
    instance_id_ = load<std::uint64_t>(block + 10);
    return {};
}

Result<void> ClientCore::expect_ok(std::span<const std::string_view> arguments,
                                   std::string_view what) {
    ReplyView reply;
    if (call_command(arguments, reply) != CallStatus::kOk) {
        return error(Errc::kUnavailable, "{}: {}", what, error_text_);
    }
    if (reply.is_error()) {
        return error(Errc::kServer, "{}: {}", what, reply.text());
    }
    return {};
}

Result<void> ClientCore::say_hello() {
    const std::string_view user =
        options_.user.empty() ? std::string_view("default") : std::string_view(options_.user);
    const bool has_credentials = !options_.user.empty() || !options_.password.empty();
    std::vector<std::string_view> words;
    if (options_.protocol == Protocol::kResp3) {
        words = {"HELLO", "3"};
        if (has_credentials) {
            words.insert(words.end(), {"AUTH", user, options_.password});
        }
        if (!options_.client_name.empty()) {
            words.insert(words.end(), {"SETNAME", options_.client_name});
        }
        if (auto done = expect_ok(words, "HELLO 3"); !done) {
            return done;
        }
    } else {
        if (has_credentials) {
            words = {"AUTH", options_.password};
            if (!options_.user.empty()) {
                words = {"AUTH", options_.user, options_.password};
            }
            if (auto done = expect_ok(words, "AUTH"); !done) {
                return done;
            }
        }
        if (!options_.client_name.empty()) {
            words = {"CLIENT", "SETNAME", options_.client_name};
            if (auto done = expect_ok(words, "CLIENT SETNAME"); !done) {
                return done;
            }
        }
    }
    if (options_.database == 0) {
        return {};
    }
    const std::string database = int64_text(options_.database);
    words = {"SELECT", database};
    return expect_ok(words, "SELECT");
}

bool ClientCore::recover() {
    if (options_.reconnect == Reconnect::kNever || !has_connected_) {
        if (!has_connected_) {  // establish() is at work and its channel was lost
            return false;
        }
        status_ = CallStatus::kClosed;
        if (error_text_.empty()) {
            error_text_ = options_.endpoint + ": not connected";
        }
        return false;
    }
    constexpr std::int64_t kNsPerMs = 1'000'000;
    Result<void> established;
    has_connected_ = false;
    for (int i = 0; i < options_.reconnect_tries; ++i) {
        if (i != 0) {
            park_ns(options_.reconnect_pause_ms * kNsPerMs);
        }
        established = establish();
        if (established) {
            break;
        }
    }
    has_connected_ = true;
    if (!channel_.is_open()) {
        status_ = CallStatus::kClosed;
        error_text_ = established ? options_.endpoint + ": reconnect_tries is 0"
                                  : std::move(established).error().message;
        return false;
    }
    status_ = CallStatus::kOk;
    return true;
}

// ---- Failing ----

CallStatus ClientCore::fail(CallStatus status, std::string_view text) {
    status_ = status;
    error_text_ = text;
    return status;
}

CallStatus ClientCore::refuse_while_outstanding() {
    return fail(CallStatus::kBusy,
                fmt::format("{} replies of a pipeline are outstanding", outstanding_count_));
}

bool ClientCore::refuse_too_large(std::size_t bytes) {
    fail(CallStatus::kTooLarge,
         fmt::format("request of {} bytes; the limit is {}", bytes, kRequestBytesMax));
    return false;
}

CallStatus ClientCore::lose() {
    const ChannelStatus why = channel_.failure();
    status_ = why == ChannelStatus::kTimedOut ? CallStatus::kTimedOut
              : why == ChannelStatus::kCorrupt || why == ChannelStatus::kTooLarge
                  ? CallStatus::kProtocol
                  : CallStatus::kClosed;
    error_text_ = fmt::format("{}: {}", options_.endpoint, reason_of(why));
    channel_.close();
    outstanding_count_ = 0;
    return status_;
}

CallStatus ClientCore::lose_for(std::string_view reason) {
    fail(CallStatus::kProtocol, fmt::format("{}: {}", options_.endpoint, reason));
    channel_.close();
    outstanding_count_ = 0;
    return status_;
}

CallStatus ClientCore::flush() {
    if (!channel_.is_open()) {
        return status_ == CallStatus::kOk ? lose() : status_;
    }
    return channel_.flush() ? CallStatus::kOk : lose();
}

// ---- Receiving ----

inline bool ClientCore::take_in_place(const transport::RingRecord& record,
                                      ReplyView& reply) noexcept {
    const char* const message = reinterpret_cast<const char*>(record.data);
    if (is_sbe_) {
        std::uint64_t id = 0;
        if (ReplyAccess::wire_scalar(message, record.length_bytes, id, reply) != Decode::kDone ||
            id != next_reply_id_) [[unlikely]] {
            return false;
        }
    } else {
        // A private copy of one line, with a constant size: its bytes are in the ring whatever the
        // length says. The server cannot change what the decisions below depend on.
        std::memcpy(line_copy_, message, kOneLineBytes);
        const std::size_t head_bytes = std::min<std::size_t>(record.length_bytes, kOneLineBytes);
        if (ReplyAccess::text_scalar(line_copy_, head_bytes, message, record.length_bytes, reply) !=
            Decode::kDone) [[unlikely]] {
            return false;
        }
    }
    ++next_reply_id_;
    --outstanding_count_;
    channel_.hold_record();
    return true;
}

CallStatus ClientCore::receive(ReplyView& reply) {
    if (channel_.is_ring() && channel_.unread().empty()) [[likely]] {
        const transport::RingRecord record = channel_.wait_record();
        if (!record) [[unlikely]] {
            return lose();
        }
        if (record.flags == transport::kRecordWhole && take_in_place(record, reply)) [[likely]] {
            return CallStatus::kOk;
        }
        if (!channel_.absorb(record)) [[unlikely]] {
            return lose();
        }
        reply = ReplyView();
    }
    return receive_gathered(reply);
}

CallStatus ClientCore::receive_gathered(ReplyView& reply) {
    for (;;) {
        const CallStatus status = is_sbe_ ? receive_frame(reply) : receive_text(reply);
        // A push answers no request: it waits for whoever will subscribe.
        if (status == CallStatus::kOk && reply.type() == ReplyType::kPush) {
            channel_.release();
            reply = ReplyView();
            continue;
        }
        if (status == CallStatus::kOk) {
            ++next_reply_id_;
            --outstanding_count_;
        }
        return status;
    }
}

CallStatus ClientCore::receive_frame(ReplyView& reply) {
    std::size_t wanted_bytes = kFramePrefixBytes;
    for (;;) {
        const std::string_view unread = channel_.unread();
        if (unread.size() >= kFramePrefixBytes) {
            const std::size_t length_bytes = load<std::uint32_t>(unread.data());
            if (length_bytes > transport::kRingMessageBytesMax * 8) {
                return lose_for(fmt::format("reply of {} bytes exceeds the limit", length_bytes));
            }
            if (unread.size() - kFramePrefixBytes >= length_bytes) {
                break;
            }
            wanted_bytes = length_bytes + kFramePrefixBytes - unread.size();
        }
        if (!channel_.wait_input(wanted_bytes)) {
            return lose();
        }
    }
    const std::string_view unread = channel_.unread();
    const char* const message = unread.data() + kFramePrefixBytes;
    const std::size_t length_bytes = load<std::uint32_t>(unread.data());
    std::uint64_t id = 0;
    Decode decoded = ReplyAccess::wire_scalar(message, length_bytes, id, reply);
    if (decoded == Decode::kNotPlain) {
        decoded = ReplyAccess::wire_aggregate(message, length_bytes, id, reply);
    }
    if (decoded != Decode::kDone) {
        return lose_for("malformed SBE reply");
    }
    const bool is_push = reply.type() == ReplyType::kPush;
    if (id != next_reply_id_ && !is_push) {
        return lose_for(reply.is_error()
                            ? std::string(reply.text())
                            : fmt::format("reply to request {} instead of {}", id, next_reply_id_));
    }
    channel_.consume(kFramePrefixBytes + length_bytes);
    return CallStatus::kOk;
}

CallStatus ClientCore::receive_text(ReplyView& reply) {
    for (;;) {
        const std::string_view unread = channel_.unread();
        switch (unread.empty() ? resp::ReplyOutcome::kNeedMore : parser_.parse(unread)) {
            case resp::ReplyOutcome::kReply:
                reply = ReplyAccess::text_reply(unread.data());
                channel_.consume(parser_.consumed_bytes());
                return CallStatus::kOk;
            case resp::ReplyOutcome::kProtocolError:
                return lose_for(parser_.error());
            case resp::ReplyOutcome::kNeedMore:
                break;
        }
        if (!channel_.wait_input(unread.empty() ? 0 : parser_.missing_bytes())) {
            return lose();
        }
    }
}

// ---- Any command ----

bool ClientCore::queue_command(std::span<const std::string_view> arguments) {
    channel_.release();
    return write_command(arguments);
}

bool ClientCore::write_command(std::span<const std::string_view> arguments) {
    if (is_sbe_) {
        return write_request(wire_bytes(arguments), [&](char* at) {
            WireWriter writer(at);
            writer.begin(wire_template::kCommand, 8, request_id()).group(0, arguments.size());
            for (const std::string_view argument : arguments) {
                writer.data(argument);
            }
            return writer.end();
        });
    }
    return write_request(text_bytes(arguments), [&](char* at) {
        TextWriter writer(at);
        writer.begin(arguments.size());
        for (const std::string_view argument : arguments) {
            writer.argument(argument);
        }
        return writer.end();
    });
}

CallStatus ClientCore::call_command(std::span<const std::string_view> arguments, ReplyView& reply) {
    if (outstanding_count_ != 0) {
        return refuse_while_outstanding();
    }
    if (arguments.empty()) {
        return fail(CallStatus::kTooLarge, "a command has at least its name");
    }
    if (!write_command(arguments) || !channel_.flush()) {
        return status_ != CallStatus::kOk ? status_ : lose();
    }
    channel_.release();
    return receive(reply);
}

// ---- Results ----

TextResult text_result(CallStatus status, const ReplyView& reply, ClientCore& core) {
    const ReplyType type = reply.type();
    if (status == CallStatus::kOk &&
        (type == ReplyType::kBulk || type == ReplyType::kStatus || type == ReplyType::kVerbatim)) {
        return TextResult(reply.text());
    }
    return failed_result<std::string_view>(status, reply, core);
}

IntegerResult integer_result(CallStatus status, const ReplyView& reply, ClientCore& core) {
    if (status == CallStatus::kOk && (reply.type() == ReplyType::kInteger)) {
        return IntegerResult(*reply.integer());
    }
    return failed_result<std::int64_t>(status, reply, core);
}

NumberResult number_result(CallStatus status, const ReplyView& reply, ClientCore& core) {
    if (status == CallStatus::kOk) {
        if (const auto value = reply.number()) {
            return NumberResult(*value);
        }
    }
    return failed_result<double>(status, reply, core);
}

}  // namespace tern
