#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <clocale>
#include <filesystem>
#include <vector>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"
#include "server/config/memory_text.hpp"
#include "server/config/parameter.hpp"
#include "transport/endpoint.hpp"

/// The parameters whose values have a grammar of their own. Texts of errors are Redis's.
namespace tern::server {

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(' ', at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

bool are_plain_words(ParameterWords words) noexcept {
    return std::all_of(words.begin(), words.end(), [](std::string_view word) {
        return std::all_of(
            word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) > ' '; });
    });
}

std::string parse_save(ParameterWords words, ParameterValue& value) {
    if (words.empty() || (words.size() == 1 && words[0].empty())) {
        value.text.clear();
        return {};
    }
    const std::string error = "Invalid save parameters";
    if (words.size() % 2 != 0) {
        return error;
    }
    for (std::size_t i = 0; i < words.size(); i += 2) {
        std::int64_t seconds = 0;
        std::int64_t changes = 0;
        if (!parse_int64(words[i], seconds) || !parse_int64(words[i + 1], changes) || seconds < 1 ||
            changes < 0) {
            return error;
        }
    }
    value.text = fmt::format("{}", fmt::join(words, " "));
    return {};
}

namespace {

constexpr std::array<std::string_view, 3> kClientClasses = {"normal", "slave", "pubsub"};
constexpr std::size_t kLimitCount = 3;  // hard, soft, soft seconds

std::size_t client_class_index(std::string_view name) {
    if (equals_word(name, "REPLICA")) {
        name = "slave";
    }
    const auto found = std::find_if(kClientClasses.begin(), kClientClasses.end(), [name](auto one) {
        return equals_any_case(one, name);
    });
    return static_cast<std::size_t>(found - kClientClasses.begin());
}

}  // namespace

std::string parse_output_limits(ParameterWords words, ParameterValue& value) {
    constexpr std::size_t kWordsPerClass = 1 + kLimitCount;
    if (words.empty() || words.size() % kWordsPerClass != 0) {
        return "Wrong number of arguments in buffer limit configuration.";
    }
    // The classes that are not named keep what they have.
    std::vector<std::string> all = split_words(value.text);
    if (all.empty()) {
        for (const std::string_view name : kClientClasses) {
            all.insert(all.end(), {std::string(name), "0", "0", "0"});
        }
    }
    for (std::size_t i = 0; i < words.size(); i += kWordsPerClass) {
        const std::size_t index = client_class_index(words[i]);
        if (index == kClientClasses.size()) {
            return "Invalid client class specified in buffer limit configuration.";
        }
        std::uint64_t hard_bytes = 0;
        std::uint64_t soft_bytes = 0;
        std::int64_t soft_seconds = 0;
        if (!parse_memory(words[i + 1], hard_bytes) || !parse_memory(words[i + 2], soft_bytes) ||
            !parse_int64(words[i + 3], soft_seconds) || soft_seconds < 0) {
            return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
        }
        std::string* place = &all[index * kWordsPerClass];
        place[1] = std::to_string(hard_bytes);
        place[2] = std::to_string(soft_bytes);
        place[3] = std::to_string(soft_seconds);
    }
    value.text = fmt::format("{}", fmt::join(all, " "));
    return {};
}

OutputLimits output_limits_of(std::string_view limits) {
    constexpr std::size_t kWordsPerClass = 1 + kLimitCount;
    OutputLimits all;
    const std::vector<std::string> words = split_words(limits);
    for (std::size_t i = 0; i + kLimitCount < words.size(); i += kWordsPerClass) {
        OutputLimit limit;
        // The row's parser took them: memory, memory, seconds.
        static_cast<void>(parse_memory(words[i + 1], limit.hard_bytes));
        static_cast<void>(parse_memory(words[i + 2], limit.soft_bytes));
        static_cast<void>(parse_int64(words[i + 3], limit.soft_seconds));
        if (words[i] == "normal") {
            all.normal = limit;
        } else if (words[i] == "pubsub") {
            all.pubsub = limit;
        }
    }
    return all;
}

std::string parse_keyspace_events(ParameterWords words, ParameterValue& value) {
    if (words.size() != 1) {
        return "wrong number of arguments";
    }
    constexpr std::string_view kClasses = "g$lshzxetd";  // what A stands for
    std::string present(words[0]);
    if (present.find_first_not_of("Ag$lshzxeKEtmdn") != std::string::npos) {
        return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
    }
    const auto has = [&present](char c) { return present.find(c) != std::string::npos; };
    const bool is_all = has('A') || std::all_of(kClasses.begin(), kClasses.end(), has);
    value.text.clear();
    const auto add = [&](std::string_view letters) {
        std::copy_if(letters.begin(), letters.end(), std::back_inserter(value.text), has);
    };
    if (is_all) {
        value.text += 'A';
    } else {
        add(kClasses);
        add("n");
    }
    add("KEm");
    return {};
}

std::string parse_percentiles(ParameterWords words, ParameterValue& value) {
    std::string text;
    for (const std::string_view word : words) {
        if (word.empty() && words.size() == 1) {
            break;
        }
        double percent = 0;
        if (!parse_double(word, percent)) {
            return "Invalid latency-tracking-info-percentiles parameters";
        }
        if (!(percent >= 0 && percent <= 100)) {
            return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
        }
        text += (text.empty() ? "" : " ") + double_text(percent);
    }
    value.text = std::move(text);
    return {};
}

std::string parse_oom_scores(ParameterWords words, ParameterValue& value) {
    constexpr std::size_t kScoreCount = 3;  // master, replica, child that saves
    constexpr std::int64_t kScoreMax = 2000;
    if (words.size() != kScoreCount) {
        return "wrong number of arguments";
    }
    for (const std::string_view word : words) {
        std::int64_t score = 0;
        if (!parse_int64(word, score) || score < -kScoreMax || score > kScoreMax) {
            return "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
        }
    }
    value.text = fmt::format("{}", fmt::join(words, " "));
    return {};
}

std::string parse_memory_or_percent(ParameterWords words, ParameterValue& value) {
    if (words.size() != 1) {
        return "wrong number of arguments";
    }
    const std::string error = "argument must be a memory or percent value";
    const std::string_view word = words[0];
    std::uint64_t number = 0;
    if (!word.empty() && word.back() == '%') {
        if (!parse_uint64(word.substr(0, word.size() - 1), number)) {
            return error;
        }
        if (number > 100) {
            return "percentage argument must be less or equal to 100";
        }
        value.text = number == 0 ? "0" : std::string(word);
        return {};
    }
    if (!parse_memory(word, number)) {
        return error;
    }
    value.text = std::to_string(number);
    return {};
}

std::string parse_directory(ParameterWords words, ParameterValue& value) {
    if (words.size() != 1) {
        return "wrong number of arguments";
    }
    std::error_code failure;
    const std::filesystem::path path = std::filesystem::canonical(std::string(words[0]), failure);
    if (failure || !std::filesystem::is_directory(path, failure)) {
        return failure ? failure.message() : "Not a directory";
    }
    value.text = path.string();
    return {};
}

std::string parse_file_name(ParameterWords words, ParameterValue& value) {
    if (words.size() != 1) {
        return "wrong number of arguments";
    }
    if (words[0].find('/') != std::string_view::npos) {
        return "argument can't be a path, just a filename";
    }
    value.text = words[0];
    return {};
}

std::string parse_shutdown_words(ParameterWords words, ParameterValue& value) {
    static constexpr std::array<std::string_view, 5> kWords = {
        "default", "save", "nosave", "now", "force"};
    std::array<bool, kWords.size()> present{};
    for (const std::string_view word : words) {
        const auto found = std::find_if(
            kWords.begin(), kWords.end(), [word](auto one) { return equals_any_case(one, word); });
        if (found == kWords.end()) {
            return fmt::format("argument(s) must be one of the following: {}",
                               fmt::join(kWords, ", "));
        }
        present[static_cast<std::size_t>(found - kWords.begin())] = true;
    }
    if (present[1] && present[2]) {
        return "shutdown options SAVE and NOSAVE can't be used simultaneously";
    }
    std::string text;
    for (std::size_t i = 1; i < kWords.size(); ++i) {
        if (present[i]) {
            text += (text.empty() ? "" : " ") + std::string(kWords[i]);
        }
    }
    value.text = text.empty() ? "default" : text;
    return {};
}

std::string parse_master(ParameterWords words, ParameterValue& value) {
    if (words.size() == 1 && words[0].empty()) {
        value.text.clear();
        return {};
    }
    if (words.size() != 2) {
        return "wrong number of arguments";
    }
    std::int64_t port = 0;
    constexpr std::int64_t kPortMax = 65535;
    if (equals_word(words[0], "NO") && equals_word(words[1], "ONE")) {
        value.text.clear();
        return {};
    }
    if (!are_plain_words(words) || words[0].empty()) {
        return std::string(kNotPlainWords);
    }
    if (!parse_int64(words[1], port) || port < 0 || port > kPortMax) {
        return "Invalid master port";
    }
    value.text = fmt::format("{} {}", words[0], words[1]);
    return {};
}

std::string parse_locale(ParameterWords words, ParameterValue& value) {
    if (words.size() != 1) {
        return "wrong number of arguments";
    }
    std::string name(words[0]);
    // Only asked whether the system knows it; tern compares bytes. The old locale is put back.
    const std::string before = std::setlocale(LC_COLLATE, nullptr);
    const bool is_known = std::setlocale(LC_COLLATE, name.c_str()) != nullptr;
    std::setlocale(LC_COLLATE, before.c_str());
    if (!is_known) {
        return "Invalid locale name";
    }
    value.text = std::move(name);
    return {};
}

std::string parse_listen(ParameterWords words, ParameterValue& value) {
    if (!are_plain_words(words)) {
        return std::string(kNotPlainWords);
    }
    std::string text;
    for (const std::string_view word : words) {
        if (word.empty()) {
            continue;
        }
        const auto endpoint = transport::parse_endpoint(word);
        if (!endpoint) {
            return endpoint.error().message;
        }
        text += (text.empty() ? "" : " ") + std::string(word);
    }
    value.text = std::move(text);
    return {};
}

}  // namespace tern::server
