#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tern::server {

/// Events that took long, by kind (LATENCY): the latest 160 of each, one a second.
///
/// Threads: one.
class LatencyMonitor {
public:
    static constexpr std::size_t kSampleCountMax = 160;

    struct Sample {
        std::int64_t time_s = 0;
        std::int64_t latency_ms = 0;
    };
    /// The samples of one event, oldest first.
    struct Series {
        std::array<Sample, kSampleCountMax> ring{};
        std::size_t count = 0;
        std::size_t next = 0;
        std::int64_t latency_ms_max = 0;

        [[nodiscard]] const Sample& at(std::size_t i) const noexcept {
            return ring[(next + kSampleCountMax - count + i) % kSampleCountMax];
        }
        [[nodiscard]] const Sample& last() const noexcept { return at(count - 1); }
    };

    /// Notes a latency; the largest of a second stays.
    void add(std::string_view event, std::int64_t time_s, std::int64_t latency_ms);
    [[nodiscard]] const std::map<std::string, Series, std::less<>>& events() const noexcept {
        return events_;
    }
    [[nodiscard]] const Series* find(std::string_view event) const noexcept;
    /// Forgets an event; false when there is none.
    bool reset(std::string_view event);
    std::size_t reset_all() noexcept;

    /// LATENCY GRAPH: the samples as columns, with how long ago each was.
    [[nodiscard]] static std::string graph(std::string_view event,
                                           const Series& series,
                                           std::int64_t now_s);
    /// LATENCY DOCTOR: a report for people.
    [[nodiscard]] std::string report(std::int64_t threshold_ms) const;

private:
    std::map<std::string, Series, std::less<>> events_;
};

}  // namespace tern::server
