#include "server/scripting/shebang.hpp"

#include <fmt/format.h>

#include <array>

namespace tern::server {

bool add_script_flag(std::string_view word, ScriptFlags& flags) noexcept {
    struct Flag {
        std::string_view word;
        bool ScriptFlags::*member;
    };
    static constexpr std::array kFlags = {
        Flag{"no-writes", &ScriptFlags::no_writes},
        Flag{"allow-oom", &ScriptFlags::allow_oom},
        Flag{"allow-stale", &ScriptFlags::allow_stale},
        Flag{"no-cluster", &ScriptFlags::no_cluster},
        Flag{"allow-cross-slot-keys", &ScriptFlags::allow_cross_slot_keys},
    };
    for (const Flag& flag : kFlags) {
        if (flag.word == word) {
            flags.*flag.member = true;
            return true;
        }
    }
    return false;
}

namespace {

/// The next word of `text`, which loses it; empty at the end.
std::string_view take_word(std::string_view& text, char separator) {
    while (!text.empty() && text.front() == separator) {
        text.remove_prefix(1);
    }
    const std::string_view word = text.substr(0, text.find(separator));
    text.remove_prefix(word.size());
    return word;
}

void parse_flags(std::string_view list, Shebang& shebang) {
    for (std::string_view word = take_word(list, ','); !word.empty(); word = take_word(list, ',')) {
        if (!add_script_flag(word, shebang.flags)) {
            shebang.problem = fmt::format("ERR Unexpected flag in script shebang: {}", word);
            return;
        }
    }
}

}  // namespace

Shebang parse_shebang(std::string_view text) {
    Shebang shebang;
    shebang.body = text;
    if (text.substr(0, 2) != "#!") {
        return shebang;
    }
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
        shebang.problem = "ERR Invalid script shebang";
        return shebang;
    }
    shebang.flags.has_shebang = true;
    shebang.body = text.substr(end);
    std::string_view line = text.substr(0, end);
    const std::string_view engine = take_word(line, ' ');
    if (engine != "#!lua") {
        shebang.problem = fmt::format("ERR Unexpected engine in script shebang: {}", engine);
        return shebang;
    }
    constexpr std::string_view kFlags = "flags=";
    constexpr std::string_view kName = "name=";
    for (std::string_view word = take_word(line, ' '); !word.empty() && shebang.problem.empty();
         word = take_word(line, ' ')) {
        if (word.substr(0, kFlags.size()) == kFlags) {
            parse_flags(word.substr(kFlags.size()), shebang);
        } else if (word.substr(0, kName.size()) == kName) {
            shebang.name = word.substr(kName.size());
        } else {
            shebang.problem = fmt::format("ERR Unknown lua shebang option: {}", word);
        }
    }
    return shebang;
}

}  // namespace tern::server
