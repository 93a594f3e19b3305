#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <utility>
#include <vector>

#include "server/config/config.hpp"
#include "server/config/config_file.hpp"
#include "server/config/parameter.hpp"

namespace tern::server {

/// All parameters with their values, from the defaults over the file and the command line to CONFIG
/// SET.
///
/// Every change is read and checked by the table's row, then written to `config()`, which is what
/// the server's code reads.
///
/// Threads: one.
class Settings {
public:
    /// Every parameter at its default.
    Settings();
    Settings(const Settings&) = delete;
    Settings& operator=(const Settings&) = delete;

    [[nodiscard]] Config& config() noexcept { return config_; }

    /// By name or older name, in any case; null when there is none.
    [[nodiscard]] static const Parameter* find(std::string_view name) noexcept;
    [[nodiscard]] const ParameterValue& value(const Parameter& parameter) const noexcept {
        return states_[index_of(parameter)].value;
    }
    /// The text of a parameter that the table has.
    [[nodiscard]] std::string_view text(std::string_view name) const noexcept;
    /// Whether a file or the command line set it.
    [[nodiscard]] bool was_given(std::string_view name) const noexcept;

    // Start-up

    /// Reads a configuration file, which CONFIG REWRITE then writes to.
    ///
    /// Errors:   one line: file, line, directive and what is wrong with it.
    [[nodiscard]] Result<void> load_file(const std::string& path);
    /// The same from text.
    [[nodiscard]] Result<void> load(const ConfigSource& source, const ConfigFinder& find);
    /// Takes `--name value … --name value …`.
    ///
    /// Errors:   one line with the option and what is wrong with it.
    [[nodiscard]] Result<void> load_options(std::span<const std::string_view> arguments);
    /// Parameters that were given another value than the default and that tern does not use.
    [[nodiscard]] std::vector<std::string_view> given_without_effect() const;

    /// One rename-command of the file or the command line.
    struct Rename {
        std::string place;  ///< "redis.conf:12" or the option
        std::string from;
        std::string to;  ///< empty: nobody may call it
    };
    [[nodiscard]] const std::vector<Rename>& renames() const noexcept { return renames_; }

    // CONFIG

    /// CONFIG SET: all of the pairs or none. Returns Redis's error text, or nothing.
    using Pair = std::pair<std::string_view, std::string_view>;
    [[nodiscard]] std::string change(std::span<const Pair> pairs, bool may_change_protected);
    /// CONFIG REWRITE: keeps the file's comments and order, replaces what changed and adds what is
    /// not there. The file is replaced at once. Returns an error text, or nothing.
    [[nodiscard]] std::string rewrite() const;
    /// The new text of a file that now reads `old_text`.
    [[nodiscard]] std::string rewritten(std::string_view old_text) const;
    /// Absolute; empty: there is none.
    [[nodiscard]] const std::string& file_path() const noexcept { return file_path_; }

private:
    struct State {
        ParameterValue value;
        bool is_given = false;
    };

    [[nodiscard]] static std::size_t index_of(const Parameter& parameter) noexcept {
        return static_cast<std::size_t>(&parameter - parameters().data());
    }
    /// Which parameters a file with its includes, or a command line, has mentioned so far.
    using Mentioned = std::vector<const Parameter*>;
    [[nodiscard]] std::string set(std::string_view name,
                                  ParameterWords words,
                                  std::string place,
                                  Mentioned& mentioned);
    [[nodiscard]] std::string give(const Parameter& parameter,
                                   ParameterWords words,
                                   Mentioned& mentioned);
    [[nodiscard]] std::string lines_of(const Parameter& parameter, std::string_view name) const;
    [[nodiscard]] std::string apply_all(
        std::span<const std::pair<const Parameter*, ParameterValue>>);

    Config config_;
    std::vector<State> states_;  // one for each of parameters()
    std::vector<Rename> renames_;
    std::string file_path_;
};

}  // namespace tern::server
