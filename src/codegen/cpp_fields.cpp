#include <fmt/format.h>

#include "codegen/cpp_emit.hpp"

namespace tern::codegen {
namespace {

std::string place(std::string_view base, std::uint32_t offset) {
    return fmt::format("{} + {}", base, offset);
}

/// The null that an optional field of the type carries.
std::string null_literal(const Type& type) {
    return cpp_literal(type.primitive, type.null_value);
}

/// An expression that reads the field, not asking for null or version.
std::string load_expression(const EmitContext& context, const Field& field) {
    const Type& type = *field.type;
    const std::string at = place("block_", field.offset);
    const std::string_view primitive = cpp_type(type.primitive);
    switch (type.kind) {
        case TypeKind::kEnum:
            return fmt::format(
                "tern::sbe::load_enum<{}, {}>({})", context.names.of(type), context.order, at);
        case TypeKind::kSet:
            return fmt::format("{}::from_raw(tern::load<{}, {}>({}))",
                               context.names.of(type),
                               primitive,
                               context.order,
                               at);
        case TypeKind::kComposite:
            return fmt::format(
                "{0}View(tern::sbe::BlockView({1}, {0}View::kEncodedBytes, version_))",
                context.names.of(type),
                at);
        case TypeKind::kSimple:
            break;
    }
    if (type.is_char_array()) {
        return fmt::format("tern::sbe::load_text<{}>({})", type.length, at);
    }
    if (type.length > 1) {
        return fmt::format("{}({})", value_type(context, field), at);
    }
    return fmt::format("tern::load<{}, {}>({})", primitive, context.order, at);
}

/// The same with null as nullopt.
std::string nullable_expression(const EmitContext& context, const Field& field) {
    const Type& type = *field.type;
    const std::string loaded = load_expression(context, field);
    if (type.kind == TypeKind::kEnum) {
        return fmt::format("tern::sbe::unless_null({})", loaded);
    }
    if (type.is_char_array()) {
        return fmt::format("tern::sbe::unless_empty({})", loaded);
    }
    if (type.kind != TypeKind::kSimple || type.length != 1) {
        return loaded;
    }
    if (type.null_value.is_real && type.null_value.real != type.null_value.real) {
        return fmt::format("tern::sbe::unless_nan({})", loaded);
    }
    return fmt::format("tern::sbe::unless_null({}, {})", loaded, null_literal(type));
}

void emit_constant(CppWriter& out,
                   const EmitContext& context,
                   const Field& field,
                   const std::string& name) {
    const Constant constant = field.constant.value_or(Constant{});
    std::string value = constant.is_text ? cpp_string(constant.text)
                                         : cpp_literal(field.type->primitive, constant.number);
    if (field.type->kind == TypeKind::kEnum) {
        value = fmt::format("{}::from_raw({})", value_type(context, field), value);
    }
    out.line(
        "[[nodiscard]] static constexpr {} {}() noexcept {{", value_type(context, field), name);
    out.line("return {};", value);
    out.line("}}");
}

void emit_store(CppWriter& out,
                std::string_view order,
                const std::string& at,
                const std::string& value) {
    out.line("tern::store_value<{}>({}, {});", order, at, value);
}

struct Setter {
    std::string parameter;
    std::string statement;
};

Setter setter_of(const EmitContext& context, const Field& field, std::string_view status) {
    const Type& type = *field.type;
    const bool optional = field.presence == Presence::kOptional;
    const std::string at = place("block_", field.offset);
    const std::string primitive(cpp_type(type.primitive));
    const auto store = [&](const std::string& value) {
        return fmt::format("tern::store_value<{}>({}, {});", context.order, at, value);
    };
    const auto maybe = [optional](const std::string& name) {
        return optional ? fmt::format("std::optional<{}>", name) : name;
    };
    if (type.kind == TypeKind::kEnum) {
        return {maybe(value_type(context, field)),
                store(optional ? fmt::format("value ? value->raw() : {}", null_literal(type))
                               : "value.raw()")};
    }
    if (type.kind == TypeKind::kSet) {
        return {context.names.of(type), store("value.raw()")};
    }
    if (type.is_char_array()) {
        return {"std::string_view",
                fmt::format("tern::sbe::store_text({}, {}, value, {});", at, type.length, status)};
    }
    if (type.length > 1) {
        const Literal fill = optional                       ? type.null_value
                             : info(type.primitive).is_real ? Literal::of_real(0)
                                                            : Literal::of(0);
        return {fmt::format("std::span<const {}>", primitive),
                fmt::format("tern::sbe::store_array<{}, {}>({}, {}, value, {}, {});",
                            context.order,
                            primitive,
                            at,
                            type.length,
                            cpp_literal(type.primitive, fill),
                            status)};
    }
    return {maybe(primitive),
            store(optional ? fmt::format("value.value_or({})", null_literal(type)) : "value")};
}

void emit_null_of(CppWriter& out,
                  const EmitContext& context,
                  const Type& type,
                  std::uint32_t offset) {
    if (type.kind == TypeKind::kComposite) {
        for (const Field& member : type.members) {
            if (member.on_the_wire()) {
                emit_null_of(out, context, *member.type, offset + member.offset);
                return;
            }
        }
        return;
    }
    const Literal& null = type.null_value;
    if (type.kind == TypeKind::kSet || type.size_bytes == 0 ||
        (!null.is_real && null.integer == 0)) {
        return;
    }
    if (type.length == 1) {
        emit_store(out, context.order, place("at", offset), null_literal(type));
        return;
    }
    if (type.primitive == Primitive::kChar) {
        return;  // a null character array begins with a zero byte
    }
    out.line("for (std::size_t index = 0; index < {}; ++index) {{", type.length);
    emit_store(out,
               context.order,
               fmt::format("at + {} + index * {}", offset, info(type.primitive).size_bytes),
               null_literal(type));
    out.line("}}");
}

void emit_nulls_at(CppWriter& out,
                   const EmitContext& context,
                   const std::vector<Field>& fields,
                   std::uint32_t offset) {
    for (const Field& field : fields) {
        if (!field.on_the_wire()) {
            continue;
        }
        const std::uint32_t at = offset + field.offset;
        if (field.type->kind == TypeKind::kComposite) {
            emit_nulls_at(out, context, field.type->members, at);
        }
        if (field.presence == Presence::kOptional) {
            emit_null_of(out, context, *field.type, at);
        }
    }
}

}  // namespace

void emit_getter(CppWriter& out,
                 const EmitContext& context,
                 const Field& field,
                 const std::string& name,
                 std::uint32_t base) {
    out.comment(field.description);
    if (!field.on_the_wire()) {
        emit_constant(out, context, field, name);
        return;
    }
    const bool optional = returns_optional(field, base);
    const std::string type = value_type(context, field);
    out.line("[[nodiscard]] {} {}() const noexcept {{",
             optional ? fmt::format("std::optional<{}>", type) : type,
             name);
    if (is_versioned(field, base)) {
        out.line("if (version_ < {}) {{", field.effective_since);
        out.line("return std::nullopt;");
        out.line("}}");
    }
    const bool nullable = field.presence == Presence::kOptional;
    if (nullable && field.type->kind == TypeKind::kComposite && can_be_null(*field.type)) {
        out.line("const {} value = {};", type, load_expression(context, field));
        out.line("return value.is_null() ? std::nullopt : std::optional<{}>(value);", type);
    } else {
        out.line("return {};",
                 nullable ? nullable_expression(context, field) : load_expression(context, field));
    }
    out.line("}}");
}

void emit_setter(CppWriter& out,
                 const EmitContext& context,
                 const Field& field,
                 const std::string& name,
                 const std::string& class_name,
                 std::string_view status) {
    if (!field.on_the_wire() || !is_readable(field)) {
        return;
    }
    out.comment(field.description);
    if (field.type->kind == TypeKind::kComposite) {
        const std::string encoder = context.names.of(*field.type) + "Encoder";
        out.line("[[nodiscard]] {} {}() noexcept {{", encoder, name);
        out.line("return {}(block_ == nullptr ? nullptr : block_ + {}, &{});",
                 encoder,
                 field.offset,
                 status);
        out.line("}}");
        return;
    }
    const Setter setter = setter_of(context, field, status);
    out.line("{}& {}({} value) noexcept {{", class_name, name, setter.parameter);
    out.line("if (block_ != nullptr) {{");
    out.line("{}", setter.statement);
    out.line("}}");
    out.line("return *this;");
    out.line("}}");
}

void emit_visit(CppWriter& out, const Field& field, const std::string& name, std::uint32_t base) {
    const std::string call =
        fmt::format("visitor(std::string_view({}), this->{}());", cpp_string(field.name), name);
    if (field.on_the_wire() && is_versioned(field, base)) {
        out.line("if (version_ >= {}) {{", field.effective_since);
        out.line("{}", call);
        out.line("}}");
    } else {
        out.line("{}", call);
    }
}

void emit_meta(CppWriter& out, const Field& field, const std::string& struct_name) {
    const Type& type = *field.type;
    out.line("struct {} {{", struct_name);
    out.line("static constexpr std::string_view kName = {};", cpp_string(field.name));
    out.line("static constexpr std::uint32_t kId = {};", field.id);
    out.line("static constexpr std::uint32_t kSinceVersion = {};", field.effective_since);
    out.line("static constexpr std::uint32_t kDeprecated = {};", field.deprecated);
    out.line("static constexpr std::size_t kOffset = {};", field.offset);
    out.line("static constexpr std::size_t kBytes = {};", field.size_bytes);
    if (type.kind == TypeKind::kSimple || type.kind == TypeKind::kEnum) {
        const std::string_view primitive = cpp_type(type.primitive);
        out.line("static constexpr {} kNull = {};", primitive, null_literal(type));
        out.line("static constexpr {} kMin = {};",
                 primitive,
                 cpp_literal(type.primitive, type.min_value));
        out.line("static constexpr {} kMax = {};",
                 primitive,
                 cpp_literal(type.primitive, type.max_value));
    }
    const std::string& semantic =
        field.semantic_type.empty() ? type.semantic_type : field.semantic_type;
    if (!semantic.empty()) {
        out.line("static constexpr std::string_view kSemanticType = {};", cpp_string(semantic));
    }
    if (!field.time_unit.empty()) {
        out.line("static constexpr std::string_view kEpoch = {};", cpp_string(field.epoch));
        out.line("static constexpr std::string_view kTimeUnit = {};", cpp_string(field.time_unit));
    }
    out.line("}};");
}

void emit_nulls(CppWriter& out, const EmitContext& context, const std::vector<Field>& fields) {
    emit_nulls_at(out, context, fields, 0);
}

}  // namespace tern::codegen
