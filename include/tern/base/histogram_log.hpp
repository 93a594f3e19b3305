#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/histogram.hpp>
#include <vector>

namespace tern {

/// HdrHistogram's log format, version 1.3: a text of header lines and one line per interval, which
/// the public HdrHistogram plotters and log processors read.
///
///     #[StartTime: 1733011200.000 (seconds since epoch)]
///     #[BaseTime: 1733011200.000 (seconds since epoch)]
///     "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
///     Tag=get,0.000,1.000,0.041,HISTFAAAA…

/// Plotters divide by a million to show milliseconds of a histogram in nanoseconds.
inline constexpr double kHistogramLogUnitsPerMax = 1'000'000.0;

/// The header of a log whose intervals count from `start_ms` (milliseconds since 1970). `comment`
/// may have several lines.
[[nodiscard]] std::string histogram_log_header(std::int64_t start_ms,
                                               std::string_view comment = {});

/// One interval of a log.
struct HistogramInterval {
    std::string tag;            ///< empty for none; without ',', ' ' and line breaks
    std::int64_t start_ms = 0;  ///< from the start of the log
    std::int64_t length_ms = 0;
    Histogram histogram;
};

/// The line of an interval, with its line feed.
[[nodiscard]] std::string histogram_log_line(std::string_view tag,
                                             std::int64_t start_ms,
                                             std::int64_t length_ms,
                                             const Histogram& histogram);

/// Reads a log: all its intervals, header and comments skipped.
///
/// Errors:   kProtocol with the number of the line and what is wrong with it.
[[nodiscard]] Result<std::vector<HistogramInterval>> parse_histogram_log(std::string_view text);

}  // namespace tern
