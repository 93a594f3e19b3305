#pragma once

#include "resp/reply_view.hpp"
#include "server/reply.hpp"
#include "server/scripting/lua.hpp"

namespace tern::server::lua {

/// Pushes a reply as Redis's scripts see it: status and error as tables with `ok` and `err`, a null
/// of RESP2 as false, maps, sets, doubles, big numbers and verbatim texts of RESP3 as tables with
/// `map`, `set`, `double`, `big_number` and `verbatim_string`.
void push_reply(lua_State* state, const resp::ReplyView& reply, bool is_resp3);

/// Pushes {err = text}. The first word is the error's code; a text of one word gets ERR before it.
/// A
/// '-' in front is dropped.
void push_error_table(lua_State* state, std::string_view text);

/// Writes the value on top of the stack as the reply of a script, and takes it from there.
///
/// `is_resp3`: the script asked for RESP3 (redis.setresp), so its booleans are booleans.
void write_value(lua_State* state, Reply& reply, bool is_resp3);

}  // namespace tern::server::lua
