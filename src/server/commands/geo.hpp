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

constexpr CommandInfo geo_info(std::string_view name,
                               int arity,
                               std::uint32_t flags,
                               KeyPositions keys,
                               std::string_view since,
                               std::string_view complexity,
                               std::string_view syntax,
                               std::string_view summary) {
    return {.name = name,
            .arity = static_cast<std::int16_t>(arity),
            .flags = flags,
            .keys = keys,
            .acl_categories = kAclGeo,
            .group = "geo",
            .since = since,
            .complexity = complexity,
            .summary = summary,
            .syntax = syntax};
}

[[nodiscard]] std::span<const CommandSpec> geo_table();
[[nodiscard]] std::span<const CommandSpec> geo_search_table();

inline constexpr KeyPositions kGeoKey{1, 1, 1};

}  // namespace tern::server::commands
