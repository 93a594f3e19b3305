#include "lab/study_local.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/clock.hpp"
#include "lab/cores.hpp"
#include "lab/local_report.hpp"
#include "lab/run_directory.hpp"
#include "lab/server_process.hpp"

namespace tern::lab {

namespace {

std::vector<LocalCase> all_cases(const LocalOptions& options) {
    std::vector<LocalCase> cases;
    const auto add = [&](LocalCase one) {
        if (one.name().find(options.filter) != std::string::npos) {
            cases.push_back(std::move(one));
        }
    };
    for (const Operation operation : kAllOperations) {
        for (const char* endpoint : {"ring", "unix", "tcp"}) {
            for (const Protocol protocol : {Protocol::kResp3, Protocol::kSbe}) {
                add({false, endpoint, protocol, operation});
            }
        }
        if (!options.redis_program.empty()) {
            add({true, "unix", Protocol::kResp3, operation});
            add({true, "tcp", Protocol::kResp3, operation});
        }
    }
    return cases;
}

FloorKind floor_of(const std::string& endpoint) {
    return endpoint == "ring"   ? FloorKind::kCacheLine
           : endpoint == "unix" ? FloorKind::kUnixSocket
                                : FloorKind::kTcpSocket;
}

/// A fresh server for one case and the endpoint that the client connects to.
struct CaseServer {
    ServerProcess process;
    std::string endpoint;
};

Result<CaseServer> start_server(const LocalOptions& options, const LocalCase& one) {
    Result<int> port = free_tcp_port();
    if (!port) {
        return std::move(port).error();
    }
    const std::string socket = options.out_directory + "/case.sock";
    const std::string tcp = fmt::format("tcp:127.0.0.1:{}", *port);
    ServerProcess::Options process;
    process.log_path = options.out_directory + "/server.log";
    process.core = options.server_core;
    process.ready_endpoint = tcp;
    if (one.is_redis) {
        process.command = {options.redis_program,
                           "--port",
                           std::to_string(*port),
                           "--bind",
                           "127.0.0.1",
                           "--unixsocket",
                           socket,
                           "--save",
                           "",
                           "--appendonly",
                           "no"};
    } else {
        process.command = {options.tern_program,
                           "serve",
                           "--listen",
                           tcp,
                           "--listen",
                           "unix:" + socket,
                           "--busy-poll",
                           options.wait == Wait::kSpin ? "always" : "adaptive"};
    }
    Result<ServerProcess> started = ServerProcess::start(process);
    if (!started) {
        return std::move(started).error();
    }
    return CaseServer{std::move(*started),
                      one.endpoint == "tcp" ? tcp : one.endpoint + ":" + socket};
}

Result<Samples> run_case(const LocalOptions& options, const LocalCase& one) {
    Result<CaseServer> server = start_server(options, one);
    if (!server) {
        return std::move(server).error();
    }
    Result<Client> client = Client::connect(
        {.endpoint = server->endpoint, .protocol = one.protocol, .wait = options.wait});
    if (!client) {
        return std::move(client).error().add_context(one.name());
    }
    Result<Samples> samples = time_operation(*client, one.operation, options.timing);
    if (!samples) {
        return std::move(samples).error().add_context(one.name());
    }
    return samples;
}

Result<void> write_figures(const LocalOptions& options,
                           const RunDirectory& directory,
                           const std::string& command_line,
                           const std::vector<LocalFigures>& all,
                           const std::string& table) {
    std::vector<std::string> binaries = {options.tern_program};
    if (!options.redis_program.empty()) {
        binaries.push_back(options.redis_program);
    }
    Result<void> written = directory.write_origin(
        binaries, fmt::format("{}\nshuffle seed {}", command_line, options.shuffle_seed));
    if (written) {
        written = directory.write("table.txt", table);
    }
    if (written) {
        written = directory.write("results.csv", local_csv(all));
    }
    for (const LocalFigures& figures : all) {
        std::string name = figures.one.name();
        std::replace(name.begin(), name.end(), ' ', '-');
        if (written) {
            written = directory.write(name + ".hlog", local_hdr_log(figures));
        }
    }
    std::filesystem::remove(directory.path_of("case.sock"));
    return written;
}

/// The median of the case's floor, now.
Result<double> floor_p50(const LocalOptions& options, const LocalCase& one) {
    Result<Samples> floor = measure_floor({.kind = floor_of(one.endpoint),
                                           .near_core = options.client_core,
                                           .far_core = options.server_core,
                                           .polls = options.wait == Wait::kSpin});
    if (!floor) {
        return std::move(floor).error();
    }
    return Summary::of(*floor).p50;
}

Result<void> run_once(const LocalOptions& options,
                      std::vector<LocalFigures>& all,
                      std::mt19937_64& random) {
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t index : order) {
        LocalFigures& gathered = all[index];
        const Result<double> before = floor_p50(options, gathered.one);
        if (!before) {
            return before.error();
        }
        Result<Samples> samples = run_case(options, gathered.one);
        if (!samples) {
            return std::move(samples).error();
        }
        const Result<double> after = floor_p50(options, gathered.one);
        if (!after) {
            return after.error();
        }
        gathered.runs.push_back({Summary::of(*samples), *before, *after});
        gathered.last = std::move(*samples);
    }
    return {};
}

}  // namespace

Result<std::string> run_local_study(const LocalOptions& options, const std::string& command_line) {
    if (Result<void> checked = check_cores(options.server_core, options.client_core); !checked) {
        return std::move(checked).error();
    }
    Result<RunDirectory> directory = RunDirectory::create(options.out_directory);
    if (!directory) {
        return std::move(directory).error();
    }
    std::vector<LocalFigures> all;
    for (LocalCase& one : all_cases(options)) {
        all.push_back({std::move(one), {}, {}});
    }
    if (all.empty()) {
        return error(Errc::kInvalidArgument, "no case has '{}' in its name", options.filter);
    }
    std::mt19937_64 random(options.shuffle_seed);
    for (int run = 0; run < options.run_count; ++run) {
        if (Result<void> done = run_once(options, all, random); !done) {
            return std::move(done).error();
        }
    }
    const std::string table = local_table(all);
    if (Result<void> written = write_figures(options, *directory, command_line, all, table);
        !written) {
        return std::move(written).error();
    }
    return table;
}

Result<std::string> run_quick_study(const std::vector<std::string>& endpoints, Wait wait) {
    constexpr std::int64_t kCaseNs = 100'000'000;
    constexpr double kMicrosecond = 1000;
    const Operation operations[] = {
        Operation::kPing, Operation::kSet, Operation::kGet, Operation::kZadd1, Operation::kHset1};
    std::string text = fmt::format("{:<34} {:<6} {:<9} {:>10} {:>10} {:>10}\n",
                                   "round trips, µs",
                                   "",
                                   "",
                                   "p50",
                                   "p99",
                                   "p99.9");
    for (const std::string& endpoint : endpoints) {
        for (const Protocol protocol : {Protocol::kResp3, Protocol::kSbe}) {
            Result<Client> client =
                Client::connect({.endpoint = endpoint, .protocol = protocol, .wait = wait});
            if (!client) {
                return std::move(client).error();
            }
            for (const Operation operation : operations) {
                Result<Samples> samples = time_operation(
                    *client,
                    operation,
                    {.warmup_count = 200, .sample_count = 200'000, .time_limit_ns = kCaseNs});
                if (!samples) {
                    return std::move(samples).error();
                }
                const Summary summary = Summary::of(*samples);
                text += fmt::format("{:<34} {:<6} {:<9} {:>10.2f} {:>10.2f} {:>10.2f}\n",
                                    endpoint,
                                    to_string(protocol),
                                    to_string(operation),
                                    summary.p50 / kMicrosecond,
                                    summary.p99 / kMicrosecond,
                                    summary.p99_9 / kMicrosecond);
            }
            static_cast<void>(client->del("tern:local-transport-latency"));
        }
    }
    return text;
}

}  // namespace tern::lab
