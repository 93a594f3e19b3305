#include "lab/run_directory.hpp"

#include <filesystem>
#include <fstream>

#include "lab/environment.hpp"

namespace tern::lab {

Result<RunDirectory> RunDirectory::create(std::string path) {
    std::error_code failed;
    std::filesystem::create_directories(path, failed);
    if (failed) {
        return error(Errc::kOs, "create {}: {}", path, failed.message());
    }
    return RunDirectory(std::move(path));
}

std::string RunDirectory::path_of(std::string_view name) const {
    return path_ + "/" + std::string(name);
}

Result<void> RunDirectory::write(std::string_view name, std::string_view text) const {
    const std::string path = path_of(name);
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        return error(Errc::kOs, "write {}", path);
    }
    return {};
}

Result<void> RunDirectory::write_origin(const std::vector<std::string>& binaries,
                                        std::string_view command) const {
    if (Result<void> written =
            write("environment.json", to_json(read_environment(binaries)) + "\n");
        !written) {
        return written;
    }
    return write("command.txt", std::string(command) + "\n");
}

}  // namespace tern::lab
