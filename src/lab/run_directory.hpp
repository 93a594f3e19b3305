#pragma once

#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <vector>

namespace tern::lab {

/// The folder that a study leaves behind: its tables and raw figures, on what machine and with
/// which binaries they came about, and the command that repeats it.
class RunDirectory {
public:
    /// Makes the folder, and those above it.
    ///
    /// Errors:   kOs.
    [[nodiscard]] static Result<RunDirectory> create(std::string path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Where the file `name` of the folder is.
    [[nodiscard]] std::string path_of(std::string_view name) const;

    /// Writes a file of the folder.
    ///
    /// Errors:   kOs.
    [[nodiscard]] Result<void> write(std::string_view name, std::string_view text) const;
    /// Writes environment.json, with the hashes of `binaries`, and command.txt.
    [[nodiscard]] Result<void> write_origin(const std::vector<std::string>& binaries,
                                            std::string_view command) const;

private:
    explicit RunDirectory(std::string path) noexcept : path_(std::move(path)) {}

    std::string path_;
};

}  // namespace tern::lab
