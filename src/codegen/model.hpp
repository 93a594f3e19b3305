#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/primitive.hpp"

/// A schema after reading: types resolved, offsets and lengths known, every rule checked.
namespace tern::codegen {

/// Where an element stands, for messages about it.
struct Location {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string element_path;
};

enum class Presence : std::uint8_t { kRequired, kOptional, kConstant };

struct Type;

/// What every named element of a schema has.
struct Named {
    std::string name;
    std::string description;
    std::string semantic_type;
    std::uint32_t since_version = 0;
    std::uint32_t deprecated = 0;  ///< version from which it is deprecated; 0 never
    Location location;
};

/// A constant's value: a number, text, or a named value of an enum.
struct Constant {
    Literal number;
    std::string text;
    bool is_text = false;
    const Type* enum_type = nullptr;  ///< when the value came from a valueRef
    std::string enum_value;
};

/// A named value of an enum, or a choice of a set (then `value` is the bit).
struct EnumMember : Named {
    Literal value;
};

/// A member of a composite, or a field of a block: a name, a place and a type.
struct Field : Named {
    std::uint32_t id = 0;
    const Type* type = nullptr;
    Presence presence = Presence::kRequired;
    std::uint32_t offset = 0;
    std::uint32_t size_bytes = 0;  ///< 0 for constants
    std::string epoch;
    std::string time_unit;
    std::optional<Constant> constant;
    /// The version that first carries the field: its own and its type's, whichever is later.
    std::uint32_t effective_since = 0;

    [[nodiscard]] bool on_the_wire() const noexcept { return presence != Presence::kConstant; }
};

enum class TypeKind : std::uint8_t { kSimple, kEnum, kSet, kComposite };

/// A type: simple (a primitive or an array of it), enum, set or composite.
struct Type : Named {
    TypeKind kind = TypeKind::kSimple;
    std::string package;  ///< of its <types> element, when that has one
    bool is_builtin = false;
    /// The composite that this type is written in; null for a type of its own.
    const Type* enclosing = nullptr;

    // Simple, enum and set.
    Primitive primitive = Primitive::kUint8;
    std::uint32_t length = 1;
    Presence presence = Presence::kRequired;
    Literal null_value;
    Literal min_value;
    Literal max_value;
    bool has_max = false;
    std::string character_encoding;
    std::optional<Constant> constant;

    std::vector<EnumMember> values;  ///< of an enum or set, in schema order
    std::vector<Field> members;      ///< of a composite, in wire order

    std::uint32_t size_bytes = 0;
    std::uint32_t flat_member_count =
        1;  ///< members at all depths; bounds the work of walking them

    [[nodiscard]] bool is_char_array() const noexcept {
        return kind == TypeKind::kSimple && primitive == Primitive::kChar && length > 1;
    }
    [[nodiscard]] const Field* member(std::string_view member_name) const noexcept;
    [[nodiscard]] const EnumMember* value(std::string_view value_name) const noexcept;
    /// End of the last member that version `version` of the schema knows; the size for other kinds.
    [[nodiscard]] std::uint32_t size_at_version(std::uint32_t version) const noexcept;
    /// Whether a member, at any depth, is younger than the composite itself.
    [[nodiscard]] bool has_younger_members() const noexcept;
};

/// Var data: a length and that many bytes.
struct Data : Named {
    std::uint32_t id = 0;
    const Type* type = nullptr;
    std::uint32_t effective_since = 0;

    [[nodiscard]] const Field& length_member() const noexcept { return *type->member("length"); }
    [[nodiscard]] const Field& bytes_member() const noexcept { return *type->member("varData"); }
    [[nodiscard]] std::uint64_t max_length() const noexcept;
    [[nodiscard]] std::uint32_t header_bytes() const noexcept { return bytes_member().offset; }
    /// Whether the bytes are characters.
    [[nodiscard]] bool is_text() const noexcept;
};

struct Group;

/// A fixed block, then groups, then var data: a message's root or a group's entry.
struct Block : Named {
    std::uint32_t id = 0;
    std::uint32_t block_length = 0;
    std::vector<Field> fields;
    std::vector<std::unique_ptr<Group>> groups;
    std::vector<Data> data;

    /// The least block length that a reader of this schema accepts from a writer of `version`.
    [[nodiscard]] std::uint32_t min_block_length(std::uint32_t version) const noexcept;
    /// Versions at which min_block_length grows, ascending, without 0.
    [[nodiscard]] std::vector<std::uint32_t> growth_versions() const;
    [[nodiscard]] bool has_parts() const noexcept { return !groups.empty() || !data.empty(); }
};

struct Group : Block {
    const Type* dimension = nullptr;
    std::uint32_t effective_since = 0;
};

struct Message : Block {};

/// An element of a foreign namespace directly under messageSchema, kept for whoever understands it.
struct Extension {
    std::string namespace_uri;
    std::string local_name;
    std::string xml;
    Location location;
};

struct Schema {
    std::string package;
    std::uint32_t id = 0;
    std::uint32_t version = 0;
    std::string semantic_version;
    std::string description;
    std::endian byte_order = std::endian::little;
    const Type* header = nullptr;
    std::vector<std::unique_ptr<Type>> types;  ///< every type, those inside composites included
    std::vector<const Type*> top_level_types;  ///< in schema order
    std::vector<std::unique_ptr<Message>> messages;
    std::vector<Extension> extensions;
    Location location;

    [[nodiscard]] const Message* message(std::uint32_t template_id) const noexcept;
    [[nodiscard]] const Type* type_named(std::string_view type_name) const noexcept;
};

/// The last value of a composite's unsigned member that is not its null: a count's or length's
/// bound.
[[nodiscard]] std::uint64_t max_count(const Type& composite, std::string_view member) noexcept;
/// The declared minimum of an unsigned member.
[[nodiscard]] std::uint64_t min_count(const Type& composite, std::string_view member) noexcept;

}  // namespace tern::codegen
