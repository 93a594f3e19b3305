#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/byte_sink.hpp"
#include "server/command/call.hpp"
#include "server/scripting/lua_sandbox.hpp"
#include "server/scripting/shebang.hpp"
#include "server/session.hpp"

namespace tern::server {

/// A compiled script.
struct Script {
    std::string body;
    ScriptFlags flags;
    int function = 0;  ///< in the registry of the engine's state
};

/// How a script is called.
struct ScriptCall {
    std::string_view name;  ///< its SHA-1, which errors tell
    std::span<const std::string_view> keys;
    std::span<const std::string_view> arguments;
    bool is_read_only = false;  ///< EVAL_RO
};

/// EVAL's scripts: their cache, and the one that runs.
///
/// A script runs on the server's thread to its end. When it takes longer than
/// `busy-reply-threshold`, the others are told BUSY and may end it with SCRIPT KILL as long as it
/// has not written (Server::serve_while_busy).
///
/// Threads: the server's one thread.
class ScriptEngine {
public:
    explicit ScriptEngine(Server& server);
    ~ScriptEngine();
    ScriptEngine(const ScriptEngine&) = delete;
    ScriptEngine& operator=(const ScriptEngine&) = delete;

    /// The script with this SHA-1, 40 hex digits of either case; null when it is not known.
    [[nodiscard]] const Script* find(std::string_view sha) const;
    /// Compiles `body`, unless it is known. Null: `problem` is the error's whole text.
    const Script* load(std::string_view body, std::string& sha, std::string& problem);
    /// Runs it and writes its reply.
    void run(Call& call, const Script& script, const ScriptCall& script_call);
    /// SCRIPT FLUSH. Not while a script runs.
    void flush();

    [[nodiscard]] std::size_t script_count() const noexcept { return scripts_.size(); }
    /// What Lua holds, and what the cache's texts take, in bytes.
    [[nodiscard]] std::size_t lua_bytes() const noexcept;
    [[nodiscard]] std::size_t cache_bytes() const noexcept { return cache_bytes_; }

    [[nodiscard]] bool is_running() const noexcept { return running_ != nullptr; }
    /// The running one is over its time: whoever else asks is told BUSY.
    [[nodiscard]] bool is_busy() const noexcept;

    enum class Kill : std::uint8_t { kDone, kNothingRuns, kHasWritten };
    /// SCRIPT KILL.
    Kill kill() noexcept;

    [[nodiscard]] static std::string sha1_hex(std::string_view text);

private:
    friend class ScriptApi;

    /// The script that runs now.
    struct Running {
        Call& call;
        ScriptFlags flags;
        bool is_read_only;
        Session session;  ///< whose commands they are: the caller's database and user
        std::uint64_t deadline_ticks;
        bool has_written = false;
        bool is_over_time = false;
        bool is_killed = false;
    };

    void open();
    void set_list(const char* name, std::span<const std::string_view> texts);
    bool admit(Call& call, const Script& script, bool is_read_only);
    void answer_error(Reply& reply, std::string_view name);
    static void on_count(lua_State* state, lua_Debug*);

    Server& server_;
    std::unique_ptr<lua::Sandbox> sandbox_;  // made with the first script
    int handler_ = 0;
    std::unordered_map<std::string, Script> scripts_;
    std::size_t cache_bytes_ = 0;
    Running* running_ = nullptr;
    std::uint32_t runs_to_collection_ = 0;
    // Of the command that a script calls.
    BufferSink output_;
    std::vector<std::string_view> words_;
    std::vector<std::string> number_texts_;
};

}  // namespace tern::server
