#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tern/base/result.hpp>
#include <vector>

namespace tern::lab {

/// A server that the lab starts for one case and stops again: ours, or a peer that speaks RESP.
///
/// It is a process of its own, reached over its own endpoints, as a user would.
class ServerProcess {
public:
    struct Options {
        std::vector<std::string> command;  ///< program and arguments
        std::string ready_endpoint;        ///< answers PING when the server is up (tcp: or unix:)
        std::string log_path;              ///< takes its standard output and error
        int core = -1;                     ///< pinned to it from the start; -1: not pinned
        int ready_timeout_ms = 10'000;
    };

    /// Starts the program and waits until it answers.
    ///
    /// Errors:   what exec says; a process that ended early, with the end of its log; kTimedOut.
    [[nodiscard]] static Result<ServerProcess> start(const Options& options);

    ServerProcess(ServerProcess&& other) noexcept;
    ServerProcess& operator=(ServerProcess&&) = delete;
    /// Stops the process: SIGTERM, then SIGKILL after two seconds.
    ~ServerProcess();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    /// User and system time used so far, from /proc.
    [[nodiscard]] std::int64_t cpu_time_us() const;
    /// Resident set size now, from /proc.
    [[nodiscard]] std::int64_t resident_bytes() const;

private:
    explicit ServerProcess(pid_t pid) noexcept : pid_(pid) {}

    pid_t pid_ = -1;
};

/// A TCP port of 127.0.0.1 that is free at this moment.
[[nodiscard]] Result<int> free_tcp_port();

}  // namespace tern::lab
