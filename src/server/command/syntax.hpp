#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::server {

/// One argument of a command, or several that belong together, as COMMAND DOCS describes it.
struct SyntaxNode {
    enum class Kind : std::uint8_t {
        kString,
        kInteger,
        kDouble,
        kKey,
        kPattern,
        kUnixTime,
        kPureToken,  ///< a word without a value
        kOneOf,      ///< one of the children
        kBlock,      ///< all of the children
    };
    Kind kind = Kind::kString;
    std::string name;
    std::string token;  ///< the word in front of the value, in capitals
    bool is_optional = false;
    bool is_multiple = false;
    bool repeats_token = false;  ///< each repetition has the token again
    std::vector<SyntaxNode> children;

    bool operator==(const SyntaxNode&) const = default;
};

/// Reads the `syntax` of a row: words in capitals are tokens, others name values; `[…]` may be left
/// out, `<…>` is required, `|` separates choices, and `[x ...]` behind an x says that x may be
/// repeated.
///
/// The table is ours, so that a bracket that is not closed only ends early.
[[nodiscard]] std::vector<SyntaxNode> parse_syntax(std::string_view syntax);

/// "string", "pure-token", "oneof", … as COMMAND DOCS says it.
[[nodiscard]] std::string_view kind_name(SyntaxNode::Kind kind) noexcept;

}  // namespace tern::server
