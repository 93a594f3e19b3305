#include "codegen/cpp_writer.hpp"

#include <algorithm>
#include <string>

namespace tern::codegen {
namespace {

constexpr std::size_t kCommentColumns = 90;
constexpr std::size_t kIndentWidth = 4;

}  // namespace

void CppWriter::add(std::string_view line) {
    const bool closes = line.starts_with('}');
    const bool is_label = line == "public:" || line == "private:";
    const bool is_namespace = line.starts_with("namespace ") || line.starts_with("}  // namespace");
    if (closes && !is_namespace && depth_ > 0) {
        --depth_;
    }
    const std::size_t indent = is_label && depth_ > 0 ? depth_ - 1 : depth_;
    text_.append(indent * kIndentWidth, ' ');
    text_ += line;
    text_ += '\n';
    if (line.ends_with('{') && !is_namespace) {
        ++depth_;
    }
}

void CppWriter::comment(std::string_view text) {
    // One line whatever the schema says, and no character that could end or extend the comment.
    std::string clean;
    for (const char c : text) {
        const bool control = static_cast<unsigned char>(c) < 0x20;
        if (!(control || c == ' ') || (!clean.empty() && clean.back() != ' ')) {
            clean += control ? ' ' : c == '\\' ? '/' : c;
        }
    }
    while (!clean.empty()) {
        std::size_t cut = clean.size();
        if (cut > kCommentColumns) {
            cut = clean.rfind(' ', kCommentColumns);
            cut = cut == std::string::npos || cut == 0 ? std::min(clean.size(), kCommentColumns)
                                                       : cut;
        }
        // A trailing brace would count as a block.
        text_.append(depth_ * kIndentWidth, ' ');
        text_ += "/// " + clean.substr(0, cut) + "\n";
        clean.erase(0, cut);
        clean.erase(0, clean.find_first_not_of(' '));
    }
}

}  // namespace tern::codegen
