#include "lab/environment.hpp"

#include <sys/utsname.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/affinity.hpp"
#include "base/clock.hpp"

namespace tern::lab {

namespace {

constexpr const char* kUnknown = "n/a";

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    return std::getline(file, line) && !line.empty() ? line : kUnknown;
}

std::string cpu_field(const std::string& name) {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.compare(0, name.size(), name) == 0 && line.find(':') != std::string::npos) {
            return line.substr(line.find(':') + 2);
        }
    }
    return kUnknown;
}

/// By coreutils' sha256sum, which every Debian has: no hash of our own.
std::string sha256_of(const std::string& path) {
    if (path.find('\'') != std::string::npos) {
        return kUnknown;
    }
    const std::string command = "sha256sum '" + path + "' 2>/dev/null";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               ::pclose);
    constexpr std::size_t kDigestCharacters = 64;
    char text[kDigestCharacters + 1] = {};
    if (pipe == nullptr ||
        std::fread(text, 1, kDigestCharacters, pipe.get()) != kDigestCharacters) {
        return kUnknown;
    }
    return text;
}

std::string cores_text() {
    const auto cores = allowed_cores();
    std::string text;
    if (cores) {
        for (const int core : *cores) {
            text += (text.empty() ? "" : ",") + std::to_string(core);
        }
    }
    return text.empty() ? kUnknown : text;
}

}  // namespace

Environment read_environment(const std::vector<std::string>& binaries) {
    utsname kernel{};
    ::uname(&kernel);
    const std::string sysfs = "/sys/devices/system/";
    Environment environment = {
        {"cpu", cpu_field("model name")},
        {"cores", cores_text()},
        {"governor", first_line(sysfs + "cpu/cpu0/cpufreq/scaling_governor")},
        {"isolated", first_line(sysfs + "cpu/isolated")},
        {"kernel", std::string(kernel.sysname) + " " + kernel.release},
        {"clock source", first_line(sysfs + "clocksource/clocksource0/current_clocksource")},
        {"stamps", std::string(TickClock::calibrate().source())},
        {"load", first_line("/proc/loadavg")},
        {"tern", TERN_VERSION},
        {"compiler", std::string("g++ ") + __VERSION__},
    };
    for (const std::string& binary : binaries) {
        environment.emplace_back("sha256 " + binary.substr(binary.rfind('/') + 1),
                                 sha256_of(binary));
    }
    return environment;
}

std::string to_json(const Environment& environment) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : environment) {
        json[name] = value;
    }
    return json.dump(2);
}

}  // namespace tern::lab
