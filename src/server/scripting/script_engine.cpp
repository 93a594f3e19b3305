#include "server/scripting/script_engine.hpp"

#include <fmt/format.h>
#include <sha1.h>

#include <algorithm>
#include <array>

#include "server/scripting/lua_values.hpp"
#include "server/scripting/script_api.hpp"
#include "server/server.hpp"

namespace tern::server {

using namespace lua;  // NOLINT(google-build-using-namespace): the helpers of the same folder

namespace {

/// How many instructions of Lua run between two looks at the time.
constexpr int kInstructionsPerLook = 10'000;
/// How many scripts run between two steps of the garbage collection.
constexpr std::uint32_t kRunsPerCollection = 50;
/// The cache's bound; Redis has none. Beyond it EVAL forgets everything, as SCRIPT FLUSH.
constexpr std::size_t kCacheBytesMax = std::size_t{256} << 20;

/// Turns whatever was raised into a table with `err`, `source` and `line`.
int describe_error(lua_State* state) {
    lua_Debug place{};
    bool has_place = lua_getstack(state, 1, &place) != 0 && lua_getinfo(state, "nSl", &place) != 0;
    if (has_place && std::string_view(place.what) == "C") {
        has_place = lua_getstack(state, 2, &place) != 0 && lua_getinfo(state, "nSl", &place) != 0;
    }
    if (!lua_istable(state, 1)) {
        std::string message = "ERR ";
        if (lua_isboolean(state, 1)) {
            message += lua_toboolean(state, 1) != 0 ? "true" : "false";
        } else {
            message += lua_isstring(state, 1) != 0 ? text_at(state, 1) : luaL_typename(state, 1);
        }
        lua_settop(state, 0);
        push_error_table(state, message);
    }
    if (has_place) {
        lua_pushstring(state, place.source);
        lua_setfield(state, 1, "source");
        lua_pushinteger(state, place.currentline);
        lua_setfield(state, 1, "line");
    }
    lua_settop(state, 1);
    return 1;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return out;
}

}  // namespace

ScriptEngine::ScriptEngine(Server& server) : server_(server) {}
ScriptEngine::~ScriptEngine() = default;

std::string ScriptEngine::sha1_hex(std::string_view text) {
    SHA1_CTX context;
    SHA1Init(&context);
    SHA1Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    std::array<std::uint8_t, SHA1_DIGEST_LENGTH> digest;
    SHA1Final(digest.data(), &context);
    std::string hex;
    for (const std::uint8_t byte : digest) {
        fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
    }
    return hex;
}

void ScriptEngine::open() {
    if (sandbox_ != nullptr) {
        return;
    }
    sandbox_ = std::make_unique<Sandbox>();
    ScriptApi::open(*this);
    lua_State* state = sandbox_->state();
    lua_pushcfunction(state, describe_error);
    handler_ = luaL_ref(state, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(state, this);
    lua_setfield(state, LUA_REGISTRYINDEX, "tern.engine");
}

const Script* ScriptEngine::find(std::string_view sha) const {
    const auto found = scripts_.find(lower(sha));
    return found == scripts_.end() ? nullptr : &found->second;
}

const Script* ScriptEngine::load(std::string_view body, std::string& sha, std::string& problem) {
    sha = sha1_hex(body);
    if (const Script* known = find(sha); known != nullptr) {
        return known;
    }
    const Shebang shebang = parse_shebang(body);
    if (!shebang.problem.empty()) {
        problem = shebang.problem;
        return nullptr;
    }
    if (cache_bytes_ + body.size() > kCacheBytesMax && !is_running()) {
        flush();
    }
    open();
    lua_State* state = sandbox_->state();
    const bool is_bytecode = !shebang.body.empty() && shebang.body.front() == LUA_SIGNATURE[0];
    if (is_bytecode ||
        luaL_loadbuffer(state, shebang.body.data(), shebang.body.size(), "@user_script") != 0) {
        problem = fmt::format("ERR Error compiling script (new function): {}",
                              is_bytecode ? "binary chunk" : text_at(state, -1));
        lua_settop(state, 0);
        return nullptr;
    }
    Script script{std::string(body), shebang.flags, luaL_ref(state, LUA_REGISTRYINDEX)};
    cache_bytes_ += body.size() + sha.size() + sizeof(Script);
    return &scripts_.emplace(sha, std::move(script)).first->second;
}

void ScriptEngine::flush() {
    scripts_.clear();
    cache_bytes_ = 0;
    sandbox_.reset();
}

std::size_t ScriptEngine::lua_bytes() const noexcept {
    return sandbox_ == nullptr ? 0 : sandbox_->memory_bytes();
}

void ScriptEngine::set_list(const char* name, std::span<const std::string_view> texts) {
    lua_State* state = sandbox_->state();
    lua_createtable(state, static_cast<int>(texts.size()), 0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        push(state, texts[i]);
        lua_rawseti(state, -2, static_cast<int>(i + 1));
    }
    sandbox_->set_global(name);
}

/// What the script's first line allows, against what is asked.
bool ScriptEngine::admit(Call& call, const Script& script, bool is_read_only) {
    if (!script.flags.has_shebang) {
        return true;
    }
    if (is_read_only && !script.flags.no_writes) {
        call.reply.error("ERR Can not execute a script with write flag using *_ro command.");
        return false;
    }
    if (!script.flags.no_writes && !script.flags.allow_oom && server_.is_out_of_memory()) {
        call.reply.error(
            "OOM allow-oom flag is not set on the script, can not run it when used "
            "memory > 'maxmemory'");
        return false;
    }
    return true;
}

void ScriptEngine::run(Call& call, const Script& script, const ScriptCall& script_call) {
    if (!admit(call, script, script_call.is_read_only)) {
        return;
    }
    lua_State* state = sandbox_->state();
    constexpr std::int64_t kNsPerMs = 1'000'000;
    const TickClock& clock = server_.clock();
    Running running{call, script.flags, script_call.is_read_only, {}, 0};
    running.session.database_index = call.session.database_index;
    running.session.user = call.session.user;
    running.session.authenticated = true;
    running.session.no_touch = call.session.no_touch;
    running.session.peer = call.session.peer;
    running.session.id = call.session.id;
    const std::int64_t threshold_ms = server_.config().busy_reply_threshold_ms;
    running.deadline_ticks = threshold_ms <= 0
                                 ? ~std::uint64_t{0}
                                 : clock.ticks() + clock.to_ticks(threshold_ms * kNsPerMs);
    running_ = &running;
    set_list("KEYS", script_call.keys);
    set_list("ARGV", script_call.arguments);
    lua_sethook(state, on_count, LUA_MASKCOUNT, kInstructionsPerLook);
    lua_rawgeti(state, LUA_REGISTRYINDEX, handler_);
    lua_rawgeti(state, LUA_REGISTRYINDEX, script.function);
    const int outcome = lua_pcall(state, 0, 1, -2);
    lua_sethook(state, nullptr, 0, 0);
    if (outcome != 0) {
        answer_error(call.reply, script_call.name);
    } else {
        write_value(state, call.reply, running.session.protocol == Protocol::kResp3);
    }
    lua_settop(state, 0);
    running_ = nullptr;
    if (++runs_to_collection_ == kRunsPerCollection) {
        runs_to_collection_ = 0;
        lua_gc(state, LUA_GCSTEP, 1);
    }
}

/// The error table, or what Lua left when not even the handler could run, is on top of the stack.
void ScriptEngine::answer_error(Reply& reply, std::string_view name) {
    lua_State* state = sandbox_->state();
    if (!lua_istable(state, -1)) {
        reply.error(fmt::format("ERR {} script: {}, on @user_script:?.", text_at(state, -1), name));
        return;
    }
    lua_getfield(state, -1, "err");
    const std::string text(lua_isstring(state, -1) != 0 ? text_at(state, -1) : "ERR unknown error");
    lua_getfield(state, -2, "source");
    lua_getfield(state, -3, "line");
    if (lua_isstring(state, -2) != 0 && lua_isnumber(state, -1) != 0) {
        reply.error(fmt::format("{} script: {}, on {}:{}.",
                                text,
                                name,
                                text_at(state, -2),
                                static_cast<std::int64_t>(lua_tonumber(state, -1))));
    } else {
        reply.error(text);
    }
}

bool ScriptEngine::is_busy() const noexcept {
    return running_ != nullptr && running_->is_over_time;
}

ScriptEngine::Kill ScriptEngine::kill() noexcept {
    if (running_ == nullptr) {
        return Kill::kNothingRuns;
    }
    if (running_->has_written) {
        return Kill::kHasWritten;
    }
    running_->is_killed = true;
    return Kill::kDone;
}

void ScriptEngine::on_count(lua_State* state, lua_Debug*) {
    lua_getfield(state, LUA_REGISTRYINDEX, "tern.engine");
    auto& engine = *static_cast<ScriptEngine*>(lua_touserdata(state, -1));
    lua_pop(state, 1);
    Running& running = *engine.running_;
    if (!running.is_killed && engine.server_.clock().ticks() >= running.deadline_ticks) {
        running.is_over_time = true;
        engine.server_.serve_while_busy();
    }
    if (running.is_killed || engine.server_.is_stopping()) {
        // From here on every instruction fails, so that no pcall of the script goes on.
        lua_sethook(state, on_count, LUA_MASKCOUNT, 1);
        push_error_table(state, "ERR Script killed by user with SCRIPT KILL.");
        lua_error(state);
    }
}

}  // namespace tern::server
