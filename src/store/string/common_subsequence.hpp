#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::store::strings {

/// Two equal runs, the bounds included, as LCS IDX reports them.
struct CommonRun {
    std::uint32_t first_begin = 0;
    std::uint32_t first_end = 0;
    std::uint32_t second_begin = 0;
    std::uint32_t second_end = 0;

    [[nodiscard]] std::uint32_t length() const noexcept { return first_end - first_begin + 1; }
    [[nodiscard]] bool operator==(const CommonRun&) const = default;
};

/// The longest common subsequence of two strings.
struct CommonSubsequence {
    std::uint32_t length = 0;
    std::string text;             ///< the subsequence itself
    std::vector<CommonRun> runs;  ///< from the end of the strings to their beginning
};

/// Computes it in time and memory of the product of the lengths. Of several longest ones it is the
/// one that Redis reports: where both neighbours are as good, the end of the second string is given
/// up.
/// Runs shorter than `run_bytes_min` are left out of `runs`.
///
/// Units:    the table takes 4 bytes for each pair of positions.
/// Errors:   nothing when the table would take more than `table_bytes_max`.
[[nodiscard]] std::optional<CommonSubsequence> common_subsequence(std::string_view first,
                                                                  std::string_view second,
                                                                  std::size_t run_bytes_min,
                                                                  std::size_t table_bytes_max);

}  // namespace tern::store::strings
