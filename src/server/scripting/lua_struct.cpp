#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>

#include "server/scripting/lua_sandbox.hpp"

/// The library `struct` (pack, unpack, size) as its manual describes it: fixed layouts of bytes by
/// a format, little-endian and unaligned until the format says otherwise.
namespace tern::server::lua {

namespace {

constexpr std::size_t kNativeAlignment = 8;
constexpr std::size_t kIntegerBytesMax = 32;

/// Walks a format and keeps what `<`, `>` and `!` changed.
class Format {
public:
    Format(lua_State* state, int argument)
        : state_(state), at_(luaL_checkstring(state, argument)) {}

    struct Item {
        char kind = 0;
        std::size_t size_bytes = 0;  ///< of `c` without a number: 1
    };

    /// False at the end. Items that only change the state come out as well, with size 0.
    bool next(Item& item) {
        if (*at_ == '\0') {
            return false;
        }
        item.kind = *at_++;
        item.size_bytes = size_of(item.kind);
        switch (item.kind) {
            case ' ':
            case 'x':
            case 's':
            case 'c':
                break;
            case '<':
                is_little_ = true;
                break;
            case '>':
                is_little_ = false;
                break;
            case '!':
                alignment_ = number_or(kNativeAlignment);
                if (!std::has_single_bit(alignment_)) {
                    luaL_error(state_, "alignment is not a power of 2");
                }
                break;
            default:
                if (item.size_bytes == 0) {
                    luaL_argerror(state_,
                                  1,
                                  lua_pushfstring(state_, "invalid format option '%c'", item.kind));
                }
        }
        return true;
    }
    /// Zeros that the alignment wants before an item at `offset`.
    [[nodiscard]] std::size_t padding(const Item& item, std::size_t offset) const noexcept {
        if (item.kind == 'c' || item.kind == 's' || item.kind == 'x' || item.size_bytes == 0) {
            return 0;
        }
        const std::size_t alignment = std::min(item.size_bytes, alignment_);
        return std::has_single_bit(alignment) ? (alignment - offset % alignment) % alignment : 0;
    }
    [[nodiscard]] bool is_little() const noexcept { return is_little_; }

private:
    std::size_t number_or(std::size_t otherwise) {
        if (std::isdigit(static_cast<unsigned char>(*at_)) == 0) {
            return otherwise;
        }
        constexpr std::size_t kNumberMax = 0x7FFFFFFF;
        std::size_t number = 0;
        while (std::isdigit(static_cast<unsigned char>(*at_)) != 0) {
            number = number * 10 + static_cast<std::size_t>(*at_++ - '0');
            if (number > kNumberMax) {
                luaL_error(state_, "integral size overflow");
            }
        }
        return number;
    }
    std::size_t integer_size() {
        const std::size_t size_bytes = number_or(sizeof(int));
        if (size_bytes == 0 || size_bytes > kIntegerBytesMax) {
            luaL_error(state_,
                       "integral size %d is larger than limit of %d",
                       static_cast<int>(size_bytes),
                       static_cast<int>(kIntegerBytesMax));
        }
        return size_bytes;
    }
    std::size_t size_of(char kind) {
        switch (kind) {
            case 'b':
            case 'B':
            case 'x':
                return 1;
            case 'h':
            case 'H':
                return sizeof(short);
            case 'l':
            case 'L':
                return sizeof(long);
            case 'T':
                return sizeof(std::size_t);
            case 'f':
                return sizeof(float);
            case 'd':
                return sizeof(double);
            case 'i':
            case 'I':
                return integer_size();
            case 'c':
                return number_or(1);
            default:
                return 0;
        }
    }

    lua_State* state_;
    const char* at_;
    std::size_t alignment_ = 1;
    bool is_little_ = true;
};

/// The low bytes of `bits`, in the format's order.
void append_bits(std::string& out, std::uint64_t bits, std::size_t size_bytes, bool is_little) {
    for (std::size_t i = 0; i < size_bytes; ++i) {
        const std::size_t byte = is_little ? i : size_bytes - 1 - i;
        // Wider integers than Lua's numbers have zeros there.
        out += byte < sizeof(bits) ? static_cast<char>(bits >> (8 * byte)) : '\0';
    }
}

std::uint64_t read_bits(std::string_view bytes, bool is_little) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t at = is_little ? bytes.size() - 1 - i : i;
        bits = bits << 8 | static_cast<unsigned char>(bytes[at]);
    }
    return bits;
}

std::uint64_t integer_bits(double number) noexcept {
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (number >= kTwoTo63) {
        return static_cast<std::uint64_t>(std::min(number, 18446744073709549568.0));
    }
    return number >= -kTwoTo63 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                               : std::uint64_t{1} << 63;
}

void pack_text(lua_State* state, const Format::Item& item, int argument, std::string& out) {
    std::size_t length = 0;
    const char* text = luaL_checklstring(state, argument, &length);
    std::size_t wanted = item.kind == 's' || item.size_bytes == 0 ? length : item.size_bytes;
    luaL_argcheck(state, length >= wanted, argument, "string too short");
    out.append(text, wanted);
    if (item.kind == 's') {
        out += '\0';
    }
}

void pack_number(lua_State* state,
                 const Format& format,
                 const Format::Item& item,
                 int argument,
                 std::string& out) {
    const double number = luaL_checknumber(state, argument);
    std::uint64_t bits = 0;
    if (item.kind == 'd') {
        bits = std::bit_cast<std::uint64_t>(number);
    } else if (item.kind == 'f') {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    } else {
        bits = integer_bits(number);
    }
    append_bits(out, bits, item.size_bytes, format.is_little());
}

int pack(lua_State* state) {
    Format format(state, 1);
    Format::Item item;
    std::string out;
    int argument = 1;
    while (format.next(item)) {
        out.append(format.padding(item, out.size()), '\0');
        switch (item.kind) {
            case ' ':
            case '<':
            case '>':
            case '!':
                break;
            case 'x':
                out += '\0';
                break;
            case 's':
            case 'c':
                pack_text(state, item, ++argument, out);
                break;
            default:
                pack_number(state, format, item, ++argument, out);
        }
    }
    push(state, out);
    return 1;
}

void push_number(lua_State* state,
                 const Format& format,
                 const Format::Item& item,
                 std::string_view bytes) {
    const std::uint64_t bits = read_bits(bytes, format.is_little());
    if (item.kind == 'd') {
        lua_pushnumber(state, std::bit_cast<double>(bits));
    } else if (item.kind == 'f') {
        lua_pushnumber(state,
                       static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    } else if (std::islower(static_cast<unsigned char>(item.kind)) != 0) {
        const unsigned unused =
            bytes.size() < sizeof(bits) ? static_cast<unsigned>(64 - 8 * bytes.size()) : 0;
        lua_pushnumber(state,
                       static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused));
    } else {
        lua_pushnumber(state, static_cast<double>(bits));
    }
}

/// `c0` takes as many bytes as the number before it said.
std::size_t take_length(lua_State* state, int first_result) {
    if (lua_gettop(state) < first_result || lua_isnumber(state, -1) == 0) {
        luaL_error(state, "format 'c0' needs a previous size");
    }
    const double length = lua_tonumber(state, -1);
    lua_pop(state, 1);
    if (!(length >= 0 && length < 4294967296.0)) {
        luaL_error(state, "data string too short");
    }
    return static_cast<std::size_t>(length);
}

int unpack(lua_State* state) {
    Format format(state, 1);
    std::size_t length = 0;
    const char* data = luaL_checklstring(state, 2, &length);
    const std::string_view bytes(data, length);
    const lua_Integer first = luaL_optinteger(state, 3, 1);
    luaL_argcheck(state, first > 0, 3, "offset must be 1 or greater");
    std::size_t position = static_cast<std::size_t>(first) - 1;
    lua_settop(state, 2);
    constexpr int kFirstResult = 3;
    Format::Item item;
    while (format.next(item)) {
        position += format.padding(item, position);
        std::size_t wanted = item.size_bytes;
        if (item.kind == 'c' && wanted == 0) {
            wanted = take_length(state, kFirstResult);
        }
        luaL_argcheck(state,
                      position <= bytes.size() && wanted <= bytes.size() - position,
                      2,
                      "data string too short");
        luaL_checkstack(state, 2, "too many results");
        const std::string_view field = bytes.substr(position, wanted);
        switch (item.kind) {
            case ' ':
            case '<':
            case '>':
            case '!':
            case 'x':
                break;
            case 'c':
                push(state, field);
                break;
            case 's': {
                const std::size_t end = bytes.find('\0', position);
                if (end == std::string_view::npos) {
                    return luaL_error(state, "unfinished string in data");
                }
                push(state, bytes.substr(position, end - position));
                wanted = end - position + 1;
                break;
            }
            default:
                push_number(state, format, item, field);
        }
        position += wanted;
    }
    lua_pushnumber(state, static_cast<double>(position + 1));
    return lua_gettop(state) - kFirstResult + 1;
}

int size(lua_State* state) {
    Format format(state, 1);
    Format::Item item;
    std::size_t position = 0;
    while (format.next(item)) {
        position += format.padding(item, position);
        luaL_argcheck(state,
                      item.kind != 's' && !(item.kind == 'c' && item.size_bytes == 0),
                      1,
                      item.kind == 's' ? "variable-size format in 'struct.size'"
                                       : "variable-length format in 'struct.size'");
        position += item.size_bytes;
        luaL_argcheck(state, position <= 0x7FFFFFFF, 1, "item too large in format");
    }
    lua_pushnumber(state, static_cast<double>(position));
    return 1;
}

}  // namespace

int open_struct(lua_State* state) {
    lua_newtable(state);
    set_functions(state, {{"pack", pack}, {"unpack", unpack}, {"size", size}});
    return 1;
}

}  // namespace tern::server::lua
