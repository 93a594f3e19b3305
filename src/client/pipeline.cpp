#include <tern/client/pipeline.hpp>

#include "client/calls.hpp"
#include "client/core.hpp"

namespace tern {
namespace {

/// A socket's requests are sent when so many bytes are queued.
constexpr std::size_t kSendBytes = std::size_t{64} << 10;

template <typename Wire, typename Text>
CallStatus queue(
    ClientCore& core, std::size_t wire_bytes, Wire&& wire, std::size_t text_bytes, Text&& text) {
    const bool is_queued = core.is_sbe() ? core.queue(wire_bytes,
                                                      [&](char* at) {
                                                          WireWriter writer(at);
                                                          wire(writer);
                                                          return writer.end();
                                                      })
                                         : core.queue(text_bytes, [&](char* at) {
                                               TextWriter writer(at);
                                               text(writer);
                                               return writer.end();
                                           });
    if (!is_queued) {
        return core.status() != CallStatus::kOk ? core.status() : core.lose();
    }
    return core.unsent_bytes() >= kSendBytes ? core.flush() : CallStatus::kOk;
}

}  // namespace

Pipeline::~Pipeline() {
    while (core_ != nullptr && core_->outstanding_count() != 0) {
        if (next().status() == CallStatus::kClosed) {
            return;
        }
    }
}

std::size_t Pipeline::outstanding_count() const noexcept {
    return core_ == nullptr ? 0 : core_->outstanding_count();
}

bool Pipeline::has_room() const noexcept {
    return core_->outstanding_count() < reply_count_max_;
}

CallStatus Pipeline::command(std::span<const std::string_view> arguments) {
    if (!has_room()) {
        return CallStatus::kBusy;
    }
    if (arguments.empty() || !core_->queue_command(arguments)) {
        return core_->status() != CallStatus::kOk ? core_->status() : core_->lose();
    }
    return core_->unsent_bytes() >= kSendBytes ? core_->flush() : CallStatus::kOk;
}

CallStatus Pipeline::ping() {
    if (!has_room()) {
        return CallStatus::kBusy;
    }
    return queue(
        *core_,
        calls::kBareBytes,
        [&](WireWriter& out) {
            out.begin(wire_template::kPing, calls::kBareBlockBytes, core_->request_id());
        },
        calls::kNameBytes,
        [&](TextWriter& out) { out.begin(1).argument("PING"); });
}

CallStatus Pipeline::get(std::string_view key) {
    if (!has_room()) {
        return CallStatus::kBusy;
    }
    return queue(
        *core_,
        calls::kBareBytes + calls::data_bytes(key),
        [&](WireWriter& out) {
            out.begin(wire_template::kGet, calls::kBareBlockBytes, core_->request_id()).data(key);
        },
        calls::kNameBytes + calls::argument_bytes(key),
        [&](TextWriter& out) { out.begin(2).argument("GET").argument(key); });
}

CallStatus Pipeline::set(std::string_view key, std::string_view value) {
    if (!has_room()) {
        return CallStatus::kBusy;
    }
    constexpr std::uint16_t kBlockBytes = 8 + 8 + 3;  // expiry, its kind, condition and flags: none
    return queue(
        *core_,
        WireWriter::kHeaderBytes + kBlockBytes + calls::data_bytes(key) + calls::data_bytes(value),
        [&](WireWriter& out) {
            out.begin(wire_template::kSet, kBlockBytes, core_->request_id())
                .put(std::int64_t{0})
                .put(std::uint8_t{0})
                .put(std::uint16_t{0})
                .data(key)
                .data(value);
        },
        calls::kNameBytes + calls::argument_bytes(key) + calls::argument_bytes(value),
        [&](TextWriter& out) { out.begin(3).argument("SET").argument(key).argument(value); });
}

CallStatus Pipeline::flush() {
    return core_->flush();
}

ReplyResult Pipeline::next() {
    if (core_->outstanding_count() == 0) {
        return {CallStatus::kMissing, {}};
    }
    core_->release();
    if (const CallStatus status = core_->flush(); status != CallStatus::kOk) {
        return {status, core_->error_text()};
    }
    ReplyView reply;
    const CallStatus status = core_->receive(reply);
    if (status == CallStatus::kOk && !reply.is_error()) {
        return ReplyResult(reply);
    }
    return failed_result<ReplyView>(status, reply, *core_);
}

}  // namespace tern
