#pragma once

#include <string>
#include <utility>
#include <vector>

/// What a figure depends on besides the program: recorded with every run.
namespace tern::lab {

/// Name and value, in the order of printing. What the system does not tell is "n/a".
using Environment = std::vector<std::pair<std::string, std::string>>;

/// The processor, its governor and mitigations, the kernel, clock source and load, the cores this
/// process may use, and the SHA-256 of each of `binaries`.
[[nodiscard]] Environment read_environment(const std::vector<std::string>& binaries);

/// As a JSON object.
[[nodiscard]] std::string to_json(const Environment& environment);

}  // namespace tern::lab
