#include "tern/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace tern::tool {

namespace {

/// What the server itself keeps open: listeners, epoll, log, the spare one (Redis reserves as
/// many).
constexpr rlim_t kOwnDescriptors = 32;

}  // namespace

Result<std::int64_t> make_room_for_clients(std::int64_t client_count, Log& log) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return os_error(errno, "ask for the limit of open files");
    }
    const rlim_t wanted = static_cast<rlim_t>(client_count) + kOwnDescriptors;
    if (limit.rlim_cur >= wanted) {
        return client_count;
    }
    const rlim_t before = limit.rlim_cur;
    // Root may raise the hard limit as well; others get as much as that allows.
    const rlimit raised{wanted, std::max(wanted, limit.rlim_max)};
    const rlimit allowed{std::min(wanted, limit.rlim_max), limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) {
        static_cast<void>(::setrlimit(RLIMIT_NOFILE, &allowed));
    }
    ::getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= wanted) {
        log.notice("Increased maximum number of open files to {} (it was originally set to {}).",
                   wanted,
                   before);
        return client_count;
    }
    if (limit.rlim_cur <= kOwnDescriptors) {
        return error(Errc::kUnavailable,
                     "Your current 'ulimit -n' of {} is not enough for the server to start. Please "
                     "increase your open file limit to at least {}.",
                     limit.rlim_cur,
                     wanted);
    }
    const auto served_count = static_cast<std::int64_t>(limit.rlim_cur - kOwnDescriptors);
    log.warning(
        "Current maximum open files is {}. maxclients has been reduced to {} to compensate "
        "for low ulimit. If you need higher maxclients increase 'ulimit -n'.",
        limit.rlim_cur,
        served_count);
    return served_count;
}

}  // namespace tern::tool
