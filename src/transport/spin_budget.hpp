#pragma once

#include <algorithm>
#include <cstdint>

namespace tern::transport {

/// How long to poll after the last message before going to sleep, learned from when messages came.
///
/// A wake-up costs tens of microseconds, so polling pays when the next message comes within that
/// time, and is waste when it does not. The budget is the mean gap plus four deviations (the
/// estimate that TCP uses for its retransmission time), as long as at least a quarter of recent
/// gaps were short enough to be worth polling for. Otherwise it is zero: an idle or slowly paced
/// side sleeps at once and uses no CPU.
///
/// Units:    ticks of whatever clock the caller reads; all in the same unit.
/// Threads:  a value; reads no clock.
class SpinBudget {
public:
    /// `max_ticks`: the longest gap worth polling for. Choose about two wake-ups of the machine; a
    /// spinner then never wastes more than a small multiple of what sleeping would have cost.
    explicit SpinBudget(std::uint64_t max_ticks) noexcept : max_ticks_(max_ticks) {}

    /// A message has arrived at `now`. A batch that arrived together is one message.
    void on_message(std::uint64_t now) noexcept {
        const std::uint64_t gap = now > last_ ? now - last_ : 0;
        last_ = now;
        if (gap > max_ticks_) {
            score_ -= score_ / 4 + (score_ != 0 ? 1 : 0);
            return;
        }
        score_ += (kScoreMax - score_) / 4;
        const std::uint64_t mean = mean_x8_ / 8;
        const std::uint64_t deviation = gap > mean ? gap - mean : mean - gap;
        mean_x8_ += gap - mean;
        deviation_x4_ += deviation - deviation_x4_ / 4;
    }

    /// True while it is worth polling; false: sleep.
    [[nodiscard]] bool should_spin(std::uint64_t now) const noexcept {
        return now - last_ < budget_ticks() || now < last_;
    }

    /// The budget after the last message.
    [[nodiscard]] std::uint64_t budget_ticks() const noexcept {
        if (score_ < kScoreMax / 4) {
            return 0;
        }
        const std::uint64_t learned = mean_x8_ / 8 + deviation_x4_ + 1;
        return std::clamp(learned, max_ticks_ / kFloorShare, max_ticks_);
    }

private:
    static constexpr std::uint64_t kScoreMax = 256;
    /// A stream of short gaps has hiccups that its mean does not tell (a timer tick takes 35 to 50
    /// µs here), and each would cost a wake-up. At the default maximum of 200 µs a quarter rides
    /// them out.
    static constexpr std::uint64_t kFloorShare = 4;

    std::uint64_t max_ticks_;
    std::uint64_t last_ = 0;
    std::uint64_t score_ = 0;         ///< share of short gaps of late, of kScoreMax
    std::uint64_t mean_x8_ = 0;       ///< eight times the mean of the short gaps
    std::uint64_t deviation_x4_ = 0;  ///< four times their mean deviation
};

}  // namespace tern::transport
