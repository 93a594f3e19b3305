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

inline constexpr GroupInfo set_info{"set", kAclSet};

}  // namespace tern::server::commands
