#include "resp/split_arguments.hpp"

#include <cstddef>

namespace tern::resp {
namespace {

bool is_space(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Inside a word fewer characters separate than between words: Redis keeps \v and \f there.
bool ends_word(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

char unescape(char c) noexcept {
    switch (c) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case 'b':
            return '\b';
        case 'a':
            return '\a';
        default:
            return c;
    }
}

/// Reads behind an opening double quote up to behind the closing one.
bool read_double_quoted(std::string_view line, std::size_t& at, std::string& text) {
    while (at < line.size()) {
        const char c = line[at++];
        if (c == '"') {
            return at == line.size() || is_space(line[at]);
        }
        if (c != '\\' || at == line.size()) {
            text.push_back(c);
            continue;
        }
        if (line[at] == 'x' && at + 2 < line.size() && hex_digit(line[at + 1]) >= 0 &&
            hex_digit(line[at + 2]) >= 0) {
            text.push_back(
                static_cast<char>(hex_digit(line[at + 1]) * 16 + hex_digit(line[at + 2])));
            at += 3;
        } else {
            text.push_back(unescape(line[at++]));
        }
    }
    return false;
}

/// The same for single quotes.
bool read_single_quoted(std::string_view line, std::size_t& at, std::string& text) {
    while (at < line.size()) {
        const char c = line[at++];
        if (c == '\'') {
            return at == line.size() || is_space(line[at]);
        }
        if (c == '\\' && at < line.size() && line[at] == '\'') {
            ++at;
            text.push_back('\'');
        } else {
            text.push_back(c);
        }
    }
    return false;
}

bool read_argument(std::string_view line, std::size_t& at, std::string& text) {
    while (at < line.size() && !ends_word(line[at])) {
        const char c = line[at++];
        if (c == '"' || c == '\'') {
            return c == '"' ? read_double_quoted(line, at, text)
                            : read_single_quoted(line, at, text);
        }
        text.push_back(c);
    }
    return true;
}

}  // namespace

bool split_arguments(std::string_view line,
                     std::string& text,
                     std::vector<std::string_view>& arguments) {
    text.clear();
    text.reserve(line.size());  // an argument is never longer than its source, so views stay valid
    std::size_t at = 0;
    for (;;) {
        while (at < line.size() && is_space(line[at])) {
            ++at;
        }
        if (at == line.size()) {
            return true;
        }
        const std::size_t start = text.size();
        if (!read_argument(line, at, text)) {
            return false;
        }
        arguments.emplace_back(text.data() + start, text.size() - start);
    }
}

}  // namespace tern::resp
