#pragma once

#include <cstdint>

#include "server/session.hpp"

namespace tern::server {

/// One class of `client-output-buffer-limit`; 0 is no limit.
struct OutputLimit {
    std::uint64_t hard_bytes = 0;  ///< beyond it a client is closed at once
    std::uint64_t soft_bytes = 0;  ///< beyond it for longer than `soft_seconds`, too
    std::int64_t soft_seconds = 0;
};

/// Those that clients have here; of replicas there are none.
struct OutputLimits {
    OutputLimit normal;
    OutputLimit pubsub;

    [[nodiscard]] const OutputLimit& of(const Session& session) const noexcept {
        return session.is_subscribed() ? pubsub : normal;
    }
};

/// Whether a client for which `pending_bytes` wait has to go. Notes in the session when it passed
/// the soft limit, so it is to be asked whenever the output changes, and once a second.
[[nodiscard]] inline bool exceeds_output_limit(const OutputLimits& limits,
                                               Session& session,
                                               std::uint64_t pending_bytes,
                                               std::int64_t now_ms) noexcept {
    constexpr std::int64_t kMsPerSecond = 1000;
    const OutputLimit& limit = limits.of(session);
    if (limit.hard_bytes != 0 && pending_bytes > limit.hard_bytes) {
        return true;
    }
    if (limit.soft_bytes == 0 || pending_bytes <= limit.soft_bytes) {
        session.soft_limit_since_ms = 0;
        return false;
    }
    if (session.soft_limit_since_ms == 0) {
        session.soft_limit_since_ms = now_ms;
    }
    return now_ms - session.soft_limit_since_ms > limit.soft_seconds * kMsPerSecond;
}

}  // namespace tern::server
