#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <vector>

namespace tern::server {

/// One directive of a configuration file.
struct ConfigDirective {
    std::string file;
    std::size_t line = 0;  ///< from 1
    std::string name;
    std::vector<std::string> words;

    /// "redis.conf:12", for the front of a message.
    [[nodiscard]] std::string place() const;
};

/// A file by name, as an include asks for it.
struct ConfigSource {
    std::string name;
    std::string text;
};

/// Finds the files that an include's pattern names, in order. A pattern without special characters
/// that finds nothing is an error; one with them may find none.
using ConfigFinder = std::function<Result<std::vector<ConfigSource>>(const std::string& pattern)>;

/// Reads the text of a configuration file: one directive a line, `#` begins a comment line, words
/// quoted as on redis-cli's lines, `include PATTERN` in place of the files it names.
///
/// Errors: kInvalidArgument, one line with file and line number.
[[nodiscard]] Result<std::vector<ConfigDirective>> parse_config(const ConfigSource& source,
                                                                const ConfigFinder& find);

/// The words of one line; empty for a comment. False: a quote is not closed.
[[nodiscard]] bool split_config_line(std::string_view line, std::vector<std::string>& words);

/// The file at `path`, whole.
[[nodiscard]] Result<std::string> read_config_file(const std::string& path);

/// The files of the file system that match an include.
[[nodiscard]] Result<std::vector<ConfigSource>> find_config_files(const std::string& pattern);

/// One word as a file must have it to be read back: quoted when it is empty or has special bytes.
[[nodiscard]] std::string quote_config_word(std::string_view word);

}  // namespace tern::server
