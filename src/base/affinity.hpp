#pragma once

#include <tern/base/result.hpp>
#include <vector>

namespace tern {

/// The cores that this process may run on (cgroup and taskset included), ascending.
[[nodiscard]] Result<std::vector<int>> allowed_cores();

/// How many cores `allowed_cores` names; 1 when the system does not tell. A program with more
/// spinning threads than this must not spin.
[[nodiscard]] int core_count() noexcept;

/// Pins the calling thread to one core.
///
/// Errors:   kInvalidArgument when the core is not among `allowed_cores`, with those in its text.
[[nodiscard]] Result<void> pin_thread_to_core(int core);

/// The core the calling thread is on at this moment, or -1.
[[nodiscard]] int current_core() noexcept;

/// Names the calling thread for ps, top and debuggers; cut to 15 characters, as Linux keeps no
/// more.
void name_thread(std::string_view name) noexcept;

}  // namespace tern
