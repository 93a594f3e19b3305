#pragma once

#include "server/command/registry.hpp"
#include "server/reply.hpp"

namespace tern::server {

/// Writes one command as COMMAND INFO shows it, subcommands included.
void write_command_info(Reply& reply, const Command& command);

/// Writes what COMMAND DOCS says about one command: a map; its name is the caller's.
void write_command_docs(Reply& reply, const Command& command);

/// Writes words separated by spaces as a set of status replies.
void write_flag_words(Reply& reply, std::string_view words);

}  // namespace tern::server
