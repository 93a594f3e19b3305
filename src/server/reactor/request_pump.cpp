#include "server/reactor/request_pump.hpp"

#include <fmt/format.h>

namespace tern::server {

RequestPump::Progress RequestPump::run(Session& session,
                                       Bytes unread,
                                       ByteSink& output,
                                       const Limits& limits) {
    return session.protocol == Protocol::kSbe ? run_frames(session, unread, output, limits)
                                              : run_resp(session, unread, output, limits);
}

bool RequestPump::must_stop(const Session& session,
                            Bytes unread,
                            const ByteSink& output,
                            std::size_t output_end,
                            const Limits& limits,
                            Progress& progress) noexcept {
    if (session.close_requested) {
        progress.stop = Stop::kClose;
    } else if (output.size() >= output_end) {
        progress.stop = Stop::kOutputFull;
    } else if (progress.request_count == limits.request_count_max &&
               progress.consumed_bytes < unread.size()) {
        progress.stop = Stop::kTurnIsOver;
    } else {
        return false;
    }
    return true;
}

RequestPump::Progress RequestPump::run_resp(Session& session,
                                            Bytes unread,
                                            ByteSink& output,
                                            const Limits& limits) {
    const std::size_t output_end = output.size() + limits.output_bytes_max;
    Progress progress;
    if (limits_are_of_stranger_ != !session.authenticated) {
        limits_are_of_stranger_ = !session.authenticated;
        resp::RequestLimits request_limits;
        request_limits.bulk_bytes_max = executor_.server().config().proto_max_bulk_len;
        request_limits.is_authenticated = session.authenticated;
        parser_.set_limits(request_limits);
    }
    resp::RequestWindow window;
    while (!must_stop(session, unread, output, output_end, limits, progress)) {
        const std::string_view rest = as_text(unread.subspan(progress.consumed_bytes));
        if (window.empty() && parser_.is_at_start()) {
            window.fill(parser_, rest);
            if (window.requests().size() > 1) {
                executor_.prefetch(session, window.requests());
            }
        }
        if (!window.empty()) {
            const resp::RequestWindow::Request request = window.requests().front();
            window.pop();
            if (!execute(session, request.argv, request.length_bytes, output, progress)) {
                return progress;
            }
            continue;
        }
        const resp::RequestOutcome parsed = parser_.parse(rest);
        if (parsed == resp::RequestOutcome::kNeedMore) {
            progress.consumed_bytes += parser_.consumed_bytes();
            progress.wanted_bytes =
                unread.size() - progress.consumed_bytes + parser_.missing_bytes();
            return progress;
        }
        if (parsed == resp::RequestOutcome::kProtocolError) {
            Reply(output, session.protocol).error("ERR " + parser_.error());
            progress.consumed_bytes = unread.size();
            progress.stop = Stop::kClose;
            return progress;
        }
        if (!execute(session, parser_.argv(), parser_.consumed_bytes(), output, progress)) {
            return progress;
        }
    }
    return progress;
}

bool RequestPump::execute(Session& session,
                          std::span<const std::string_view> words,
                          std::size_t length_bytes,
                          ByteSink& output,
                          Progress& progress) {
    const Outcome outcome = executor_.run_text(session, words, output);
    if (outcome == Outcome::kDeferred) {
        progress.stop = Stop::kDeferred;
        return false;
    }
    progress.consumed_bytes += length_bytes;
    ++progress.request_count;
    if (outcome == Outcome::kBlocked) {
        progress.stop = Stop::kBlocked;
        return false;
    }
    return true;
}

RequestPump::Progress RequestPump::run_frames(Session& session,
                                              Bytes unread,
                                              ByteSink& output,
                                              const Limits& limits) {
    const std::size_t output_end = output.size() + limits.output_bytes_max;
    Progress progress;
    while (!must_stop(session, unread, output, output_end, limits, progress)) {
        const Bytes rest = unread.subspan(progress.consumed_bytes);
        if (rest.size() < kFramePrefixBytes) {
            progress.wanted_bytes = kFramePrefixBytes;
            return progress;
        }
        const auto length_bytes = load<std::uint32_t>(rest.data());
        const std::size_t start = output.size();
        static_cast<void>(output.reserve(kFramePrefixBytes));
        output.advance(kFramePrefixBytes);
        if (length_bytes > frame_limit(session)) {
            Reply(output, Protocol::kSbe)
                .error(fmt::format("ERR SBE frame of {} bytes exceeds the limit of {}",
                                   length_bytes,
                                   frame_limit(session)));
            store_value(output.begin() + start,
                        static_cast<std::uint32_t>(output.size() - start - kFramePrefixBytes));
            progress.stop = Stop::kClose;
            return progress;
        }
        if (rest.size() - kFramePrefixBytes < length_bytes) {
            output.truncate(start);
            progress.wanted_bytes = kFramePrefixBytes + length_bytes;
            return progress;
        }
        const Outcome outcome =
            executor_.run_wire(session, rest.subspan(kFramePrefixBytes, length_bytes), output);
        const std::size_t reply_bytes = output.size() - start - kFramePrefixBytes;
        if (outcome == Outcome::kDeferred || reply_bytes == 0) {
            output.truncate(start);
        } else {
            store_value(output.begin() + start, static_cast<std::uint32_t>(reply_bytes));
        }
        if (outcome == Outcome::kDeferred) {
            progress.stop = Stop::kDeferred;
            return progress;
        }
        progress.consumed_bytes += kFramePrefixBytes + length_bytes;
        ++progress.request_count;
        if (outcome == Outcome::kBlocked) {
            progress.stop = Stop::kBlocked;
            return progress;
        }
    }
    return progress;
}

std::size_t RequestPump::frame_limit(const Session& session) const noexcept {
    // A bulk of the largest size plus what surrounds it; a stranger may only log on.
    constexpr std::size_t kSurroundingBytes = 1 << 20;
    constexpr std::size_t kStrangerFrameBytes = 64 * 1024;
    return session.authenticated
               ? static_cast<std::size_t>(executor_.server().config().proto_max_bulk_len) +
                     kSurroundingBytes
               : kStrangerFrameBytes;
}

}  // namespace tern::server
