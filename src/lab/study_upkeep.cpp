#include "lab/study_upkeep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tern/base/histogram_log.hpp>
#include <tern/client/client.hpp>
#include <vector>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "lab/cores.hpp"
#include "lab/floor.hpp"
#include "lab/local_report.hpp"
#include "lab/run_directory.hpp"
#include "lab/server_process.hpp"

namespace tern::lab {

namespace {

constexpr std::string_view kProbeKey = "tern:upkeep-probe";
constexpr std::string_view kValue = "0123456789abcdef";
constexpr std::string_view kCollectionKey = "tern:upkeep-collection";
constexpr std::size_t kQuietCount = 1'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kHighestNs = 60 * kSecondNs;

/// One row: the calls of one kind in a phase.
struct Phase {
    explicit Phase(std::string phase_name, bool quiet = false)
        : name(std::move(phase_name)), is_quiet(quiet) {}

    std::string name;
    Histogram calls = Histogram::create({.highest_value = kHighestNs}).value();
    double floor_p50 = 0;
    double floor_p99_9 = 0;
    bool is_quiet;  ///< what other rows are compared with
};

/// The server, two clients of its ring, and what was measured.
class UpkeepRun {
public:
    UpkeepRun(const UpkeepOptions& options, const RunDirectory& directory)
        : options_(options), directory_(directory) {}

    Result<void> run();
    [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }

private:
    Result<void> start();
    Result<Client> connect() const;
    Result<void> grow();
    Result<void> expire();
    Result<void> remove_collection(bool by_expiry);
    Result<void> fill_collection();
    Result<void> overwrite();
    Result<void> overwrite(const std::string& what,
                           std::uint64_t key_count,
                           std::string_view value);

    Result<void> quiet(const std::string& name);
    /// Times GETs. `goes_on(i)` is asked before each and does what the phase is about.
    template <typename GoesOn>
    Result<void> phase(const std::string& name, GoesOn goes_on, bool is_quiet = false);
    Result<void> add_phases(std::vector<Phase> phases);
    template <typename Call>
    Result<void> time(Phase& phase, Call call);
    Result<std::int64_t> key_count();
    Result<void> check(const ReplyResult& reply, std::string_view what) const;

    const UpkeepOptions& options_;
    const RunDirectory& directory_;
    TickClock clock_ = TickClock::calibrate();
    std::vector<Phase> phases_;
    std::optional<ServerProcess> server_;
    std::optional<Client> probe_;
    std::optional<Client> load_;
    std::string endpoint_;
};

Result<void> UpkeepRun::check(const ReplyResult& reply, std::string_view what) const {
    if (reply.is_failure()) {
        return error(Errc::kServer, "{}: {}", what, reply.error());
    }
    return {};
}

Result<Client> UpkeepRun::connect() const {
    return Client::connect(
        {.endpoint = endpoint_, .protocol = Protocol::kSbe, .wait = Wait::kSpin});
}

Result<void> UpkeepRun::start() {
    const std::string socket = directory_.path_of("upkeep.sock");
    endpoint_ = "ring:" + socket;
    Result<ServerProcess> server = ServerProcess::start({
        .command = {options_.tern_program,
                    "serve",
                    "--listen",
                    "unix:" + socket,
                    "--busy-poll",
                    "adaptive"},
        .ready_endpoint = "unix:" + socket,
        .log_path = directory_.path_of("server.log"),
        .core = options_.server_core,
    });
    if (!server) {
        return std::move(server).error();
    }
    server_.emplace(std::move(*server));
    for (std::optional<Client>* client : {&probe_, &load_}) {
        Result<Client> connected = connect();
        if (!connected) {
            return std::move(connected).error();
        }
        client->emplace(std::move(*connected));
    }
    return check(probe_->command({"SET", kProbeKey, kValue}), "SET");
}

/// Rows of the same moment, with the floor of that moment.
Result<void> UpkeepRun::add_phases(std::vector<Phase> phases) {
    Result<Samples> floor = measure_floor({.kind = FloorKind::kCacheLine,
                                           .near_core = options_.client_core,
                                           .far_core = options_.server_core,
                                           .sample_count = 200'000});
    if (!floor) {
        return std::move(floor).error();
    }
    const Summary summary = Summary::of(*floor);
    for (Phase& phase : phases) {
        phase.floor_p50 = summary.p50;
        phase.floor_p99_9 = summary.p99_9;
        phases_.push_back(std::move(phase));
    }
    return {};
}

template <typename Call>
Result<void> UpkeepRun::time(Phase& phase, Call call) {
    const std::uint64_t begin = clock_.ticks();
    const TextResult reply = call();
    phase.calls.record(clock_.to_ns(clock_.ticks() - begin));
    if (!reply.ok()) {
        return error(Errc::kServer, "{}: {}", phase.name, reply.error());
    }
    return {};
}

template <typename GoesOn>
Result<void> UpkeepRun::phase(const std::string& name, GoesOn goes_on, bool is_quiet) {
    Phase phase(name, is_quiet);
    for (std::uint64_t i = 0;; ++i) {
        const Result<bool> more = goes_on(i);
        if (!more) {
            return more.error();
        }
        if (!*more) {
            break;
        }
        if (Result<void> done = time(phase, [&] { return probe_->get(kProbeKey); }); !done) {
            return done;
        }
    }
    std::vector<Phase> one;
    one.push_back(std::move(phase));
    return add_phases(std::move(one));
}

Result<void> UpkeepRun::quiet(const std::string& name) {
    return phase(
        name, [](std::uint64_t i) -> Result<bool> { return i < kQuietCount; }, true);
}

Result<std::int64_t> UpkeepRun::key_count() {
    const ReplyResult reply = load_->command({"DBSIZE"});
    if (!reply.ok()) {
        return error(Errc::kServer, "DBSIZE: {}", reply.error());
    }
    return reply->integer().value_or(0);
}

/// A SET of a new key between two GETs.
Result<void> UpkeepRun::grow() {
    if (Result<void> done = quiet("quiet, no keys"); !done) {
        return done;
    }
    Result<void> done =
        phase(fmt::format("growing to {} keys", options_.key_count),
              [&](std::uint64_t i) -> Result<bool> {
                  const std::string key = fmt::format("key:{:012}", i);
                  if (const TextResult reply = load_->set(key, kValue); !reply.ok()) {
                      return error(Errc::kServer, "SET: {}", reply.error());
                  }
                  return i < options_.key_count;
              });
    return done ? quiet("quiet, all keys") : done;
}

/// Keys that were written before and whose time is over in one second.
Result<void> UpkeepRun::expire() {
    const std::int64_t at_ms =
        wall_ms() + 2000 + static_cast<std::int64_t>(options_.expiry_count / 100);
    const std::string deadline = std::to_string(at_ms);
    {
        Pipeline pipeline = load_->pipeline();
        for (std::uint64_t i = 0; i < options_.expiry_count; ++i) {
            const std::string key = fmt::format("volatile:{:012}", i);
            while (pipeline.command({"SET", key, kValue, "PXAT", deadline}) == CallStatus::kBusy) {
                if (Result<void> done = check(pipeline.next(), "SET PXAT"); !done) {
                    return done;
                }
            }
        }
        while (pipeline.outstanding_count() != 0) {
            if (Result<void> done = check(pipeline.next(), "SET PXAT"); !done) {
                return done;
            }
        }
    }
    const Result<std::int64_t> before = key_count();
    if (!before) {
        return before.error();
    }
    if (wall_ms() >= at_ms) {
        return error(Errc::kTimedOut, "the keys were not written before their time was over");
    }
    while (wall_ms() < at_ms) {}
    const std::int64_t after_count = *before - static_cast<std::int64_t>(options_.expiry_count);
    constexpr std::uint64_t kGetsPerLook = 1024;
    return phase(fmt::format("{} keys expire", options_.expiry_count),
                 [&](std::uint64_t i) -> Result<bool> {
                     if (i % kGetsPerLook != 0) {
                         return true;
                     }
                     const Result<std::int64_t> now = key_count();
                     if (!now) {
                         return now.error();
                     }
                     return *now > after_count && wall_ms() < at_ms + 60'000;
                 });
}

Result<void> UpkeepRun::fill_collection() {
    constexpr std::size_t kMembersPerCall = 100;
    const bool has_value = options_.collection == "hash" || options_.collection == "zset";
    const std::string_view command = options_.collection == "hash"   ? "HSET"
                                     : options_.collection == "zset" ? "ZADD"
                                     : options_.collection == "list" ? "RPUSH"
                                                                     : "SADD";
    std::vector<std::string> members(kMembersPerCall);
    std::uint64_t added = 0;
    while (added < options_.member_count) {
        std::vector<std::string_view> words = {command, kCollectionKey};
        for (std::string& member : members) {
            member = fmt::format("member:{:09}", added++);
            const std::string_view number = std::string_view(member).substr(7);
            if (options_.collection == "zset") {
                words.push_back(number);
            }
            words.push_back(member);
            if (has_value && options_.collection == "hash") {
                words.push_back(number);
            }
        }
        if (Result<void> done = check(load_->command(words), command); !done) {
            return done;
        }
    }
    return {};
}

/// The collection goes at once, and its memory in steps for two seconds.
Result<void> UpkeepRun::remove_collection(bool by_expiry) {
    if (Result<void> done = fill_collection(); !done) {
        return done;
    }
    const std::string what = fmt::format("{} of {}", options_.collection, options_.member_count);
    if (Result<void> done = quiet("quiet, with a " + what); !done) {
        return done;
    }
    std::uint64_t begin = 0;
    return phase(
        (by_expiry ? "expiry of a " : "UNLINK of a ") + what, [&](std::uint64_t i) -> Result<bool> {
            if (i == 0) {
                begin = clock_.ticks();
                const ReplyResult reply = by_expiry
                                              ? load_->command({"PEXPIRE", kCollectionKey, "1"})
                                              : load_->command({"UNLINK", kCollectionKey});
                if (Result<void> done = check(reply, "remove"); !done) {
                    return std::move(done).error();
                }
            }
            return clock_.to_ns(clock_.ticks() - begin) < 2 * kSecondNs;
        });
}

/// SETs and GETs in turn, of keys that are there: both should cost the same at every percentile.
Result<void> UpkeepRun::overwrite(const std::string& what,
                                  std::uint64_t key_count,
                                  std::string_view value) {
    const auto key_at = [](std::uint64_t i) { return fmt::format("overwritten:{:012}", i); };
    for (std::uint64_t i = 0; i < key_count; ++i) {
        if (const TextResult reply = load_->set(key_at(i), value); !reply.ok()) {
            return error(Errc::kServer, "SET: {}", reply.error());
        }
    }
    std::vector<Phase> phases;
    phases.emplace_back("GET of " + what, true);
    phases.emplace_back("SET of " + what);
    Random random(1);
    for (std::size_t i = 0; i < kQuietCount; ++i) {
        const std::string written = key_at(random.below(key_count));
        Result<void> done = time(phases[1], [&] { return probe_->set(written, value); });
        const std::string read = key_at(random.below(key_count));
        if (done) {
            done = time(phases[0], [&] { return probe_->get(read); });
        }
        if (!done) {
            return done;
        }
    }
    return add_phases(std::move(phases));
}

Result<void> UpkeepRun::overwrite() {
    Result<void> done = overwrite("one key, 16 B", 1, kValue);
    return done ? overwrite(fmt::format("{} keys, 64 B", options_.overwritten_count),
                            options_.overwritten_count,
                            std::string(64, 'v'))
                : done;
}

Result<void> UpkeepRun::run() {
    if (Result<void> pinned = pin_thread_to_core(options_.client_core); !pinned) {
        return pinned;
    }
    for (auto step : {&UpkeepRun::start, &UpkeepRun::grow, &UpkeepRun::expire}) {
        if (Result<void> done = (this->*step)(); !done) {
            return done;
        }
    }
    for (const bool by_expiry : {false, true}) {
        if (Result<void> done = remove_collection(by_expiry); !done) {
            return done;
        }
    }
    return overwrite();
}

bool is_near(const Phase& phase) noexcept {
    return phase.floor_p50 < kNearFloorNs;
}

/// p99.9 to that of the nearest quiet row with the cores in the same placement: the host moves them
/// at will, and a near row against a far one would be the figure of the move. "moved" without one.
std::string ratio_to_quiet(const std::vector<Phase>& phases, std::size_t index) {
    const Phase& phase = phases[index];
    const auto p99_9 = [](const Phase& one) {
        return static_cast<double>(one.calls.value_at_percentile(99.9));
    };
    for (std::size_t distance = 0; distance < phases.size(); ++distance) {
        // Below zero wraps around, which is beyond the end.
        for (const std::size_t at : {index - distance, index + distance}) {
            if (at < phases.size() && phases[at].is_quiet &&
                is_near(phases[at]) == is_near(phase)) {
                return fmt::format("{:.2f}", p99_9(phase) / p99_9(phases[at]));
            }
        }
    }
    return "moved";
}

std::string table_of(const std::vector<Phase>& phases) {
    std::string text =
        fmt::format("{:<36} {:>9} {:>7} {:>7} {:>8} {:>8} {:>9} {:>7} {:>10} {:>12}\n",
                    "nanoseconds a call over a ring",
                    "calls",
                    "p50",
                    "p99",
                    "p99.9",
                    "p99.99",
                    "max",
                    "ratio",
                    "floor p50",
                    "floor p99.9");
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const Phase& phase = phases[i];
        const Histogram& calls = phase.calls;
        text +=
            fmt::format("{:<36} {:>9} {:>7} {:>7} {:>8} {:>8} {:>9} {:>7} {:>10.0f} {:>12.0f}\n",
                        phase.name,
                        calls.total_count(),
                        calls.value_at_percentile(50),
                        calls.value_at_percentile(99),
                        calls.value_at_percentile(99.9),
                        calls.value_at_percentile(99.99),
                        calls.max(),
                        ratio_to_quiet(phases, i),
                        phase.floor_p50,
                        phase.floor_p99_9);
    }
    return text +
           "ratio: p99.9 to that of the nearest quiet row, or of the GETs beside a row of SETs, "
           "whose "
           "floor is as near or as far\n";
}

Result<void> write_figures(const UpkeepOptions& options,
                           const RunDirectory& directory,
                           const std::string& command_line,
                           const std::vector<Phase>& phases,
                           const std::string& table) {
    Result<void> written = directory.write_origin({options.tern_program}, command_line);
    if (written) {
        written = directory.write("table.txt", table);
    }
    int number = 0;
    for (const Phase& phase : phases) {
        // Numbered: two phases may have one name.
        std::string name = fmt::format("{}-{}.hlog", ++number, phase.name);
        std::replace(name.begin(), name.end(), ' ', '-');
        std::erase(name, ',');
        if (written) {
            written =
                directory.write(name,
                                histogram_log_header(wall_ms(), phase.name + ", nanoseconds") +
                                    histogram_log_line({}, 0, 0, phase.calls));
        }
    }
    std::filesystem::remove(directory.path_of("upkeep.sock"));
    return written;
}

}  // namespace

Result<std::string> run_upkeep_study(const UpkeepOptions& options,
                                     const std::string& command_line) {
    if (Result<void> cores = check_cores(options.server_core, options.client_core); !cores) {
        return std::move(cores).error();
    }
    Result<RunDirectory> directory = RunDirectory::create(options.out_directory);
    if (!directory) {
        return std::move(directory).error();
    }
    UpkeepRun run(options, *directory);
    if (Result<void> done = run.run(); !done) {
        return std::move(done).error();
    }
    const std::string table = table_of(run.phases());
    if (Result<void> written =
            write_figures(options, *directory, command_line, run.phases(), table);
        !written) {
        return std::move(written).error();
    }
    return table;
}

}  // namespace tern::lab
