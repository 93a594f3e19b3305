#include "tern/listen_plan.hpp"

#include <string>
#include <string_view>

#include "transport/socket.hpp"

namespace tern::tool {

namespace {

transport::Endpoint tcp_endpoint(std::string_view address, std::uint16_t port) {
    transport::Endpoint endpoint;
    endpoint.kind = transport::EndpointKind::kTcp;
    endpoint.host = address == "::*" ? "::" : std::string(address);
    endpoint.port = port;
    return endpoint;
}

/// Whether this host has the address: a port of the system's choice can be had on it.
bool is_available(std::string_view address) {
    return static_cast<bool>(transport::Listener::open(tcp_endpoint(address, 0)));
}

}  // namespace

Result<std::vector<transport::Endpoint>> plan_listening(server::Settings& settings) {
    const server::Config& config = settings.config();
    std::vector<transport::Endpoint> endpoints;
    for (const std::string& text : config.listen) {
        Result<transport::Endpoint> endpoint = transport::parse_endpoint(text);
        if (!endpoint) {
            return std::move(endpoint).error().add_context("--listen");
        }
        endpoints.push_back(std::move(*endpoint));
    }
    if (!config.unixsocket.empty()) {
        transport::Endpoint endpoint;
        endpoint.kind = transport::EndpointKind::kUnix;
        endpoint.path = config.unixsocket;
        endpoints.push_back(std::move(endpoint));
    }
    const bool wants_tcp =
        endpoints.empty() || settings.was_given("port") || settings.was_given("bind");
    if (wants_tcp && config.port != 0) {
        for (std::string_view address : config.bind) {
            const bool is_optional = !address.empty() && address.front() == '-';
            address.remove_prefix(is_optional ? 1 : 0);
            if (!is_optional || is_available(address)) {
                endpoints.push_back(tcp_endpoint(address, static_cast<std::uint16_t>(config.port)));
            }
        }
    }
    if (endpoints.empty()) {
        return error(Errc::kInvalidArgument,
                     "nothing to listen on: give --port, --unixsocket or --listen");
    }
    return endpoints;
}

}  // namespace tern::tool
