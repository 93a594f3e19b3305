#pragma once

#include <string_view>

#include "server/command/command_spec.hpp"
#include "server/config/config.hpp"
#include "server/server.hpp"
#include "store/set/set.hpp"

/// What the files of the set group share.
namespace tern::server::commands {

/// Whether the key can be used as a set; answers WRONGTYPE otherwise.
inline bool is_usable(Call& call, const store::sets::Set& set) {
    if (set.is_wrong_type()) {
        call.reply.error(kWrongType);
    }
    return !set.is_wrong_type();
}

inline const store::sets::SetLimits& set_limits(Call& call) {
    return call.server.config().set_limits;
}

constexpr CommandInfo set_info(std::string_view name,
                               int arity,
                               std::uint32_t flags,
                               KeyPositions keys,
                               std::string_view since,
                               std::string_view complexity,
                               std::string_view syntax,
                               std::string_view summary) {
    return {.name = name,
            .arity = static_cast<std::int16_t>(arity),
            .flags = flags,
            .keys = keys,
            .acl_categories = kAclSet,
            .group = "set",
            .since = since,
            .complexity = complexity,
            .summary = summary,
            .syntax = syntax};
}

}  // namespace tern::server::commands
