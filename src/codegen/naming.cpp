#include "codegen/naming.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace tern::codegen {
namespace {

// Keywords of C++20, its alternative tokens, and lower-case macros that common headers define.
constexpr std::array kClaimed = {
    "alignas",      "alignof",       "and",         "and_eq",   "asm",
    "assert",       "auto",          "bitand",      "bitor",    "bool",
    "break",        "case",          "catch",       "char",     "char16_t",
    "char32_t",     "char8_t",       "class",       "co_await", "co_return",
    "co_yield",     "compl",         "concept",     "const",    "const_cast",
    "consteval",    "constexpr",     "constinit",   "continue", "decltype",
    "default",      "delete",        "do",          "double",   "dynamic_cast",
    "else",         "enum",          "errno",       "explicit", "export",
    "extern",       "false",         "float",       "for",      "friend",
    "goto",         "i386",          "if",          "inline",   "int",
    "linux",        "long",          "major",       "makedev",  "minor",
    "mutable",      "namespace",     "new",         "noexcept", "not",
    "not_eq",       "nullptr",       "operator",    "or",       "or_eq",
    "private",      "protected",     "public",      "register", "reinterpret_cast",
    "requires",     "return",        "short",       "signed",   "sizeof",
    "static",       "static_assert", "static_cast", "stderr",   "stdin",
    "stdout",       "struct",        "switch",      "template", "this",
    "thread_local", "throw",         "true",        "try",      "typedef",
    "typeid",       "typename",      "union",       "unix",     "unsigned",
    "using",        "virtual",       "void",        "volatile", "wchar_t",
    "while",        "xor",           "xor_eq"};

constexpr std::string_view kReservedTypes[] = {"SchemaInfo"};
constexpr std::string_view kReservedFiles[] = {"schema", "all"};

bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
char lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
char upper(char c) {
    return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Whether a word begins at `at` of a name in mixed case.
bool begins_word(std::string_view name, std::size_t at) {
    if (at == 0 || !is_upper(name[at])) {
        return false;
    }
    const char before = name[at - 1];
    const bool before_lower = at + 1 < name.size() && is_lower(name[at + 1]);
    return is_lower(before) || is_digit(before) || (is_upper(before) && before_lower);
}

std::string identifier_from(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool usable = is_upper(c) || is_lower(c) || is_digit(c);
        if (usable) {
            name += c;
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    if (name.empty() || is_digit(name[0])) {
        name.insert(0, "n");
    }
    return name;
}

void collect_names(const Block& block, std::set<std::string>& claimed) {
    const auto add = [&claimed](const Named& named) {
        const std::string name = snake_case(named.name);
        if (is_claimed_word(name)) {
            claimed.insert(name + " -> " + name + "_");
        }
    };
    for (const Field& field : block.fields) {
        add(field);
    }
    for (const Data& data : block.data) {
        add(data);
    }
    for (const auto& group : block.groups) {
        add(*group);
        collect_names(*group, claimed);
    }
}

}  // namespace

std::string snake_case(std::string_view name) {
    std::string snake;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const char c = name[at];
        const bool separator = c == '_' || begins_word(name, at);
        if (separator && !snake.empty() && snake.back() != '_') {
            snake += '_';
        }
        if (c != '_') {
            snake += lower(c);
        }
    }
    while (!snake.empty() && snake.back() == '_') {
        snake.pop_back();
    }
    if (snake.empty() || is_digit(snake[0])) {
        snake.insert(0, "_");
    }
    return snake;
}

std::string pascal_case(std::string_view name) {
    const bool has_lower = std::any_of(name.begin(), name.end(), is_lower);
    std::string pascal;
    bool at_word = true;
    for (const char c : name) {
        if (c == '_') {
            at_word = true;
            continue;
        }
        pascal += at_word ? upper(c) : (has_lower ? c : lower(c));
        at_word = false;
    }
    if (pascal.empty() || is_digit(pascal[0])) {
        pascal.insert(0, "X");
    }
    return pascal;
}

bool is_claimed_word(std::string_view word) noexcept {
    return std::find(kClaimed.begin(), kClaimed.end(), word) != kClaimed.end();
}

std::string namespace_from(std::string_view package) {
    std::string joined;
    while (true) {
        const std::size_t dot = package.find('.');
        std::string part = identifier_from(package.substr(0, dot));
        // std, or tern below another namespace, would hide what generated code refers to.
        if (is_claimed_word(part) || part == "std" || (part == "tern" && !joined.empty())) {
            part += '_';
        }
        joined += (joined.empty() ? "" : "::") + part;
        if (dot == std::string_view::npos) {
            return joined;
        }
        package.remove_prefix(dot + 1);
    }
}

bool is_namespace(std::string_view name) {
    while (true) {
        const std::size_t colons = name.find("::");
        const std::string_view part = name.substr(0, colons);
        const bool valid = !part.empty() && !is_digit(part[0]) && !is_claimed_word(part) &&
                           std::all_of(part.begin(), part.end(), [](char c) {
                               return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
                           });
        if (!valid || colons == std::string_view::npos) {
            return valid;
        }
        name.remove_prefix(colons + 2);
    }
}

std::string NameScope::take(std::string wanted) {
    while (is_claimed_word(wanted) || used_.contains(wanted)) {
        wanted += '_';
    }
    used_.insert(wanted);
    return wanted;
}

SchemaNames::SchemaNames(const Schema& schema) : scope_(kReservedTypes) {
    NameScope files(kReservedFiles);
    for (const auto& message : schema.messages) {
        std::string base = pascal_case(message->name);
        while (scope_.used().contains(base + "View")) {
            base += '_';
        }
        for (const char* suffix : {"View", "Encoder"}) {
            scope_.reserve(base + suffix);
        }
        scope_.reserve("Verified" + base + "View");
        messages_[message.get()] = base;
        message_headers_[message.get()] = files.take(snake_case(message->name)) + ".hpp";
    }
    for (const Type* type : schema.top_level_types) {
        if (type->kind != TypeKind::kSimple) {
            name_type(*type, "");
            type_headers_[type] = files.take(snake_case(type->name)) + ".hpp";
        }
    }
}

void SchemaNames::name_type(const Type& type, const std::string& prefix) {
    std::string base = prefix + pascal_case(type.name);
    if (type.kind == TypeKind::kComposite) {
        const auto taken = [this, &base] {
            const auto& used = scope_.used();
            return used.contains(base + "View") || used.contains(base + "Encoder") ||
                   used.contains(base + "Codec") || used.contains(base + "Dimensions");
        };
        while (taken()) {
            base += '_';
        }
        for (const char* suffix : {"View", "Encoder", "Codec", "Dimensions"}) {
            scope_.reserve(base + suffix);
        }
    } else {
        base = scope_.take(base);
        scope_.reserve(base + "Traits");
    }
    types_[&type] = base;
    for (const Field& member : type.members) {
        if (member.type->enclosing == &type && member.type->kind != TypeKind::kSimple) {
            name_type(*member.type, base);
        }
    }
}

std::vector<std::string> claimed_names(const Schema& schema) {
    std::set<std::string> claimed;
    for (const auto& message : schema.messages) {
        collect_names(*message, claimed);
    }
    return {claimed.begin(), claimed.end()};
}

}  // namespace tern::codegen
