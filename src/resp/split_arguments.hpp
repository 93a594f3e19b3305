#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tern::resp {

/// Splits a line into arguments as Redis does for inline commands, redis.conf and redis-cli.
///
/// White space separates. "double quotes" know \n \r \t \b \a, \xHH and \ before any other
/// character; 'single quotes' know \' only; a closing quote must be followed by white space or the
/// end. A double quote may also open in the middle of a word: a"b c" is one argument, ab c.
///
/// `text` holds the unquoted arguments and `arguments` gets views into it appended; both are reused
/// by a caller that passes them again. A NUL is an ordinary byte here, where redis-server waits for
/// ever.
///
/// Errors:   false when a quote is not closed or followed by something else.
/// Lifetime: the views are valid until `text` changes.
[[nodiscard]] bool split_arguments(std::string_view line,
                                   std::string& text,
                                   std::vector<std::string_view>& arguments);

}  // namespace tern::resp
