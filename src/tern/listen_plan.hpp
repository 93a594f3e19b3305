#pragma once

#include <tern/base/result.hpp>
#include <vector>

#include "server/config/settings.hpp"
#include "transport/endpoint.hpp"

namespace tern::tool {

/// Where to listen: every `listen`, `unixsocket`, and each address of `bind` with `port`.
///
/// With a `listen` or `unixsocket` and neither `port` nor `bind`, there is no TCP besides. An
/// address with '-' in front is left out when this host does not have it.
///
/// Errors: kInvalidArgument when nothing is left to listen on, or an endpoint cannot be read.
[[nodiscard]] Result<std::vector<transport::Endpoint>> plan_listening(server::Settings& settings);

}  // namespace tern::tool
