#pragma once

#include <string>
#include <vector>

#include "lab/cases.hpp"
#include "lab/samples.hpp"

/// What `tern lab local` gathers and how it is written down.
namespace tern::lab {

/// One server, endpoint, protocol and operation.
struct LocalCase {
    bool is_redis = false;
    std::string endpoint;  ///< "ring", "unix", "tcp"
    Protocol protocol = Protocol::kResp3;
    Operation operation = Operation::kPing;

    [[nodiscard]] std::string name() const;
};

/// Where the host has put the two cores, as the cache-line floor tells it. It moves them at will,
/// so a mean over both placements is the figure of neither.
enum class Placement : unsigned char {
    kNear,   ///< a floor under kNearFloorNs
    kFar,    ///< above it
    kMoved,  ///< the floors before and after the case disagree: its figure is compared with neither
};
inline constexpr double kNearFloorNs = 250;

/// One run of a case. Units: nanoseconds.
struct LocalRun {
    Summary summary;
    double floor_before = 0;  ///< the median of the floor right before the case
    double floor_after = 0;   ///< and right after it

    [[nodiscard]] double floor() const noexcept { return (floor_before + floor_after) / 2; }
    /// Of a ring's case only: a socket's floor does not tell.
    [[nodiscard]] Placement placement() const noexcept;
};

/// What one case gathered over the runs.
struct LocalFigures {
    LocalCase one;
    std::vector<LocalRun> runs;
    Samples last;
};

/// A row for each case, for a ring's case a row for each placement that was seen: means of the
/// percentiles over the runs, the median of the floors, and the medians over the runs of how much
/// p50 was above its own floor and what ratio it had to it.
[[nodiscard]] std::string local_table(const std::vector<LocalFigures>& all);

/// A line for each run of each case.
[[nodiscard]] std::string local_csv(const std::vector<LocalFigures>& all);

/// The last run's samples as a HdrHistogram log.
[[nodiscard]] std::string local_hdr_log(const LocalFigures& figures);

}  // namespace tern::lab
