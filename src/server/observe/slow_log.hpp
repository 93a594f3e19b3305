#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::server {

/// The latest commands that took long, newest first (SLOWLOG).
///
/// Threads: one.
class SlowLog {
public:
    struct Entry {
        std::int64_t id = 0;
        std::int64_t time_s = 0;
        std::int64_t duration_us = 0;
        std::vector<std::string> arguments;
        std::string address;
        std::string client_name;
    };
    /// What is noted of a command: the words as the client sent them, cut when they are many or
    /// long, passwords left out.
    void add(Entry&& facts, std::span<const std::string_view> words, std::size_t length_max);

    [[nodiscard]] const std::deque<Entry>& entries() const noexcept { return entries_; }
    void trim(std::size_t length_max);
    void clear() noexcept { entries_.clear(); }

private:
    std::deque<Entry> entries_;
    std::int64_t next_id_ = 0;
};

/// The words of a command as logs may show them: secrets become "(redacted)".
[[nodiscard]] std::vector<std::string_view> without_secrets(
    std::span<const std::string_view> words);

}  // namespace tern::server
