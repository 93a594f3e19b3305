#include "server/observe/latency_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace tern::server {

namespace {

/// "12s", "3m", "5h", "2d".
std::string age_text(std::int64_t age_s) {
    constexpr std::int64_t kMinute = 60;
    constexpr std::int64_t kHour = 3600;
    constexpr std::int64_t kDay = 86400;
    if (age_s < kMinute) {
        return fmt::format("{}s", age_s);
    }
    if (age_s < kHour) {
        return fmt::format("{}m", age_s / kMinute);
    }
    return age_s < kDay ? fmt::format("{}h", age_s / kHour) : fmt::format("{}d", age_s / kDay);
}

/// What stands in row `row` (0 the lowest) of a column that is `height` half-rows high.
char column_char(std::size_t height, std::size_t row) {
    if (height >= 2 * row + 2) {
        return row == height / 2 - 1 && height % 2 == 0 ? '#' : '|';
    }
    return height == 2 * row + 1 ? '_' : ' ';
}

struct Extent {
    std::int64_t low_ms = 0;
    std::int64_t high_ms = 0;
};

Extent extent_of(const LatencyMonitor::Series& series) {
    Extent extent{series.at(0).latency_ms, series.at(0).latency_ms};
    for (std::size_t i = 1; i < series.count; ++i) {
        extent.low_ms = std::min(extent.low_ms, series.at(i).latency_ms);
        extent.high_ms = std::max(extent.high_ms, series.at(i).latency_ms);
    }
    return extent;
}

}  // namespace

void LatencyMonitor::add(std::string_view event, std::int64_t time_s, std::int64_t latency_ms) {
    auto found = events_.find(event);
    if (found == events_.end()) {
        found = events_.emplace(std::string(event), Series{}).first;
    }
    Series& series = found->second;
    series.latency_ms_max = std::max(series.latency_ms_max, latency_ms);
    if (series.count != 0 && series.last().time_s == time_s) {
        Sample& last = series.ring[(series.next + kSampleCountMax - 1) % kSampleCountMax];
        last.latency_ms = std::max(last.latency_ms, latency_ms);
        return;
    }
    series.ring[series.next] = {time_s, latency_ms};
    series.next = (series.next + 1) % kSampleCountMax;
    series.count = std::min(series.count + 1, kSampleCountMax);
}

const LatencyMonitor::Series* LatencyMonitor::find(std::string_view event) const noexcept {
    const auto found = events_.find(event);
    return found == events_.end() ? nullptr : &found->second;
}

bool LatencyMonitor::reset(std::string_view event) {
    const auto found = events_.find(event);
    if (found == events_.end()) {
        return false;
    }
    events_.erase(found);
    return true;
}

std::size_t LatencyMonitor::reset_all() noexcept {
    const std::size_t count = events_.size();
    events_.clear();
    return count;
}

std::string LatencyMonitor::graph(std::string_view event,
                                  const Series& series,
                                  std::int64_t now_s) {
    constexpr std::size_t kColumnsMax = 80;
    constexpr std::size_t kRows = 4;
    const Extent extent = extent_of(series);
    std::string text = fmt::format("{} - high {} ms, low {} ms (all time high {} ms)\n{:-<80}\n",
                                   event,
                                   extent.high_ms,
                                   extent.low_ms,
                                   series.latency_ms_max,
                                   "");
    const std::size_t columns = std::min(series.count, kColumnsMax);
    std::vector<std::size_t> heights;
    std::vector<std::string> ages;
    std::size_t age_rows = 0;
    for (std::size_t i = series.count - columns; i < series.count; ++i) {
        const Sample& sample = series.at(i);
        const std::int64_t range = std::max<std::int64_t>(extent.high_ms - extent.low_ms, 1);
        heights.push_back(1 + static_cast<std::size_t>((sample.latency_ms - extent.low_ms) *
                                                       std::int64_t{2 * kRows - 1} / range));
        ages.push_back(age_text(std::max<std::int64_t>(now_s - sample.time_s, 0)));
        age_rows = std::max(age_rows, ages.back().size());
    }
    for (std::size_t row = kRows; row-- > 0;) {
        for (const std::size_t height : heights) {
            text += column_char(height, row);
        }
        text += '\n';
    }
    text += '\n';
    for (std::size_t row = 0; row < age_rows; ++row) {
        for (const std::string& age : ages) {
            text += row < age.size() ? age[row] : ' ';
        }
        text += '\n';
    }
    return text;
}

std::string LatencyMonitor::report(std::int64_t threshold_ms) const {
    if (threshold_ms == 0) {
        return "Latency monitoring is off, so there is nothing to tell. Turn it on with CONFIG SET "
               "latency-monitor-threshold <milliseconds>.\n";
    }
    if (events_.empty()) {
        return fmt::format("Nothing took {} ms or longer since the last LATENCY RESET.\n",
                           threshold_ms);
    }
    std::string text = "Events that took long:\n";
    for (const auto& [name, series] : events_) {
        std::int64_t sum_ms = 0;
        for (std::size_t i = 0; i < series.count; ++i) {
            sum_ms += series.at(i).latency_ms;
        }
        fmt::format_to(std::back_inserter(text),
                       "- {}: {} samples, {} ms on average, {} ms at most\n",
                       name,
                       series.count,
                       sum_ms / static_cast<std::int64_t>(series.count),
                       series.latency_ms_max);
    }
    text +=
        "Look at SLOWLOG GET for slow commands; a command over many elements is best replaced "
        "by a scan, a large DEL by UNLINK.\n";
    return text;
}

}  // namespace tern::server
