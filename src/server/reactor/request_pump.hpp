#pragma once

#include <optional>
#include <tern/base/bytes.hpp>

#include "resp/request_parser.hpp"
#include "server/executor.hpp"

namespace tern::server {

/// Turns a stream of request bytes into executed commands, in either language.
///
/// It holds what a half-received request needs to go on; the bytes stay with the transport. RESP is
/// self-delimiting; an SBE message on a stream is preceded by its length (u32, little-endian,
/// without itself), and so is each SBE reply.
///
/// Threads: the server's one thread.
class RequestPump {
public:
    enum class Stop : std::uint8_t {
        kNeedMore,    ///< everything complete has been executed
        kBlocked,     ///< the session waits for a key
        kDeferred,    ///< CLIENT PAUSE
        kOutputFull,  ///< `output_bytes_max` reached: send, then go on
        kTurnIsOver,  ///< `request_count_max` reached: go on in the next turn
        kClose,       ///< QUIT or a protocol error: send what is there, then close
    };
    struct Limits {
        std::size_t output_bytes_max;   ///< after the request that reaches it
        std::size_t request_count_max;  ///< so that a long pipeline shares the loop with others
    };
    struct Progress {
        std::size_t consumed_bytes = 0;
        std::size_t request_count = 0;  ///< executed or refused
        Stop stop = Stop::kNeedMore;
        std::size_t wanted_bytes =
            0;  ///< kNeedMore: a lower bound of what completes the next request
    };

    explicit RequestPump(Executor& executor) noexcept : executor_(executor) {}

    /// Executes the requests at the front of `unread`, which begins where the last call stopped
    /// consuming.
    Progress run(Session& session, Bytes unread, ByteSink& output, const Limits& limits);

private:
    Progress run_resp(Session& session, Bytes unread, ByteSink& output, const Limits& limits);
    Progress run_frames(Session& session, Bytes unread, ByteSink& output, const Limits& limits);
    /// One request that lies in `length_bytes`. False: `progress` says why no other may follow.
    bool execute(Session& session,
                 std::span<const std::string_view> words,
                 std::size_t length_bytes,
                 ByteSink& output,
                 Progress& progress);
    /// Sets `progress.stop` when no further request may begin.
    static bool must_stop(const Session& session,
                          Bytes unread,
                          const ByteSink& output,
                          std::size_t output_end,
                          const Limits& limits,
                          Progress& progress) noexcept;

    [[nodiscard]] std::size_t frame_limit(const Session& session) const noexcept;

    Executor& executor_;
    resp::RequestParser parser_;
    std::optional<bool> limits_are_of_stranger_;  // empty until the first run
};

/// Length in front of each SBE message on a stream, in bytes.
inline constexpr std::size_t kFramePrefixBytes = 4;

}  // namespace tern::server
