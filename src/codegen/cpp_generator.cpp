#include "codegen/cpp_generator.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "codegen/cpp_emit.hpp"

namespace tern::codegen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardHeaders[] = {
    "array", "bit", "cstddef", "cstdint", "cstring", "limits", "optional", "span", "string_view"};

void begin_file(CppWriter& out, const EmitContext& context, const std::set<std::string>& headers) {
    out.line("#pragma once");
    out.blank();
    out.line("// Made by tern codegen from schema {} version {}. Changes belong in the schema.",
             context.schema.id,
             context.schema.version);
    out.blank();
    for (const char* header : kStandardHeaders) {
        out.line("#include <{}>", header);
    }
    out.blank();
    out.line("#include <tern/sbe/sbe.hpp>");
    if (!headers.empty()) {
        out.blank();
        for (const std::string& header : headers) {
            out.line("#include \"{}\"", header);
        }
    }
    out.blank();
}

/// The top-level type that holds `type`, when it has a header of its own.
const Type* header_owner(const Type& type) {
    const Type* owner = &type;
    while (owner->enclosing != nullptr) {
        owner = owner->enclosing;
    }
    return owner->kind == TypeKind::kSimple ? nullptr : owner;
}

void collect_headers(const EmitContext& context,
                     const std::vector<Field>& fields,
                     std::set<std::string>& headers) {
    for (const Field& field : fields) {
        if (const Type* owner = header_owner(*field.type)) {
            headers.insert(context.names.header_of(*owner));
        }
        if (field.type->enclosing != nullptr) {
            collect_headers(context, field.type->members, headers);
        }
    }
}

void collect_headers(const EmitContext& context,
                     const Block& block,
                     std::set<std::string>& headers) {
    collect_headers(context, block.fields, headers);
    for (const auto& group : block.groups) {
        collect_headers(context, *group, headers);
    }
}

GeneratedFile type_file(const EmitContext& context,
                        const std::string& name_space,
                        const Type& type) {
    const std::string& file = context.names.header_of(type);
    std::set<std::string> headers;
    collect_headers(context, type.members, headers);
    headers.erase(file);
    CppWriter out;
    begin_file(out, context, headers);
    out.line("namespace {} {{", name_space);
    out.blank();
    switch (type.kind) {
        case TypeKind::kSimple:
            break;
        case TypeKind::kEnum:
            emit_enum(out, context, type);
            break;
        case TypeKind::kSet:
            emit_set(out, context, type);
            break;
        case TypeKind::kComposite:
            emit_composite(out, context, type);
            break;
    }
    out.blank();
    out.line("}}  // namespace {}", name_space);
    return {file, out.take()};
}

GeneratedFile message_file(const EmitContext& context,
                           const std::string& name_space,
                           const Message& message) {
    std::set<std::string> headers{"schema.hpp"};
    collect_headers(context, message, headers);
    CppWriter out;
    begin_file(out, context, headers);
    out.line("namespace {} {{", name_space);
    out.blank();
    emit_view(out, context, message);
    out.blank();
    emit_encoder(out, context, message);
    out.blank();
    out.line("}}  // namespace {}", name_space);
    return {context.names.header_of(message), out.take()};
}

GeneratedFile schema_file(const EmitContext& context, const std::string& name_space) {
    CppWriter out;
    begin_file(out, context, {});
    out.line("namespace {} {{", name_space);
    out.blank();
    emit_schema_info(out, context);
    out.blank();
    out.line("}}  // namespace {}", name_space);
    return {"schema.hpp", out.take()};
}

GeneratedFile all_file(const EmitContext& context,
                       const std::string& name_space,
                       const std::vector<GeneratedFile>& files) {
    std::set<std::string> headers;
    for (const GeneratedFile& file : files) {
        headers.insert(file.name);
    }
    CppWriter out;
    begin_file(out, context, headers);
    out.line("namespace {} {{", name_space);
    out.blank();
    out.line("/// Checks a whole message of any kind and calls visitor(verified view).");
    out.line("template <typename Visitor>");
    out.line("tern::sbe::DecodeStatus dispatch(tern::Bytes message, Visitor&& visitor) {{");
    out.line("if (message.size() < SchemaInfo::kHeaderBytes) {{");
    out.line("return tern::sbe::DecodeStatus::kBufferTooShort;");
    out.line("}}");
    out.line("const tern::sbe::HeaderFields header = SchemaInfo::read_header(message.data());");
    out.line("if (header.schema_id != SchemaInfo::kId) {{");
    out.line("return tern::sbe::DecodeStatus::kSchemaMismatch;");
    out.line("}}");
    out.line("switch (header.template_id) {{");
    for (const auto& message : context.schema.messages) {
        out.line("case {}: return tern::sbe::visit_message<Verified{}View>(message, visitor);",
                 message->id,
                 context.names.of(*message));
    }
    out.line("default: return tern::sbe::DecodeStatus::kTemplateMismatch;");
    out.line("}}");
    out.line("}}");
    out.blank();
    out.line("}}  // namespace {}", name_space);
    return {"all.hpp", out.take()};
}

bool has_same_bytes(const fs::path& path, const std::string& text) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return file.good() && bytes.str() == text;
}

}  // namespace

Result<std::vector<GeneratedFile>> generate_cpp(const Schema& schema, const CppOptions& options) {
    if (!options.name_space.empty() && !is_namespace(options.name_space)) {
        return error(Errc::kInvalidArgument,
                     "namespace \"{}\" is not identifiers joined by ::, for example acme::orders",
                     options.name_space);
    }
    const std::string name_space =
        options.name_space.empty() ? namespace_from(schema.package) : options.name_space;
    const SchemaNames names(schema);
    const EmitContext context{
        schema,
        names,
        schema.byte_order == std::endian::big ? "std::endian::big" : "std::endian::little"};
    std::vector<GeneratedFile> files;
    files.push_back(schema_file(context, name_space));
    for (const Type* type : schema.top_level_types) {
        if (type->kind != TypeKind::kSimple) {
            files.push_back(type_file(context, name_space, *type));
        }
    }
    for (const auto& message : schema.messages) {
        files.push_back(message_file(context, name_space, *message));
    }
    files.push_back(all_file(context, name_space, files));
    return files;
}

Result<void> write_files(const std::vector<GeneratedFile>& files, const std::string& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) {
        return os_error(code.value(), "make the folder {}", folder);
    }
    for (const GeneratedFile& file : files) {
        const fs::path path = fs::path(folder) / file.name;
        if (has_same_bytes(path, file.text)) {
            continue;
        }
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        out << file.text;
        out.close();
        if (!out) {
            return os_error(errno, "write {}", path.string());
        }
    }
    return {};
}

}  // namespace tern::codegen
