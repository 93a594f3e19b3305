#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::server {

/// How fast a counter grows, over its last samples.
///
/// Threads: one.
class RateMeter {
public:
    /// Tells the counter's value. Times do not go back.
    void sample(std::int64_t now_ms, std::uint64_t total) noexcept {
        samples_[next_ % kSampleCount] = {now_ms, total};
        ++next_;
    }

    /// Growth per second between the oldest sample and the newest; 0 without two.
    [[nodiscard]] double per_second() const noexcept {
        if (next_ < 2) {
            return 0;
        }
        const Sample& newest = samples_[(next_ - 1) % kSampleCount];
        const Sample& oldest = samples_[next_ < kSampleCount ? 0 : next_ % kSampleCount];
        const std::int64_t duration_ms = newest.at_ms - oldest.at_ms;
        if (duration_ms <= 0 || newest.total < oldest.total) {
            return 0;
        }
        constexpr double kMsPerSecond = 1000;
        return static_cast<double>(newest.total - oldest.total) * kMsPerSecond /
               static_cast<double>(duration_ms);
    }

private:
    struct Sample {
        std::int64_t at_ms = 0;
        std::uint64_t total = 0;
    };
    static constexpr std::size_t kSampleCount = 16;  // a second and a half at 100 ms

    std::array<Sample, kSampleCount> samples_{};
    std::size_t next_ = 0;
};

}  // namespace tern::server
