#include "server/command/arguments.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace tern::server {

bool equals_word(std::string_view text, std::string_view upper_word) noexcept {
    if (text.size() != upper_word.size()) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        if (upper != upper_word[i]) {
            return false;
        }
    }
    return true;
}

bool equals_any_case(std::string_view a, std::string_view b) noexcept {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) {
               return lower(x) == lower(y);
           });
}

bool Arguments::read_integer(std::int64_t& value, Reply& reply) {
    return read_integer(value, reply, kNotInteger);
}

bool Arguments::read_integer(std::int64_t& value, Reply& reply, std::string_view error) {
    if (is_empty()) {
        return syntax_error(reply);
    }
    if (!parse_int64(take(), value)) {
        reply.error(error);
        return false;
    }
    return true;
}

bool Arguments::read_double(double& value, Reply& reply) {
    if (is_empty()) {
        return syntax_error(reply);
    }
    if (!parse_double(take(), value)) {
        reply.error(kNotFloat);
        return false;
    }
    return true;
}

}  // namespace tern::server
