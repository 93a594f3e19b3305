#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <vector>

#include "codegen/diagnostics.hpp"
#include "codegen/model.hpp"

namespace tern::codegen {

inline constexpr std::size_t kMaxSchemaFileBytes = 8u << 20;  // choice: 100 times the largest known
inline constexpr std::uint32_t kMaxIncludeDepth = 8;          // choice: the samples use 1
inline constexpr std::uint32_t kMaxIncludedFiles = 64;        // choice, as above

/// An element of one of the schema's files.
struct Element {
    pugi::xml_node node;
    std::uint32_t file = 0;

    /// Name without a namespace prefix.
    [[nodiscard]] std::string_view local_name() const noexcept;
    /// The namespace its prefix, or the default, is bound to; empty for none.
    [[nodiscard]] std::string_view namespace_uri() const noexcept;
    [[nodiscard]] std::string_view attribute(const char* name) const noexcept {
        return node.attribute(name).value();
    }
    [[nodiscard]] bool has(const char* name) const noexcept {
        return !node.attribute(name).empty();
    }
    /// All character data directly inside, joined; comments do not split it.
    [[nodiscard]] std::string text() const;
    /// Child elements, in order.
    [[nodiscard]] std::vector<Element> children() const;
};

/// The XML files of one schema: the main one and those it includes.
///
/// Included files are confined to the main file's folder and those below it; their number, size and
/// nesting are limited, and a file that includes itself is an error.
class XmlSource {
public:
    explicit XmlSource(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// Reads the main file; false when it cannot be read or is no XML.
    bool open_file(const std::string& path);
    /// Takes the main file's text from memory; includes are then refused.
    bool open_text(std::string name, std::string_view text);

    [[nodiscard]] Element root() const;
    /// The children of `parent`, with each xi:include replaced by the root of what it includes.
    std::vector<Element> children_with_includes(const Element& parent);

    [[nodiscard]] Location locate(const Element& element) const;
    void report(Severity severity, const Element& element, std::string rule, std::string message);

private:
    struct File {
        std::string name;       ///< as messages show it
        std::string canonical;  ///< as the file system knows it; empty for text in memory
        std::vector<std::size_t> line_starts;
        std::unique_ptr<pugi::xml_document> document;
    };

    bool add_file(std::string name, std::string canonical, std::string_view text);
    Result<std::string> resolve(const Element& include) const;
    void expand(const Element& child,
                std::vector<std::uint32_t>& open_files,
                std::vector<Element>& into);
    void include(const Element& element,
                 std::vector<std::uint32_t>& open_files,
                 std::vector<Element>& into);

    Diagnostics& diagnostics_;
    std::vector<File> files_;
    std::string folder_;  ///< canonical folder that includes are confined to; empty: none allowed
};

/// Reads a regular file of at most `max_bytes`.
Result<std::string> read_bounded_file(const std::string& path, std::size_t max_bytes);

/// "name" or the element's own name: message[Car].
[[nodiscard]] std::string path_of(const Element& element);

}  // namespace tern::codegen
