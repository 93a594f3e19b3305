#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/commands/client_text.hpp"
#include "server/reply.hpp"
#include "server/session.hpp"

namespace tern::server {

/// Which clients CLIENT LIST shows or CLIENT KILL closes; what is not set matches everyone.
struct ClientFilter {
    std::vector<std::uint64_t> ids;  ///< any of them
    std::optional<ClientType> type;
    std::optional<std::string> user;
    std::optional<std::string> address;
    std::optional<std::string> local_address;
    bool skips_caller = true;
    bool is_old_form = false;  ///< CLIENT KILL ip:port
    bool wants_ids = false;    ///< an empty list of ids matches nobody

    [[nodiscard]] bool matches(const Session& session) const;
};

/// What stands behind CLIENT LIST and CLIENT KILL. False: answered with Redis's error.
[[nodiscard]] bool parse_list_filter(std::span<const std::string_view> words,
                                     ClientFilter& filter,
                                     Reply& reply);
[[nodiscard]] bool parse_kill_filter(std::span<const std::string_view> words,
                                     ClientFilter& filter,
                                     Reply& reply);

}  // namespace tern::server
