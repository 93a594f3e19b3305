#include "lab/cores.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/affinity.hpp"

namespace tern::lab {

Result<void> check_cores(int server_core, int client_core) {
    Result<std::vector<int>> allowed = allowed_cores();
    if (!allowed) {
        return std::move(allowed).error();
    }
    if (allowed->size() < 2) {
        return error(Errc::kInvalidArgument,
                     "the study needs two cores, one for each side; this process may use {}",
                     allowed->size());
    }
    for (const int core : {server_core, client_core}) {
        if (std::find(allowed->begin(), allowed->end(), core) == allowed->end()) {
            return error(Errc::kInvalidArgument,
                         "core {} is not one of those this process may use ({}); see --server-core "
                         "and --client-core",
                         core,
                         fmt::join(*allowed, ", "));
        }
    }
    if (server_core == client_core) {
        return error(Errc::kInvalidArgument,
                     "--server-core and --client-core are both {}: two sides that spin on one core "
                     "starve each other",
                     client_core);
    }
    return {};
}

}  // namespace tern::lab
