#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/command/command_spec.hpp"

namespace tern::server {

/// The 21 names of ACL categories, in the order in which COMMAND INFO lists them.
[[nodiscard]] std::span<const std::string_view> acl_category_names() noexcept;

/// Whether a command is in the category of that index: by its row, or by its flags (read, write,
/// admin, dangerous, fast, slow, blocking, pubsub).
[[nodiscard]] bool is_in_category(const CommandInfo& info, std::size_t category_index) noexcept;

/// The index of a name in any case, or the count of names.
[[nodiscard]] std::size_t find_acl_category(std::string_view name) noexcept;

/// A command's flags as COMMAND INFO names them, in its order.
[[nodiscard]] std::vector<std::string_view> flag_names(const CommandInfo& info);

}  // namespace tern::server
