#pragma once

#include <string>
#include <string_view>
#include <tern/client/reply.hpp>

namespace tern::tool {

/// How `tern cli` prints replies.
enum class ReplyFormat {
    kReadable,  ///< types and indexes visible, as redis-cli prints on a terminal
    kRaw,       ///< the bytes, one element a line, as redis-cli prints into a pipe
    kJson,      ///< one line of JSON; an error is an object with the member "error"
};

/// The text of a reply, with its line feed.
[[nodiscard]] std::string format_reply(const ReplyView& reply, ReplyFormat format);

/// The text of an error reply at the top, which a CallResult gives without a ReplyView.
[[nodiscard]] std::string format_error(std::string_view text, ReplyFormat format);

/// `text` in double quotes, what does not print escaped: \n \r \t \a \b \\ \" and \xHH.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace tern::tool
