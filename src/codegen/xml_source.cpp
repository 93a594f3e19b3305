#include "codegen/xml_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/unique_fd.hpp"

namespace tern::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kXIncludeNamespace = "http://www.w3.org/2001/XInclude";
constexpr std::size_t kMaxPathElements = 40;

std::string_view prefix_of(std::string_view qualified) {
    const std::size_t colon = qualified.find(':');
    return colon == std::string_view::npos ? std::string_view{} : qualified.substr(0, colon);
}

/// Whether `path` lies in `folder`; both are canonical.
bool lies_in(const fs::path& path, const fs::path& folder) {
    const auto [folder_end, path_at] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return folder_end == folder.end() && path_at != path.end();
}

}  // namespace

std::string_view Element::local_name() const noexcept {
    const std::string_view qualified = node.name();
    const std::size_t colon = qualified.find(':');
    return colon == std::string_view::npos ? qualified : qualified.substr(colon + 1);
}

std::string_view Element::namespace_uri() const noexcept {
    const std::string_view prefix = prefix_of(node.name());
    for (pugi::xml_node at = node; at; at = at.parent()) {
        for (const pugi::xml_attribute& attribute : at.attributes()) {
            const std::string_view name = attribute.name();
            const bool declares = prefix.empty()
                                      ? name == "xmlns"
                                      : name.starts_with("xmlns:") && name.substr(6) == prefix;
            if (declares) {
                return attribute.value();
            }
        }
    }
    return {};
}

std::string Element::text() const {
    std::string joined;
    for (const pugi::xml_node& child : node.children()) {
        if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
            joined += child.value();
        }
    }
    return joined;
}

std::vector<Element> Element::children() const {
    std::vector<Element> elements;
    for (const pugi::xml_node& child : node.children()) {
        if (child.type() == pugi::node_element) {
            elements.push_back({child, file});
        }
    }
    return elements;
}

std::string path_of(const Element& element) {
    std::vector<std::string> parts;
    for (pugi::xml_node at = element.node; at.type() == pugi::node_element; at = at.parent()) {
        const Element part{at, element.file};
        const std::string_view name = part.attribute("name");
        parts.push_back(name.empty()
                            ? std::string(part.local_name())
                            : fmt::format("{}[{}]", part.local_name(), name.substr(0, 64)));
        if (parts.size() == kMaxPathElements) {
            parts.emplace_back("...");
            break;
        }
    }
    std::reverse(parts.begin(), parts.end());
    return fmt::format("{}", fmt::join(parts, "/"));
}

Result<std::string> read_bounded_file(const std::string& path, std::size_t max_bytes) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.is_open()) {
        return os_error(errno, "open {}", path);
    }
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) {
        return os_error(errno, "stat {}", path);
    }
    if (!S_ISREG(status.st_mode)) {
        return error(Errc::kInvalidArgument, "open {}: not a regular file", path);
    }
    std::string text;
    char chunk[16384];
    for (;;) {
        const ssize_t got = ::read(fd.get(), chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return os_error(errno, "read {}", path);
        }
        if (got == 0) {
            return text;
        }
        if (text.size() + static_cast<std::size_t>(got) > max_bytes) {
            return error(Errc::kTooLarge,
                         "read {}: more than the {} bytes a schema may have",
                         path,
                         max_bytes);
        }
        text.append(chunk, static_cast<std::size_t>(got));
    }
}

bool XmlSource::open_file(const std::string& path) {
    std::error_code code;
    const fs::path canonical = fs::canonical(path, code);
    if (code) {
        diagnostics_.push_back({Severity::kError,
                                path,
                                0,
                                0,
                                "",
                                "unreadable-file",
                                fmt::format("open {}: {}", path, code.message())});
        return false;
    }
    Result<std::string> text = read_bounded_file(canonical.string(), kMaxSchemaFileBytes);
    if (!text) {
        diagnostics_.push_back(
            {Severity::kError, path, 0, 0, "", "unreadable-file", text.error().message});
        return false;
    }
    folder_ = canonical.parent_path().string();
    return add_file(path, canonical.string(), *text);
}

bool XmlSource::open_text(std::string name, std::string_view text) {
    if (text.size() > kMaxSchemaFileBytes) {
        diagnostics_.push_back(
            {Severity::kError,
             std::move(name),
             0,
             0,
             "",
             "unreadable-file",
             fmt::format("{} bytes, at most {} are read", text.size(), kMaxSchemaFileBytes)});
        return false;
    }
    return add_file(std::move(name), "", text);
}

bool XmlSource::add_file(std::string name, std::string canonical, std::string_view text) {
    File file{std::move(name), std::move(canonical), {0}, std::make_unique<pugi::xml_document>()};
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n') {
            file.line_starts.push_back(at + 1);
        }
    }
    // UTF-8 as it stands: pugixml's offsets are then those of the file.
    const pugi::xml_parse_result parsed =
        file.document->load_buffer(text.data(),
                                   text.size(),
                                   pugi::parse_default | pugi::parse_ws_pcdata_single,
                                   pugi::encoding_utf8);
    if (!parsed) {
        const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0));
        const auto next =
            std::upper_bound(file.line_starts.begin(), file.line_starts.end(), offset);
        const auto line = static_cast<std::uint32_t>(next - file.line_starts.begin());
        const auto column = static_cast<std::uint32_t>(offset - *(next - 1) + 1);
        diagnostics_.push_back(
            {Severity::kError, file.name, line, column, "", "xml-syntax", parsed.description()});
        return false;
    }
    files_.push_back(std::move(file));
    return true;
}

Element XmlSource::root() const {
    return {files_.front().document->document_element(), 0};
}

Location XmlSource::locate(const Element& element) const {
    const File& file = files_[element.file];
    const std::ptrdiff_t offset = element.node.offset_debug();
    if (offset < 0) {
        return {file.name, 0, 0, path_of(element)};
    }
    // The offset is that of the name; the element begins at the bracket before it.
    const auto at = static_cast<std::size_t>(offset > 0 ? offset - 1 : 0);
    const auto next = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), at);
    const auto line = static_cast<std::uint32_t>(next - file.line_starts.begin());
    return {file.name, line, static_cast<std::uint32_t>(at - *(next - 1) + 1), path_of(element)};
}

void XmlSource::report(Severity severity,
                       const Element& element,
                       std::string rule,
                       std::string message) {
    Location at = locate(element);
    diagnostics_.push_back({severity,
                            std::move(at.file),
                            at.line,
                            at.column,
                            std::move(at.element_path),
                            std::move(rule),
                            std::move(message)});
}

std::vector<Element> XmlSource::children_with_includes(const Element& parent) {
    std::vector<Element> elements;
    std::vector<std::uint32_t> open_files{parent.file};
    for (const Element& child : parent.children()) {
        expand(child, open_files, elements);
    }
    return elements;
}

void XmlSource::expand(const Element& child,
                       std::vector<std::uint32_t>& open_files,
                       std::vector<Element>& into) {
    if (child.local_name() == "include" && child.namespace_uri() == kXIncludeNamespace) {
        include(child, open_files, into);
    } else {
        into.push_back(child);
    }
}

Result<std::string> XmlSource::resolve(const Element& include) const {
    const std::string_view href = include.attribute("href");
    if (folder_.empty()) {
        return error(Errc::kInvalidArgument, "a schema read from memory cannot include files");
    }
    const fs::path relative(href);
    if (href.empty() || relative.is_absolute() || href.find("://") != std::string_view::npos) {
        return error(Errc::kInvalidArgument,
                     "href \"{}\" is not a path relative to the including file",
                     href);
    }
    const std::string_view parse = include.attribute("parse");
    if (!parse.empty() && parse != "xml") {
        return error(Errc::kInvalidArgument, "parse=\"{}\" is not supported, only xml", parse);
    }
    std::error_code code;
    const fs::path base = fs::path(files_[include.file].canonical).parent_path();
    const fs::path canonical = fs::canonical(base / relative, code);
    if (code) {
        return error(Errc::kNotFound, "include {}: {}", href, code.message());
    }
    if (!lies_in(canonical, fs::path(folder_))) {
        return error(
            Errc::kPermissionDenied, "include {}: outside the schema's folder {}", href, folder_);
    }
    return canonical.string();
}

void XmlSource::include(const Element& element,
                        std::vector<std::uint32_t>& open_files,
                        std::vector<Element>& into) {
    const Result<std::string> canonical = resolve(element);
    if (!canonical) {
        report(Severity::kError, element, "xinclude", canonical.error().message);
        return;
    }
    for (const std::uint32_t open : open_files) {
        if (files_[open].canonical == *canonical) {
            report(Severity::kError,
                   element,
                   "xinclude",
                   fmt::format("{} includes itself", files_[open].name));
            return;
        }
    }
    if (open_files.size() >= kMaxIncludeDepth || files_.size() >= kMaxIncludedFiles) {
        report(Severity::kError,
               element,
               "xinclude",
               fmt::format("more than {} files, or nested deeper than {}",
                           kMaxIncludedFiles,
                           kMaxIncludeDepth));
        return;
    }
    const Result<std::string> text = read_bounded_file(*canonical, kMaxSchemaFileBytes);
    if (!text) {
        report(Severity::kError, element, "xinclude", text.error().message);
        return;
    }
    // Messages name the file the way the includer reached it.
    const fs::path shown =
        fs::path(files_[element.file].name).parent_path() / fs::path(element.attribute("href"));
    if (!add_file(shown.lexically_normal().string(), *canonical, *text)) {
        return;
    }
    const auto file = static_cast<std::uint32_t>(files_.size() - 1);
    open_files.push_back(file);
    expand({files_[file].document->document_element(), file}, open_files, into);
    open_files.pop_back();
}

}  // namespace tern::codegen
