#include "store/string/common_subsequence.hpp"

#include <algorithm>
#include <limits>

namespace tern::store::strings {
namespace {

/// Lengths for all pairs of prefixes; row and column 0 are the empty prefix.
class LengthTable {
public:
    LengthTable(std::string_view first, std::string_view second)
        : width_(second.size() + 1), lengths_((first.size() + 1) * width_) {
        for (std::size_t i = 1; i <= first.size(); ++i) {
            for (std::size_t j = 1; j <= second.size(); ++j) {
                lengths_[i * width_ + j] = first[i - 1] == second[j - 1]
                                               ? at(i - 1, j - 1) + 1
                                               : std::max(at(i - 1, j), at(i, j - 1));
            }
        }
    }
    [[nodiscard]] std::uint32_t at(std::size_t i, std::size_t j) const noexcept {
        return lengths_[i * width_ + j];
    }

private:
    std::size_t width_;
    std::vector<std::uint32_t> lengths_;
};

}  // namespace

std::optional<CommonSubsequence> common_subsequence(std::string_view first,
                                                    std::string_view second,
                                                    std::size_t run_bytes_min,
                                                    std::size_t table_bytes_max) {
    constexpr std::size_t kLengthMax = std::numeric_limits<std::uint32_t>::max() - 1;
    if (first.size() >= kLengthMax || second.size() >= kLengthMax ||
        (first.size() + 1) * (second.size() + 1) > table_bytes_max / sizeof(std::uint32_t)) {
        return std::nullopt;
    }
    const LengthTable table(first, second);
    CommonSubsequence result;
    result.length = table.at(first.size(), second.size());
    result.text.resize(result.length);
    std::size_t text_begin = result.length;
    std::size_t i = first.size();
    std::size_t j = second.size();
    while (i > 0 && j > 0) {
        if (first[i - 1] != second[j - 1]) {
            --(table.at(i - 1, j) > table.at(i, j - 1) ? i : j);
            continue;
        }
        const std::size_t first_end = i;
        const std::size_t second_end = j;
        while (i > 0 && j > 0 && first[i - 1] == second[j - 1]) {
            result.text[--text_begin] = first[i - 1];
            --i;
            --j;
        }
        if (first_end - i >= run_bytes_min) {
            result.runs.push_back({static_cast<std::uint32_t>(i),
                                   static_cast<std::uint32_t>(first_end - 1),
                                   static_cast<std::uint32_t>(j),
                                   static_cast<std::uint32_t>(second_end - 1)});
        }
    }
    return result;
}

}  // namespace tern::store::strings
