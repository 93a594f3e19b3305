#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <tern/base/check.hpp>
#include <tern/base/histogram_log.hpp>

namespace tern {
namespace {

constexpr double kMsPerSecond = 1000.0;

double seconds(std::int64_t ms) noexcept {
    return static_cast<double>(ms) / kMsPerSecond;
}

std::string_view take_until(std::string_view& rest, char separator) noexcept {
    const std::size_t end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return part;
}

bool parse_seconds(std::string_view text, std::int64_t& ms) noexcept {
    constexpr double kSecondsMax = 1e12;
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    if (status != std::errc{} || stop != end || !(std::fabs(value) < kSecondsMax)) {
        return false;
    }
    ms = std::llround(value * kMsPerSecond);
    return true;
}

Result<HistogramInterval> parse_line(std::string_view line) {
    constexpr std::string_view kTag = "Tag=";
    HistogramInterval interval;
    if (line.starts_with(kTag)) {
        interval.tag = take_until(line, ',').substr(kTag.size());
    }
    std::array<std::string_view, 3> fields;
    for (std::string_view& field : fields) {
        field = take_until(line, ',');
    }
    std::int64_t max = 0;
    if (!parse_seconds(fields[0], interval.start_ms) ||
        !parse_seconds(fields[1], interval.length_ms) || !parse_seconds(fields[2], max)) {
        return error(Errc::kProtocol,
                     "expected start, length, maximum and histogram, found '{},{},{}'",
                     fields[0],
                     fields[1],
                     fields[2]);
    }
    auto histogram = Histogram::decode(line);
    if (!histogram.ok()) {
        return std::move(histogram).error();
    }
    interval.histogram = *std::move(histogram);
    return interval;
}

}  // namespace

std::string histogram_log_header(std::int64_t start_ms, std::string_view comment) {
    std::string header;
    while (!comment.empty()) {
        header += fmt::format("#{}\n", take_until(comment, '\n'));
    }
    return header + fmt::format(
                        "#[Histogram log format version 1.3]\n"
                        "#[StartTime: {0:.3f} (seconds since epoch)]\n"
                        "#[BaseTime: {0:.3f} (seconds since epoch)]\n"
                        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                        "\"Interval_Compressed_Histogram\"\n",
                        seconds(start_ms));
}

std::string histogram_log_line(std::string_view tag,
                               std::int64_t start_ms,
                               std::int64_t length_ms,
                               const Histogram& histogram) {
    TERN_DCHECK(tag.find_first_of(", \r\n") == std::string_view::npos);
    return fmt::format("{}{}{}{:.3f},{:.3f},{:.3f},{}\n",
                       tag.empty() ? "" : "Tag=",
                       tag,
                       tag.empty() ? "" : ",",
                       seconds(start_ms),
                       seconds(length_ms),
                       static_cast<double>(histogram.max()) / kHistogramLogUnitsPerMax,
                       histogram.encode());
}

Result<std::vector<HistogramInterval>> parse_histogram_log(std::string_view text) {
    std::vector<HistogramInterval> intervals;
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
        std::string_view line = take_until(text, '\n');
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty() || line.starts_with('#') || line.starts_with('"')) {
            continue;
        }
        auto interval = parse_line(line);
        if (!interval.ok()) {
            return std::move(interval).error().add_context(
                fmt::format("histogram log, line {}", line_number));
        }
        intervals.push_back(*std::move(interval));
    }
    return intervals;
}

}  // namespace tern
