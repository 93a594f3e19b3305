#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <tern/client/result.hpp>

namespace tern {

class ClientCore;

/// Sends commands without waiting for each reply, then gives the replies in the order of the
/// commands.
///
///     tern::Pipeline pipeline = client.pipeline();
///     for (…) { pipeline.set(key, value); }
///     while (pipeline.outstanding_count() != 0) { auto reply = pipeline.next(); … }
///
/// Requests go out when the buffer is full, with `flush`, and with the first `next`. While the
/// server does not take more because its replies wait for us, they are read into a buffer, so that
/// neither side waits for the other. Other calls of the client fail with kBusy as long as replies
/// are outstanding.
///
/// Threads:  the client's.
/// Lifetime: the client outlives it. The destructor reads the outstanding replies and drops them.
class Pipeline {
public:
    static constexpr std::size_t kDefaultReplyCountMax = 10'000;

    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    Pipeline(Pipeline&& other) noexcept
        : core_(other.core_), reply_count_max_(other.reply_count_max_) {
        other.core_ = nullptr;
    }
    Pipeline& operator=(Pipeline&&) = delete;
    ~Pipeline();

    /// Queues any command.
    ///
    /// Errors:   kBusy when the most replies are outstanding: take some with `next`. Else as a
    /// call's.
    CallStatus command(std::span<const std::string_view> arguments);
    CallStatus command(std::initializer_list<std::string_view> arguments) {
        return command(std::span<const std::string_view>(arguments.begin(), arguments.size()));
    }
    CallStatus ping();
    CallStatus get(std::string_view key);
    CallStatus set(std::string_view key, std::string_view value);

    /// Sends what is queued.
    CallStatus flush();

    /// The next reply; flushes and waits when it is not there yet. An error reply has kServerError.
    ///
    /// Errors:   kMissing when nothing is outstanding.
    /// Lifetime: the reply is valid until the next `next`, and until any call that queues.
    ReplyResult next();

    /// Commands whose reply `next` has not returned.
    [[nodiscard]] std::size_t outstanding_count() const noexcept;

private:
    friend class Client;
    Pipeline(ClientCore* core, std::size_t reply_count_max) noexcept
        : core_(core), reply_count_max_(reply_count_max) {}

    [[nodiscard]] bool has_room() const noexcept;

    ClientCore* core_;
    std::size_t reply_count_max_;
};

}  // namespace tern
