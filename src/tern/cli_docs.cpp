#include "tern/cli_docs.hpp"

#include <algorithm>
#include <optional>

#include "resp/split_arguments.hpp"

namespace tern::tool {
namespace {

char to_upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string upper(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), to_upper);
    return out;
}

/// Calls `use(key, value)` for each pair of a map, or of RESP2's flat list.
template <typename Use>
void for_each_pair(const ReplyView& map, Use&& use) {
    std::optional<ReplyView> key;
    for (const ReplyView child : map) {
        if (key) {
            use(key->text(), child);
            key.reset();
        } else {
            key = child;
        }
    }
}

std::string render_arguments(const ReplyView& arguments, std::string_view separator);

/// One argument as manuals write it: "[EX seconds]", "key [key ...]", "NX | XX".
std::string render_argument(const ReplyView& argument) {
    std::string_view name;
    std::string_view display;
    std::string_view type;
    std::string_view token;
    std::optional<ReplyView> children;
    bool is_optional = false;
    bool is_multiple = false;
    bool repeats_token = false;
    for_each_pair(argument, [&](std::string_view key, const ReplyView& value) {
        if (key == "name") {
            name = value.text();
        } else if (key == "display_text") {
            display = value.text();
        } else if (key == "type") {
            type = value.text();
        } else if (key == "token") {
            token = value.text();
        } else if (key == "arguments") {
            children = value;
        } else if (key == "flags") {
            for (const ReplyView flag : value) {
                is_optional |= flag.text() == "optional";
                is_multiple |= flag.text() == "multiple";
                repeats_token |= flag.text() == "multiple_token";
            }
        }
    });
    std::string value;
    if (children && type == "oneof") {
        value = render_arguments(*children, " | ");
    } else if (children) {
        value = render_arguments(*children, " ");
    } else if (type != "pure-token") {
        value = display.empty() ? name : display;
    }
    const bool is_choice = children && type == "oneof";
    std::string out(token);
    if (!value.empty()) {
        const bool needs_brackets = is_choice && !is_optional;
        out += (out.empty() ? "" : " ") + (needs_brackets ? "<" + value + ">" : value);
    }
    if (is_multiple) {
        out += " [" + (repeats_token && !token.empty() ? out : value) + " ...]";
    }
    return is_optional ? "[" + out + "]" : out;
}

std::string render_arguments(const ReplyView& arguments, std::string_view separator) {
    std::string out;
    for (const ReplyView argument : arguments) {
        if (!out.empty()) {
            out += separator;
        }
        out += render_argument(argument);
    }
    return out;
}

/// Drops the first word or bracketed group of a syntax.
std::string_view drop_one(std::string_view syntax) {
    std::size_t depth = 0;
    std::size_t at = 0;
    for (; at < syntax.size(); ++at) {
        const char c = syntax[at];
        depth += c == '[' || c == '<' ? 1 : 0;
        depth -= (c == ']' || c == '>') && depth != 0 ? 1 : 0;
        if (c == ' ' && depth == 0) {
            break;
        }
    }
    return syntax.substr(std::min(at + 1, syntax.size()));
}

}  // namespace

void CommandDocs::read(const ReplyView& docs) {
    entries_.clear();
    if (docs.is_aggregate()) {
        for_each_pair(docs, [&](std::string_view name, const ReplyView& fields) {
            read_entry({}, name, fields);
        });
    }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return a.name < b.name;
    });
}

void CommandDocs::read_entry(std::string_view parent,
                             std::string_view name,
                             const ReplyView& fields) {
    Entry entry;
    // A subcommand is named "client|setname".
    entry.name = upper(name.substr(name.find('|') + 1));
    if (!parent.empty()) {
        entry.name = std::string(parent) + " " + entry.name;
    }
    for_each_pair(fields, [&](std::string_view key, const ReplyView& value) {
        if (key == "summary") {
            entry.summary = value.text();
        } else if (key == "since") {
            entry.since = value.text();
        } else if (key == "group") {
            entry.group = value.text();
        } else if (key == "complexity") {
            entry.complexity = value.text();
        } else if (key == "arguments") {
            entry.syntax = render_arguments(value, " ");
        } else if (key == "subcommands") {
            for_each_pair(value, [&](std::string_view sub_name, const ReplyView& sub_fields) {
                read_entry(entry.name, sub_name, sub_fields);
            });
        }
    });
    entries_.push_back(std::move(entry));
}

const CommandDocs::Entry* CommandDocs::find(const std::vector<std::string_view>& words) const {
    const auto find_name = [this](const std::string& name) -> const Entry* {
        const auto found = std::lower_bound(
            entries_.begin(), entries_.end(), name, [](const Entry& entry, const std::string& key) {
                return entry.name < key;
            });
        return found != entries_.end() && found->name == name ? &*found : nullptr;
    };
    if (words.empty()) {
        return nullptr;
    }
    const std::string first = upper(words[0]);
    if (words.size() > 1) {
        if (const Entry* sub = find_name(first + " " + upper(words[1]))) {
            return sub;
        }
    }
    return find_name(first);
}

std::vector<std::string_view> CommandDocs::complete(std::string_view typed) const {
    const std::string prefix = upper(typed);
    std::vector<std::string_view> names;
    for (const Entry& entry : entries_) {
        if (entry.name.starts_with(prefix)) {
            names.push_back(entry.name);
        }
    }
    return names;
}

std::string CommandDocs::hint(std::string_view line) const {
    std::string text;
    std::vector<std::string_view> words;
    if (!resp::split_arguments(line, text, words)) {
        return {};  // inside quotes
    }
    const Entry* const entry = find(words);
    if (entry == nullptr) {
        return {};
    }
    const bool has_subcommand = entry->name.find(' ') != std::string::npos;
    std::size_t done_count = words.size() - (has_subcommand ? 2 : 1);
    const bool is_word_complete = !line.empty() && line.back() == ' ';
    if (!is_word_complete && done_count != 0) {
        --done_count;  // the word being typed
    }
    std::string_view rest = entry->syntax;
    for (; done_count != 0 && !rest.empty() && rest.front() != '['; --done_count) {
        const std::string_view next = drop_one(rest);
        rest = next;
    }
    return std::string(rest);
}

}  // namespace tern::tool
