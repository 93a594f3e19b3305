#pragma once

#include <span>
#include <string_view>

#include "server/command/call.hpp"

/// The subcommands of DEBUG that read or change the data, for the table in debug.cpp.
namespace tern::server::commands {

using DebugWords = std::span<const std::string_view>;

/// DIGEST: all databases as 40 hex digits.
void debug_digest(Call& call, DebugWords words);
/// DIGEST-VALUE key ….
void debug_digest_value(Call& call, DebugWords words);
/// POPULATE count [prefix] [size]: string keys named prefix:number.
void debug_populate(Call& call, DebugWords words);
/// RELOAD [MERGE] [NOFLUSH], LOADAOF: every key through the dump format and back.
void debug_reload(Call& call, DebugWords words);
/// OBJECT key.
void debug_object(Call& call, DebugWords words);
/// HTSTATS dbid, HTSTATS-KEY key.
void debug_htstats(Call& call, DebugWords words);
void debug_htstats_key(Call& call, DebugWords words);

}  // namespace tern::server::commands
