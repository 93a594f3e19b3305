#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <tern/base/check.hpp>
#include <vector>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "server/reactor/reactor.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/memory/arena.hpp"
#include "tern/descriptors.hpp"
#include "tern/listen_plan.hpp"
#include "tern/log.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

/// The reactor that a signal stops. The one global: a signal handler has no other way to its
/// object.
std::atomic<server::Reactor*> g_reactor{nullptr};

extern "C" void on_stop_signal(int /*number*/) {
    // acquire: pairs with the release in SignalScope; the reactor is complete when its address is
    // there.
    server::Reactor* reactor = g_reactor.load(std::memory_order_acquire);
    if (reactor != nullptr) {
        reactor->stop();
    }
}

/// SIGINT and SIGTERM stop the reactor while this lives; SIGPIPE is ignored.
class SignalScope {
public:
    explicit SignalScope(server::Reactor& reactor) noexcept {
        // release: pairs with the acquire in on_stop_signal.
        g_reactor.store(&reactor, std::memory_order_release);
        struct sigaction action {};
        action.sa_handler = on_stop_signal;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGINT, &action, nullptr);
        ::sigaction(SIGTERM, &action, nullptr);
        action.sa_handler = SIG_IGN;
        ::sigaction(SIGPIPE, &action, nullptr);
    }
    ~SignalScope() {
        // release: as above; a handler that runs later finds nothing to stop.
        g_reactor.store(nullptr, std::memory_order_release);
    }
    SignalScope(const SignalScope&) = delete;
    SignalScope& operator=(const SignalScope&) = delete;
};

/// The file with the process id, while the server runs.
class PidFile {
public:
    explicit PidFile(std::string path) : path_(std::move(path)) {
        if (path_.empty()) {
            return;
        }
        std::FILE* file = std::fopen(path_.c_str(), "we");
        if (file == nullptr) {
            path_.clear();  // as in Redis, no reason not to serve
            return;
        }
        fmt::print(file, "{}\n", ::getpid());
        static_cast<void>(std::fclose(file));
    }
    ~PidFile() {
        if (!path_.empty()) {
            ::unlink(path_.c_str());
        }
    }
    PidFile(const PidFile&) = delete;
    PidFile& operator=(const PidFile&) = delete;

private:
    std::string path_;
};

/// The arguments over the file that the first one may name.
Result<void> load_settings(server::Settings& settings, ArgumentList arguments) {
    if (!arguments.empty() && arguments[0].substr(0, 2) != "--") {
        const Result<void> loaded = settings.load_file(std::string(arguments[0]));
        if (!loaded) {
            return loaded;
        }
        arguments = arguments.subspan(1);
    }
    return settings.load_options(arguments);
}

server::ReactorOptions reactor_options(const server::Config& config,
                                       std::vector<transport::Endpoint> endpoints) {
    constexpr std::uint32_t kOwnerOnly = 0700;
    server::ReactorOptions options;
    options.listen = std::move(endpoints);
    options.unix_socket_mode = config.unixsocketperm != 0 ? config.unixsocketperm : kOwnerOnly;
    options.spin_always = config.busy_poll_always;
    options.spin_us_max = config.spin_us_max;
    options.tcp_backlog = static_cast<int>(config.tcp_backlog);
    return options;
}

std::string describe(const transport::Endpoint& endpoint) {
    const bool serves_rings = endpoint.kind == transport::EndpointKind::kUnix ||
                              endpoint.kind == transport::EndpointKind::kRing;
    return transport::to_string(endpoint) + (serves_rings ? " (RESP, SBE and ring)" : "");
}

void announce(Log& log, const server::Reactor& reactor) {
    log.notice("Server initialized");
    bool has_tcp = false;
    for (const transport::Endpoint& endpoint : reactor.bound()) {
        log.notice("listening on {}", describe(endpoint));
        has_tcp |= endpoint.kind == transport::EndpointKind::kTcp;
    }
    // Redis's words, which its test suite and process managers wait for.
    log.notice("Ready to accept connections {}", has_tcp ? "tcp" : "unix");
}

void warn(Log& log, const server::Settings& settings) {
    const std::vector<std::string_view> names = settings.given_without_effect();
    if (!names.empty()) {
        log.warning("accepted and kept, without effect in this version: {}",
                    fmt::join(names, ", "));
    }
}

Result<void> serve(server::Settings& settings, Log& log) {
    const server::Config& config = settings.config();
    Result<std::vector<transport::Endpoint>> endpoints = plan_listening(settings);
    if (!endpoints) {
        return std::move(endpoints).error();
    }
    if (config.server_core >= 0) {
        Result<void> pinned = pin_thread_to_core(static_cast<int>(config.server_core));
        if (!pinned) {
            return Error(pinned.error()).add_context("--server-core");
        }
    }
    const Result<std::int64_t> room = make_room_for_clients(config.maxclients, log);
    if (!room) {
        return room.error();
    }
    if (*room < config.maxclients) {
        const std::string text = std::to_string(*room);
        const server::Settings::Pair fewer{"maxclients", text};
        TERN_CHECK(settings.change({&fewer, 1}, true).empty());
    }
    Result<std::unique_ptr<store::Arena>> arena = store::Arena::create({});
    if (!arena) {
        return std::move(arena).error();
    }
    (*arena)->start_prefault();
    store::Keyspace keyspace(**arena,
                             {.database_count = static_cast<std::size_t>(config.databases),
                              .hash_seed = entropy_u64(),
                              .random_seed = entropy_u64()});
    server::Server server(settings, keyspace, TickClock::calibrate(), entropy_u64());
    const Result<void> renamed = server.rename_commands();
    if (!renamed) {
        return renamed;
    }
    server::Reactor reactor(server, reactor_options(config, std::move(*endpoints)));
    server.attach_loop(&reactor);
    server.set_log([&log](int level, std::string_view text) {
        log.write(static_cast<LogLevel>(level), text);
    });
    log.notice("tern {} is starting, PID: {}", TERN_VERSION, ::getpid());
    warn(log, settings);
    Result<void> listening = reactor.listen();
    if (!listening) {
        // Redis's words, which its test suite looks for.
        const bool is_tcp = listening.error().message.find("listen on tcp:") == 0;
        return Error(listening.error())
            .add_context(is_tcp ? "Failed listening on port" : "Failed listening");
    }
    const SignalScope signals(reactor);
    const PidFile pid_file(config.pidfile);
    announce(log, reactor);
    reactor.run();
    log.notice("tern is now ready to exit, bye bye...");
    return {};
}

/// Whether what is written to stdout and to stderr ends up in one place.
bool is_one_stream() {
    struct stat out {};
    struct stat err {};
    return ::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

/// What is said before there is a log, or besides it.
int fail(const Error& failure) {
    print_error(failure.message);
    return kExitFailure;
}

}  // namespace

int run_serve(ArgumentList arguments) {
    server::Settings settings;
    const Result<void> loaded = load_settings(settings, arguments);
    if (!loaded) {
        return fail(loaded.error());
    }
    const server::Config& config = settings.config();
    if (config.daemonize && ::daemon(1, 0) != 0) {
        return fail(os_error(errno, "go into the background"));
    }
    Result<Log> log = Log::open(config.logfile, static_cast<LogLevel>(config.loglevel));
    if (!log) {
        return fail(log.error());
    }
    const Result<void> served = serve(settings, *log);
    if (served) {
        return 0;
    }
    log->warning("{}", served.error().message);
    const bool is_said = config.logfile.empty() && is_one_stream();
    return is_said ? kExitFailure : fail(served.error());
}

}  // namespace tern::tool
