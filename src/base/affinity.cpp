#include "base/affinity.hpp"

#include <fmt/ranges.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace tern {
namespace {

/// Room for the kernel's mask on any machine: sched_getaffinity refuses a smaller one with EINVAL.
constexpr int kCoreCountMax = 8192;

/// A CPU set of kCoreCountMax cores.
class CoreSet {
public:
    CoreSet() : words_(CPU_ALLOC_SIZE(kCoreCountMax) / sizeof(cpu_set_t)) {}
    [[nodiscard]] cpu_set_t* get() noexcept { return words_.data(); }
    [[nodiscard]] std::size_t size_bytes() const noexcept {
        return words_.size() * sizeof(cpu_set_t);
    }
    [[nodiscard]] bool contains(int core) noexcept {
        return CPU_ISSET_S(static_cast<std::size_t>(core), size_bytes(), get());
    }
    void add(int core) noexcept { CPU_SET_S(static_cast<std::size_t>(core), size_bytes(), get()); }

private:
    std::vector<cpu_set_t> words_;
};

}  // namespace

Result<std::vector<int>> allowed_cores() {
    CoreSet set;
    // Of the process, not of this thread: a pinned thread may want to know where else it could go.
    if (::sched_getaffinity(::getpid(), set.size_bytes(), set.get()) != 0) {
        return os_error(errno, "read the cores of this process");
    }
    std::vector<int> cores;
    for (int core = 0; core < kCoreCountMax; ++core) {
        if (set.contains(core)) {
            cores.push_back(core);
        }
    }
    return cores;
}

int core_count() noexcept {
    const auto cores = allowed_cores();
    return cores.ok() && !cores->empty() ? static_cast<int>(cores->size()) : 1;
}

Result<void> pin_thread_to_core(int core) {
    CoreSet set;
    if (core >= 0 && core < kCoreCountMax) {
        set.add(core);
        if (::sched_setaffinity(0, set.size_bytes(), set.get()) == 0) {
            return {};
        }
        if (errno != EINVAL) {
            return os_error(errno, "pin thread to core {}", core);
        }
    }
    auto cores = allowed_cores();
    if (!cores.ok()) {
        return std::move(cores).error();
    }
    return error(Errc::kInvalidArgument,
                 "pin thread to core {}: this process may use cores {}",
                 core,
                 fmt::join(*cores, ", "));
}

int current_core() noexcept {
    return ::sched_getcpu();
}

void name_thread(std::string_view name) noexcept {
    constexpr std::size_t kNameLengthMax = 15;
    char text[kNameLengthMax + 1] = {};
    name.copy(text, kNameLengthMax);
    ::pthread_setname_np(::pthread_self(), text);
}

}  // namespace tern
