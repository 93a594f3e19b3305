#include "codegen/schema_parser.hpp"

#include <fmt/format.h>

#include <sstream>

#include "codegen/reader.hpp"
#include "codegen/xml_source.hpp"

namespace tern::codegen {
namespace {

constexpr std::string_view kFixNamespaceMark = "fixprotocol.org";
constexpr std::string_view kFixNamespaceMark2016 = "fixprotocol.io";

/// Whether an element belongs to SBE: in no namespace, in the root's, or in one of FIX's.
bool is_sbe(const Element& element, std::string_view root_namespace) {
    const std::string_view uri = element.namespace_uri();
    return uri.empty() || uri == root_namespace ||
           uri.find(kFixNamespaceMark2016) != std::string_view::npos ||
           uri.find(kFixNamespaceMark) != std::string_view::npos;
}

std::string xml_text(const Element& element) {
    std::ostringstream text;
    element.node.print(text, "  ");
    return text.str();
}

void read_root(Reader& reader, const Element& root, Schema& schema) {
    schema.package = root.attribute("package");
    schema.semantic_version = root.attribute("semanticVersion");
    schema.description = root.attribute("description");
    if (!root.has("id")) {
        reader.fail(root, "missing-attribute", "the schema has no id");
    }
    constexpr std::uint32_t kMost = 0xffff'fffe;
    schema.id = reader.number_attribute(root, "id", 0, kMost);
    schema.version = reader.number_attribute(root, "version", 0, kMost);
    const std::string_view order = root.attribute("byteOrder");
    schema.byte_order = order == "bigEndian" ? std::endian::big : std::endian::little;
    if (!order.empty() && order != "bigEndian" && order != "littleEndian") {
        reader.fail(root,
                    "bad-attribute",
                    fmt::format("byteOrder=\"{}\" is not littleEndian or bigEndian", order));
    }
}

void read_children(XmlSource& source, Reader& reader, const Element& root, Schema& schema) {
    const std::vector<Element> children = source.children_with_includes(root);
    const std::string root_namespace(root.namespace_uri());
    std::vector<Element> messages;
    for (const Element& child : children) {
        const std::string_view name = child.local_name();
        if (!is_sbe(child, root_namespace)) {
            schema.extensions.push_back({std::string(child.namespace_uri()),
                                         std::string(name),
                                         xml_text(child),
                                         source.locate(child)});
        } else if (name == "types") {
            reader.collect_types(child);
        } else if (name == "message") {
            messages.push_back(child);
        } else {
            reader.fail(child,
                        "unknown-element",
                        fmt::format("<{}> is not types, message, or of another namespace", name));
        }
    }
    reader.read_types();
    reader.check_header(root);
    for (const Element& message : messages) {
        reader.read_message(message);
    }
    if (messages.empty()) {
        reader.fail(root, "no-message", "the schema has no message");
    }
}

ParseOutcome parse(XmlSource& source, bool opened, Diagnostics& diagnostics) {
    auto schema = std::make_unique<Schema>();
    if (opened) {
        const Element root = source.root();
        Reader reader(source, *schema);
        schema->location = source.locate(root);
        if (root.local_name() != "messageSchema") {
            reader.fail(root,
                        "not-a-schema",
                        fmt::format("the root is <{}>, not <messageSchema>", root.local_name()));
        } else {
            read_root(reader, root, *schema);
            read_children(source, reader, root, *schema);
        }
    }
    ParseOutcome outcome;
    outcome.diagnostics = std::move(diagnostics);
    if (opened && !has_errors(outcome.diagnostics)) {
        outcome.schema = std::move(schema);
    }
    return outcome;
}

}  // namespace

std::string ParseOutcome::report() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) {
        text += diagnostic.to_string() + "\n";
    }
    return text;
}

ParseOutcome parse_schema(const std::string& path) {
    Diagnostics diagnostics;
    XmlSource source(diagnostics);
    const bool opened = source.open_file(path);
    return parse(source, opened, diagnostics);
}

ParseOutcome parse_schema_text(std::string name, std::string_view text) {
    Diagnostics diagnostics;
    XmlSource source(diagnostics);
    const bool opened = source.open_text(std::move(name), text);
    return parse(source, opened, diagnostics);
}

}  // namespace tern::codegen
