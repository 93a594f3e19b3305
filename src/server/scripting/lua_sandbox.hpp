#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "server/scripting/lua.hpp"

namespace tern::server::lua {

/// A Lua state that scripts cannot leave and cannot leave anything in.
///
/// Scripts see Lua's own functions without files, modules and the operating system (os.clock is the
/// one that Redis leaves), and cjson, struct, cmsgpack and bit. What they see is behind empty
/// tables: a global that is not there is an error, and nothing that is shared can be changed, not
/// by rawset, setmetatable, setfenv or the functions of `table` either. Chunks are text: no
/// bytecode.
///
/// Threads: one.
class Sandbox {
public:
    Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    [[nodiscard]] lua_State* state() const noexcept { return state_.get(); }

    /// Gives scripts the value on top of the stack as a global, and takes it from there.
    void set_global(const char* name);
    /// The same with a table that they may read only.
    void set_library(const char* name);

    /// What Lua holds, in bytes.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
    struct Closer {
        void operator()(lua_State* state) const noexcept { lua_close(state); }
    };
    /// What math.random begins with: the generator of POSIX's lrand48, seeded with 0.
    static constexpr std::uint64_t kFirstRandom = 0x330E;

    void open_libraries();
    void open_library(const char* name, lua_CFunction open);
    void replace_functions();
    void close_in();

    static int random_number(lua_State* state);
    static int random_seed(lua_State* state);

    std::unique_ptr<lua_State, Closer> state_;
    int globals_ = 0;  ///< registry: the table that the scripts' empty one stands for
    std::uint64_t random_ = kFirstRandom;
};

int open_struct(lua_State* state);
int open_cmsgpack(lua_State* state);

}  // namespace tern::server::lua
