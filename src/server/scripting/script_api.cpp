#include "server/scripting/script_api.hpp"

#include <array>

#include "base/number_text.hpp"
#include "server/executor.hpp"
#include "server/scripting/lua_values.hpp"
#include "server/server.hpp"
#include "server/version.hpp"

namespace tern::server {

using namespace lua;  // NOLINT(google-build-using-namespace): the helpers of the same folder

namespace {

/// Pushes {err = text}, and raises it when it is to be raised.
int fail(lua_State* state, std::string_view text, bool raises) {
    push_error_table(state, text);
    return raises ? lua_error(state) : 1;
}

/// A number as a command's argument: an integer without a fraction, else the shortest text.
void format_argument(double number, std::string& text) {
    constexpr double kIntegerMax = 9007199254740992.0;
    text.resize(kDoubleTextBytes);
    if (number > -kIntegerMax && number < kIntegerMax &&
        number == static_cast<double>(static_cast<std::int64_t>(number))) {
        text.resize(format_int64(text.data(), static_cast<std::int64_t>(number)));
    } else {
        text.resize(format_double(text.data(), number));
    }
}

int error_reply(lua_State* state) {
    if (lua_gettop(state) != 1 || lua_type(state, -1) != LUA_TSTRING) {
        return fail(state, "ERR wrong number or type of arguments", false);
    }
    push_error_table(state, text_at(state, 1));
    return 1;
}

int status_reply(lua_State* state) {
    if (lua_gettop(state) != 1 || lua_type(state, -1) != LUA_TSTRING) {
        return fail(state, "ERR wrong number or type of arguments", false);
    }
    lua_newtable(state);
    lua_pushvalue(state, 1);
    lua_setfield(state, -2, "ok");
    return 1;
}

int sha1hex(lua_State* state) {
    if (lua_gettop(state) != 1) {
        return fail(state, "ERR wrong number of arguments", true);
    }
    push(state, ScriptEngine::sha1_hex(text_at(state, 1)));
    return 1;
}

constexpr int kLogLevelMax = 3;

int write_log(lua_State* state, Server& server) {
    const int count = lua_gettop(state);
    if (count < 2) {
        return fail(state, "ERR redis.log() requires two arguments or more.", true);
    }
    if (lua_isnumber(state, 1) == 0) {
        return fail(state, "ERR First argument must be a number (log level).", true);
    }
    const lua_Integer level = lua_tointeger(state, 1);
    if (level < 0 || level > kLogLevelMax) {
        return fail(state, "ERR Invalid debug level.", true);
    }
    std::string text;
    for (int i = 2; i <= count; ++i) {
        text += (i == 2 ? "" : " ") + std::string(text_at(state, i));
    }
    server.log(static_cast<int>(level), text);
    return 0;
}

int replicate_commands(lua_State* state) {
    lua_pushboolean(state, 1);
    return 1;
}

int breakpoint(lua_State* state) {
    lua_pushboolean(state, 0);  // there is no debugger that could stop here
    return 1;
}

int no_operation(lua_State*) {
    return 0;
}

constexpr int kReplicateMax = 3;

int set_repl(lua_State* state) {
    if (lua_gettop(state) != 1) {
        return fail(state, "ERR redis.set_repl() requires one argument.", true);
    }
    const lua_Integer flags = lua_tointeger(state, 1);
    if (flags < 0 || flags > kReplicateMax) {
        return fail(state,
                    "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
                    "REPL_NONE.",
                    true);
    }
    return 0;
}

}  // namespace

ScriptEngine& ScriptApi::engine_of(lua_State* state) {
    return *static_cast<ScriptEngine*>(lua_touserdata(state, lua_upvalueindex(1)));
}

bool ScriptApi::take_words(lua_State* state, ScriptEngine& engine, std::string_view& problem) {
    const int count = lua_gettop(state);
    if (count == 0) {
        problem = "ERR Please specify at least one argument for this redis lib call";
        return false;
    }
    engine.words_.clear();
    if (engine.number_texts_.size() < static_cast<std::size_t>(count)) {
        engine.number_texts_.resize(static_cast<std::size_t>(count));
    }
    for (int i = 1; i <= count; ++i) {
        if (lua_type(state, i) == LUA_TNUMBER) {
            std::string& text = engine.number_texts_[static_cast<std::size_t>(i - 1)];
            format_argument(lua_tonumber(state, i), text);
            engine.words_.push_back(text);
        } else if (lua_type(state, i) == LUA_TSTRING) {
            engine.words_.push_back(text_at(state, i));
        } else {
            problem = "ERR Lua redis lib command arguments must be strings or integers";
            return false;
        }
    }
    return true;
}

int ScriptApi::call_command(lua_State* state, bool raises) {
    ScriptEngine& engine = engine_of(state);
    if (engine.running_ == nullptr) {
        return fail(
            state, "ERR redis.call/pcall can only be called inside a script invocation", raises);
    }
    ScriptEngine::Running& running = *engine.running_;
    std::string_view problem;
    if (!take_words(state, engine, problem)) {
        return fail(state, problem, raises);
    }
    engine.output_.clear();
    NestedOptions options;
    options.is_read_only = running.is_read_only || running.flags.no_writes;
    options.ignores_memory_limit = running.flags.allow_oom || running.has_written;
    const NestedResult result =
        Executor(engine.server_)
            .run_nested(running.session, engine.words_, engine.output_, options);
    if (result.command != nullptr && !result.is_refused &&
        (result.command->spec->info.flags & kWrite) != 0) {
        running.has_written = true;
    }
    lua_settop(state, 0);
    push_reply(state,
               resp::ReplyView::trusted(engine.output_.begin()),
               running.session.protocol == Protocol::kResp3);
    constexpr std::size_t kKeptReplyBytes = 64 * 1024;
    if (engine.output_.capacity() > kKeptReplyBytes) {
        engine.output_.release();
    }
    return raises && result.is_error ? lua_error(state) : 1;
}

int ScriptApi::acl_check_cmd(lua_State* state) {
    ScriptEngine& engine = engine_of(state);
    std::string_view problem;
    if (!take_words(state, engine, problem)) {
        return fail(state, problem, true);
    }
    const Command* command = engine.server_.registry().find(engine.words_[0]);
    if (command == nullptr) {
        return fail(state, "ERR Invalid command passed to redis.acl_check_cmd()", true);
    }
    lua_pushboolean(state, 1);  // the one user may do everything
    return 1;
}

int ScriptApi::setresp(lua_State* state) {
    if (lua_gettop(state) != 1) {
        return fail(state, "ERR redis.setresp() requires one argument.", true);
    }
    const lua_Integer version = lua_tointeger(state, 1);
    if (version != 2 && version != 3) {
        return fail(state, "ERR RESP version must be 2 or 3.", true);
    }
    ScriptEngine& engine = engine_of(state);
    if (engine.running_ != nullptr) {
        engine.running_->session.protocol = version == 2 ? Protocol::kResp2 : Protocol::kResp3;
    }
    return 0;
}

void ScriptApi::open(ScriptEngine& engine) {
    lua_State* state = engine.sandbox_->state();
    lua_newtable(state);
    const auto log = [](lua_State* inner) { return write_log(inner, engine_of(inner).server_); };
    const std::array functions = {Function{"call", call},
                                  Function{"pcall", pcall},
                                  Function{"error_reply", error_reply},
                                  Function{"status_reply", status_reply},
                                  Function{"sha1hex", sha1hex},
                                  Function{"log", log},
                                  Function{"setresp", setresp},
                                  Function{"acl_check_cmd", acl_check_cmd},
                                  Function{"set_repl", set_repl},
                                  Function{"replicate_commands", replicate_commands},
                                  Function{"breakpoint", breakpoint},
                                  Function{"debug", no_operation}};
    for (const Function& one : functions) {
        lua_pushlightuserdata(state, &engine);
        lua_pushcclosure(state, one.function, 1);
        lua_setfield(state, -2, one.name);
    }
    struct Constant {
        const char* name;
        int value;
    };
    static constexpr std::array kConstants = {Constant{"LOG_DEBUG", 0},
                                              Constant{"LOG_VERBOSE", 1},
                                              Constant{"LOG_NOTICE", 2},
                                              Constant{"LOG_WARNING", 3},
                                              Constant{"REPL_NONE", 0},
                                              Constant{"REPL_AOF", 1},
                                              Constant{"REPL_SLAVE", 2},
                                              Constant{"REPL_REPLICA", 2},
                                              Constant{"REPL_ALL", 3},
                                              Constant{"REDIS_VERSION_NUM", kRedisVersionNumber}};
    for (const Constant& one : kConstants) {
        lua_pushinteger(state, one.value);
        lua_setfield(state, -2, one.name);
    }
    push(state, kRedisVersion);
    lua_setfield(state, -2, "REDIS_VERSION");
    engine.sandbox_->set_library("redis");
}

}  // namespace tern::server
