#include "server/commands/geo.hpp"

#include <array>
#include <cmath>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/sorted_sets.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server::commands {

using store::geo::Point;
using store::zsets::Zset;

double metres_of_unit(std::string_view word) noexcept {
    struct Unit {
        std::string_view name;  ///< in capitals
        double metres;
    };
    constexpr std::array kUnits = {
        Unit{"M", 1}, Unit{"KM", 1000}, Unit{"FT", 0.3048}, Unit{"MI", 1609.34}};
    for (const Unit& unit : kUnits) {
        if (equals_word(word, unit.name)) {
            return unit.metres;
        }
    }
    return 0;
}

std::string_view read_point(Arguments& in, Point& out) {
    if (!parse_double(in.take(), out.longitude) || !parse_double(in.take(), out.latitude)) {
        return kNotFloat;
    }
    if (store::geo::is_valid(out)) {
        return {};
    }
    return in.scratch().copy(fmt::format(
        "ERR invalid longitude,latitude pair {:.6f},{:.6f}", out.longitude, out.latitude));
}

Point point_of_score(double score) noexcept {
    // What a processor makes of a number that is no score of a point.
    std::uint64_t bits = 0;
    if (score < -0x1p63) {
        bits = std::uint64_t{1} << 63;
    } else if (score < 0x1p63) {
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(score));
    } else if (score < 0x1p64) {
        bits = static_cast<std::uint64_t>(score);
    }
    return store::geo::decode(bits);
}

void write_distance(Reply& reply, double distance) {
    reply.bulk(fmt::format("{:.4f}", distance));
}

void write_point(Reply& reply, const Point& point) {
    reply.array(2);
    for (const double degrees : {point.longitude, point.latitude}) {
        if (reply.is_typed()) {
            reply.number(degrees);
        } else {
            char text[kLongDoubleTextBytes];
            reply.bulk({text, format_long_double_human(text, degrees)});
        }
    }
}

namespace {

// GEOADD

struct Place {
    Point point;
    std::string_view member;
};
struct GeoAddArguments {
    std::string_view key;
    store::zsets::AddOptions options;
    bool counts_changed = false;
    std::span<const Place> places;
};
bool parse_text(Arguments& in, GeoAddArguments& out, Reply& reply) {
    out.key = in.take();
    bool is_option = true;
    while (is_option) {
        is_option = true;
        if (in.take_option("NX")) {
            out.options.only_new = true;
        } else if (in.take_option("XX")) {
            out.options.only_existing = true;
        } else if (in.take_option("CH")) {
            out.counts_changed = true;
        } else {
            is_option = false;
        }
    }
    constexpr std::size_t kWordsPerPlace = 3;
    if (in.is_empty() || in.left() % kWordsPerPlace != 0 ||
        (out.options.only_new && out.options.only_existing)) {
        return syntax_error(reply);
    }
    const std::span<Place> places = in.scratch().array<Place>(in.left() / kWordsPerPlace);
    for (Place& place : places) {
        if (const std::string_view error = read_point(in, place.point); !error.empty()) {
            reply.error(error);
            return false;
        }
        place.member = in.take();
    }
    out.places = places;
    return true;
}

void geoadd(Call& call, const GeoAddArguments& args) {
    using Outcome = store::zsets::AddResult::Outcome;
    Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    std::int64_t added_count = 0;
    std::int64_t updated_count = 0;
    for (const Place& place : args.places) {
        const auto score = static_cast<double>(store::geo::encode(place.point));
        const Outcome outcome =
            zset.add({.member = place.member, .score = score}, args.options, zset_limits(call))
                .outcome;
        if (outcome == Outcome::kOutOfMemory) {
            call.reply.error(kOutOfMemory);
            return;
        }
        added_count += outcome == Outcome::kAdded ? 1 : 0;
        updated_count += outcome == Outcome::kUpdated ? 1 : 0;
    }
    if (added_count + updated_count != 0) {
        zset.mark_modified();
    }
    call.reply.integer(added_count + (args.counts_changed ? updated_count : 0));
}

// GEOPOS, GEOHASH, GEODIST

struct MembersArguments {
    std::string_view key;
    std::span<const std::string_view> members;
};
bool parse_text(Arguments& in, MembersArguments& out, Reply&) {
    out.key = in.take();
    out.members = in.take_rest();
    return true;
}

void geopos(Call& call, const MembersArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    call.reply.array(args.members.size());
    for (const std::string_view member : args.members) {
        if (const auto score = zset.score(member)) {
            write_point(call.reply, point_of_score(*score));
        } else {
            call.reply.null_array();
        }
    }
}

void geohash(Call& call, const MembersArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    call.reply.array(args.members.size());
    for (const std::string_view member : args.members) {
        if (const auto score = zset.score(member)) {
            const auto text = store::geo::text_of(point_of_score(*score));
            call.reply.bulk({text.data(), text.size()});
        } else {
            call.reply.null();
        }
    }
}

struct DistanceArguments {
    std::string_view key;
    std::string_view from;
    std::string_view to;
    double unit_metres = 1;
};
bool parse_text(Arguments& in, DistanceArguments& out, Reply& reply) {
    out.key = in.take();
    out.from = in.take();
    out.to = in.take();
    if (in.left() > 1) {
        return syntax_error(reply);
    }
    if (!in.is_empty()) {
        out.unit_metres = metres_of_unit(in.take());
    }
    if (out.unit_metres == 0) {
        reply.error(kBadUnit);
    }
    return out.unit_metres != 0;
}

void geodist(Call& call, const DistanceArguments& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    const auto from = zset.score(args.from);
    const auto to = zset.score(args.to);
    if (!from || !to) {
        call.reply.null();
        return;
    }
    const double metres = store::geo::distance_m(point_of_score(*from), point_of_score(*to));
    write_distance(call.reply, metres / args.unit_metres);
}

constexpr std::array kTable = {
    row<geoadd>(
        geo_info("geoadd",
                 -5,
                 kWrite | kDenyOom,
                 kOneKey,
                 "3.2.0",
                 "O(log(N)) a member",
                 "key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]",
                 "Adds members at places.")),
    row<geodist>(geo_info("geodist",
                          -4,
                          kReadonly,
                          kOneKey,
                          "3.2.0",
                          "O(1)",
                          "key member1 member2 [M | KM | FT | MI]",
                          "Tells how far two members are apart.")),
    row<geohash>(geo_info("geohash",
                          -2,
                          kReadonly,
                          kOneKey,
                          "3.2.0",
                          "O(1) a member",
                          "key [member [member ...]]",
                          "Tells the geohash texts of members.")),
    row<geopos>(geo_info("geopos",
                         -2,
                         kReadonly,
                         kOneKey,
                         "3.2.0",
                         "O(1) a member",
                         "key [member [member ...]]",
                         "Tells where members are.")),
};

}  // namespace

std::span<const CommandSpec> geo_table() {
    return kTable;
}

}  // namespace tern::server::commands
