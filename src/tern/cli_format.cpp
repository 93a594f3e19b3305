#include "tern/cli_format.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tern/sbe/json.hpp>

#include "base/number_text.hpp"

namespace tern::tool {
namespace {

/// What an aggregate is called when it is empty, and what stands between an index and its element.
struct AggregateStyle {
    std::string_view empty;
    char separator;
};

AggregateStyle style_of(ReplyType type) {
    switch (type) {
        case ReplyType::kMap:
            return {"(empty hash)", '#'};
        case ReplyType::kSet:
            return {"(empty set)", '~'};
        case ReplyType::kPush:
            return {"(empty push)", ')'};
        default:
            return {"(empty array)", ')'};
    }
}

void append_readable(std::string& out, const ReplyView& reply, std::string& indent);

/// Indexes stand right-aligned; what is nested is indented by their width. The first element
/// follows on the line that the parent began.
void append_children(std::string& out, const ReplyView& reply, std::string& indent) {
    const AggregateStyle style = style_of(reply.type());
    if (reply.size() == 0) {
        out.append(style.empty).append("\n");
        return;
    }
    const bool is_map = reply.type() == ReplyType::kMap;
    const unsigned width = count_digits(is_map ? reply.size() / 2 : reply.size());
    const std::size_t outer_bytes = indent.size();
    std::size_t index = 0;
    bool is_value = false;
    for (const ReplyView child : reply) {
        if (is_value) {
            out.pop_back();  // the key's line feed
            out.append(" => ");
        } else {
            const std::string_view outer = std::string_view(indent).substr(0, outer_bytes);
            out.append(index == 0 ? std::string_view() : outer);
            fmt::format_to(std::back_inserter(out), "{:>{}}{} ", ++index, width, style.separator);
        }
        indent.append(width + 2, ' ');
        const std::size_t start = out.size();
        append_readable(out, child, indent);
        // An aggregate of several lines begins on a line of its own.
        if (is_value && child.is_aggregate() && out.find('\n', start) + 1 != out.size()) {
            out.insert(start, "\n" + indent);
        }
        indent.resize(outer_bytes);
        is_value = is_map && !is_value;
    }
}

void append_readable(std::string& out, const ReplyView& reply, std::string& indent) {
    switch (reply.type()) {
        case ReplyType::kNull:
            out.append("(nil)\n");
            return;
        case ReplyType::kError:
            out.append("(error) ").append(reply.text()).append("\n");
            return;
        case ReplyType::kInteger:
            fmt::format_to(std::back_inserter(out), "(integer) {}\n", *reply.integer());
            return;
        case ReplyType::kDouble:
            out.append("(double) ").append(double_text(*reply.number())).append("\n");
            return;
        case ReplyType::kBoolean:
            out.append(*reply.boolean() ? "(true)\n" : "(false)\n");
            return;
        case ReplyType::kBulk:
            out.append(quoted(reply.text())).append("\n");
            return;
        case ReplyType::kStatus:
        case ReplyType::kBigNumber:
        case ReplyType::kVerbatim:
            out.append(reply.text()).append("\n");
            return;
        default:
            append_children(out, reply, indent);
    }
}

void append_raw(std::string& out, const ReplyView& reply) {
    switch (reply.type()) {
        case ReplyType::kNull:
            return;
        case ReplyType::kError:
            out.append(reply.text()).append("\n");
            return;
        case ReplyType::kInteger:
            out.append(int64_text(*reply.integer()));
            return;
        case ReplyType::kDouble:
            out.append(double_text(*reply.number()));
            return;
        case ReplyType::kBoolean:
            out.append(*reply.boolean() ? "(true)" : "(false)");
            return;
        case ReplyType::kStatus:
        case ReplyType::kBulk:
        case ReplyType::kBigNumber:
        case ReplyType::kVerbatim:
            out.append(reply.text());
            return;
        default:
            break;
    }
    // Elements on lines of their own; a map's keys and values on one.
    const bool is_map = reply.type() == ReplyType::kMap;
    std::size_t index = 0;
    for (const ReplyView child : reply) {
        if (index != 0) {
            out.push_back(is_map && index % 2 != 0 ? ' ' : '\n');
        }
        append_raw(out, child);
        ++index;
    }
}

void append_json_number(std::string& out, double value) {
    if (std::isfinite(value)) {
        out.append(double_text(value));
    } else {
        sbe::json_text(out, double_text(value));  // JSON has no infinity
    }
}

void append_json(std::string& out, const ReplyView& reply);

void append_json_children(std::string& out, const ReplyView& reply) {
    const bool is_map = reply.type() == ReplyType::kMap;
    out.push_back(is_map ? '{' : '[');
    std::size_t index = 0;
    for (const ReplyView child : reply) {
        const bool is_key = is_map && index % 2 == 0;
        if (index != 0) {
            out.push_back(is_map && !is_key ? ':' : ',');
        }
        std::string text;
        append_json(text, child);
        if (is_key && text.front() != '"') {
            // Members have texts for names.
            sbe::json_text(out, text);
        } else {
            out.append(text);
        }
        ++index;
    }
    out.push_back(is_map ? '}' : ']');
}

void append_json(std::string& out, const ReplyView& reply) {
    switch (reply.type()) {
        case ReplyType::kNull:
            out.append("null");
            return;
        case ReplyType::kError:
            out.append("{\"error\":");
            sbe::json_text(out, reply.text());
            out.push_back('}');
            return;
        case ReplyType::kInteger:
            out.append(int64_text(*reply.integer()));
            return;
        case ReplyType::kDouble:
            append_json_number(out, *reply.number());
            return;
        case ReplyType::kBoolean:
            out.append(*reply.boolean() ? "true" : "false");
            return;
        case ReplyType::kBigNumber:
            out.append(reply.text());
            return;
        case ReplyType::kStatus:
        case ReplyType::kBulk:
        case ReplyType::kVerbatim:
            sbe::json_text(out, reply.text());
            return;
        default:
            append_json_children(out, reply);
    }
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
            case '\\':
            case '"':
                out.push_back('\\');
                out.push_back(c);
                break;
            case '\n':
                out.append("\\n");
                break;
            case '\r':
                out.append("\\r");
                break;
            case '\t':
                out.append("\\t");
                break;
            case '\a':
                out.append("\\a");
                break;
            case '\b':
                out.append("\\b");
                break;
            default:
                if (c >= ' ' && c <= '~') {
                    out.push_back(c);
                } else {
                    fmt::format_to(
                        std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
                }
        }
    }
    out.push_back('"');
    return out;
}

std::string format_reply(const ReplyView& reply, ReplyFormat format) {
    std::string out;
    std::string indent;
    switch (format) {
        case ReplyFormat::kReadable:
            append_readable(out, reply, indent);
            return out;
        case ReplyFormat::kRaw:
            append_raw(out, reply);
            break;
        case ReplyFormat::kJson:
            append_json(out, reply);
            break;
    }
    out.push_back('\n');
    return out;
}

std::string format_error(std::string_view text, ReplyFormat format) {
    std::string out;
    switch (format) {
        case ReplyFormat::kReadable:
            return out.append("(error) ").append(text).append("\n");
        case ReplyFormat::kRaw:
            return out.append(text).append("\n\n");  // redis-cli's blank line
        case ReplyFormat::kJson:
            break;
    }
    out.append("{\"error\":");
    sbe::json_text(out, text);
    return out.append("}\n");
}

}  // namespace tern::tool
