#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <vector>

#include "server/command/command_spec.hpp"
#include "server/observe/latency_histogram.hpp"

namespace tern::server {

/// What INFO commandstats and latencystats show of one row. CommandMeter fills in the times.
struct CommandStats {
    std::uint64_t calls = 0;
    std::uint64_t timed_calls = 0;  ///< how many of them `total_ns` stands for
    std::uint64_t total_ns = 0;
    std::uint64_t rejected_calls = 0;
    std::uint64_t failed_calls = 0;
    std::unique_ptr<LatencyHistogram> latency;  ///< null until a call was timed

    void clear() noexcept { *this = CommandStats{}; }
};

/// A row with the state that belongs to it.
struct Command {
    const CommandSpec* spec = nullptr;
    const Command* container = nullptr;  ///< of a subcommand
    std::vector<Command> subcommands;
    std::string_view full_name;  ///< "get", "client|list"
    std::string_view call_name;  ///< what clients call it, in lower case; empty: nothing
    /// Takes about as long whatever it is given: fast by Redis's flag, or O(1) by its row, as SET.
    bool is_brief = false;
    mutable CommandStats stats;

    [[nodiscard]] const Command* find_subcommand(std::string_view name) const noexcept;
};

/// All rows of all groups, found by name (in any case) or by SBE template id.
///
/// Threads: built once, then the server's thread only (its counters change).
class Registry {
public:
    /// Takes the tables of the command groups (commands/*.hpp). Checks that names and ids are
    /// unique.
    explicit Registry(std::span<const std::span<const CommandSpec>> tables);

    [[nodiscard]] const Command* find(std::string_view name) const noexcept;
    /// Lets clients call the command `from` by `to` instead, or not at all when that is empty. SBE
    /// requests and the names in COMMAND stay.
    ///
    /// Errors: kNotFound without such a command, kAlreadyExists when another is called `to`.
    [[nodiscard]] Result<void> rename(std::string_view from, std::string_view to);
    /// "config|get" or "get".
    [[nodiscard]] const Command* find_full(std::string_view full_name) const noexcept;
    [[nodiscard]] const Command* find_template(std::uint16_t template_id) const noexcept {
        return template_id < by_template_.size() ? by_template_[template_id] : nullptr;
    }
    [[nodiscard]] std::span<const Command> commands() const noexcept { return commands_; }

private:
    static constexpr std::size_t kSlotCount = 1024;  // ~3 slots a command: most look-ups touch one

    static std::size_t slot_of(std::string_view name) noexcept;
    void add_templates(const Command& command);
    void fill_slots();

    std::vector<Command> commands_;
    std::array<std::uint16_t, kSlotCount> slots_{};  // index + 1 into commands_, open addressing
    std::vector<const Command*> by_template_;
    std::vector<std::string> names_;     // what full_name of subcommands points into
    std::deque<std::string> new_names_;  // what call_name of renamed commands points into
};

/// True when `spec` accepts `argument_count` arguments, the name included.
[[nodiscard]] inline bool arity_accepts(const CommandInfo& info,
                                        std::size_t argument_count) noexcept {
    const auto count = static_cast<std::int64_t>(argument_count);
    return info.arity >= 0 ? count == info.arity : count >= -info.arity;
}

}  // namespace tern::server
