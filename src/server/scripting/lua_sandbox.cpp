#include "server/scripting/lua_sandbox.hpp"

#include <array>
#include <cmath>
#include <string>
#include <tern/base/check.hpp>

extern "C" {
#include <lua5.1/lua-bitop.h>
#include <lua5.1/lua-cjson.h>
}

namespace tern::server::lua {

namespace {

constexpr std::string_view kReadOnly = "Attempt to modify a readonly table";
/// Registry: the set of the empty tables that stand for what scripts may not change.
const char kProtected = 0;

/// The error of an assignment, with its place in the script.
int refuse_assignment(lua_State* state) {
    return luaL_error(state, "%s", kReadOnly.data());
}

int refuse_unknown_global(lua_State* state) {
    if (lua_isstring(state, 2) == 0) {
        lua_pushnil(state);
        return 1;
    }
    return luaL_error(state,
                      "Script attempted to access nonexistent global variable '%s'",
                      lua_tostring(state, 2));
}

bool is_protected(lua_State* state, int index) {
    if (!lua_istable(state, index)) {
        return false;
    }
    lua_pushvalue(state, index);
    lua_pushlightuserdata(state, const_cast<char*>(&kProtected));
    lua_rawget(state, LUA_REGISTRYINDEX);
    lua_insert(state, -2);
    lua_rawget(state, -2);
    const bool is_there = lua_toboolean(state, -1) != 0;
    lua_pop(state, 2);
    return is_there;
}

/// Replaces the table on top of the stack by an empty one that reads from it.
void protect(lua_State* state) {
    lua_newtable(state);
    lua_newtable(state);
    lua_pushvalue(state, -3);
    lua_setfield(state, -2, "__index");
    lua_pushcfunction(state, refuse_assignment);
    lua_setfield(state, -2, "__newindex");
    lua_pushboolean(state, 0);
    lua_setfield(state, -2, "__metatable");
    lua_setmetatable(state, -2);
    lua_pushlightuserdata(state, const_cast<char*>(&kProtected));
    lua_rawget(state, LUA_REGISTRYINDEX);
    lua_pushvalue(state, -2);
    lua_pushboolean(state, 1);
    lua_rawset(state, -3);
    lua_pop(state, 1);
    lua_remove(state, -2);
}

/// Upvalue 1 is Lua's own function, whose first argument may not be protected.
int guarded(lua_State* state) {
    if (is_protected(state, 1)) {
        raise(state, kReadOnly);
    }
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    lua_call(state, lua_gettop(state) - 1, LUA_MULTRET);
    return lua_gettop(state);
}

/// setfenv, but not of the whole state.
int set_environment(lua_State* state) {
    if (lua_isnumber(state, 1) != 0 && lua_tointeger(state, 1) == 0) {
        raise(state, kReadOnly);
    }
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    // Levels count from the caller of setfenv; this function is one more.
    if (lua_isnumber(state, 2) != 0) {
        lua_pushinteger(state, lua_tointeger(state, 2) + 1);
        lua_replace(state, 2);
    }
    lua_call(state, lua_gettop(state) - 1, LUA_MULTRET);
    return lua_gettop(state);
}

int load_text(lua_State* state, std::string_view text, const char* name) {
    if (!text.empty() && text.front() == LUA_SIGNATURE[0]) {
        lua_pushnil(state);
        push(state, "attempt to load a binary chunk");
        return 2;
    }
    if (luaL_loadbuffer(state, text.data(), text.size(), name) == 0) {
        return 1;
    }
    lua_pushnil(state);
    lua_insert(state, -2);
    return 2;
}

int load_string(lua_State* state) {
    std::size_t length = 0;
    const char* text = luaL_checklstring(state, 1, &length);
    return load_text(state, {text, length}, luaL_optstring(state, 2, text));
}

/// load: the pieces that a function gives, up to nil or an empty one.
int load_pieces(lua_State* state) {
    constexpr std::size_t kBytesMax = std::size_t{1} << 24;
    const char* name = luaL_optstring(state, 2, "=(load)");
    luaL_checktype(state, 1, LUA_TFUNCTION);
    std::string text;
    for (;;) {
        lua_pushvalue(state, 1);
        lua_call(state, 0, 1);
        if (lua_isnil(state, -1)) {
            break;
        }
        if (lua_isstring(state, -1) == 0) {
            return luaL_error(state, "reader function must return a string");
        }
        const std::string_view piece = text_at(state, -1);
        if (piece.empty()) {
            break;
        }
        text += piece;
        if (text.size() > kBytesMax) {
            return luaL_error(state, "chunk too large");
        }
        lua_pop(state, 1);
    }
    return load_text(state, text, name);
}

/// pcall: what redis.call raised, a table, comes out as its text.
int protected_call(lua_State* state) {
    luaL_checkany(state, 1);
    const int outcome = lua_pcall(state, lua_gettop(state) - 1, LUA_MULTRET, 0);
    if (outcome != 0 && lua_istable(state, -1)) {
        push(state, "err");
        lua_rawget(state, -2);
        if (lua_isstring(state, -1) != 0) {
            lua_replace(state, -2);
        } else {
            lua_pop(state, 1);
        }
    }
    lua_pushboolean(state, outcome == 0 ? 1 : 0);
    lua_insert(state, 1);
    return lua_gettop(state);
}

/// collectgarbage, without what would stop it for the scripts to come.
int collect_garbage(lua_State* state) {
    static constexpr std::array<const char*, 4> kOptions = {"collect", "count", "step", nullptr};
    const int option = luaL_checkoption(state, 1, "collect", kOptions.data());
    if (option == 1) {
        constexpr double kBytesPerKilobyte = 1024;
        lua_pushnumber(
            state,
            lua_gc(state, LUA_GCCOUNT, 0) + lua_gc(state, LUA_GCCOUNTB, 0) / kBytesPerKilobyte);
    } else {
        lua_pushinteger(
            state,
            lua_gc(state, option == 0 ? LUA_GCCOLLECT : LUA_GCSTEP, luaL_optint(state, 2, 0)));
    }
    return 1;
}

}  // namespace

Sandbox::Sandbox() : state_(luaL_newstate()) {
    TERN_CHECK(state_ != nullptr);
    lua_State* state = state_.get();
    lua_pushlightuserdata(state, const_cast<char*>(&kProtected));
    lua_newtable(state);
    lua_rawset(state, LUA_REGISTRYINDEX);
    open_libraries();
    replace_functions();
    close_in();
}

void Sandbox::open_library(const char* name, lua_CFunction open) {
    lua_State* state = state_.get();
    lua_pushcfunction(state, open);
    lua_pushstring(state, name);
    lua_call(state, 1, 1);
    if (*name != '\0' && lua_istable(state, -1)) {
        lua_setglobal(state, name);
    } else {
        lua_pop(state, 1);
    }
}

void Sandbox::open_libraries() {
    open_library("", luaopen_base);
    open_library("table", luaopen_table);
    open_library("string", luaopen_string);
    open_library("math", luaopen_math);
    open_library("cjson", luaopen_cjson);
    open_library("bit", luaopen_bit);
    open_library("struct", open_struct);
    open_library("cmsgpack", open_cmsgpack);
    for (const char* name : {"dofile", "loadfile", "print", "require", "module", "package"}) {
        lua_pushnil(state_.get());
        lua_setglobal(state_.get(), name);
    }
}

void Sandbox::replace_functions() {
    lua_State* state = state_.get();
    struct Guard {
        const char* library;
        const char* name;
    };
    static constexpr std::array kGuarded = {Guard{nullptr, "rawset"},
                                            Guard{nullptr, "setmetatable"},
                                            Guard{"table", "insert"},
                                            Guard{"table", "remove"},
                                            Guard{"table", "sort"},
                                            Guard{"table", "setn"}};
    for (const Guard& one : kGuarded) {
        if (one.library == nullptr) {
            lua_pushvalue(state, LUA_GLOBALSINDEX);
        } else {
            lua_getglobal(state, one.library);
        }
        lua_getfield(state, -1, one.name);
        lua_pushcclosure(state, guarded, 1);
        lua_setfield(state, -2, one.name);
        lua_pop(state, 1);
    }
    lua_getglobal(state, "setfenv");
    lua_pushcclosure(state, set_environment, 1);
    lua_setglobal(state, "setfenv");
    lua_pushvalue(state, LUA_GLOBALSINDEX);
    set_functions(state,
                  {{"loadstring", load_string},
                   {"load", load_pieces},
                   {"pcall", protected_call},
                   {"collectgarbage", collect_garbage}});
    lua_pop(state, 1);
    lua_getglobal(state, "math");
    for (const Function& one :
         {Function{"random", random_number}, Function{"randomseed", random_seed}}) {
        lua_pushlightuserdata(state, this);
        lua_pushcclosure(state, one.function, 1);
        lua_setfield(state, -2, one.name);
    }
    lua_pop(state, 1);
}

/// Puts an empty table between the scripts and everything that they share.
void Sandbox::close_in() {
    lua_State* state = state_.get();
    for (const char* name :
         {"table", "string", "math", "coroutine", "cjson", "bit", "struct", "cmsgpack"}) {
        lua_getglobal(state, name);
        protect(state);
        lua_setglobal(state, name);
    }
    // Strings have their functions from a metatable of their own.
    push(state, "");
    lua_getmetatable(state, -1);
    lua_pushboolean(state, 0);
    lua_setfield(state, -2, "__metatable");
    lua_pop(state, 2);

    lua_pushvalue(state, LUA_GLOBALSINDEX);
    lua_newtable(state);
    lua_pushcfunction(state, refuse_unknown_global);
    lua_setfield(state, -2, "__index");
    lua_setmetatable(state, -2);
    lua_pushvalue(state, -1);
    globals_ = luaL_ref(state, LUA_REGISTRYINDEX);
    protect(state);
    lua_pushvalue(state, -1);
    set_global("_G");
    lua_replace(state, LUA_GLOBALSINDEX);
}

void Sandbox::set_global(const char* name) {
    lua_State* state = state_.get();
    lua_rawgeti(state, LUA_REGISTRYINDEX, globals_);
    lua_insert(state, -2);
    lua_pushstring(state, name);
    lua_insert(state, -2);
    lua_rawset(state, -3);
    lua_pop(state, 1);
}

void Sandbox::set_library(const char* name) {
    protect(state_.get());
    set_global(name);
}

std::size_t Sandbox::memory_bytes() const noexcept {
    constexpr std::size_t kBytesPerKilobyte = 1024;
    return static_cast<std::size_t>(lua_gc(state_.get(), LUA_GCCOUNT, 0)) * kBytesPerKilobyte +
           static_cast<std::size_t>(lua_gc(state_.get(), LUA_GCCOUNTB, 0));
}

int Sandbox::random_number(lua_State* state) {
    constexpr std::uint64_t kMultiplier = 0x5DEECE66D;
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
    constexpr std::int32_t kMax = 0x7FFFFFFF;
    auto& self = *static_cast<Sandbox*>(lua_touserdata(state, lua_upvalueindex(1)));
    self.random_ = (self.random_ * kMultiplier + 0xB) & kMask;
    const auto drawn = static_cast<std::int32_t>(self.random_ >> 17);
    const double fraction = static_cast<double>(drawn % kMax) / kMax;
    double low = 1;
    double high = 0;
    switch (lua_gettop(state)) {
        case 0:
            lua_pushnumber(state, fraction);
            return 1;
        case 1:
            high = luaL_checkint(state, 1);
            luaL_argcheck(state, low <= high, 1, "interval is empty");
            break;
        case 2:
            low = luaL_checkint(state, 1);
            high = luaL_checkint(state, 2);
            luaL_argcheck(state, low <= high, 2, "interval is empty");
            break;
        default:
            return luaL_error(state, "wrong number of arguments");
    }
    lua_pushnumber(state, std::floor(fraction * (high - low + 1)) + low);
    return 1;
}

int Sandbox::random_seed(lua_State* state) {
    auto& self = *static_cast<Sandbox*>(lua_touserdata(state, lua_upvalueindex(1)));
    const auto seed = static_cast<std::uint32_t>(luaL_checkint(state, 1));
    self.random_ = std::uint64_t{seed} << 16 | kFirstRandom;
    return 0;
}

}  // namespace tern::server::lua
