#pragma once

#include <string>
#include <tern/base/result.hpp>
#include <tern/client/client.hpp>
#include <vector>

#include "lab/cases.hpp"
#include "lab/floor.hpp"

/// `tern lab local`: single round trips on one machine, every protocol over every endpoint, beside
/// the physical floor of the same moment and, where asked for, a redis-server measured by the same
/// client.
namespace tern::lab {

struct LocalOptions {
    std::string tern_program;   ///< what `serve` is run from
    std::string redis_program;  ///< a redis-server to measure beside us; empty: none
    std::string out_directory;
    std::string filter;  ///< only cases whose name contains it
    TimingOptions timing;
    int run_count = 2;
    int server_core = 0;
    int client_core = 1;
    Wait wait = Wait::kSpin;
    std::uint64_t shuffle_seed = 0;
};

/// Runs the study, writes the run directory (table, CSV, HDR logs, environment, command) and
/// returns what it wrote to table.txt.
///
/// Errors:   a server that does not start, a call that fails, a file that cannot be written.
[[nodiscard]] Result<std::string> run_local_study(const LocalOptions& options,
                                                  const std::string& command_line);

/// `tern lab quick`: a few seconds against servers that run already; prints p50, p99, p99.9.
///
/// Errors:   the first endpoint that cannot be reached or call that fails.
[[nodiscard]] Result<std::string> run_quick_study(const std::vector<std::string>& endpoints,
                                                  Wait wait = Wait::kAdaptive);

}  // namespace tern::lab
