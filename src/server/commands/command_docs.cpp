#include "server/commands/command_docs.hpp"

#include <string>
#include <vector>

#include "server/command/acl_categories.hpp"
#include "server/command/key_usage.hpp"
#include "server/command/syntax.hpp"
#include "server/command/tips.hpp"
#include "server/config/parameter.hpp"

namespace tern::server {

namespace {

void write_set(Reply& reply, const std::vector<std::string_view>& items) {
    reply.set(items.size());
    for (const std::string_view item : items) {
        reply.status(item);
    }
}

void write_categories(Reply& reply, const CommandInfo& info) {
    const auto names = acl_category_names();
    std::vector<std::string> members;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (is_in_category(info, i)) {
            members.push_back("@" + std::string(names[i]));
        }
    }
    write_set(reply, {members.begin(), members.end()});
}

void write_named_integer(Reply& reply, std::string_view name, std::int64_t value) {
    reply.bulk(name);
    reply.integer(value);
}

void write_key_spec(Reply& reply, const KeySpec& spec) {
    reply.map(3);
    reply.bulk("flags");
    write_flag_words(reply, spec.flags);
    reply.bulk("begin_search");
    reply.map(2);
    reply.bulk("type");
    reply.bulk(spec.is_behind_streams ? "keyword" : "index");
    reply.bulk("spec");
    if (spec.is_behind_streams) {
        reply.map(2);
        reply.bulk("keyword");
        reply.bulk("STREAMS");
        write_named_integer(reply, "startfrom", spec.index);
    } else {
        reply.map(1);
        write_named_integer(reply, "index", spec.index);
    }
    reply.bulk("find_keys");
    reply.map(2);
    reply.bulk("type");
    reply.bulk(spec.is_counted ? "keynum" : "range");
    reply.bulk("spec");
    reply.map(3);
    if (spec.is_counted) {
        write_named_integer(reply, "keynumidx", 0);
        write_named_integer(reply, "firstkey", 1);
        write_named_integer(reply, "keystep", spec.step);
    } else {
        write_named_integer(reply, "lastkey", spec.last);
        write_named_integer(reply, "keystep", spec.step);
        write_named_integer(reply, "limit", spec.is_behind_streams ? 2 : 0);
    }
}

void write_key_specs(Reply& reply, const Command& command) {
    const std::vector<KeySpec> specs = key_specs(command);
    reply.set(specs.size());
    for (const KeySpec& spec : specs) {
        write_key_spec(reply, spec);
    }
}

/// How many keys came before, for key_spec_index.
struct KeyCounter {
    std::size_t spec_count = 0;
    std::size_t seen = 0;
};

void write_arguments(Reply& reply, const std::vector<SyntaxNode>& nodes, KeyCounter& keys);

void write_argument(Reply& reply, const SyntaxNode& node, KeyCounter& keys) {
    using Kind = SyntaxNode::Kind;
    const bool has_children = !node.children.empty();
    const bool has_key_spec = node.kind == Kind::kKey && keys.spec_count != 0;
    const bool has_flags = node.is_optional || node.is_multiple || node.repeats_token;
    std::size_t field_count = 3;  // name, type, and display text or children
    field_count += has_key_spec ? 1 : 0;
    field_count += node.token.empty() ? 0 : 1;
    field_count += has_flags ? 1 : 0;
    reply.map(field_count);
    reply.bulk("name");
    reply.bulk(node.name);
    reply.bulk("type");
    reply.bulk(kind_name(node.kind));
    if (!has_children) {
        reply.bulk("display_text");
        reply.bulk(node.name);
    }
    if (has_key_spec) {
        write_named_integer(reply,
                            "key_spec_index",
                            static_cast<std::int64_t>(std::min(keys.seen++, keys.spec_count - 1)));
    }
    if (!node.token.empty()) {
        reply.bulk("token");
        reply.bulk(node.token);
    }
    if (has_flags) {
        reply.bulk("flags");
        std::vector<std::string_view> flags;
        if (node.is_optional) {
            flags.push_back("optional");
        }
        if (node.is_multiple) {
            flags.push_back("multiple");
        }
        if (node.repeats_token) {
            flags.push_back("multiple_token");
        }
        write_set(reply, flags);
    }
    if (has_children) {
        reply.bulk("arguments");
        write_arguments(reply, node.children, keys);
    }
}

void write_arguments(Reply& reply, const std::vector<SyntaxNode>& nodes, KeyCounter& keys) {
    reply.array(nodes.size());
    for (const SyntaxNode& node : nodes) {
        write_argument(reply, node, keys);
    }
}

void write_named(Reply& reply, std::string_view name, std::string_view text) {
    reply.bulk(name);
    reply.bulk(text);
}

std::size_t fate_field_count(const CommandFate* fate) {
    constexpr std::size_t kDeprecatedFields = 3;
    return fate == nullptr ? 0 : fate->deprecated_since.empty() ? 1 : kDeprecatedFields;
}

void write_fate(Reply& reply, const CommandFate* fate) {
    if (fate == nullptr) {
        return;
    }
    const bool is_deprecated = !fate->deprecated_since.empty();
    reply.bulk("doc_flags");
    write_set(reply, {is_deprecated ? "deprecated" : "syscmd"});
    if (is_deprecated) {
        write_named(reply, "deprecated_since", fate->deprecated_since);
        write_named(reply, "replaced_by", fate->replaced_by);
    }
}

}  // namespace

void write_flag_words(Reply& reply, std::string_view words) {
    const std::vector<std::string> parts = split_words(words);
    write_set(reply, {parts.begin(), parts.end()});
}

void write_command_info(Reply& reply, const Command& command) {
    const CommandInfo& info = command.spec->info;
    constexpr std::size_t kFieldCount = 10;
    reply.array(kFieldCount);
    reply.bulk(command.full_name);
    reply.integer(info.arity);
    write_set(reply, flag_names(info));
    reply.integer(info.keys.first);
    reply.integer(info.keys.last);
    reply.integer(info.keys.step);
    write_categories(reply, info);
    const std::vector<std::string> tips = split_words(command_tips(command.full_name));
    reply.set(tips.size());
    for (const std::string& tip : tips) {
        reply.bulk(tip);
    }
    write_key_specs(reply, command);
    reply.array(command.subcommands.size());
    for (const Command& sub : command.subcommands) {
        write_command_info(reply, sub);
    }
}

void write_command_docs(Reply& reply, const Command& command) {
    const CommandInfo& info = command.spec->info;
    const std::vector<SyntaxNode> nodes = parse_syntax(info.syntax);
    constexpr std::size_t kTextFieldCount = 4;
    const CommandFate* const fate = command_fate(command.full_name);
    reply.map(kTextFieldCount + (nodes.empty() ? 0 : 1) + (command.subcommands.empty() ? 0 : 1) +
              fate_field_count(fate));
    write_named(reply, "summary", info.summary);
    write_named(reply, "since", info.since);
    write_named(reply, "group", info.group);
    write_named(reply, "complexity", info.complexity);
    write_fate(reply, fate);
    if (!nodes.empty()) {
        reply.bulk("arguments");
        KeyCounter keys{key_specs(command).size(), 0};
        write_arguments(reply, nodes, keys);
    }
    if (!command.subcommands.empty()) {
        reply.bulk("subcommands");
        reply.map(command.subcommands.size());
        for (const Command& sub : command.subcommands) {
            reply.bulk(sub.full_name);
            write_command_docs(reply, sub);
        }
    }
}

}  // namespace tern::server
