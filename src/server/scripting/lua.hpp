#pragma once

/// Lua 5.1 as Debian builds it for C++: its errors are exceptions, so that they run destructors on
/// their way. Nothing here may catch what it does not know.
#include <initializer_list>
#include <lua5.1/lua.hpp>
#include <string_view>

namespace tern::server::lua {

inline void push(lua_State* state, std::string_view text) {
    lua_pushlstring(state, text.data(), text.size());
}
/// Of a string, or of a number as Lua prints it. Valid while the value is on the stack.
[[nodiscard]] inline std::string_view text_at(lua_State* state, int index) {
    std::size_t length = 0;
    const char* text = lua_tolstring(state, index, &length);
    return {text, text == nullptr ? 0 : length};
}
struct Function {
    const char* name;
    lua_CFunction function;
};
/// Sets functions as fields of the table on top of the stack.
inline void set_functions(lua_State* state, std::initializer_list<Function> functions) {
    for (const Function& one : functions) {
        lua_pushcfunction(state, one.function);
        lua_setfield(state, -2, one.name);
    }
}
/// Raises `text` as it is, without the place in the script.
[[noreturn]] inline void raise(lua_State* state, std::string_view text) {
    push(state, text);
    lua_error(state);
    __builtin_unreachable();
}

}  // namespace tern::server::lua
