#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "server/blocked_clients.hpp"
#include "server/clients.hpp"
#include "server/command/registry.hpp"
#include "server/config/settings.hpp"
#include "server/key_events.hpp"
#include "server/observe/command_meter.hpp"
#include "server/pubsub/pubsub.hpp"
#include "server/rate_meter.hpp"
#include "server/scripting/script_engine.hpp"
#include "server/watches.hpp"
#include "store/eviction/evictor.hpp"

namespace tern::server {

class Reactor;

/// What INFO counts. Plain numbers of the server's one thread.
struct ServerStats {
    std::uint64_t commands_processed = 0;
    std::uint64_t connections_rejected = 0;
    std::uint64_t connections_before = 0;  ///< accepted before the last CONFIG RESETSTAT
    std::uint64_t input_bytes = 0;
    std::uint64_t output_bytes = 0;
    std::uint64_t ring_messages = 0;   ///< requests that came over a ring
    std::uint64_t doorbells_rung = 0;  ///< wake-ups of a sleeping ring client
    std::uint64_t output_limit_disconnections = 0;
    std::uint64_t query_limit_disconnections = 0;
    std::uint64_t error_replies = 0;
    std::map<std::string, std::uint64_t, std::less<>> errors_by_code;  ///< "ERR", "WRONGTYPE", …
};

/// The server without its I/O: configuration, data, commands and clients. The reactor feeds it.
///
/// Threads: one, the reactor's. Lifetime: outlives every session; `keyspace` outlives it.
class Server {
public:
    Server(Settings& settings,
           store::Keyspace& keyspace,
           const TickClock& clock,
           std::uint64_t instance_id);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Tells the time of this turn of the loop.
    void set_now(std::int64_t now_ms) noexcept {
        now_ms_ = now_ms;
        if (now_ms >= next_sample_ms_) {
            sample_rates();
        }
    }
    [[nodiscard]] std::int64_t now_ms() const noexcept { return now_ms_; }

    [[nodiscard]] Call make_call(Session& session, Reply& reply, const CommandSpec* spec);

    [[nodiscard]] const TickClock& clock() const noexcept { return clock_; }
    [[nodiscard]] Settings& settings() noexcept { return settings_; }
    /// What `settings` say, as plain fields.
    [[nodiscard]] const Config& config() const noexcept { return config_; }
    [[nodiscard]] store::Keyspace& keyspace() noexcept { return keyspace_; }
    [[nodiscard]] const Registry& registry() const noexcept { return registry_; }
    /// Carries out the settings' rename-command. Before the first client.
    ///
    /// Errors: one line with the place of the rename that cannot be.
    [[nodiscard]] Result<void> rename_commands();
    [[nodiscard]] Clients& clients() noexcept { return clients_; }
    [[nodiscard]] BlockedClients& blocked_clients() noexcept { return blocked_clients_; }
    [[nodiscard]] ServerStats& stats() noexcept { return stats_; }
    [[nodiscard]] CommandMeter& meter() noexcept { return meter_; }
    [[nodiscard]] std::uint64_t instance_id() const noexcept { return instance_id_; }
    /// 40 hex digits, new for each start (INFO run_id).
    [[nodiscard]] std::string_view run_id() const noexcept { return run_id_; }
    [[nodiscard]] std::int64_t started_ms() const noexcept { return started_ms_; }
    void set_started(std::int64_t now_ms) noexcept { started_ms_ = now_ms; }
    /// The memory of the command that runs now.
    [[nodiscard]] Scratch& scratch() noexcept { return *scratch_; }

    /// While it lives, commands run inside another one and have memory of their own.
    class Nesting {
    public:
        explicit Nesting(Server& server);
        ~Nesting();
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

    private:
        Server& server_;
    };
    /// 0: the command of a client; more: one that another command runs.
    [[nodiscard]] std::size_t nesting_depth() const noexcept { return nesting_depth_; }

    [[nodiscard]] Watches& watches() noexcept { return watches_; }
    [[nodiscard]] const Watches& watches() const noexcept { return watches_; }
    [[nodiscard]] KeyEvents& key_events() noexcept { return key_events_; }
    [[nodiscard]] ScriptEngine& scripts() noexcept { return scripts_; }
    [[nodiscard]] const ScriptEngine& scripts() const noexcept { return scripts_; }
    /// From a script that is over its time: lets the others in for a moment, to be told BUSY.
    void serve_while_busy() {
        if (serve_while_busy_) {
            serve_while_busy_();
        }
    }
    /// What `serve_while_busy` calls: the loop's.
    void set_serve_while_busy(std::function<void()> serve) { serve_while_busy_ = std::move(serve); }
    /// Where redis.log of a script goes: level (0 debug to 3 warning) and text.
    void set_log(std::function<void(int level, std::string_view text)> log) {
        log_ = std::move(log);
    }
    void log(int level, std::string_view text) const {
        if (log_) {
            log_(level, text);
        }
    }
    [[nodiscard]] PubSub& pubsub() noexcept { return pubsub_; }
    [[nodiscard]] const PubSub& pubsub() const noexcept { return pubsub_; }
    /// Takes a session that ends out of everything that knows it.
    void forget(Session& session);

    /// Closes clients that were silent for longer than `timeout`, unless they wait for a key or for
    /// messages, and those that were above the soft limit of their output for too long. The loop
    /// calls it between events; it looks at them about once a second, when there can be any.
    void close_idle_clients();
    /// Whether a client for which `pending_bytes` wait has to go (client-output-buffer-limit). Its
    /// connection asks when the output changes.
    [[nodiscard]] bool exceeds_output_limit(Session& session,
                                            std::uint64_t pending_bytes) noexcept {
        const bool exceeds =
            server::exceeds_output_limit(config_.output_limits, session, pending_bytes, now_ms_);
        has_slow_readers_ |= session.soft_limit_since_ms != 0;
        return exceeds;
    }

    /// CLIENT PAUSE: commands (or only those that write) wait until `until_ms`.
    struct Pause {
        std::int64_t until_ms = 0;
        bool writes_only = false;
    };
    [[nodiscard]] Pause& pause() noexcept { return pause_; }
    /// Whether a command with these CommandFlag bits has to wait.
    [[nodiscard]] bool is_paused(std::uint32_t flags) const noexcept {
        return pause_.until_ms > now_ms_ &&
               (!pause_.writes_only || (flags & (kWrite | kMayReplicate)) != 0);
    }

    /// SHUTDOWN, or a signal: the reactor ends its loop after this turn.
    void request_stop() noexcept { is_stopping_ = true; }
    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }

    /// Whether `user` may log on with `password`. Takes the same time for every wrong
    /// password of a length. The one rule for AUTH, HELLO and the SBE Logon.
    [[nodiscard]] bool authenticate(std::string_view user,
                                    std::string_view password) const noexcept;

    [[nodiscard]] bool has_pause() const noexcept { return pause_.until_ms != 0; }

    // maxmemory

    /// Removes keys by maxmemory-policy until memory is below maxmemory, a bounded number of them:
    /// before each command while maxmemory is set, and from the loop's upkeep. True when there is
    /// more to do.
    bool make_room();
    /// True when `maxmemory` is reached and the last `make_room` found nothing more to remove.
    [[nodiscard]] bool is_out_of_memory() const noexcept {
        return is_full_ && config_.maxmemory != 0;
    }
    /// What counts against maxmemory: the data as it is now, and the heap as it was a moment ago.
    [[nodiscard]] std::uint64_t memory_used_bytes() const noexcept;

    /// One bounded step of active defragmentation, from the loop's upkeep: a millisecond or so
    /// apart.
    void defragment() { defragmenter_.step(); }
    [[nodiscard]] const store::Defragmenter& defragmenter() const noexcept { return defragmenter_; }

    /// CONFIG SET is done: hands on what is not read from `config` at each use.
    void apply_settings();

    /// A command ran that may have taken long: the loop reads the clock before the next one.
    void note_slow_command() noexcept { clock_is_stale_ = true; }
    [[nodiscard]] bool take_clock_is_stale() noexcept {
        return std::exchange(clock_is_stale_, false);
    }

    /// CONFIG RESETSTAT: every counter of INFO begins anew.
    void reset_stats();
    /// Rates over the last second and a half, for INFO.
    struct Rates {
        RateMeter commands;
        RateMeter input_bytes;
        RateMeter output_bytes;
    };
    [[nodiscard]] const Rates& rates() const noexcept { return rates_; }

    /// Tells how much memory was in use at some moment, for INFO's peak; the first time is the
    /// start.
    void note_memory(std::uint64_t used_bytes) noexcept {
        memory_bytes_startup_ = memory_bytes_startup_ == 0 ? used_bytes : memory_bytes_startup_;
        memory_bytes_peak_ = used_bytes > memory_bytes_peak_ ? used_bytes : memory_bytes_peak_;
    }
    [[nodiscard]] std::uint64_t memory_bytes_peak() const noexcept { return memory_bytes_peak_; }
    [[nodiscard]] std::uint64_t memory_bytes_startup() const noexcept {
        return memory_bytes_startup_;
    }

    /// The loop that runs this, for INFO; null without one. It outlives the last command.
    void attach_loop(const Reactor* loop) noexcept { loop_ = loop; }
    [[nodiscard]] const Reactor* loop() const noexcept { return loop_; }

    /// Whether RESTORE looks at checksums: off for tests that break values on purpose.
    void set_checks_payload_sums(bool checks) noexcept { checks_payload_sums_ = checks; }
    [[nodiscard]] bool checks_payload_sums() const noexcept { return checks_payload_sums_; }

    /// Counts an error reply by its code, the text's first word.
    void count_error(std::string_view code);

private:
    void sample_rates() noexcept;

    Settings& settings_;
    const Config& config_;
    store::Keyspace& keyspace_;
    TickClock clock_;
    Registry registry_;
    Clients clients_;
    BlockedClients blocked_clients_{*this};
    ServerStats stats_;
    Watches watches_{keyspace_};
    KeyEvents key_events_{*this};
    PubSub pubsub_{*this};
    ScriptEngine scripts_{*this};
    std::function<void()> serve_while_busy_;
    std::function<void(int level, std::string_view text)> log_;
    std::deque<Scratch> scratches_{1};  // one for each depth of nesting that there was
    Scratch* scratch_ = &scratches_.front();
    std::size_t nesting_depth_ = 0;
    CommandMeter meter_{config_, clock_};
    store::Evictor evictor_{keyspace_};
    store::Defragmenter defragmenter_{keyspace_};
    Pause pause_;
    std::uint64_t instance_id_;
    std::string run_id_;
    Rates rates_;
    const Reactor* loop_ = nullptr;
    std::int64_t now_ms_ = 0;
    std::int64_t next_sample_ms_ = 0;
    std::int64_t next_idle_check_ms_ = 0;
    std::int64_t started_ms_ = 0;
    std::uint64_t memory_bytes_peak_ = 0;
    std::uint64_t memory_bytes_startup_ = 0;
    std::uint64_t heap_bytes_ = 0;  ///< of malloc, sampled while maxmemory is set
    bool is_full_ = false;
    bool is_stopping_ = false;
    bool checks_payload_sums_ = true;
    bool clock_is_stale_ = false;
    bool has_slow_readers_ = false;  ///< some client may be above its soft limit
};

}  // namespace tern::server
