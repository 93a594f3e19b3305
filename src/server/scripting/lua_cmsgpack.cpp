#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "server/scripting/lua_sandbox.hpp"

/// The library `cmsgpack` (pack, unpack, unpack_one, unpack_limit): Lua values as MessagePack, by
/// its public specification. Tables with the keys 1 to n are arrays, others maps; deeper than
/// sixteen tables is nil, as Redis's has it.
namespace tern::server::lua {

namespace {

constexpr int kNestingMax = 16;

void append_number(std::string& out, std::uint64_t bits, int size_bytes) {
    for (int i = size_bytes - 1; i >= 0; --i) {
        out += static_cast<char>(bits >> (8 * i));
    }
}
void append_tagged(std::string& out, int tag, std::uint64_t bits, int size_bytes) {
    out += static_cast<char>(tag);
    append_number(out, bits, size_bytes);
}

void pack_integer(std::string& out, std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0) {
        if (value <= 0x7F) {
            out += static_cast<char>(value);
        } else if (value <= 0xFF) {
            append_tagged(out, 0xCC, bits, 1);
        } else if (value <= 0xFFFF) {
            append_tagged(out, 0xCD, bits, 2);
        } else if (value <= 0xFFFFFFFF) {
            append_tagged(out, 0xCE, bits, 4);
        } else {
            append_tagged(out, 0xCF, bits, 8);
        }
    } else if (value >= -32) {
        out += static_cast<char>(value);
    } else if (value >= INT8_MIN) {
        append_tagged(out, 0xD0, bits, 1);
    } else if (value >= INT16_MIN) {
        append_tagged(out, 0xD1, bits, 2);
    } else if (value >= INT32_MIN) {
        append_tagged(out, 0xD2, bits, 4);
    } else {
        append_tagged(out, 0xD3, bits, 8);
    }
}

void pack_number(std::string& out, double number) {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (std::floor(number) == number && number >= -kTwoTo63 && number < kTwoTo63) {
        pack_integer(out, static_cast<std::int64_t>(number));
    } else if (const auto narrow = static_cast<float>(number);
               static_cast<double>(narrow) == number) {
        append_tagged(out, 0xCA, std::bit_cast<std::uint32_t>(narrow), 4);
    } else {
        append_tagged(out, 0xCB, std::bit_cast<std::uint64_t>(number), 8);
    }
}

void pack_text(std::string& out, std::string_view text) {
    if (text.size() < 32) {
        out += static_cast<char>(0xA0 | text.size());
    } else if (text.size() <= 0xFF) {
        append_tagged(out, 0xD9, text.size(), 1);
    } else if (text.size() <= 0xFFFF) {
        append_tagged(out, 0xDA, text.size(), 2);
    } else {
        append_tagged(out, 0xDB, text.size(), 4);
    }
    out += text;
}

void append_count(std::string& out, std::size_t count, int small_tag, int tag) {
    if (count < 16) {
        out += static_cast<char>(static_cast<std::size_t>(small_tag) | count);
    } else if (count <= 0xFFFF) {
        append_tagged(out, tag, count, 2);
    } else {
        append_tagged(out, tag + 1, count, 4);
    }
}

void pack_value(lua_State* state, std::string& out, int nesting);

/// Whether the keys of the table on top of the stack are 1 to `count`, whatever else there are.
bool is_list(lua_State* state, std::size_t& count) {
    std::size_t keys = 0;
    double highest = 0;
    bool is_sound = true;
    count = 0;
    for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) {
        ++keys;
        if (lua_type(state, -2) != LUA_TNUMBER) {
            is_sound = false;
            continue;
        }
        const double key = lua_tonumber(state, -2);
        is_sound = is_sound && key >= 1 && std::floor(key) == key;
        highest = std::fmax(highest, key);
    }
    count = keys;
    return is_sound && highest == static_cast<double>(keys);
}

/// The table on top of the stack.
void pack_table(lua_State* state, std::string& out, int nesting) {
    luaL_checkstack(state, 4, "in function mp_encode_lua_table");
    std::size_t count = 0;
    if (is_list(state, count)) {
        append_count(out, count, 0x90, 0xDC);
        for (std::size_t i = 1; i <= count; ++i) {
            lua_rawgeti(state, -1, static_cast<int>(i));
            pack_value(state, out, nesting + 1);
        }
        return;
    }
    append_count(out, count, 0x80, 0xDE);
    lua_pushnil(state);
    while (lua_next(state, -2) != 0) {
        lua_pushvalue(state, -2);
        pack_value(state, out, nesting + 1);
        pack_value(state, out, nesting + 1);
    }
}

/// The value on top of the stack, which it takes.
void pack_value(lua_State* state, std::string& out, int nesting) {
    switch (lua_type(state, -1)) {
        case LUA_TSTRING:
            pack_text(out, text_at(state, -1));
            break;
        case LUA_TBOOLEAN:
            out += static_cast<char>(lua_toboolean(state, -1) != 0 ? 0xC3 : 0xC2);
            break;
        case LUA_TNUMBER:
            pack_number(out, lua_tonumber(state, -1));
            break;
        case LUA_TTABLE:
            if (nesting < kNestingMax) {
                pack_table(state, out, nesting);
                break;
            }
            [[fallthrough]];
        default:
            out += static_cast<char>(0xC0);
    }
    lua_pop(state, 1);
}

int pack(lua_State* state) {
    const int count = lua_gettop(state);
    if (count == 0) {
        return luaL_argerror(state, 0, "MessagePack pack needs input.");
    }
    luaL_checkstack(state, 1, "Too many arguments for MessagePack pack.");
    std::string out;
    for (int i = 1; i <= count; ++i) {
        lua_pushvalue(state, i);
        pack_value(state, out, 0);
    }
    push(state, out);
    return 1;
}

/// Reads values one after another and pushes them.
class Unpacker {
public:
    Unpacker(lua_State* state, std::string_view bytes) noexcept : state_(state), rest_(bytes) {}

    [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

    void value() {
        const auto tag = static_cast<unsigned char>(take(1)[0]);
        if (tag <= 0x7F) {
            lua_pushnumber(state_, tag);
        } else if (tag >= 0xE0) {
            lua_pushnumber(state_, static_cast<std::int8_t>(tag));
        } else if (tag <= 0x8F) {
            map(tag & 0x0FU);
        } else if (tag <= 0x9F) {
            list(tag & 0x0FU);
        } else if (tag <= 0xBF) {
            push(state_, take(tag & 0x1FU));
        } else {
            tagged(tag);
        }
    }

private:
    [[noreturn]] void fail(const char* text) {
        luaL_error(state_, "%s", text);
        __builtin_unreachable();
    }
    std::string_view take(std::size_t length) {
        if (length > rest_.size()) {
            fail("Missing bytes in input.");
        }
        const std::string_view taken = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return taken;
    }
    std::uint64_t number(std::size_t size_bytes) {
        std::uint64_t bits = 0;
        for (const char c : take(size_bytes)) {
            bits = bits << 8 | static_cast<unsigned char>(c);
        }
        return bits;
    }
    void signed_number(std::size_t size_bytes) {
        const unsigned unused = static_cast<unsigned>(64 - 8 * size_bytes);
        lua_pushnumber(
            state_,
            static_cast<double>(static_cast<std::int64_t>(number(size_bytes) << unused) >> unused));
    }
    void tagged(unsigned char tag) {
        switch (tag) {
            case 0xC0:
                lua_pushnil(state_);
                return;
            case 0xC2:
            case 0xC3:
                lua_pushboolean(state_, tag & 1);
                return;
            case 0xC4:
            case 0xC5:
            case 0xC6:
                push(state_, take(number(std::size_t{1} << (tag - 0xC4))));
                return;
            case 0xCA:
                lua_pushnumber(state_,
                               static_cast<double>(
                                   std::bit_cast<float>(static_cast<std::uint32_t>(number(4)))));
                return;
            case 0xCB:
                lua_pushnumber(state_, std::bit_cast<double>(number(8)));
                return;
            case 0xCC:
            case 0xCD:
            case 0xCE:
            case 0xCF:
                lua_pushnumber(state_, static_cast<double>(number(std::size_t{1} << (tag - 0xCC))));
                return;
            case 0xD0:
            case 0xD1:
            case 0xD2:
            case 0xD3:
                signed_number(std::size_t{1} << (tag - 0xD0));
                return;
            case 0xD9:
            case 0xDA:
            case 0xDB:
                push(state_, take(number(std::size_t{1} << (tag - 0xD9))));
                return;
            case 0xDC:
            case 0xDD:
                list(number(tag == 0xDC ? 2 : 4));
                return;
            case 0xDE:
            case 0xDF:
                map(number(tag == 0xDE ? 2 : 4));
                return;
            default:
                fail("Bad data format in input.");
        }
    }
    void enter() {
        luaL_checkstack(state_, 3, "in function mp_decode_to_lua_type");
        constexpr int kDepthMax = 200;
        if (++depth_ > kDepthMax) {
            fail("Bad data format in input.");
        }
        lua_newtable(state_);
    }
    void list(std::uint64_t count) {
        enter();
        for (std::uint64_t i = 1; i <= count; ++i) {
            value();
            lua_rawseti(state_, -2, static_cast<int>(i));
        }
        --depth_;
    }
    void map(std::uint64_t count) {
        enter();
        for (std::uint64_t i = 0; i < count; ++i) {
            value();
            value();
            const bool is_nan =
                lua_type(state_, -2) == LUA_TNUMBER && std::isnan(lua_tonumber(state_, -2));
            if (lua_isnil(state_, -2) || is_nan) {
                fail("Bad data format in input.");  // no key of a table
            }
            lua_rawset(state_, -3);
        }
        --depth_;
    }

    lua_State* state_;
    std::string_view rest_;
    int depth_ = 0;
};

/// Pushes at most `limit` values from `offset` on. With `tells_rest` the offset behind them comes
/// first, -1 at the end.
int unpack_some(lua_State* state, lua_Integer limit, lua_Integer offset, bool tells_rest) {
    std::size_t length = 0;
    const char* data = luaL_checklstring(state, 1, &length);
    if (offset < 0 || limit < 0) {
        return luaL_error(state,
                          "Invalid request to unpack with offset of %d and limit of %d.",
                          static_cast<int>(offset),
                          static_cast<int>(length));
    }
    if (static_cast<std::size_t>(offset) > length) {
        return luaL_error(state,
                          "Start offset %d greater than input length %d.",
                          static_cast<int>(offset),
                          static_cast<int>(length));
    }
    const std::string_view bytes(data, length);
    Unpacker unpacker(state, bytes.substr(static_cast<std::size_t>(offset)));
    lua_settop(state, 1);
    if (tells_rest) {
        lua_pushnil(state);  // its place
    }
    lua_Integer count = 0;
    while (!unpacker.rest().empty() && (limit == 0 || count < limit)) {
        luaL_checkstack(state, 1, "in function mp_unpack_full");
        unpacker.value();
        ++count;
    }
    if (tells_rest) {
        const std::size_t left = unpacker.rest().size();
        lua_pushinteger(state, left == 0 ? -1 : static_cast<lua_Integer>(length - left));
        lua_replace(state, 2);
        return static_cast<int>(count) + 1;
    }
    return static_cast<int>(count);
}

int unpack(lua_State* state) {
    return unpack_some(state, 0, 0, false);
}
int unpack_one(lua_State* state) {
    return unpack_some(state, 1, luaL_optinteger(state, 2, 0), true);
}
int unpack_limit(lua_State* state) {
    return unpack_some(state, luaL_checkinteger(state, 2), luaL_optinteger(state, 3, 0), true);
}

}  // namespace

int open_cmsgpack(lua_State* state) {
    lua_newtable(state);
    set_functions(state,
                  {{"pack", pack},
                   {"unpack", unpack},
                   {"unpack_one", unpack_one},
                   {"unpack_limit", unpack_limit}});
    push(state, "cmsgpack");
    lua_setfield(state, -2, "_NAME");
    return 1;
}

}  // namespace tern::server::lua
