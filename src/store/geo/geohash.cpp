#include "store/geo/geohash.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tern::store::geo {

namespace {

constexpr double kEarthRadiusM = 6372797.560856;
/// Half the equator in the Mercator projection: what one step of halving starts from.
constexpr double kMercatorMaxM = 20037726.37;
constexpr double kRadians = std::numbers::pi / 180;
constexpr unsigned kSteps = 26;

/// A range of degrees that is halved again and again.
struct Axis {
    double min;
    double max;
};
constexpr Axis kLongitudes{-kLongitudeMax, kLongitudeMax};
constexpr Axis kLatitudes{-kLatitudeMax, kLatitudeMax};
constexpr Axis kStandardLatitudes{-90, 90};  // of geohash texts

/// Spreads the bits of `value` to the even places.
[[nodiscard]] std::uint64_t spread(std::uint64_t value) noexcept {
    value = (value | (value << 16)) & 0x0000FFFF0000FFFFU;
    value = (value | (value << 8)) & 0x00FF00FF00FF00FFU;
    value = (value | (value << 4)) & 0x0F0F0F0F0F0F0F0FU;
    value = (value | (value << 2)) & 0x3333333333333333U;
    return (value | (value << 1)) & 0x5555555555555555U;
}

/// The bits at the even places of `value`, together.
[[nodiscard]] std::uint32_t gather(std::uint64_t value) noexcept {
    value &= 0x5555555555555555U;
    value = (value | (value >> 1)) & 0x3333333333333333U;
    value = (value | (value >> 2)) & 0x0F0F0F0F0F0F0F0FU;
    value = (value | (value >> 4)) & 0x00FF00FF00FF00FFU;
    value = (value | (value >> 8)) & 0x0000FFFF0000FFFFU;
    return static_cast<std::uint32_t>(value | (value >> 16));
}

[[nodiscard]] std::uint32_t index_of(double degrees, const Axis& axis, unsigned steps) noexcept {
    const double share = (degrees - axis.min) / (axis.max - axis.min);
    const auto cells = static_cast<double>(std::uint64_t{1} << steps);
    return static_cast<std::uint32_t>(share * cells);
}

[[nodiscard]] Axis part_of(const Axis& axis, std::uint32_t index, unsigned steps) noexcept {
    const auto cells = static_cast<double>(std::uint64_t{1} << steps);
    const double width = axis.max - axis.min;
    return {axis.min + (index * 1.0 / cells) * width, axis.min + ((index + 1.0) / cells) * width};
}

/// One cell of the grid after `steps` halvings of both axes.
struct Cell {
    std::uint32_t column = 0;
    std::uint32_t row = 0;
    unsigned steps = kSteps;

    [[nodiscard]] std::uint64_t bits() const noexcept { return spread(row) | spread(column) << 1; }
    [[nodiscard]] Axis longitudes() const noexcept { return part_of(kLongitudes, column, steps); }
    [[nodiscard]] Axis latitudes() const noexcept { return part_of(kLatitudes, row, steps); }
    /// The cell next to it; the grid goes on at its other end.
    [[nodiscard]] Cell moved(int columns, int rows) const noexcept {
        const std::uint32_t mask = (1U << steps) - 1;
        return {(column + static_cast<std::uint32_t>(columns)) & mask,
                (row + static_cast<std::uint32_t>(rows)) & mask,
                steps};
    }
    [[nodiscard]] ScoreSpan scores() const noexcept {
        const unsigned shift = 2 * (kSteps - steps);
        return {bits() << shift, (bits() + 1) << shift};
    }
};

/// Points on the eastern and northern rim lie one cell beyond the grid, as in Redis.
[[nodiscard]] Cell cell_of(const Point& point, const Axis& latitudes, unsigned steps) noexcept {
    return {index_of(point.longitude, kLongitudes, steps),
            index_of(point.latitude, latitudes, steps),
            steps};
}

/// The degrees that an area spans.
struct Bounds {
    Axis longitudes;
    Axis latitudes;
};

[[nodiscard]] Bounds bounds_of(const Area& area) noexcept {
    const double half_width_m = area.is_box ? area.width_m / 2 : area.radius_m;
    const double half_height_m = area.is_box ? area.height_m / 2 : area.radius_m;
    const double rows = half_height_m / kEarthRadiusM / kRadians;
    // A degree of longitude is shortest on the side of the pole.
    const double pole_side = area.centre.latitude + (area.centre.latitude < 0 ? -rows : rows);
    const double columns = half_width_m / kEarthRadiusM / std::cos(pole_side * kRadians) / kRadians;
    return {{area.centre.longitude - columns, area.centre.longitude + columns},
            {area.centre.latitude - rows, area.centre.latitude + rows}};
}

/// How often the axes are halved so that a cell and its neighbours cover the area.
[[nodiscard]] unsigned steps_for(const Area& area) noexcept {
    double reach_m = area.is_box ? std::hypot(area.width_m / 2, area.height_m / 2) : area.radius_m;
    if (reach_m == 0) {
        return kSteps;
    }
    int steps = 1;
    while (reach_m < kMercatorMaxM) {
        reach_m *= 2;
        ++steps;
    }
    steps -= 2;
    // Towards the poles a cell covers less ground.
    const double latitude = std::abs(area.centre.latitude);
    steps -= latitude > 80 ? 2 : latitude > 66 ? 1 : 0;
    return static_cast<unsigned>(std::clamp(steps, 1, static_cast<int>(kSteps)));
}

/// Whether the neighbours of `cell` reach as far as the area on all sides.
[[nodiscard]] bool reaches(const Cell& cell, const Bounds& bounds) noexcept {
    return cell.moved(0, 1).latitudes().max >= bounds.latitudes.max &&
           cell.moved(0, -1).latitudes().min <= bounds.latitudes.min &&
           cell.moved(1, 0).longitudes().max >= bounds.longitudes.max &&
           cell.moved(-1, 0).longitudes().min <= bounds.longitudes.min;
}

/// Great-circle distance along a meridian.
[[nodiscard]] double meridian_m(double from, double to) noexcept {
    return kEarthRadiusM * std::abs(to * kRadians - from * kRadians);
}

}  // namespace

std::uint64_t encode(const Point& point) noexcept {
    return cell_of(point, kLatitudes, kSteps).bits();
}

Point decode(std::uint64_t score) noexcept {
    const Cell cell{gather(score >> 1), gather(score), kSteps};
    const Axis longitudes = cell.longitudes();
    const Axis latitudes = cell.latitudes();
    return {std::clamp((longitudes.min + longitudes.max) / 2, -kLongitudeMax, kLongitudeMax),
            std::clamp((latitudes.min + latitudes.max) / 2, -kLatitudeMax, kLatitudeMax)};
}

std::array<char, kTextBytes> text_of(const Point& point) noexcept {
    constexpr std::string_view kDigits = "0123456789bcdefghjkmnpqrstuvwxyz";
    constexpr unsigned kDigitBits = 5;
    const std::uint64_t bits = cell_of(point, kStandardLatitudes, kSteps).bits();
    std::array<char, kTextBytes> text;
    for (unsigned i = 0; i + 1 < kTextBytes; ++i) {
        text[i] = kDigits[(bits >> (2 * kSteps - (i + 1) * kDigitBits)) & 31];
    }
    text.back() = '0';
    return text;
}

double distance_m(const Point& from, const Point& to) noexcept {
    const double v = std::sin((to.longitude * kRadians - from.longitude * kRadians) / 2);
    if (v == 0) {
        return meridian_m(from.latitude, to.latitude);
    }
    const double latitude_from = from.latitude * kRadians;
    const double latitude_to = to.latitude * kRadians;
    const double u = std::sin((latitude_to - latitude_from) / 2);
    const double a = u * u + std::cos(latitude_from) * std::cos(latitude_to) * v * v;
    return 2.0 * kEarthRadiusM * std::asin(std::sqrt(a));
}

bool Area::contains(const Point& point, double& distance_m_out) const noexcept {
    if (is_box) {
        if (meridian_m(point.latitude, centre.latitude) > height_m / 2 ||
            geo::distance_m({centre.longitude, point.latitude}, point) > width_m / 2) {
            return false;
        }
        distance_m_out = geo::distance_m(centre, point);
        return true;
    }
    distance_m_out = geo::distance_m(centre, point);
    return distance_m_out <= radius_m;
}

Cover::Cover(const Area& area) noexcept {
    const Bounds bounds = bounds_of(area);
    Cell cell = cell_of(area.centre, kLatitudes, steps_for(area)).moved(0, 0);
    if (cell.steps > 1 && !reaches(cell, bounds)) {
        cell = cell_of(area.centre, kLatitudes, cell.steps - 1).moved(0, 0);
    }
    // A side where the area does not leave the cell needs no neighbours.
    const bool leaves_all = cell.steps < 2;
    const bool north = leaves_all || cell.latitudes().max <= bounds.latitudes.max;
    const bool south = leaves_all || cell.latitudes().min >= bounds.latitudes.min;
    const bool east = leaves_all || cell.longitudes().max <= bounds.longitudes.max;
    const bool west = leaves_all || cell.longitudes().min >= bounds.longitudes.min;
    struct Step {
        int columns;
        int rows;
    };
    constexpr std::array<Step, 9> kOrder = {
        {{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};
    for (const Step& step : kOrder) {
        const bool is_needed = (step.rows <= 0 || north) && (step.rows >= 0 || south) &&
                               (step.columns <= 0 || east) && (step.columns >= 0 || west);
        const ScoreSpan span = cell.moved(step.columns, step.rows).scores();
        // On a coarse grid one cell is a neighbour on several sides.
        const bool is_new = std::none_of(spans_.begin(),
                                         spans_.begin() + count_,
                                         [&](const auto& one) { return one.first == span.first; });
        if (is_needed && is_new) {
            spans_[count_++] = span;
        }
    }
}

}  // namespace tern::store::geo
