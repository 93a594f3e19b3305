#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace tern {

/// A time limit that costs nothing until it is asked for the first time: it then starts to run.
///
/// Units: milliseconds of the kernel's coarse clock (no system call, a tick of 1 to 10 ms).
class LazyDeadline {
public:
    /// `limit_ms` of 0 is for ever.
    explicit LazyDeadline(std::int64_t limit_ms) noexcept : limit_ms_(limit_ms) {}

    [[nodiscard]] bool is_over() noexcept { return limit_ms_ != 0 && remaining_ms() == 0; }

    /// What is left, at most `longest_ms`: for poll(2).
    [[nodiscard]] int poll_ms(int longest_ms) noexcept {
        return limit_ms_ == 0
                   ? longest_ms
                   : static_cast<int>(std::min<std::int64_t>(remaining_ms(), longest_ms));
    }

private:
    static std::int64_t coarse_ms() noexcept {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    }
    std::int64_t remaining_ms() noexcept {
        const std::int64_t now_ms = coarse_ms();
        if (end_ms_ == 0) {
            end_ms_ = now_ms + limit_ms_;
        }
        return std::max<std::int64_t>(end_ms_ - now_ms, 0);
    }

    std::int64_t limit_ms_;
    std::int64_t end_ms_ = 0;
};

}  // namespace tern
