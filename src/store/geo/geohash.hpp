#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Points on the earth as scores of a sorted set, as Redis's geo group keeps them: 26 bits of
/// longitude and 26 of latitude, interleaved, so that near points have near scores.
namespace tern::store::geo {

struct Point {
    double longitude = 0;
    double latitude = 0;
};

/// The Web Mercator limits (EPSG:900913), beyond which Redis takes no point.
inline constexpr double kLongitudeMax = 180;
inline constexpr double kLatitudeMax = 85.05112878;

[[nodiscard]] constexpr bool is_valid(const Point& point) noexcept {
    return point.longitude >= -kLongitudeMax && point.longitude <= kLongitudeMax &&
           point.latitude >= -kLatitudeMax && point.latitude <= kLatitudeMax;
}

/// The score of a valid point: below 2^52 except on the eastern and northern rim, where Redis's
/// arithmetic carries into two bits more.
[[nodiscard]] std::uint64_t encode(const Point& point) noexcept;
/// The middle of a score's cell.
[[nodiscard]] Point decode(std::uint64_t score) noexcept;

inline constexpr std::size_t kTextBytes = 11;
/// The standard geohash text of a point; the last of the 11 digits is always 0, as in
/// Redis, which has bits for ten.
[[nodiscard]] std::array<char, kTextBytes> text_of(const Point& point) noexcept;

/// Great-circle distance in metres, on a sphere of Redis's radius.
[[nodiscard]] double distance_m(const Point& from, const Point& to) noexcept;

/// A circle, or a box whose sides are parallel to the axes. Lengths are metres.
struct Area {
    Point centre;
    bool is_box = false;
    double radius_m = 0;
    double width_m = 0;
    double height_m = 0;

    /// Whether a point is in; then its distance from the centre.
    [[nodiscard]] bool contains(const Point& point, double& distance_m_out) const noexcept;
};

/// Scores from `first` up to, but without, `last`.
struct ScoreSpan {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// Up to nine cells that cover an area: the one in the middle, then its neighbours in the order
/// north, south, east, west, north-east, north-west, south-east, south-west.
class Cover {
public:
    explicit Cover(const Area& area) noexcept;
    [[nodiscard]] std::span<const ScoreSpan> spans() const noexcept {
        return {spans_.data(), count_};
    }

private:
    std::array<ScoreSpan, 9> spans_;
    std::size_t count_ = 0;
};

}  // namespace tern::store::geo
