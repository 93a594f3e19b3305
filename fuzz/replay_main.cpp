/// Runs a fuzz target once over every file of the folders and files named on the command line, so
/// that the corpus is a test on builds without libFuzzer. Exits 2 when there is nothing to run.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes);

namespace {

void run_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    // An exact-size copy, so that a sanitizer sees a read one byte past the input.
    std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    exact.shrink_to_fit();
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t file_count = 0;
    for (int i = 1; i < argc; ++i) {
        const std::filesystem::path path = argv[i];
        if (!std::filesystem::is_directory(path)) {
            run_file(path);
            ++file_count;
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            run_file(entry.path());
            ++file_count;
        }
    }
    std::printf("%zu inputs replayed\n", file_count);
    return file_count == 0 ? 2 : 0;
}
