#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "server/config/parameter.hpp"
#include "tern/subcommands.hpp"

namespace tern::tool {

namespace {

using server::Parameter;

constexpr std::string_view kIntroduction =
    "usage: tern serve [redis.conf] [--listen ENDPOINT]... [--NAME VALUE ...]...\n"
    "\n"
    "Serves RESP2, RESP3 and SBE on TCP and Unix sockets, and shared-memory rings to clients of\n"
    "this host that ask for one on a Unix socket. Without a port, a socket or --listen: on\n"
    "tcp:127.0.0.1:6379. A value given as an option goes before the file's.\n"
    "\n"
    "  tern serve\n"
    "  tern serve --port 7000 --unixsocket /tmp/tern.sock\n"
    "  tern serve --listen tcp:127.0.0.1:7000 --listen unix:/tmp/tern.sock\n"
    "  tern serve /etc/redis/redis.conf --requirepass secret\n"
    "\n"
    "Parameters, as in redis.conf and for CONFIG GET; * cannot be changed while it runs:\n"
    "\n";

std::string value_shape(const Parameter& parameter) {
    switch (parameter.kind) {
        case Parameter::Kind::kSwitch:
            return "yes|no";
        case Parameter::Kind::kInteger:
            return "NUMBER";
        case Parameter::Kind::kMemory:
            return "SIZE";
        case Parameter::Kind::kOctal:
            return "MODE";
        case Parameter::Kind::kChoice:
            return fmt::format("{}", fmt::join(parameter.choices, "|"));
        case Parameter::Kind::kText:
            return "TEXT";
        case Parameter::Kind::kChoices:
        case Parameter::Kind::kWords:
        case Parameter::Kind::kOwn:
            break;
    }
    return "WORDS";
}

void print_used(bool is_ours) {
    for (const Parameter& parameter : server::used_parameters()) {
        if (parameter.has(Parameter::kOurs) != is_ours) {
            continue;
        }
        fmt::print("  --{} {}{}\n",
                   parameter.name,
                   value_shape(parameter),
                   parameter.has(Parameter::kImmutable) ? " *" : "");
        fmt::print("        {}{}\n",
                   parameter.summary,
                   parameter.initial.empty() ? std::string()
                                             : fmt::format(" (default {})", parameter.initial));
    }
}

void print_kept() {
    constexpr std::size_t kColumns = 96;
    std::string line;
    for (const Parameter& parameter : server::kept_parameters()) {
        if (parameter.has(Parameter::kHidden)) {
            continue;
        }
        if (line.size() + parameter.name.size() + 2 > kColumns) {
            fmt::print("  {}\n", line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + std::string(parameter.name);
    }
    fmt::print("  {}\n", line);
}

}  // namespace

void help_serve() {
    fmt::print("{}", kIntroduction);
    print_used(false);
    fmt::print("\ntern's own:\n\n");
    print_used(true);
    fmt::print("\nRedis 7.2's others are checked, kept and shown, and have no effect yet:\n\n");
    print_kept();
}

}  // namespace tern::tool
