#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>

#include "store/hll/registers.hpp"

/// The runs of a sparse HyperLogLog.
///
///     00nnnnnn            n + 1 registers (1 to 64) are 0
///     01nnnnnn nnnnnnnn   n + 1 registers (1 to 16384) are 0
///     1vvvvvnn            n + 1 registers (1 to 4) are v + 1 (1 to 32)
namespace tern::store::hll {

/// One run and the bytes it takes.
struct Run {
    std::uint8_t value = 0;
    std::uint8_t size_bytes = 1;
    std::uint16_t length = 0;
};

inline constexpr std::uint8_t kSparseValueMax = 32;
inline constexpr std::size_t kValueRunMax = 4;
inline constexpr std::size_t kShortZeroRunMax = 64;

/// Reads the run at `offset`, which is below the size; a run cut by the end has a size of 0.
[[nodiscard]] Run read_run(Bytes bytes, std::size_t offset) noexcept;
/// Writes a run and returns the first byte behind it; a run of no registers takes none.
std::byte* write_run(std::byte* to, std::uint8_t value, std::size_t length) noexcept;
/// How many bytes `write_run` takes.
[[nodiscard]] std::size_t run_bytes(std::uint8_t value, std::size_t length) noexcept;

/// Calls `visit(first_register, run)` for each run; false when the runs are not exactly all
/// registers. What was visited until then lies within the registers.
template <typename Visit>
[[nodiscard]] bool for_each_run(Bytes bytes, Visit&& visit) {
    std::size_t first = 0;
    for (std::size_t offset = kHeaderBytes; offset < bytes.size();) {
        const Run run = read_run(bytes, offset);
        if (run.size_bytes == 0 || first + run.length > kRegisterCount) {
            return false;
        }
        visit(first, run);
        first += run.length;
        offset += run.size_bytes;
    }
    return first == kRegisterCount;
}

/// Where a register is.
struct RunPosition {
    bool is_found = false;
    std::size_t offset_before = 0;  ///< of the run in front, or of this one when it is the first
    std::size_t offset = 0;
    std::size_t first = 0;  ///< the first register of the run
    Run run;
};
[[nodiscard]] RunPosition find_run(Bytes bytes, std::size_t index) noexcept;

/// Joins neighbours with the same value among the five runs from `offset` on, as far as one run may
/// reach; returns the size without the bytes that became free at the end.
[[nodiscard]] std::size_t join_runs(MutableBytes bytes, std::size_t offset) noexcept;

}  // namespace tern::store::hll
