#include "server/config/config_file.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "resp/split_arguments.hpp"
#include "server/command/arguments.hpp"
#include "server/glob.hpp"

namespace tern::server {

namespace {

/// Files that include each other: a loop ends here.
constexpr std::size_t kIncludeDepthMax = 16;
/// What all includes together may hold; a pattern that names a thousand files is a mistake.
constexpr std::size_t kDirectiveCountMax = 100'000;

class Parser {
public:
    explicit Parser(const ConfigFinder& find) : find_(find) {}

    Result<void> parse(const ConfigSource& source, std::size_t depth) {
        std::size_t line_number = 0;
        std::string_view rest = source.text;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            ++line_number;
            const Result<void> done = parse_line(line, {source.name, line_number, {}, {}}, depth);
            if (!done) {
                return done;
            }
        }
        return {};
    }

    std::vector<ConfigDirective> take() { return std::move(directives_); }

private:
    Result<void> parse_line(std::string_view line, ConfigDirective directive, std::size_t depth) {
        std::vector<std::string> words;
        if (!split_config_line(line, words)) {
            return error(Errc::kInvalidArgument,
                         "{}: a quote is not closed, or is followed by more than a space: {}",
                         directive.place(),
                         line);
        }
        if (words.empty()) {
            return {};
        }
        directive.name = std::move(words.front());
        directive.words.assign(std::make_move_iterator(words.begin() + 1),
                               std::make_move_iterator(words.end()));
        if (equals_word(directive.name, "INCLUDE")) {
            return include(directive, depth);
        }
        if (directives_.size() == kDirectiveCountMax) {
            return error(Errc::kTooLarge,
                         "{}: more than {} directives",
                         directive.place(),
                         kDirectiveCountMax);
        }
        directives_.push_back(std::move(directive));
        return {};
    }

    Result<void> include(const ConfigDirective& directive, std::size_t depth) {
        if (directive.words.size() != 1) {
            return error(Errc::kInvalidArgument, "{}: include takes one path", directive.place());
        }
        if (depth == kIncludeDepthMax) {
            return error(Errc::kInvalidArgument,
                         "{}: more than {} files include each other",
                         directive.place(),
                         kIncludeDepthMax);
        }
        Result<std::vector<ConfigSource>> found = find_(directive.words[0]);
        if (!found) {
            return std::move(found).error().add_context(directive.place());
        }
        for (const ConfigSource& source : *found) {
            const Result<void> done = parse(source, depth + 1);
            if (!done) {
                return done;
            }
        }
        return {};
    }

    const ConfigFinder& find_;
    std::vector<ConfigDirective> directives_;
};

}  // namespace

std::string ConfigDirective::place() const {
    return fmt::format("{}:{}", file, line);
}

Result<std::vector<ConfigDirective>> parse_config(const ConfigSource& source,
                                                  const ConfigFinder& find) {
    Parser parser(find);
    const Result<void> done = parser.parse(source, 0);
    if (!done) {
        return Error(done.error());
    }
    return parser.take();
}

bool split_config_line(std::string_view line, std::vector<std::string>& words) {
    words.clear();
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = line.find_first_not_of(kBlank);
    if (first == std::string_view::npos || line[first] == '#') {
        return true;
    }
    std::string text;
    std::vector<std::string_view> views;
    if (!resp::split_arguments(line.substr(first), text, views)) {
        return false;
    }
    words.assign(views.begin(), views.end());
    return true;
}

Result<std::string> read_config_file(const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (file) {
        text.assign(std::istreambuf_iterator<char>(file), {});
    }
    if (!file || file.bad()) {
        return os_error(errno != 0 ? errno : EIO, "read the configuration file {}", path);
    }
    return text;
}

Result<std::vector<ConfigSource>> find_config_files(const std::string& pattern) {
    std::vector<std::string> paths;
    if (is_glob(pattern)) {
        ::glob_t found{};
        if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
            paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
        }
        ::globfree(&found);
    } else {
        paths.push_back(pattern);
    }
    std::vector<ConfigSource> sources;
    for (std::string& path : paths) {
        Result<std::string> text = read_config_file(path);
        if (!text) {
            return std::move(text).error();
        }
        sources.push_back({std::move(path), std::move(*text)});
    }
    return sources;
}

std::string quote_config_word(std::string_view word) {
    const bool is_plain =
        !word.empty() && word.front() != '#' && std::all_of(word.begin(), word.end(), [](char c) {
            return c > ' ' && c < '\x7f' && c != '"' && c != '\'' && c != '\\';
        });
    if (is_plain) {
        return std::string(word);
    }
    std::string out = "\"";
    for (const char c : word) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c >= ' ' && c < '\x7f') {
            out += c;
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return out + '"';
}

}  // namespace tern::server
