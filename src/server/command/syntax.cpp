#include "server/command/syntax.hpp"

#include <algorithm>
#include <array>

namespace tern::server {

namespace {

using Kind = SyntaxNode::Kind;
using Nodes = std::vector<SyntaxNode>;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return out;
}

Kind kind_of_name(std::string_view name) {
    struct NameKind {
        std::string_view name;
        Kind kind;
    };
    static constexpr std::array kKinds = {
        NameKind{"key", Kind::kKey},
        NameKind{"key1", Kind::kKey},
        NameKind{"key2", Kind::kKey},
        NameKind{"newkey", Kind::kKey},
        NameKind{"source", Kind::kKey},
        NameKind{"destination", Kind::kKey},
        NameKind{"src", Kind::kKey},
        NameKind{"dst", Kind::kKey},
        NameKind{"seconds", Kind::kInteger},
        NameKind{"milliseconds", Kind::kInteger},
        NameKind{"count", Kind::kInteger},
        NameKind{"numkeys", Kind::kInteger},
        NameKind{"offset", Kind::kInteger},
        NameKind{"limit", Kind::kInteger},
        NameKind{"weight", Kind::kInteger},
        NameKind{"cursor", Kind::kInteger},
        NameKind{"index", Kind::kInteger},
        NameKind{"db", Kind::kInteger},
        NameKind{"destination-db", Kind::kInteger},
        NameKind{"protover", Kind::kInteger},
        NameKind{"client-id", Kind::kInteger},
        NameKind{"decrement", Kind::kInteger},
        NameKind{"min-match-len", Kind::kInteger},
        NameKind{"numreplicas", Kind::kInteger},
        NameKind{"score", Kind::kDouble},
        NameKind{"timeout", Kind::kDouble},
        NameKind{"pattern", Kind::kPattern},
        NameKind{"unix-time-seconds", Kind::kUnixTime},
        NameKind{"unix-time-milliseconds", Kind::kUnixTime},
    };
    for (const NameKind& one : kKinds) {
        if (one.name == name) {
            return one.kind;
        }
    }
    return Kind::kString;
}

bool is_token(std::string_view word) {
    return std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Puts `token` in front of a value; choices are named after it.
void give_token(SyntaxNode& node, std::string token) {
    if (node.kind == Kind::kOneOf) {
        node.name = lower(token);
    }
    node.token = std::move(token);
}

/// "TOKEN value" becomes a value with a token; a token before several values becomes a block.
SyntaxNode fold(Nodes nodes) {
    SyntaxNode node;
    if (nodes.size() == 1) {
        return std::move(nodes[0]);
    }
    std::string token;
    if (nodes[0].kind == Kind::kPureToken) {
        token = nodes[0].token;
        nodes.erase(nodes.begin());
    }
    if (nodes.size() == 1 && nodes[0].token.empty()) {
        node = std::move(nodes[0]);
        give_token(node, std::move(token));
        return node;
    }
    node.kind = Kind::kBlock;
    node.name = token.empty() ? nodes[0].name : lower(token);
    node.token = std::move(token);
    node.children = std::move(nodes);
    return node;
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Nodes parse() {
        Nodes nodes;
        while (!is_at_end()) {
            std::vector<Nodes> choices = parse_choices('\0');
            std::move(choices[0].begin(), choices[0].end(), std::back_inserter(nodes));
        }
        return join_tokens(std::move(nodes));
    }

private:
    bool is_at_end() {
        at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
        return at_ == text_.size();
    }

    /// Choices up to `closing`, which is taken. `has_ellipsis_` tells whether the last one ended in
    /// "...".
    std::vector<Nodes> parse_choices(char closing) {
        std::vector<Nodes> choices(1);
        bool has_ellipsis = false;
        while (!is_at_end()) {
            const char c = text_[at_];
            if (c == closing) {
                ++at_;
                break;
            }
            if (c == '|') {
                ++at_;
                choices.emplace_back();
            } else if (c == '[' || c == '<') {
                ++at_;
                parse_bracket(c, choices.back());
            } else if (text_.substr(at_, 3) == "...") {
                at_ += 3;
                has_ellipsis = true;
            } else if (c == ']' || c == '>') {
                ++at_;  // one too many: ignored
            } else {
                choices.back().push_back(parse_word());
            }
        }
        has_ellipsis_ = has_ellipsis;
        return choices;
    }

    SyntaxNode parse_word() {
        const std::size_t end = std::min(text_.find_first_of(" []<>|", at_), text_.size());
        const std::string_view word = text_.substr(at_, end - at_);
        at_ = end;
        SyntaxNode node;
        node.name = lower(word);
        if (is_token(word)) {
            node.kind = Kind::kPureToken;
            node.token = word;
        } else {
            node.kind = kind_of_name(word);
        }
        return node;
    }

    void parse_bracket(char opening, Nodes& before) {
        std::vector<Nodes> choices = parse_choices(opening == '[' ? ']' : '>');
        const bool repeats = has_ellipsis_;
        if (choices.size() == 1 && choices[0].empty()) {
            return;
        }
        if (opening == '[' && repeats && choices.size() == 1 && ends_with(before, choices[0])) {
            mark_repeated(before, choices[0].size());
            return;
        }
        SyntaxNode node = node_of(std::move(choices));
        node.is_optional = opening == '[';
        node.is_multiple |= repeats;
        before.push_back(std::move(node));
    }

    static SyntaxNode node_of(std::vector<Nodes> choices) {
        if (choices.size() == 1) {
            return fold(join_tokens(std::move(choices[0]), true));
        }
        SyntaxNode node;
        node.kind = Kind::kOneOf;
        for (Nodes& choice : choices) {
            if (!choice.empty()) {
                node.children.push_back(fold(join_tokens(std::move(choice), true)));
            }
        }
        node.name = node.children.empty() ? "choice" : node.children[0].name + "-choice";
        return node;
    }

    static bool ends_with(const Nodes& nodes, const Nodes& tail) {
        return nodes.size() >= tail.size() &&
               std::equal(tail.rbegin(), tail.rend(), nodes.rbegin());
    }

    /// The last `count` nodes are one that may come again.
    static void mark_repeated(Nodes& nodes, std::size_t count) {
        const auto first = nodes.end() - static_cast<std::ptrdiff_t>(count);
        Nodes part(std::make_move_iterator(first), std::make_move_iterator(nodes.end()));
        nodes.erase(first, nodes.end());
        SyntaxNode node = fold(std::move(part));
        node.is_multiple = true;
        node.repeats_token = !node.token.empty();
        nodes.push_back(std::move(node));
    }

    /// Joins each token with the value behind it. Inside a bracket that begins with a token, that
    /// one is left for fold: it stands before everything else.
    static Nodes join_tokens(Nodes nodes, bool in_bracket = false) {
        if (in_bracket && nodes.size() > 1 && nodes[0].kind == Kind::kPureToken) {
            Nodes rest(std::make_move_iterator(nodes.begin() + 1),
                       std::make_move_iterator(nodes.end()));
            rest = join_tokens(std::move(rest));
            rest.insert(rest.begin(), std::move(nodes[0]));
            return rest;
        }
        Nodes joined;
        for (SyntaxNode& node : nodes) {
            const bool takes_token = !joined.empty() && joined.back().kind == Kind::kPureToken &&
                                     joined.back().token.size() != 0 && node.token.empty() &&
                                     !node.is_optional;
            if (takes_token) {
                give_token(node, std::move(joined.back().token));
                joined.pop_back();
            }
            joined.push_back(std::move(node));
        }
        return joined;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool has_ellipsis_ = false;
};

}  // namespace

std::vector<SyntaxNode> parse_syntax(std::string_view syntax) {
    return Parser(syntax).parse();
}

std::string_view kind_name(SyntaxNode::Kind kind) noexcept {
    constexpr std::array<std::string_view, 9> kNames = {"string",
                                                        "integer",
                                                        "double",
                                                        "key",
                                                        "pattern",
                                                        "unix-time",
                                                        "pure-token",
                                                        "oneof",
                                                        "block"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace tern::server
