#include <algorithm>
#include <array>
#include <optional>

#include "server/commands/argument_shapes.hpp"
#include "server/commands/geo.hpp"
#include "server/commands/scan.hpp"
#include "server/commands/sorted_sets.hpp"
#include "server/commands/tables.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/zset/combine.hpp"

namespace tern::server::commands {

namespace {

using store::geo::Area;
using store::geo::Point;
using store::zsets::Element;
using store::zsets::Zset;

/// The commands of the family and what tells them apart.
enum class Family : std::uint8_t { kRadius, kRadiusByMember, kSearch, kSearchStore };
struct Form {
    Family family = Family::kSearch;
    bool may_store = false;  ///< STORE and STOREDIST of the older commands

    [[nodiscard]] constexpr bool is_search() const noexcept {
        return family == Family::kSearch || family == Family::kSearchStore;
    }
};

enum class Order : std::uint8_t { kNone, kAscending, kDescending };

/// What all of them ask for.
struct SearchArguments {
    std::string_view key;
    std::string_view destination;
    std::string_view member;
    Area area;
    double unit_metres = 1;
    std::uint64_t count = 0;  ///< 0: all
    Order order = Order::kNone;
    bool from_member = false;
    bool from_point = false;
    bool has_shape = false;
    bool stores = false;
    bool stores_distances = false;
    bool takes_any = false;
    bool with_distance = false;
    bool with_score = false;
    bool with_point = false;
    /// What is wrong, told after the key's type was found right, as Redis does. The first is only
    /// told when the key is there.
    std::string_view area_error;
    std::string_view option_error;
};

/// A length and its unit; an error's text or nothing.
std::string_view read_unit(Arguments& in, SearchArguments& out) {
    out.unit_metres = metres_of_unit(in.take());
    return out.unit_metres == 0 ? kBadUnit : std::string_view();
}
std::string_view read_radius(Arguments& in, SearchArguments& out) {
    double radius = 0;
    const std::string_view text = in.take();
    if (!parse_double(text, radius)) {
        static_cast<void>(in.take());
        return "ERR need numeric radius";
    }
    if (radius < 0) {
        static_cast<void>(in.take());
        return "ERR radius cannot be negative";
    }
    const std::string_view error = read_unit(in, out);
    out.area.radius_m = radius * out.unit_metres;
    out.has_shape = true;
    return error;
}
std::string_view read_box(Arguments& in, SearchArguments& out) {
    double width = 0;
    double height = 0;
    if (!parse_double(in.take(), width)) {
        return "ERR need numeric width";
    }
    if (!parse_double(in.take(), height)) {
        return "ERR need numeric height";
    }
    if (width < 0 || height < 0) {
        return "ERR height or width cannot be negative";
    }
    const std::string_view error = read_unit(in, out);
    out.area.is_box = true;
    out.area.width_m = width * out.unit_metres;
    out.area.height_m = height * out.unit_metres;
    out.has_shape = true;
    return error;
}
std::string_view read_count(Arguments& in, SearchArguments& out) {
    std::int64_t count = 0;
    if (!parse_int64(in.take(), count)) {
        return kNotInteger;
    }
    if (count <= 0) {
        return "ERR COUNT must be > 0";
    }
    out.count = static_cast<std::uint64_t>(count);
    return {};
}

/// Options without arguments. False: not one of them.
bool take_flag(Arguments& in, const Form& form, SearchArguments& out) {
    struct Flag {
        std::string_view name;
        bool SearchArguments::*member;
    };
    constexpr std::array kFlags = {Flag{"WITHDIST", &SearchArguments::with_distance},
                                   Flag{"WITHHASH", &SearchArguments::with_score},
                                   Flag{"WITHCOORD", &SearchArguments::with_point},
                                   Flag{"ANY", &SearchArguments::takes_any}};
    for (const Flag& flag : kFlags) {
        if (in.take_option(flag.name)) {
            out.*flag.member = true;
            return true;
        }
    }
    if (in.take_option("ASC")) {
        out.order = Order::kAscending;
        return true;
    }
    if (in.take_option("DESC")) {
        out.order = Order::kDescending;
        return true;
    }
    if (form.family == Family::kSearchStore && in.take_option("STOREDIST")) {
        out.stores_distances = true;
        return true;
    }
    return false;
}

/// FROMMEMBER, FROMLONLAT, BYRADIUS, BYBOX; nothing: not one of them.
std::optional<std::string_view> read_search_option(Arguments& in, SearchArguments& out) {
    const std::size_t words = in.left() - 1;
    if (words >= 1 && !out.from_point && in.take_option("FROMMEMBER")) {
        out.member = in.take();
        out.from_member = true;
        return std::string_view();
    }
    if (words >= 2 && !out.from_member && in.take_option("FROMLONLAT")) {
        out.from_point = true;
        return read_point(in, out.area.centre);
    }
    const bool has_radius = out.has_shape && !out.area.is_box;
    if (words >= 2 && !out.area.is_box && in.take_option("BYRADIUS")) {
        return read_radius(in, out);
    }
    if (words >= 3 && !has_radius && in.take_option("BYBOX")) {
        return read_box(in, out);
    }
    return std::nullopt;
}

/// One option; an error's text or nothing.
std::string_view read_option(Arguments& in, const Form& form, SearchArguments& out) {
    if (take_flag(in, form, out)) {
        return {};
    }
    if (in.left() > 1 && in.take_option("COUNT")) {
        return read_count(in, out);
    }
    if (form.is_search()) {
        return read_search_option(in, out).value_or(kSyntaxError);
    }
    if (!form.may_store || in.left() < 2) {
        return kSyntaxError;
    }
    const bool is_distance = in.take_option("STOREDIST");
    if (!is_distance && !in.take_option("STORE")) {
        return kSyntaxError;
    }
    out.stores = true;
    out.stores_distances = is_distance;
    out.destination = in.take();
    return {};
}

/// What is wrong with the options together.
std::string_view broken_rule(const Form& form, const SearchArguments& args) {
    if (args.stores && (args.with_distance || args.with_score || args.with_point)) {
        return form.is_search() ? "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH "
                                  "and WITHCOORD options"
                                : "ERR STORE option in GEORADIUS is not compatible with WITHDIST, "
                                  "WITHHASH and WITHCOORD options";
    }
    if (!args.from_member && !args.from_point) {
        return "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for {}";
    }
    if (!args.has_shape && form.is_search()) {
        return "ERR exactly one of BYRADIUS and BYBOX can be specified for {}";
    }
    return args.takes_any && args.count == 0 ? "ERR the ANY argument requires COUNT argument"
                                             : std::string_view();
}

void parse_search(Arguments& in,
                  const Form& form,
                  std::string_view command_name,
                  SearchArguments& out) {
    if (form.family == Family::kSearchStore) {
        out.destination = in.take();
        out.stores = true;
    }
    out.key = in.take();
    if (form.family == Family::kRadius) {
        out.from_point = true;
        out.option_error = read_point(in, out.area.centre);
        if (out.option_error.empty()) {
            out.option_error = read_radius(in, out);
        }
    } else if (form.family == Family::kRadiusByMember) {
        out.from_member = true;
        out.member = in.take();
        out.area_error = read_radius(in, out);
    }
    while (!in.is_empty() && out.option_error.empty()) {
        out.option_error = read_option(in, form, out);
    }
    if (out.option_error.empty()) {
        out.option_error = broken_rule(form, out);
        if (out.option_error.ends_with("{}")) {
            out.option_error.remove_suffix(2);
            out.option_error =
                in.scratch().copy(fmt::format("{}{}", out.option_error, command_name));
        }
    }
}

template <const Form& kForm>
struct FormArguments : SearchArguments {};
template <const Form& kForm>
bool parse_text(Arguments& in, FormArguments<kForm>& out, Reply&) {
    parse_search(
        in, kForm, kForm.family == Family::kSearchStore ? "geosearchstore" : "geosearch", out);
    return true;
}

/// A member that was found.
struct Match {
    std::string_view member;
    double score = 0;
    double distance_m = 0;
    Point point;
};

/// Members of `zset` in the area, cell by cell; no more than `count_max`.
std::span<Match> find(Call& call, const Zset& zset, const Area& area, std::uint64_t count_max) {
    constexpr std::uint64_t kPiece = 64;
    ScratchList<Match> found(call.scratch);
    const store::geo::Cover cover(area);
    for (const store::geo::ScoreSpan& scores : cover.spans()) {
        const store::RankSpan span =
            zset.span(store::ScoreRange{.min = {static_cast<double>(scores.first), false},
                                        .max = {static_cast<double>(scores.last), true}});
        // In pieces, so that ANY costs no more than about what it found.
        for (std::uint64_t at = 0; at < span.count && found.size() < count_max; at += kPiece) {
            zset.visit(
                {span.begin + at, std::min(kPiece, span.count - at)}, [&](const Element& element) {
                    Match match{element.member, element.score, 0, {}};
                    match.point = point_of_score(element.score);
                    if (found.size() < count_max && area.contains(match.point, match.distance_m)) {
                        found.push_back(match);
                    }
                });
        }
    }
    return found.items();
}

void write_matches(Reply& reply, const SearchArguments& args, std::span<const Match> matches) {
    const std::size_t parts = std::size_t{args.with_distance} + std::size_t{args.with_score} +
                              std::size_t{args.with_point};
    reply.array(matches.size());
    for (const Match& match : matches) {
        if (parts != 0) {
            reply.array(1 + parts);
        }
        reply.bulk(match.member);
        if (args.with_distance) {
            write_distance(reply, match.distance_m / args.unit_metres);
        }
        if (args.with_score) {
            reply.integer(static_cast<std::int64_t>(match.score));
        }
        if (args.with_point) {
            write_point(reply, match.point);
        }
    }
}

void store_matches(Call& call, const SearchArguments& args, std::span<const Match> matches) {
    store::zsets::ZsetResult result(call.keyspace);
    bool has_memory = true;
    for (std::size_t i = 0; i < matches.size() && has_memory; ++i) {
        const double distance = matches[i].distance_m / args.unit_metres;
        has_memory = result.add({.member = matches[i].member,
                                 .score = args.stores_distances ? distance : matches[i].score});
    }
    if (has_memory && result.store_as(call.database, args.destination, zset_limits(call))) {
        call.reply.integer(static_cast<std::int64_t>(matches.size()));
    } else {
        call.reply.error(kOutOfMemory);
    }
}

/// The first error in Redis's order; nothing when all is well. Moves the area to the member.
std::string_view first_error(const Zset& zset, const SearchArguments& args, Area& area) {
    if (args.from_member && zset.exists()) {
        const auto score = zset.score(args.member);
        if (!score) {
            return "ERR could not decode requested zset member";
        }
        area.centre = point_of_score(*score);
        if (!args.area_error.empty()) {
            return args.area_error;
        }
    }
    return args.option_error;
}

template <const Form& kForm>
void search(Call& call, const FormArguments<kForm>& args) {
    const Zset zset(call.database, args.key);
    if (!is_usable(call, zset)) {
        return;
    }
    Area area = args.area;
    if (const std::string_view error = first_error(zset, args, area); !error.empty()) {
        call.reply.error(error);
        return;
    }
    std::span<Match> matches;
    if (zset.exists()) {
        matches = find(call, zset, area, args.takes_any ? args.count : UINT64_MAX);
    }
    const bool is_cut = args.count != 0 && !args.takes_any;
    if (args.order != Order::kNone || is_cut) {
        const bool descends = args.order == Order::kDescending;
        std::stable_sort(matches.begin(), matches.end(), [&](const Match& a, const Match& b) {
            return descends ? a.distance_m > b.distance_m : a.distance_m < b.distance_m;
        });
    }
    if (args.count != 0 && matches.size() > args.count) {
        matches = matches.first(args.count);
    }
    if (args.stores) {
        store_matches(call, args, matches);
    } else {
        write_matches(call.reply, args, matches);
    }
}

constexpr Form kRadius{Family::kRadius, true};
constexpr Form kRadiusRo{Family::kRadius, false};
constexpr Form kByMember{Family::kRadiusByMember, true};
constexpr Form kByMemberRo{Family::kRadiusByMember, false};
constexpr Form kSearch{Family::kSearch, false};
constexpr Form kSearchStore{Family::kSearchStore, false};

constexpr std::uint32_t kOldStore = kWrite | kDenyOom | kMovableKeys;
constexpr std::string_view kCost = "O(N+log(M))";
constexpr std::string_view kRadiusSyntax =
    "key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] "
    "[COUNT count [ANY]] [ASC | DESC]";
constexpr std::string_view kMemberSyntax =
    "key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] "
    "[COUNT count [ANY]] [ASC | DESC]";
constexpr std::string_view kRadiusStoreSyntax =
    "key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] "
    "[COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]";
constexpr std::string_view kMemberStoreSyntax =
    "key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] "
    "[COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]";
constexpr std::string_view kSearchSyntax =
    "key <FROMMEMBER member | FROMLONLAT longitude latitude> <BYRADIUS radius <M | KM | FT | MI> | "
    "BYBOX width height <M | KM | FT | MI>> [ASC | DESC] [COUNT count [ANY]] [WITHCOORD] "
    "[WITHDIST] [WITHHASH]";
constexpr std::string_view kSearchStoreSyntax =
    "destination source <FROMMEMBER member | FROMLONLAT longitude latitude> <BYRADIUS radius <M | "
    "KM | FT | MI> | BYBOX width height <M | KM | FT | MI>> [ASC | DESC] [COUNT count [ANY]] "
    "[STOREDIST]";
constexpr std::string_view kNear = "Finds members near a place.";
constexpr std::string_view kNearMember = "Finds members near a member.";

constexpr std::array kTable = {
    row<search<kRadius>>(
        geo_info("georadius", -6, kOldStore, kOneKey, "3.2.0", kCost, kRadiusStoreSyntax, kNear)),
    row<search<kRadiusRo>>(
        geo_info("georadius_ro", -6, kReadonly, kOneKey, "3.2.10", kCost, kRadiusSyntax, kNear)),
    row<search<kByMember>>(geo_info("georadiusbymember",
                                    -5,
                                    kOldStore,
                                    kOneKey,
                                    "3.2.0",
                                    kCost,
                                    kMemberStoreSyntax,
                                    kNearMember)),
    row<search<kByMemberRo>>(geo_info("georadiusbymember_ro",
                                      -5,
                                      kReadonly,
                                      kOneKey,
                                      "3.2.10",
                                      kCost,
                                      kMemberSyntax,
                                      kNearMember)),
    row<search<kSearch>>(geo_info("geosearch",
                                  -7,
                                  kReadonly,
                                  kOneKey,
                                  "6.2.0",
                                  kCost,
                                  kSearchSyntax,
                                  "Finds members in a circle or a box.")),
    row<search<kSearchStore>>(geo_info("geosearchstore",
                                       -8,
                                       kWrite | kDenyOom,
                                       {1, 2, 1},
                                       "6.2.0",
                                       kCost,
                                       kSearchStoreSyntax,
                                       "Stores the members in a circle or a box.")),
};

}  // namespace

std::span<const CommandSpec> geo_search_table() {
    return kTable;
}

}  // namespace tern::server::commands
