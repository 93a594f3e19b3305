#pragma once

#include "server/scripting/script_engine.hpp"

namespace tern::server {

/// The table `redis` that scripts see: call, pcall, error_reply, status_reply, sha1hex, log,
/// setresp, acl_check_cmd and the rest, for one engine.
class ScriptApi {
public:
    /// Registers the table in the engine's state; `engine` outlives it.
    static void open(ScriptEngine& engine);

private:
    static ScriptEngine& engine_of(lua_State* state);
    static int call_command(lua_State* state, bool raises);
    static bool take_words(lua_State* state, ScriptEngine& engine, std::string_view& problem);
    static int call(lua_State* state) { return call_command(state, true); }
    static int pcall(lua_State* state) { return call_command(state, false); }
    static int acl_check_cmd(lua_State* state);
    static int setresp(lua_State* state);
};

}  // namespace tern::server
