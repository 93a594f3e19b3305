#include "tern/log.hpp"

#include <fmt/chrono.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>

#include "base/clock.hpp"

namespace tern::tool {

Result<Log> Log::open(const std::string& path, LogLevel least) {
    if (path.empty()) {
        return Log(stdout, least);
    }
    std::FILE* file = std::fopen(path.c_str(), "ae");
    if (file == nullptr) {
        return os_error(errno, "open the log {}; change it with --logfile", path);
    }
    return Log(file, least);
}

Log::Log(Log&& other) noexcept : file_(std::exchange(other.file_, nullptr)), least_(other.least_) {}

Log& Log::operator=(Log&& other) noexcept {
    if (this != &other) {
        close();
        file_ = std::exchange(other.file_, nullptr);
        least_ = other.least_;
    }
    return *this;
}

Log::~Log() {
    close();
}

void Log::close() noexcept {
    if (file_ != nullptr && file_ != stdout) {
        static_cast<void>(std::fclose(file_));
    }
    file_ = nullptr;
}

void Log::write(LogLevel level, std::string_view text) {
    if (level < least_) {
        return;
    }
    constexpr std::string_view kMarks = ".-*#";
    const std::int64_t now_ms = wall_ms();
    const std::time_t seconds = now_ms / 1000;
    std::tm local{};
    ::localtime_r(&seconds, &local);
    fmt::print(file_,
               "{}:M {:%d %b %Y %H:%M:%S}.{:03} {} {}\n",
               ::getpid(),
               local,
               now_ms % 1000,
               kMarks[static_cast<std::size_t>(level)],
               text);
    static_cast<void>(std::fflush(file_));
}

}  // namespace tern::tool
