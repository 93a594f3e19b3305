#include "store/geo/geohash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/random.hpp"

namespace tern::store::geo {
namespace {

constexpr Point kPalermo{13.361389, 38.115556};
constexpr Point kCatania{15.087269, 37.502669};

/// The published example of the commands' documentation.
TEST(Geohash, AgreesWithTheDocumentedExample) {
    EXPECT_EQ(encode(kPalermo), 3479099956230698U);
    EXPECT_EQ(encode(kCatania), 3479447370796909U);
    EXPECT_NEAR(distance_m(decode(encode(kPalermo)), decode(encode(kCatania))), 166274.1516, 1e-4);
    const auto text = text_of(decode(encode(kPalermo)));
    EXPECT_EQ(std::string(text.data(), text.size()), "sqc8b49rny0");
}

TEST(Geohash, PointsComeBackWithinACell) {
    Random random(3);
    for (int i = 0; i < 10'000; ++i) {
        const Point point{static_cast<double>(random.below(360'000'000)) / 1e6 - 180,
                          static_cast<double>(random.below(170'000'000)) / 1e6 - 85};
        const Point back = decode(encode(point));
        EXPECT_NEAR(back.longitude, point.longitude, 6e-6);
        EXPECT_NEAR(back.latitude, point.latitude, 3e-6);
    }
    EXPECT_EQ(encode({180, kLatitudeMax}), std::uint64_t{3} << 52);
    EXPECT_EQ(decode(encode({180, kLatitudeMax})).longitude, 180);
}

/// Whatever lies in an area lies in its cover.
TEST(Cover, HoldsEveryPointOfItsArea) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Area area;
        area.centre = {static_cast<double>(random.below(360'000)) / 1e3 - 180,
                       static_cast<double>(random.below(140'000)) / 1e3 - 70};
        area.is_box = random.below(2) == 0;
        const double reach_m = static_cast<double>(random.below(2'000'000)) + 1;
        area.radius_m = reach_m;
        area.width_m = reach_m * 2;
        area.height_m = reach_m;
        const Cover cover(area);
        for (int i = 0; i < 500; ++i) {
            const double degrees = reach_m / 40'000;
            const auto jitter = [&] {
                return (static_cast<double>(random.below(2000)) / 1000 - 1) * degrees;
            };
            const Point point{area.centre.longitude + jitter(), area.centre.latitude + jitter()};
            double distance = 0;
            if (!is_valid(point) || !area.contains(point, distance)) {
                continue;
            }
            const std::uint64_t score = encode(point);
            const auto spans = cover.spans();
            EXPECT_TRUE(std::any_of(
                spans.begin(),
                spans.end(),
                [&](const ScoreSpan& span) { return score >= span.first && score < span.last; }))
                << point.longitude << " " << point.latitude;
        }
    }
}

}  // namespace
}  // namespace tern::store::geo
