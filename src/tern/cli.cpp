#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "base/idle_strategy.hpp"
#include "tern/cli_prompt.hpp"
#include "tern/cli_session.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {
namespace {

constexpr const char* kFooter =
    "\nWith a command: executes it and prints the reply. Without one: a prompt on a terminal, else "
    "a\n"
    "command a line from standard input. Replies are printed as redis-cli prints them: readable on "
    "a\n"
    "terminal, raw into a pipe.\n"
    "\n"
    "Exit status: 0; 1 when a command was answered with an error or the server could not be "
    "reached\n"
    "(redis-cli has -e for this; here -e names the endpoint); 2 for wrong usage.\n"
    "\n"
    "  tern cli SET greeting hello\n"
    "  tern cli -e ring:/run/tern/tern.sock --sbe ZADD board 7 ada\n"
    "  tern cli -x SET picture < picture.png\n"
    "  printf 'PING\\nDBSIZE\\n' | tern cli\n";

struct CliCommand {
    CLI::App app{"Talks to a tern or Redis server: tern cli [OPTIONS] [COMMAND [ARGUMENT ...]]",
                 "tern cli"};
    std::string endpoint;
    std::string host = "127.0.0.1";
    std::string socket_path;
    std::uint16_t port = 6379;
    std::uint32_t database = 0;
    std::string user;
    std::string password;
    bool uses_sbe = false;
    bool uses_resp2 = false;
    bool uses_resp3 = false;
    bool is_raw = false;
    bool is_readable = false;
    bool is_json = false;
    bool reads_last_argument = false;
    std::int64_t repeat_count = 1;
    double interval_seconds = 0;
    std::int64_t timeout_ms = 0;

    CliCommand() {
        app.set_help_flag("--help", "this text");
        app.prefix_command();  // options stop at the command: its own arguments may begin with '-'
        app.footer(kFooter);
        app.add_option("-e,--endpoint", endpoint, "tcp:HOST:PORT, unix:PATH or ring:PATH");
        app.add_option("-h", host, "host, when no endpoint is given")->capture_default_str();
        app.add_option("-p", port, "port, when no endpoint is given")->capture_default_str();
        app.add_option("-s", socket_path, "path of a Unix socket, when no endpoint is given");
        app.add_option("-n", database, "database")->capture_default_str();
        app.add_option("--user", user, "user name; with -a");
        app.add_option("-a,--pass", password, "password; safer in the variable TERN_AUTH");
        app.add_flag("--sbe", uses_sbe, "binary protocol");
        app.add_flag("-2", uses_resp2, "RESP2, the default");
        app.add_flag("-3", uses_resp3, "RESP3; the default with --json");
        app.add_flag("--raw", is_raw, "raw replies, on a terminal too");
        app.add_flag("--no-raw", is_readable, "readable replies, into a pipe too");
        app.add_flag("--json", is_json, "replies as JSON, one a line");
        app.add_flag("-x", reads_last_argument, "read the last argument from standard input");
        app.add_option("-r", repeat_count, "execute the command so many times; -1: for ever")
            ->capture_default_str();
        app.add_option("-i", interval_seconds, "seconds between two executions of -r");
        app.add_option("--timeout", timeout_ms, "milliseconds to wait for a reply; 0: for ever")
            ->capture_default_str();
    }

    [[nodiscard]] ClientOptions client_options() const {
        ClientOptions options;
        options.endpoint = !endpoint.empty()      ? endpoint
                           : !socket_path.empty() ? "unix:" + socket_path
                                                  : tcp_endpoint();
        options.protocol = uses_sbe                                 ? Protocol::kSbe
                           : uses_resp3 || (is_json && !uses_resp2) ? Protocol::kResp3
                                                                    : Protocol::kResp2;
        options.user = user;
        options.password = password;
        if (const char* secret = std::getenv("TERN_AUTH"); secret != nullptr && password.empty()) {
            options.password = secret;
        }
        options.database = database;
        options.wait = Wait::kBlock;
        options.reply_timeout_ms = timeout_ms;
        options.reconnect = Reconnect::kOnNextCall;
        options.reconnect_tries = 1;
        return options;
    }

    [[nodiscard]] ReplyFormat format() const {
        if (is_json) {
            return ReplyFormat::kJson;
        }
        const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
        return is_readable || (is_terminal && !is_raw) ? ReplyFormat::kReadable : ReplyFormat::kRaw;
    }

private:
    [[nodiscard]] std::string tcp_endpoint() const {
        const bool is_ipv6 = host.find(':') != std::string::npos;
        return is_ipv6 ? fmt::format("tcp:[{}]:{}", host, port)
                       : fmt::format("tcp:{}:{}", host, port);
    }
};

int status_of(CliOutcome outcome) {
    return outcome == CliOutcome::kOk ? 0 : kExitFailure;
}

int run_once(CliSession& session, const CliCommand& command, std::vector<std::string> words) {
    if (command.reads_last_argument) {
        words.emplace_back(std::istreambuf_iterator<char>(std::cin),
                           std::istreambuf_iterator<char>());
    }
    constexpr double kNsPerSecond = 1e9;
    const std::vector<std::string_view> arguments(words.begin(), words.end());
    CliOutcome worst = CliOutcome::kOk;
    for (std::int64_t i = 0; i < command.repeat_count || command.repeat_count < 0; ++i) {
        if (i != 0 && command.interval_seconds > 0) {
            park_ns(static_cast<std::int64_t>(command.interval_seconds * kNsPerSecond));
        }
        worst = std::max(worst, session.run(arguments));
        if (worst == CliOutcome::kLost) {
            break;
        }
    }
    return status_of(worst);
}

int run_lines(CliSession& session) {
    CliOutcome worst = CliOutcome::kOk;
    std::string line;
    while (worst != CliOutcome::kLost && std::getline(std::cin, line)) {
        if (line == "quit" || line == "exit") {
            break;
        }
        worst = std::max(worst, session.run_line(line));
    }
    return status_of(worst);
}

}  // namespace

int run_cli(ArgumentList arguments) {
    CliCommand command;
    try {
        command.app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& failure) {
        return command.app.exit(failure) == 0 ? 0 : kExitUsage;
    }
    const std::vector<std::string> words = command.app.remaining();
    if (!words.empty() && words.front().starts_with('-')) {
        print_error("cli: no option '" + words.front() + "'; `tern help cli` lists them");
        return kExitUsage;
    }
    if (command.reads_last_argument && words.empty()) {
        print_error("cli: -x reads the last argument of a command, and there is no command");
        return kExitUsage;
    }
    Result<CliSession> session = CliSession::open(command.client_options(), command.format());
    if (!session) {
        print_error("cli: " + session.error().message);
        return kExitFailure;
    }
    if (!words.empty()) {
        return run_once(*session, command, words);
    }
    return ::isatty(STDIN_FILENO) == 1 ? run_prompt(*session) : run_lines(*session);
}

void help_cli() {
    CliCommand command;
    fmt::print("{}", command.app.help());
}

}  // namespace tern::tool
