#pragma once

#include <string>
#include <string_view>

#include "codegen/cpp_writer.hpp"
#include "codegen/model.hpp"
#include "codegen/naming.hpp"

/// The parts of the C++ generator. Each emits one construct; cpp_generator.hpp puts files together.
namespace tern::codegen {

/// What every part of the generator needs.
struct EmitContext {
    const Schema& schema;
    const SchemaNames& names;
    std::string order;  ///< std::endian::little or std::endian::big
};

// cpp_values.cpp: how values, fields and types are written.
[[nodiscard]] std::string cpp_literal(Primitive primitive, const Literal& value);
[[nodiscard]] std::string cpp_string(std::string_view text);
[[nodiscard]] inline std::string_view cpp_type(Primitive primitive) {
    return info(primitive).cpp_name;
}
/// Whether a message can lack the field, for a block that began with version `base`.
[[nodiscard]] inline bool is_versioned(const Field& field, std::uint32_t base) {
    return field.effective_since > base;
}
/// The type a getter returns for a present value.
[[nodiscard]] std::string value_type(const EmitContext& context, const Field& field);
/// Whether reading the field is possible: not so for a varData of length 0 used as a member.
[[nodiscard]] bool is_readable(const Field& field);
/// Whether a composite's first member shows that it is null.
[[nodiscard]] bool can_be_null(const Type& composite);
/// Whether the getter returns an optional.
[[nodiscard]] bool returns_optional(const Field& field, std::uint32_t base);
[[nodiscard]] std::string dimensions_name(const EmitContext& context, const Type& dimension);
[[nodiscard]] std::string codec_name(const EmitContext& context, const Type& var_data);

// cpp_fields.cpp: members of views and encoders.
void emit_getter(CppWriter& out,
                 const EmitContext& context,
                 const Field& field,
                 const std::string& name,
                 std::uint32_t base);
void emit_setter(CppWriter& out,
                 const EmitContext& context,
                 const Field& field,
                 const std::string& name,
                 const std::string& class_name,
                 std::string_view status);
void emit_visit(CppWriter& out, const Field& field, const std::string& name, std::uint32_t base);
void emit_meta(CppWriter& out, const Field& field, const std::string& struct_name);
/// Statements that write the nulls of optional fields to `at`, which is zeroed.
void emit_nulls(CppWriter& out, const EmitContext& context, const std::vector<Field>& fields);

// cpp_types.cpp
void emit_enum(CppWriter& out, const EmitContext& context, const Type& type);
void emit_set(CppWriter& out, const EmitContext& context, const Type& type);
void emit_composite(CppWriter& out, const EmitContext& context, const Type& type);
void emit_schema_info(CppWriter& out, const EmitContext& context);

// cpp_view.cpp, cpp_encoder.cpp
void emit_view(CppWriter& out, const EmitContext& context, const Message& message);
void emit_encoder(CppWriter& out, const EmitContext& context, const Message& message);

}  // namespace tern::codegen
