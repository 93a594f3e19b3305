#include <fmt/format.h>

#include <algorithm>

#include "codegen/cpp_emit.hpp"

namespace tern::codegen {
namespace {

constexpr std::string_view kCompositeReserved[] = {"acting_version",
                                                   "acting_block_length",
                                                   "block_bytes",
                                                   "block_",
                                                   "block_length_",
                                                   "version_",
                                                   "visit",
                                                   "is_null",
                                                   "write_nulls",
                                                   "status_"};

constexpr std::string_view kSetReserved[] = {"from_raw", "raw", "raw_"};

void emit_null_test(CppWriter& out, const EmitContext& context, const Type& type) {
    for (const Field& member : type.members) {
        if (!member.on_the_wire()) {
            continue;
        }
        // The first member on the wire decides, whether or not it is itself optional.
        Field first = member;
        first.presence = Presence::kOptional;
        first.effective_since = 0;
        out.comment("Whether the first member is null, which makes an optional composite null.");
        out.line("[[nodiscard]] bool is_null() const noexcept {{");
        const Type& member_type = *member.type;
        const std::string at = fmt::format("block_ + {}", member.offset);
        if (member_type.kind == TypeKind::kComposite) {
            out.line(
                "return {0}View(tern::sbe::BlockView({1}, {0}View::kEncodedBytes, "
                "version_)).is_null();",
                context.names.of(member_type),
                at);
        } else if (member_type.is_char_array()) {
            out.line("return *({}) == std::byte{{0}};", at);
        } else if (member_type.null_value.is_real &&
                   member_type.null_value.real != member_type.null_value.real) {
            out.line("return !tern::sbe::unless_nan(tern::load<{}, {}>({}));",
                     cpp_type(member_type.primitive),
                     context.order,
                     at);
        } else {
            out.line("return tern::load<{}, {}>({}) == {};",
                     cpp_type(member_type.primitive),
                     context.order,
                     at,
                     cpp_literal(member_type.primitive, member_type.null_value));
        }
        out.line("}}");
        return;
    }
}

void emit_composite_view(CppWriter& out,
                         const EmitContext& context,
                         const Type& type,
                         const std::vector<std::string>& names) {
    out.comment(type.description);
    out.line("class {}View : public tern::sbe::BlockView {{", context.names.of(type));
    out.line("public:");
    out.line("static constexpr std::uint32_t kEncodedBytes = {};", type.size_bytes);
    out.line("constexpr {}View() noexcept = default;", context.names.of(type));
    out.line("explicit constexpr {}View(const tern::sbe::BlockView& block) noexcept",
             context.names.of(type));
    out.line("    : tern::sbe::BlockView(block) {{}}");
    if (can_be_null(type)) {
        emit_null_test(out, context, type);
    }
    for (std::size_t index = 0; index < type.members.size(); ++index) {
        if (is_readable(type.members[index])) {
            emit_getter(out, context, type.members[index], names[index], type.since_version);
        }
    }
    out.line("template <typename Visitor>");
    out.line("void visit([[maybe_unused]] Visitor&& visitor) const {{");
    for (std::size_t index = 0; index < type.members.size(); ++index) {
        if (is_readable(type.members[index])) {
            emit_visit(out, type.members[index], names[index], type.since_version);
        }
    }
    out.line("}}");
    out.line("}};");
    out.blank();
}

void emit_composite_encoder(CppWriter& out,
                            const EmitContext& context,
                            const Type& type,
                            const std::vector<std::string>& names) {
    const std::string class_name = context.names.of(type) + "Encoder";
    out.line("class {} {{", class_name);
    out.line("public:");
    out.line("{}(std::byte* block, tern::sbe::EncodeStatus* status) noexcept", class_name);
    out.line("    : block_(block), status_(status) {{}}");
    for (std::size_t index = 0; index < type.members.size(); ++index) {
        emit_setter(out, context, type.members[index], names[index], class_name, "(*status_)");
    }
    out.line("private:");
    out.line("[[maybe_unused]] std::byte* block_;");
    out.line("[[maybe_unused]] tern::sbe::EncodeStatus* status_;");
    out.line("}};");
}

void emit_nested(CppWriter& out, const EmitContext& context, const Type& type) {
    switch (type.kind) {
        case TypeKind::kSimple:
            return;
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
}

/// How a member of the header or of dimensions is read; a constant one is not on the wire.
std::string read_member(const EmitContext& context, const Type& composite, const char* member) {
    const Field& field = *composite.member(member);
    if (!field.on_the_wire()) {
        return fmt::format("{}", field.constant ? field.constant->number.text() : "0");
    }
    return fmt::format("tern::load<{}, {}>(at + {})",
                       cpp_type(field.type->primitive),
                       context.order,
                       field.offset);
}

void write_member(CppWriter& out,
                  const EmitContext& context,
                  const Type& composite,
                  const char* member,
                  std::string_view value) {
    const Field* field = composite.member(member);
    if (field == nullptr || !field->on_the_wire() || field->type->kind != TypeKind::kSimple ||
        field->type->length != 1 || !is_unsigned(field->type->primitive)) {
        return;
    }
    out.line("tern::store_value<{}>(at + {}, static_cast<{}>({}));",
             context.order,
             field->offset,
             cpp_type(field->type->primitive),
             value);
}

void emit_dimensions(CppWriter& out, const EmitContext& context, const Type& type) {
    out.line("/// Reads and writes {} as a group's dimensions.", type.name);
    out.line("struct {} {{", dimensions_name(context, type));
    out.line("static constexpr std::size_t kBytes = {};", type.size_bytes);
    out.line("static constexpr std::uint64_t kMinCount = {}ULL;", min_count(type, "numInGroup"));
    out.line("static constexpr std::uint64_t kMaxCount = {}ULL;", max_count(type, "numInGroup"));
    out.line(
        "[[nodiscard]] static tern::sbe::DimensionFields read(const std::byte* at) noexcept {{");
    out.line("return {{{}, {}}};",
             read_member(context, type, "blockLength"),
             read_member(context, type, "numInGroup"));
    out.line("}}");
    out.line("static void write(std::byte* at, [[maybe_unused]] std::size_t block_length,");
    out.line(
        "    [[maybe_unused]] std::size_t groups, [[maybe_unused]] std::size_t data) noexcept {{");
    out.line("std::memset(at, 0, kBytes);");
    emit_nulls(out, context, type.members);
    write_member(out, context, type, "blockLength", "block_length");
    write_member(out, context, type, "numGroups", "groups");
    write_member(out, context, type, "numVarDataFields", "data");
    out.line("}}");
    out.line("static void write_count(std::byte* at, std::size_t count) noexcept {{");
    write_member(out, context, type, "numInGroup", "count");
    out.line("}}");
    out.line("}};");
    out.blank();
}

void collect_parts(const Block& block,
                   std::vector<const Type*>& dimensions,
                   std::vector<const Type*>& data) {
    const auto add = [](std::vector<const Type*>& into, const Type* type) {
        if (std::find(into.begin(), into.end(), type) == into.end()) {
            into.push_back(type);
        }
    };
    for (const auto& group : block.groups) {
        add(dimensions, group->dimension);
        collect_parts(*group, dimensions, data);
    }
    for (const Data& each : block.data) {
        add(data, each.type);
    }
}

void emit_header_codec(CppWriter& out, const EmitContext& context) {
    const Type& header = *context.schema.header;
    out.line(
        "[[nodiscard]] static tern::sbe::HeaderFields read_header("
        "[[maybe_unused]] const std::byte* at) noexcept {{");
    out.line(
        "return {{{}, {}, {}, {}}};",
        read_member(context, header, "blockLength"),
        read_member(context, header, "templateId"),
        header.member("schemaId")->on_the_wire() ? read_member(context, header, "schemaId") : "kId",
        read_member(context, header, "version"));
    out.line("}}");
    out.line("static void write_header(std::byte* at, [[maybe_unused]] std::size_t block_length,");
    out.line("    [[maybe_unused]] std::uint32_t template_id,");
    out.line(
        "    [[maybe_unused]] std::size_t groups, [[maybe_unused]] std::size_t data) noexcept {{");
    out.line("std::memset(at, 0, kHeaderBytes);");
    emit_nulls(out, context, header.members);
    write_member(out, context, header, "blockLength", "block_length");
    write_member(out, context, header, "templateId", "template_id");
    write_member(out, context, header, "schemaId", "kId");
    write_member(out, context, header, "version", "kVersion");
    write_member(out, context, header, "numGroups", "groups");
    write_member(out, context, header, "numVarDataFields", "data");
    out.line("}}");
}

}  // namespace

void emit_enum(CppWriter& out, const EmitContext& context, const Type& type) {
    const std::string& name = context.names.of(type);
    const std::string_view primitive = cpp_type(type.primitive);
    NameScope scope;
    std::vector<std::string> enumerators;
    out.comment(type.description);
    out.line("enum class {} : {} {{", name, primitive);
    for (const EnumMember& value : type.values) {
        enumerators.push_back(scope.take("k" + pascal_case(value.name)));
        out.comment(value.description);
        out.line("{} = {},", enumerators.back(), cpp_literal(type.primitive, value.value));
    }
    out.line("}};");
    out.blank();
    out.line("struct {}Traits {{", name);
    out.line(
        "static constexpr {} kNull = {};", primitive, cpp_literal(type.primitive, type.null_value));
    out.line("[[nodiscard]] static constexpr std::string_view name({} value) noexcept {{", name);
    out.line("switch (value) {{");
    for (std::size_t index = 0; index < enumerators.size(); ++index) {
        out.line("case {}::{}: return {};",
                 name,
                 enumerators[index],
                 cpp_string(type.values[index].name));
    }
    out.line("default: return {{}};");
    out.line("}}");
    out.line("}}");
    out.line("}};");
    out.line("{0}Traits sbe_enum_traits({0}) noexcept;", name);
}

void emit_set(CppWriter& out, const EmitContext& context, const Type& type) {
    const std::string& name = context.names.of(type);
    NameScope scope(kSetReserved);
    out.comment(type.description);
    out.line("class {} {{", name);
    out.line("public:");
    out.line("using Raw = {};", cpp_type(type.primitive));
    out.line("static constexpr std::array<tern::sbe::Choice, {}> kChoices = {{{{",
             type.values.size());
    for (const EnumMember& choice : type.values) {
        out.line("{{{}, {}}},", cpp_string(choice.name), choice.value.text());
    }
    out.line("}}}};");
    out.line("constexpr {}() noexcept = default;", name);
    out.line("[[nodiscard]] static constexpr {} from_raw(Raw raw) noexcept {{", name);
    out.line("{} set;", name);
    out.line("set.raw_ = raw;");
    out.line("return set;");
    out.line("}}");
    out.line("[[nodiscard]] constexpr Raw raw() const noexcept {{ return raw_; }}");
    for (const EnumMember& choice : type.values) {
        const std::string accessor = scope.take(snake_case(choice.name));
        out.comment(choice.description);
        out.line(
            "[[nodiscard]] constexpr bool {}() const noexcept {{ return tern::sbe::has_bit(raw_, "
            "{}); }}",
            accessor,
            choice.value.text());
        out.line("constexpr {}& {}(bool on) noexcept {{", name, accessor);
        out.line("raw_ = tern::sbe::with_bit(raw_, {}, on);", choice.value.text());
        out.line("return *this;");
        out.line("}}");
    }
    out.line("friend constexpr bool operator==({0}, {0}) noexcept = default;", name);
    out.line("private:");
    out.line("Raw raw_ = 0;");
    out.line("}};");
}

void emit_composite(CppWriter& out, const EmitContext& context, const Type& type) {
    for (const Field& member : type.members) {
        if (member.type->enclosing == &type) {
            emit_nested(out, context, *member.type);
        }
    }
    NameScope scope(kCompositeReserved);
    std::vector<std::string> names;
    for (const Field& member : type.members) {
        names.push_back(scope.take(snake_case(member.name)));
    }
    emit_composite_view(out, context, type, names);
    emit_composite_encoder(out, context, type, names);
}

void emit_schema_info(CppWriter& out, const EmitContext& context) {
    const Schema& schema = context.schema;
    out.comment(schema.description);
    out.line("struct SchemaInfo {{");
    out.line("static constexpr std::uint32_t kId = {};", schema.id);
    out.line("static constexpr std::uint32_t kVersion = {};", schema.version);
    out.line("static constexpr std::string_view kSemanticVersion = {};",
             cpp_string(schema.semantic_version));
    out.line("static constexpr std::endian kByteOrder = {};", context.order);
    out.line("static constexpr std::size_t kHeaderBytes = {};", schema.header->size_bytes);
    emit_header_codec(out, context);
    out.line("}};");
    out.blank();
    std::vector<const Type*> dimensions;
    std::vector<const Type*> data;
    for (const auto& message : schema.messages) {
        collect_parts(*message, dimensions, data);
    }
    for (const Type* type : dimensions) {
        emit_dimensions(out, context, *type);
    }
    for (const Type* type : data) {
        Data each;
        each.type = type;
        const Field& length = each.length_member();
        out.line("/// Reads and writes {} as var data.", type->name);
        out.line("using {} = tern::sbe::VarData<{}, {}, {}ULL, {}, {}>;",
                 codec_name(context, *type),
                 cpp_type(length.type->primitive),
                 context.order,
                 each.max_length(),
                 length.offset,
                 each.header_bytes());
    }
}

}  // namespace tern::codegen
