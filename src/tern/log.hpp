#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>

namespace tern::tool {

/// Redis's four levels of a log line, with the mark that each shows.
enum class LogLevel : std::uint8_t { kDebug, kVerbose, kNotice, kWarning };

/// The server's log: lines in redis-server's shape, "PID:M 01 Jan 2026 10:00:00.000 * text", on
/// stdout or appended to a file. Each line is written through at once.
///
/// Threads: one.
class Log {
public:
    /// `path` empty: stdout. Errors: the file cannot be opened, with the option to change.
    static Result<Log> open(const std::string& path, LogLevel least);

    Log(Log&& other) noexcept;
    Log& operator=(Log&& other) noexcept;
    ~Log();

    template <typename... Args>
    void notice(fmt::format_string<Args...> format, Args&&... args) {
        write(LogLevel::kNotice, fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args>
    void warning(fmt::format_string<Args...> format, Args&&... args) {
        write(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
    }
    void write(LogLevel level, std::string_view text);

private:
    Log(std::FILE* file, LogLevel least) noexcept : file_(file), least_(least) {}
    void close() noexcept;

    std::FILE* file_;  // null after a move
    LogLevel least_;
};

}  // namespace tern::tool
