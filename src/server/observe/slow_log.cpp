#include "server/observe/slow_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "server/command/arguments.hpp"

namespace tern::server {

namespace {

// As Redis cuts them (SLOWLOG's documentation).
constexpr std::size_t kArgumentCountMax = 32;
constexpr std::size_t kArgumentBytesMax = 128;

constexpr std::string_view kRedacted = "(redacted)";
constexpr std::array<std::string_view, 5> kSecretParameters = {
    "MASTERUSER", "MASTERAUTH", "REQUIREPASS", "TLS-KEY-FILE-PASS", "TLS-CLIENT-KEY-FILE-PASS"};

bool is_secret_parameter(std::string_view name) {
    return std::any_of(kSecretParameters.begin(),
                       kSecretParameters.end(),
                       [name](std::string_view secret) { return equals_word(name, secret); });
}

std::string cut(std::string_view word) {
    if (word.size() <= kArgumentBytesMax) {
        return std::string(word);
    }
    return fmt::format("{}... ({} more bytes)",
                       word.substr(0, kArgumentBytesMax),
                       word.size() - kArgumentBytesMax);
}

void redact_from(std::vector<std::string_view>& words, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < words.size() && i - first < count; ++i) {
        words[i] = kRedacted;
    }
}

/// AUTH and AUTH2 among the options of MIGRATE and HELLO.
void redact_options(std::vector<std::string_view>& words, bool auth_takes_user) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (equals_word(words[i], "AUTH")) {
            redact_from(words, i + 1, auth_takes_user ? 2 : 1);
        } else if (equals_word(words[i], "AUTH2")) {
            redact_from(words, i + 1, 2);
        }
    }
}

}  // namespace

std::vector<std::string_view> without_secrets(std::span<const std::string_view> words) {
    std::vector<std::string_view> shown(words.begin(), words.end());
    if (words.empty()) {
        return shown;
    }
    const std::string_view name = words[0];
    const std::string_view sub = words.size() > 1 ? words[1] : std::string_view();
    if (equals_word(name, "AUTH")) {
        redact_from(shown, 1, shown.size());
    } else if (equals_word(name, "ACL") &&
               (equals_word(sub, "SETUSER") || equals_word(sub, "DELUSER") ||
                equals_word(sub, "GETUSER"))) {
        redact_from(shown, 2, shown.size());
    } else if (equals_word(name, "CONFIG") && equals_word(sub, "SET")) {
        for (std::size_t i = 2; i + 1 < shown.size(); i += 2) {
            redact_from(shown, i + 1, is_secret_parameter(words[i]) ? 1 : 0);
        }
    } else if (equals_word(name, "MIGRATE") || equals_word(name, "HELLO")) {
        redact_options(shown, equals_word(name, "HELLO"));
    }
    return shown;
}

void SlowLog::add(Entry&& facts, std::span<const std::string_view> words, std::size_t length_max) {
    facts.id = next_id_++;
    const std::vector<std::string_view> shown = without_secrets(words);
    const std::size_t count =
        shown.size() <= kArgumentCountMax ? shown.size() : kArgumentCountMax - 1;
    for (std::size_t i = 0; i < count; ++i) {
        facts.arguments.push_back(cut(shown[i]));
    }
    if (count < shown.size()) {
        facts.arguments.push_back(fmt::format("... ({} more arguments)", shown.size() - count));
    }
    entries_.push_front(std::move(facts));
    trim(length_max);
}

void SlowLog::trim(std::size_t length_max) {
    while (entries_.size() > length_max) {
        entries_.pop_back();
    }
}

}  // namespace tern::server
