#include <fmt/format.h>

#include <cmath>

#include "codegen/cpp_emit.hpp"

namespace tern::codegen {
namespace {

std::string real_literal(Primitive primitive, double value) {
    const std::string type(cpp_type(primitive));
    if (std::isnan(value)) {
        return fmt::format("std::numeric_limits<{}>::quiet_NaN()", type);
    }
    if (std::isinf(value)) {
        return fmt::format("{}std::numeric_limits<{}>::infinity()", value < 0 ? "-" : "", type);
    }
    return fmt::format("static_cast<{}>({})", type, fmt::format("{:#.17g}", value));
}

}  // namespace

std::string cpp_literal(Primitive primitive, const Literal& value) {
    if (value.is_real) {
        return real_literal(primitive, value.real);
    }
    if (value.same_as(smallest(Primitive::kInt64))) {
        return "(-9223372036854775807LL - 1)";
    }
    const std::string_view suffix = primitive == Primitive::kUint64   ? "ULL"
                                    : primitive == Primitive::kInt64  ? "LL"
                                    : primitive == Primitive::kUint32 ? "U"
                                                                      : "";
    if (info(primitive).size_bytes < 4) {
        return fmt::format("static_cast<{}>({})", cpp_type(primitive), value.text());
    }
    if (value.same_as(smallest(Primitive::kInt32))) {
        return "(-2147483647 - 1)";
    }
    return value.text() + std::string(suffix);
}

std::string cpp_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20 || byte >= 0x7f || c == '?') {
            quoted += fmt::format("\\{:03o}", byte);
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

bool is_readable(const Field& field) {
    return field.type->kind != TypeKind::kSimple || field.type->length > 0;
}

bool can_be_null(const Type& composite) {
    for (const Field& member : composite.members) {
        if (!member.on_the_wire()) {
            continue;
        }
        const Type& type = *member.type;
        switch (type.kind) {
            case TypeKind::kSimple:
                return type.length == 1 || type.is_char_array();
            case TypeKind::kEnum:
                return true;
            case TypeKind::kSet:
                return false;
            case TypeKind::kComposite:
                return can_be_null(type);
        }
    }
    return false;
}

std::string value_type(const EmitContext& context, const Field& field) {
    const Type& type = *field.type;
    switch (type.kind) {
        case TypeKind::kEnum:
            return fmt::format("tern::sbe::EnumValue<{}>", context.names.of(type));
        case TypeKind::kSet:
            return context.names.of(type);
        case TypeKind::kComposite:
            return context.names.of(type) + "View";
        case TypeKind::kSimple:
            break;
    }
    if (field.constant) {
        return field.constant->is_text ? "std::string_view" : std::string(cpp_type(type.primitive));
    }
    if (type.is_char_array()) {
        return "std::string_view";
    }
    if (type.length > 1) {
        return fmt::format("tern::sbe::EndianSpan<{}, {}, {}>",
                           cpp_type(type.primitive),
                           type.length,
                           context.order);
    }
    return std::string(cpp_type(type.primitive));
}

bool returns_optional(const Field& field, std::uint32_t base) {
    if (!field.on_the_wire()) {
        return false;
    }
    const Type& type = *field.type;
    const bool has_null =
        type.kind == TypeKind::kEnum ||
        (type.kind == TypeKind::kSimple && (type.length == 1 || type.is_char_array())) ||
        (type.kind == TypeKind::kComposite && can_be_null(type));
    return is_versioned(field, base) || (field.presence == Presence::kOptional && has_null);
}

std::string dimensions_name(const EmitContext& context, const Type& dimension) {
    return context.names.of(dimension) + "Dimensions";
}

std::string codec_name(const EmitContext& context, const Type& var_data) {
    return context.names.of(var_data) + "Codec";
}

}  // namespace tern::codegen
