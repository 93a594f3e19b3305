#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace tern::codegen {

/// Collects the lines of a C++ file and indents them by their braces.
class CppWriter {
public:
    /// One line, formatted.
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        add(fmt::format(format, std::forward<Args>(args)...));
    }
    void blank() { text_ += '\n'; }
    /// A documentation comment, cut into lines; nothing when `text` is empty.
    void comment(std::string_view text);
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void add(std::string_view line);

    std::string text_;
    std::size_t depth_ = 0;
};

}  // namespace tern::codegen
