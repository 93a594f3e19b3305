#pragma once

#include <array>
#include <string_view>

#include "base/number_text.hpp"
#include "server/command/command_spec.hpp"
#include "store/geo/geohash.hpp"

/// What the files of the geo group share.
namespace tern::server::commands {

/// A unit's metres, or 0 for a word that is none.
[[nodiscard]] double metres_of_unit(std::string_view word) noexcept;
inline constexpr std::string_view kBadUnit =
    "ERR unsupported unit provided. please use M, KM, FT, MI";

/// Longitude and latitude; what is wrong with them otherwise.
///
/// Lifetime: of the text: `scratch`'s.
[[nodiscard]] std::string_view read_point(Arguments& in, store::geo::Point& out);

/// The point that a score stands for, whatever the score is.
[[nodiscard]] store::geo::Point point_of_score(double score) noexcept;

/// A distance as Redis writes it: four decimal places.
void write_distance(Reply& reply, double distance);
/// Longitude and latitude, in a list of two.
void write_point(Reply& reply, const store::geo::Point& point);

inline constexpr GroupInfo geo_info{"geo", kAclGeo};

[[nodiscard]] std::span<const CommandSpec> geo_table();
[[nodiscard]] std::span<const CommandSpec> geo_search_table();

}  // namespace tern::server::commands
