#include "server/glob.hpp"

#include <cstddef>

namespace tern::server {

namespace {

struct ExactCase {
    static unsigned char fold(char c) noexcept { return static_cast<unsigned char>(c); }
};
struct AnyCase {
    static unsigned char fold(char c) noexcept {
        return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
};

/// Matches `c` against the class whose text begins at `pattern[at]`, behind the bracket. `at` moves
/// behind the class.
template <typename Case>
bool match_class(std::string_view pattern, std::size_t& at, char c) noexcept {
    const bool is_negated = at < pattern.size() && pattern[at] == '^';
    if (is_negated) {
        ++at;
    }
    const unsigned char wanted = Case::fold(c);
    bool is_found = false;
    while (at < pattern.size() && pattern[at] != ']') {
        const std::size_t left = pattern.size() - at;
        if (pattern[at] == '\\' && left >= 2) {
            is_found |= Case::fold(pattern[at + 1]) == wanted;
            at += 2;
        } else if (left >= 3 && pattern[at + 1] == '-') {
            const unsigned char first = Case::fold(pattern[at]);
            const unsigned char last = Case::fold(pattern[at + 2]);
            const bool is_inside = first <= last ? wanted >= first && wanted <= last
                                                 : wanted >= last && wanted <= first;
            is_found |= is_inside;
            at += 3;
        } else {
            is_found |= Case::fold(pattern[at]) == wanted;
            ++at;
        }
    }
    if (at < pattern.size()) {
        ++at;  // the closing bracket
    }
    return is_found != is_negated;
}

/// Matches one byte of text against one item of the pattern that is no star. `at` moves behind the
/// item.
template <typename Case>
bool match_one(std::string_view pattern, std::size_t& at, char c) noexcept {
    switch (pattern[at]) {
        case '?':
            ++at;
            return true;
        case '[':
            ++at;
            return match_class<Case>(pattern, at, c);
        case '\\':
            if (at + 1 < pattern.size()) {
                ++at;
            }
            [[fallthrough]];
        default:
            return Case::fold(pattern[at++]) == Case::fold(c);
    }
}

template <typename Case>
bool match(std::string_view pattern, std::string_view text) noexcept {
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::size_t pattern_at = 0;
    std::size_t text_at = 0;
    std::size_t after_star = kNone;  // where the pattern goes on behind the last star
    std::size_t star_text = 0;       // the first byte that this star does not cover
    while (text_at < text.size()) {
        if (pattern_at < pattern.size() && pattern[pattern_at] == '*') {
            after_star = ++pattern_at;
            star_text = text_at;
            continue;
        }
        if (pattern_at < pattern.size() && match_one<Case>(pattern, pattern_at, text[text_at])) {
            ++text_at;
            continue;
        }
        if (after_star == kNone) {
            return false;
        }
        // Stars further left need no second try: what they could give up, this one can take.
        pattern_at = after_star;
        text_at = ++star_text;
    }
    while (pattern_at < pattern.size() && pattern[pattern_at] == '*') {
        ++pattern_at;
    }
    return pattern_at == pattern.size();
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
    if (text.empty()) {
        // As Redis: nothing but the empty pattern and the bare star match an empty text.
        return pattern.empty() || pattern == "*";
    }
    return match<ExactCase>(pattern, text);
}

bool glob_match_any_case(std::string_view pattern, std::string_view text) noexcept {
    return match<AnyCase>(pattern, text);
}

bool is_glob(std::string_view pattern) noexcept {
    return pattern.find_first_of("*?[\\") != std::string_view::npos;
}

}  // namespace tern::server
