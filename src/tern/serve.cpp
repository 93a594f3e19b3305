#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "server/reactor/reactor.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/memory/arena.hpp"
#include "tern/log.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

/// The reactor that a signal stops. The one global: a signal handler has no other way to its object.
std::atomic<server::Reactor*> g_reactor{nullptr};

extern "C" void on_stop_signal(int /*number*/) {
    // acquire: pairs with the release in SignalScope; the reactor is complete when its address is there.
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

std::string describe(const transport::Endpoint& endpoint) {
    const bool serves_rings = endpoint.kind == transport::EndpointKind::kUnix;
    return transport::to_string(endpoint) + (serves_rings ? " (RESP, SBE and ring)" : "");
}

}  // namespace

int run_serve(ArgumentList arguments) {
    server::Config config;
    server::ReactorOptions options;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (arguments[i] == "--listen" && i + 1 < arguments.size()) {
            auto endpoint = transport::parse_endpoint(arguments[i + 1]);
            if (!endpoint) {
                print_error(endpoint.error().message);
                return kExitFailure;
            }
            options.listen.push_back(*endpoint);
        } else {
            print_error(fmt::format("serve: unknown option {}", arguments[i]));
            return kExitFailure;
        }
    }
    if (options.listen.empty()) {
        options.listen.push_back(*transport::parse_endpoint("tcp:127.0.0.1:6379"));
    }
    Result<Log> log = Log::open("", LogLevel::kNotice);
    if (!log) {
        print_error(log.error().message);
        return kExitFailure;
    }
    auto arena = store::Arena::create({});
    if (!arena) {
        print_error(arena.error().message);
        return kExitFailure;
    }
    (*arena)->start_prefault();
    store::Keyspace keyspace(**arena,
                             {.database_count = static_cast<std::size_t>(config.databases),
                              .hash_seed = entropy_u64(),
                              .random_seed = entropy_u64()});
    server::Server server(config, keyspace, TickClock::calibrate(), entropy_u64());
    server::Reactor reactor(server, options);
    log->notice("tern {} is starting, PID: {}", TERN_VERSION, ::getpid());
    const Result<void> listening = reactor.listen();
    if (!listening) {
        log->warning("Failed listening on port: {}", listening.error().message);
        print_error(listening.error().message);
        return kExitFailure;
    }
    const SignalScope signals(reactor);
    log->notice("Server initialized");
    for (const transport::Endpoint& endpoint : reactor.bound()) {
        log->notice("listening on {}", describe(endpoint));
    }
    log->notice("Ready to accept connections tcp");
    reactor.run();
    log->notice("tern is now ready to exit, bye bye...");
    return 0;
}

void help_serve() {
    fmt::print("usage: tern serve [redis.conf] [--listen ENDPOINT]... [--name value ...]\n");
}

}  // namespace tern::tool
