#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <tern/client/options.hpp>
#include <tern/client/result.hpp>

#include "client/channel.hpp"
#include "client/reply_access.hpp"
#include "client/text_writer.hpp"
#include "client/wire_writer.hpp"
#include "resp/reply_parser.hpp"

namespace tern {

/// What is behind a Client and its pipelines: the connection, the order of requests and replies,
/// and what went wrong last.
///
/// Threads:    one.
/// Invariants: - Each request that was sent has exactly one reply to come, in order: SBE replies
/// carry
///               `next_reply_id_`, counted up by one.
///             - After a failure the channel is closed, so no late reply is taken for another one.
class ClientCore {
public:
    static Result<std::unique_ptr<ClientCore>> connect(const ClientOptions& options);

    [[nodiscard]] bool is_connected() const noexcept { return channel_.is_open(); }
    [[nodiscard]] bool is_sbe() const noexcept { return is_sbe_; }
    [[nodiscard]] const ClientOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::uint64_t instance_id() const noexcept {
        return channel_.is_ring() ? channel_.instance_id() : instance_id_;
    }
    [[nodiscard]] std::size_t outstanding_count() const noexcept { return outstanding_count_; }

    /// The id of the request that is being written.
    [[nodiscard]] std::uint64_t request_id() const noexcept { return next_request_id_; }

    /// One round trip. `write` writes a request to a `char*` with room for `bytes_max` and returns
    /// its end. kOk with any reply in `reply`, an error of the server's included; else see
    /// `error_text`.
    template <typename Write>
    [[nodiscard]] CallStatus call(std::size_t bytes_max, Write&& write, ReplyView& reply) {
        if (outstanding_count_ != 0) [[unlikely]] {
            return refuse_while_outstanding();
        }
        if (!write_request(bytes_max, write) || !channel_.flush()) [[unlikely]] {
            return status_ != CallStatus::kOk ? status_ : lose();
        }
        // Only now, off the way of the request, whose arguments may be views of the last reply.
        channel_.release();
        return receive(reply);
    }

    /// Writes a request without waiting for its reply, and gives back the last reply.
    template <typename Write>
    [[nodiscard]] bool queue(std::size_t bytes_max, Write&& write) {
        channel_.release();
        return write_request(bytes_max, write);
    }

    /// Waits for the reply of the oldest outstanding request. `reply` is null before.
    [[nodiscard]] CallStatus receive(ReplyView& reply);

    /// Gives back the last reply.
    void release() noexcept { channel_.release(); }
    /// Sends what was queued; closes the connection when that fails.
    [[nodiscard]] CallStatus flush();
    /// Closes the connection; the reason stays as `error_text`.
    CallStatus lose();

    [[nodiscard]] std::size_t unsent_bytes() const noexcept { return channel_.unsent_bytes(); }
    /// What happened, after a call that was not kOk.
    [[nodiscard]] CallStatus status() const noexcept { return status_; }
    [[nodiscard]] std::string_view error_text() const noexcept { return error_text_; }

    /// Writes any command in the connection's language.
    [[nodiscard]] bool queue_command(std::span<const std::string_view> arguments);
    [[nodiscard]] CallStatus call_command(std::span<const std::string_view> arguments,
                                          ReplyView& reply);

private:
    /// A bulk of the largest size and what is around it.
    static constexpr std::size_t kRequestBytesMax = transport::kRingMessageBytesMax;
    static constexpr std::size_t kOneLineBytes = transport::kRecordInlineBytes;

    explicit ClientCore(const ClientOptions& options);

    template <typename Write>
    [[nodiscard]] bool write_request(std::size_t bytes_max, Write&& write) {
        status_ = CallStatus::kOk;
        if (!channel_.is_open() && !recover()) [[unlikely]] {
            return false;
        }
        if (bytes_max > kRequestBytesMax) [[unlikely]] {
            return refuse_too_large(bytes_max);
        }
        char* const at = channel_.claim(bytes_max);
        if (at == nullptr || !channel_.commit(static_cast<std::size_t>(write(at) - at)))
            [[unlikely]] {
            return false;
        }
        ++next_request_id_;
        ++outstanding_count_;
        return true;
    }

    Result<void> establish();
    Result<void> log_on();
    Result<void> say_hello();
    Result<void> expect_ok(std::span<const std::string_view> arguments, std::string_view what);
    bool recover();
    CallStatus refuse_while_outstanding();
    bool refuse_too_large(std::size_t bytes);
    CallStatus fail(CallStatus status, std::string_view text);
    CallStatus lose_for(std::string_view reason);
    CallStatus receive_gathered(ReplyView& reply);
    CallStatus receive_frame(ReplyView& reply);
    CallStatus receive_text(ReplyView& reply);

    /// The reply in a record that is all of it, read where it lies; false leaves it to the other
    /// path.
    [[gnu::always_inline]] bool take_in_place(const transport::RingRecord& record,
                                              ReplyView& reply) noexcept;
    [[nodiscard]] bool write_command(std::span<const std::string_view> arguments);

    Channel channel_;
    std::uint64_t next_request_id_ = 1;
    std::uint64_t next_reply_id_ = 1;
    std::size_t outstanding_count_ = 0;
    bool is_sbe_ = false;
    CallStatus status_ = CallStatus::kOk;
    char line_copy_[kOneLineBytes] = {};
    resp::ReplyParser parser_;
    ClientOptions options_;
    std::uint64_t instance_id_ = 0;
    bool has_connected_ = false;
    std::string error_text_;
};

/// The result of a call that answers with a text.
[[nodiscard]] TextResult text_result(CallStatus status, const ReplyView& reply, ClientCore& core);
[[nodiscard]] IntegerResult integer_result(CallStatus status,
                                           const ReplyView& reply,
                                           ClientCore& core);
[[nodiscard]] NumberResult number_result(CallStatus status,
                                         const ReplyView& reply,
                                         ClientCore& core);

/// The failed result of a call whose reply is not what it returns: null, an error, another type.
template <typename T>
[[nodiscard]] CallResult<T> failed_result(CallStatus status,
                                          const ReplyView& reply,
                                          const ClientCore& core) noexcept {
    if (status != CallStatus::kOk) {
        return {status, core.error_text()};
    }
    if (reply.is_error()) {
        return {CallStatus::kServerError, reply.text()};
    }
    if (reply.is_null()) {
        return {CallStatus::kMissing, {}};
    }
    return {CallStatus::kUnexpected, to_string(reply.type())};
}

}  // namespace tern
