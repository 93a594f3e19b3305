#include "lab/local_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tern/base/histogram_log.hpp>

#include "base/clock.hpp"

namespace tern::lab {

namespace {

/// The mean of each percentile and the largest maximum.
Summary mean_of(const std::vector<LocalRun>& runs) {
    Summary mean;
    const auto count = static_cast<double>(runs.size());
    for (const LocalRun& run : runs) {
        mean.p50 += run.summary.p50 / count;
        mean.p90 += run.summary.p90 / count;
        mean.p99 += run.summary.p99 / count;
        mean.p99_9 += run.summary.p99_9 / count;
        mean.p99_99 += run.summary.p99_99 / count;
        mean.max = std::max(mean.max, run.summary.max);
    }
    return mean;
}

template <typename Value>
double median_of(const std::vector<LocalRun>& runs, Value value) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const LocalRun& run : runs) {
        values.push_back(value(run));
    }
    return median(std::move(values));
}

std::string table_row(const std::string& name, const std::vector<LocalRun>& runs) {
    const Summary mean = mean_of(runs);
    return fmt::format(
        "{:<32} {:>4} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f} {:>9.0f}  {:>8.0f} {:>7.0f} "
        "{:>7.2f}\n",
        name,
        runs.size(),
        mean.p50,
        mean.p90,
        mean.p99,
        mean.p99_9,
        mean.p99_99,
        mean.max,
        median_of(runs, [](const LocalRun& run) { return run.floor(); }),
        median_of(runs, [](const LocalRun& run) { return run.summary.p50 - run.floor(); }),
        median_of(runs, [](const LocalRun& run) {
            return run.floor() == 0 ? 0 : run.summary.p50 / run.floor();
        }));
}

const char* to_string(Placement placement) noexcept {
    switch (placement) {
        case Placement::kNear:
            return "near";
        case Placement::kFar:
            return "far";
        case Placement::kMoved:
            return "moved";
    }
    return "";
}

std::string ring_rows(const LocalFigures& figures) {
    std::string rows;
    for (const Placement placement : {Placement::kNear, Placement::kFar, Placement::kMoved}) {
        std::vector<LocalRun> runs;
        std::copy_if(figures.runs.begin(),
                     figures.runs.end(),
                     std::back_inserter(runs),
                     [&](const LocalRun& run) { return run.placement() == placement; });
        if (!runs.empty()) {
            rows += table_row(figures.one.name() + ", " + to_string(placement), runs);
        }
    }
    return rows;
}

}  // namespace

std::string LocalCase::name() const {
    return fmt::format("{} {} {} {}",
                       is_redis ? "redis" : "tern",
                       endpoint,
                       to_string(protocol),
                       to_string(operation));
}

Placement LocalRun::placement() const noexcept {
    const bool was_near = floor_before < kNearFloorNs;
    if (was_near != (floor_after < kNearFloorNs)) {
        return Placement::kMoved;
    }
    return was_near ? Placement::kNear : Placement::kFar;
}

std::string local_table(const std::vector<LocalFigures>& all) {
    std::string text =
        fmt::format("{:<32} {:>4} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}  {:>8} {:>7} {:>7}\n",
                    "nanoseconds a round trip",
                    "runs",
                    "p50",
                    "p90",
                    "p99",
                    "p99.9",
                    "p99.99",
                    "max",
                    "floor",
                    "above",
                    "ratio");
    for (const LocalFigures& figures : all) {
        text += figures.one.endpoint == "ring" ? ring_rows(figures)
                                               : table_row(figures.one.name(), figures.runs);
    }
    return text;
}

std::string local_csv(const std::vector<LocalFigures>& all) {
    std::string text =
        "server,endpoint,protocol,operation,run,p50_ns,p90_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns,"
        "floor_before_ns,floor_after_ns\n";
    for (const LocalFigures& figures : all) {
        for (std::size_t run = 0; run < figures.runs.size(); ++run) {
            const LocalRun& one = figures.runs[run];
            text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                                figures.one.is_redis ? "redis" : "tern",
                                figures.one.endpoint,
                                to_string(figures.one.protocol),
                                to_string(figures.one.operation),
                                run + 1,
                                one.summary.p50,
                                one.summary.p90,
                                one.summary.p99,
                                one.summary.p99_9,
                                one.summary.p99_99,
                                one.summary.max,
                                one.floor_before,
                                one.floor_after);
        }
    }
    return text;
}

std::string local_hdr_log(const LocalFigures& figures) {
    std::int64_t length_ns = 0;
    for (const std::uint32_t value : figures.last.ns) {
        length_ns += value;
    }
    constexpr std::int64_t kMillisecondNs = 1'000'000;
    return histogram_log_header(wall_ms(), figures.one.name() + ", nanoseconds") +
           histogram_log_line({}, 0, length_ns / kMillisecondNs, figures.last.histogram());
}

}  // namespace tern::lab
