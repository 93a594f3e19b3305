#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/check.hpp>

#include "server/config/settings.hpp"
#include "server/glob.hpp"

/// Any text as a configuration file. What was accepted is written and read again, and must mean the
/// same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t length_bytes) {
    using namespace tern;
    const std::string text(reinterpret_cast<const char*>(data), length_bytes);
    if (text.find("dir") != std::string::npos) {
        return 0;  // it changes the process's directory
    }
    const server::ConfigFinder find =
        [&](const std::string& /*pattern*/) -> Result<std::vector<server::ConfigSource>> {
        return std::vector<server::ConfigSource>{{"inner", "port 1\n"}};
    };
    server::Settings settings;
    if (settings.load({"fuzz", text}, find)) {
        const std::string rewritten = settings.rewritten("");
        server::Settings again;
        const Result<void> loaded = again.load({"rewritten", rewritten}, find);
        TERN_CHECK(loaded.ok());
        for (const server::Parameter& parameter : server::parameters()) {
            TERN_CHECK(settings.value(parameter).text == again.value(parameter).text);
        }
    }
    const std::size_t half = length_bytes / 2;
    static_cast<void>(server::glob_match(std::string_view(text).substr(0, half),
                                         std::string_view(text).substr(half)));
    return 0;
}
