#include "server/scripting/lua_values.hpp"

#include <algorithm>
#include <string>

namespace tern::server::lua {

namespace {

/// Sets a field of the table on top of the stack.
void set_text(lua_State* state, const char* field, std::string_view text) {
    push(state, text);
    lua_setfield(state, -2, field);
}

void push_list(lua_State* state, const resp::ReplyView& reply, bool is_resp3) {
    luaL_checkstack(state, 4, "reply nested too deeply");
    lua_createtable(state, static_cast<int>(std::min<std::size_t>(reply.size(), 1U << 20)), 0);
    int index = 0;
    for (auto at = reply.begin(); at != reply.end(); ++at) {
        push_reply(state, *at, is_resp3);
        lua_rawseti(state, -2, ++index);
    }
}

void push_map(lua_State* state, const resp::ReplyView& reply, bool is_resp3, bool is_set) {
    luaL_checkstack(state, 6, "reply nested too deeply");
    lua_newtable(state);
    lua_newtable(state);
    for (auto at = reply.begin(); at != reply.end(); ++at) {
        push_reply(state, *at, is_resp3);
        if (is_set) {
            lua_pushboolean(state, 1);
        } else {
            push_reply(state, *++at, is_resp3);
        }
        if (lua_isnil(state, -2)) {
            lua_pop(state, 2);  // nil is no key
            continue;
        }
        lua_rawset(state, -3);
    }
    lua_setfield(state, -2, is_set ? "set" : "map");
}

}  // namespace

void push_error_table(lua_State* state, std::string_view text) {
    if (!text.empty() && text.front() == '-') {
        text.remove_prefix(1);
    }
    lua_newtable(state);
    if (text.find(' ') == std::string_view::npos) {
        set_text(state, "err", "ERR " + std::string(text));
    } else {
        set_text(state, "err", text);
    }
}

void push_reply(lua_State* state, const resp::ReplyView& reply, bool is_resp3) {
    using resp::ReplyType;
    switch (reply.type()) {
        case ReplyType::kNull:
            if (is_resp3) {
                lua_pushnil(state);
            } else {
                lua_pushboolean(state, 0);
            }
            return;
        case ReplyType::kSimple:
            lua_newtable(state);
            set_text(state, "ok", reply.text());
            return;
        case ReplyType::kError:
            lua_newtable(state);
            set_text(state, "err", reply.text());
            return;
        case ReplyType::kInteger:
            lua_pushnumber(state, static_cast<double>(reply.integer().value_or(0)));
            return;
        case ReplyType::kBulk:
            push(state, reply.text());
            return;
        case ReplyType::kArray:
        case ReplyType::kPush:
            push_list(state, reply, is_resp3);
            return;
        case ReplyType::kMap:
        case ReplyType::kSet:
            push_map(state, reply, is_resp3, reply.type() == ReplyType::kSet);
            return;
        case ReplyType::kDouble:
            lua_newtable(state);
            lua_pushnumber(state, reply.number().value_or(0));
            lua_setfield(state, -2, "double");
            return;
        case ReplyType::kBoolean:
            lua_pushboolean(state, reply.boolean().value_or(false) ? 1 : 0);
            return;
        case ReplyType::kBigNumber:
            lua_newtable(state);
            set_text(state, "big_number", reply.text());
            return;
        case ReplyType::kVerbatim:
            lua_newtable(state);
            lua_newtable(state);
            set_text(state, "string", reply.text());
            set_text(state, "format", reply.verbatim_format());
            lua_setfield(state, -2, "verbatim_string");
            return;
    }
}

namespace {

std::string one_line(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    return line;
}

/// Pushes field `name` of the table at `index` without asking its metatable. False: it is not of
/// `type`, and nothing is pushed.
bool push_field(lua_State* state, int index, std::string_view name, int type) {
    push(state, name);
    lua_rawget(state, index);
    if (lua_type(state, -1) == type) {
        return true;
    }
    lua_pop(state, 1);
    return false;
}

std::size_t pair_count(lua_State* state, int index) {
    std::size_t count = 0;
    for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
        ++count;
    }
    return count;
}

/// The table on top of the stack as a map, or the keys of it as a set.
void write_pairs(lua_State* state, Reply& reply, bool is_resp3, bool is_set) {
    const int table = lua_gettop(state);
    const std::size_t count = pair_count(state, table);
    if (is_set) {
        reply.set(count);
    } else {
        reply.map(count);
    }
    lua_pushnil(state);
    while (lua_next(state, table) != 0) {
        lua_pushvalue(state, -2);
        write_value(state, reply, is_resp3);
        if (is_set) {
            lua_pop(state, 1);
        } else {
            write_value(state, reply, is_resp3);
        }
    }
    lua_pop(state, 1);
}

void write_verbatim(lua_State* state, Reply& reply) {
    const int table = lua_gettop(state);
    if (push_field(state, table, "format", LUA_TSTRING)) {
        if (push_field(state, table, "string", LUA_TSTRING)) {
            std::string format(text_at(state, -2).substr(0, 3));
            format.resize(3, ' ');
            reply.verbatim(format, text_at(state, -1));
            lua_pop(state, 3);
            return;
        }
        lua_pop(state, 1);
    }
    lua_pop(state, 1);
    reply.array(0);
}

/// A table of one of the known forms. False: it is a list; the stack is as before.
bool write_form(lua_State* state, Reply& reply, bool is_resp3) {
    const int table = lua_gettop(state);
    if (push_field(state, table, "err", LUA_TSTRING)) {
        reply.error(one_line(text_at(state, -1)));
    } else if (push_field(state, table, "ok", LUA_TSTRING)) {
        reply.status(one_line(text_at(state, -1)));
    } else if (push_field(state, table, "double", LUA_TNUMBER)) {
        reply.number(lua_tonumber(state, -1));
    } else if (push_field(state, table, "map", LUA_TTABLE)) {
        write_pairs(state, reply, is_resp3, false);
        return true;
    } else if (push_field(state, table, "set", LUA_TTABLE)) {
        write_pairs(state, reply, is_resp3, true);
        return true;
    } else if (push_field(state, table, "big_number", LUA_TSTRING)) {
        reply.big_number(one_line(text_at(state, -1)));
    } else if (push_field(state, table, "verbatim_string", LUA_TTABLE)) {
        write_verbatim(state, reply);
        return true;
    } else {
        return false;
    }
    lua_pop(state, 1);
    return true;
}

void write_list(lua_State* state, Reply& reply, bool is_resp3) {
    const int table = lua_gettop(state);
    const Reply::Open open = reply.open_array();
    std::size_t count = 0;
    for (;; ++count) {
        lua_rawgeti(state, table, static_cast<int>(count + 1));
        if (lua_isnil(state, -1)) {
            lua_pop(state, 1);
            break;
        }
        write_value(state, reply, is_resp3);
    }
    reply.close_array(open, count);
}

}  // namespace

void write_value(lua_State* state, Reply& reply, bool is_resp3) {
    if (lua_checkstack(state, 8) == 0) {
        reply.error("ERR reached lua stack limit");
        lua_pop(state, 1);
        return;
    }
    switch (lua_type(state, -1)) {
        case LUA_TSTRING:
            reply.bulk(text_at(state, -1));
            break;
        case LUA_TNUMBER:
            reply.integer(static_cast<std::int64_t>(lua_tonumber(state, -1)));
            break;
        case LUA_TBOOLEAN:
            if (is_resp3) {
                reply.boolean(lua_toboolean(state, -1) != 0);
            } else if (lua_toboolean(state, -1) != 0) {
                reply.integer(1);
            } else {
                reply.null();
            }
            break;
        case LUA_TTABLE: {
            const int table = lua_gettop(state);
            if (!write_form(state, reply, is_resp3)) {
                write_list(state, reply, is_resp3);
            }
            lua_settop(state, table);
            break;
        }
        default:
            reply.null();
    }
    lua_pop(state, 1);
}

}  // namespace tern::server::lua
