#include "codegen/generic_decoder.hpp"

#include <algorithm>
#include <tern/sbe/decode.hpp>
#include <tern/sbe/json.hpp>

namespace tern::codegen {
namespace {

using sbe::DecodeStatus;

template <typename T>
T load_ordered(const std::byte* at, std::endian order) {
    return order == std::endian::big ? load<T, std::endian::big>(at)
                                     : load<T, std::endian::little>(at);
}

Literal load_literal(const std::byte* at, Primitive primitive, std::endian order) {
    switch (primitive) {
        case Primitive::kChar:
        case Primitive::kUint8:
            return Literal::of(load<std::uint8_t>(at));
        case Primitive::kInt8:
            return Literal::of(load<std::int8_t>(at));
        case Primitive::kInt16:
            return Literal::of(load_ordered<std::int16_t>(at, order));
        case Primitive::kInt32:
            return Literal::of(load_ordered<std::int32_t>(at, order));
        case Primitive::kInt64:
            return Literal::of(load_ordered<std::int64_t>(at, order));
        case Primitive::kUint16:
            return Literal::of(load_ordered<std::uint16_t>(at, order));
        case Primitive::kUint32:
            return Literal::of(load_ordered<std::uint32_t>(at, order));
        case Primitive::kUint64:
            return Literal::of(load_ordered<std::uint64_t>(at, order));
        case Primitive::kFloat:
            return Literal::of_real(static_cast<double>(load_ordered<float>(at, order)));
        case Primitive::kDouble:
            return Literal::of_real(load_ordered<double>(at, order));
    }
    return {};
}

/// Prints one message while it walks it. Each failure stops the walk; the caller drops the text.
class Printer {
public:
    Printer(const Schema& schema, sbe::WalkCursor cursor, std::string& out)
        : schema_(schema), cursor_(cursor), out_(out) {}

    void print_block(const Block& block, const std::byte* at, std::uint32_t base);
    [[nodiscard]] const sbe::WalkCursor& cursor() const { return cursor_; }

private:
    void name(std::string_view text);
    void print_fields(const std::vector<Field>& fields, const std::byte* at, std::uint32_t base);
    void print_field(const Field& field, const std::byte* at);
    void print_constant(const Field& field);
    void print_simple(const Type& type, const std::byte* at, bool optional);
    void print_scalar(Primitive primitive, const std::byte* at);
    void print_enum(const Type& type, const Literal& value);
    void print_set(const Type& type, const std::byte* at);
    void print_composite(const Type& type, const std::byte* at);
    void print_group(const Group& group);
    void print_data(const Data& data);
    /// Whether an entry has groups or var data in the writer's version.
    bool has_parts_now(const Block& block) const;
    bool is_null(const Type& type, const std::byte* at) const;
    bool can_tell_null(const Type& type) const;

    const Schema& schema_;
    sbe::WalkCursor cursor_;
    std::string& out_;
    bool first_ = true;
};

void Printer::name(std::string_view text) {
    out_ += first_ ? "" : ",";
    first_ = false;
    sbe::json_text(out_, text);
    out_ += ':';
}

void Printer::print_block(const Block& block, const std::byte* at, std::uint32_t base) {
    out_ += '{';
    first_ = true;
    print_fields(block.fields, at, base);
    for (const auto& group : block.groups) {
        if (cursor_.ok() && group->effective_since <= cursor_.version) {
            name(group->name);
            print_group(*group);
        }
    }
    for (const Data& data : block.data) {
        if (cursor_.ok() && data.effective_since <= cursor_.version) {
            name(data.name);
            print_data(data);
        }
    }
    out_ += '}';
    first_ = false;
}

void Printer::print_fields(const std::vector<Field>& fields,
                           const std::byte* at,
                           std::uint32_t base) {
    for (const Field& field : fields) {
        const bool readable = field.type->kind != TypeKind::kSimple || field.type->length > 0;
        const bool absent = field.on_the_wire() && field.effective_since > base &&
                            field.effective_since > cursor_.version;
        if (readable && !absent) {
            name(field.name);
            print_field(field, at + field.offset);
        }
    }
}

void Printer::print_field(const Field& field, const std::byte* at) {
    const Type& type = *field.type;
    const bool optional = field.presence == Presence::kOptional;
    if (!field.on_the_wire()) {
        print_constant(field);
        return;
    }
    switch (type.kind) {
        case TypeKind::kSimple:
            print_simple(type, at, optional);
            return;
        case TypeKind::kSet:
            print_set(type, at);
            return;
        case TypeKind::kEnum:
        case TypeKind::kComposite:
            break;
    }
    if (optional && can_tell_null(type) && is_null(type, at)) {
        out_ += "null";
    } else if (type.kind == TypeKind::kEnum) {
        print_enum(type, load_literal(at, type.primitive, schema_.byte_order));
    } else {
        print_composite(type, at);
    }
}

void Printer::print_constant(const Field& field) {
    const Constant constant = field.constant.value_or(Constant{});
    if (constant.is_text) {
        sbe::json_text(out_, constant.text);
    } else if (field.type->kind == TypeKind::kEnum) {
        print_enum(*field.type, constant.number);
    } else if (field.type->primitive == Primitive::kChar) {
        sbe::json_char(out_, static_cast<char>(constant.number.integer));
    } else if (field.type->primitive == Primitive::kFloat) {
        sbe::json_number(out_, static_cast<float>(constant.number.real));
    } else if (constant.number.is_real) {
        sbe::json_number(out_, constant.number.real);
    } else {
        out_ += constant.number.text();
    }
}

void Printer::print_simple(const Type& type, const std::byte* at, bool optional) {
    if (type.is_char_array()) {
        std::string_view text = as_text(Bytes(at, type.length));
        text = text.substr(0, text.find('\0'));
        if (optional && text.empty()) {
            out_ += "null";
        } else {
            sbe::json_text(out_, text);
        }
        return;
    }
    if (type.length == 1) {
        if (optional && is_null(type, at)) {
            out_ += "null";
        } else {
            print_scalar(type.primitive, at);
        }
        return;
    }
    out_ += '[';
    for (std::uint32_t index = 0; index < type.length; ++index) {
        out_ += index == 0 ? "" : ",";
        print_scalar(type.primitive, at + index * info(type.primitive).size_bytes);
    }
    out_ += ']';
}

void Printer::print_scalar(Primitive primitive, const std::byte* at) {
    const Literal value = load_literal(at, primitive, schema_.byte_order);
    if (primitive == Primitive::kChar) {
        sbe::json_char(out_, static_cast<char>(value.integer));
    } else if (primitive == Primitive::kFloat) {
        sbe::json_number(out_, static_cast<float>(value.real));
    } else if (value.is_real) {
        sbe::json_number(out_, value.real);
    } else {
        out_ += value.text();
    }
}

void Printer::print_enum(const Type& type, const Literal& value) {
    for (const EnumMember& named : type.values) {
        if (named.value.same_as(value)) {
            sbe::json_text(out_, named.name);
            return;
        }
    }
    out_ += value.text();
}

void Printer::print_set(const Type& type, const std::byte* at) {
    const Literal raw = load_literal(at, type.primitive, schema_.byte_order);
    out_ += '{';
    std::string_view separator;
    for (const EnumMember& choice : type.values) {
        out_ += separator;
        sbe::json_text(out_, choice.name);
        const auto bit = static_cast<unsigned>(choice.value.integer);
        out_ += ((raw.integer >> bit) & 1) != 0 ? ":true" : ":false";
        separator = ",";
    }
    out_ += '}';
}

void Printer::print_composite(const Type& type, const std::byte* at) {
    out_ += '{';
    first_ = true;
    print_fields(type.members, at, type.since_version);
    out_ += '}';
    first_ = false;
}

bool Printer::can_tell_null(const Type& type) const {
    if (type.kind != TypeKind::kComposite) {
        return type.kind == TypeKind::kEnum ||
               (type.kind == TypeKind::kSimple && (type.length == 1 || type.is_char_array()));
    }
    const auto first = std::find_if(type.members.begin(),
                                    type.members.end(),
                                    [](const Field& member) { return member.on_the_wire(); });
    return first != type.members.end() && can_tell_null(*first->type);
}

bool Printer::is_null(const Type& type, const std::byte* at) const {
    if (type.kind == TypeKind::kComposite) {
        const auto first = std::find_if(type.members.begin(),
                                        type.members.end(),
                                        [](const Field& member) { return member.on_the_wire(); });
        return is_null(*first->type, at + first->offset);
    }
    if (type.is_char_array()) {
        return *at == std::byte{0};
    }
    return load_literal(at, type.primitive, schema_.byte_order).same_as(type.null_value);
}

bool Printer::has_parts_now(const Block& block) const {
    const auto is_known = [this](std::uint32_t since) { return since <= cursor_.version; };
    return std::any_of(block.groups.begin(),
                       block.groups.end(),
                       [&](const auto& group) { return is_known(group->effective_since); }) ||
           std::any_of(block.data.begin(), block.data.end(), [&](const Data& data) {
               return is_known(data.effective_since);
           });
}

void Printer::print_group(const Group& group) {
    const Type& dimension = *group.dimension;
    if (cursor_.left() < dimension.size_bytes) {
        cursor_.fail(DecodeStatus::kBufferTooShort);
        return;
    }
    const auto read = [&](const char* member) {
        const Field& field = *dimension.member(member);
        const Literal value =
            load_literal(cursor_.at + field.offset, field.type->primitive, schema_.byte_order);
        return static_cast<std::uint64_t>(value.integer);
    };
    const std::uint64_t block_length = read("blockLength");
    const std::uint64_t count = read("numInGroup");
    if (count < min_count(dimension, "numInGroup") || count > max_count(dimension, "numInGroup")) {
        cursor_.fail(DecodeStatus::kCountOutOfRange);
        return;
    }
    cursor_.at += dimension.size_bytes;
    out_ += '[';
    if (count != 0 && block_length < group.min_block_length(cursor_.version)) {
        cursor_.fail(DecodeStatus::kBlockTooShort);
    } else if (count * block_length > cursor_.left()) {
        cursor_.fail(DecodeStatus::kBufferTooShort);
    } else if (block_length == 0 && count > sbe::kMaxEmptyEntries && !has_parts_now(group)) {
        cursor_.fail(DecodeStatus::kCountOutOfRange);
    }
    for (std::uint64_t entry = 0; entry < count && cursor_.ok(); ++entry) {
        if (cursor_.left() < block_length) {
            cursor_.fail(DecodeStatus::kBufferTooShort);
            return;
        }
        out_ += entry == 0 ? "" : ",";
        const std::byte* block = cursor_.at;
        cursor_.at += block_length;
        print_block(group, block, group.effective_since);
    }
    out_ += ']';
}

void Printer::print_data(const Data& data) {
    const std::uint32_t header_bytes = data.header_bytes();
    if (cursor_.left() < header_bytes) {
        cursor_.fail(DecodeStatus::kBufferTooShort);
        return;
    }
    const Field& length_field = data.length_member();
    const Literal value = load_literal(
        cursor_.at + length_field.offset, length_field.type->primitive, schema_.byte_order);
    const auto length = static_cast<std::uint64_t>(value.integer);
    if (length > data.max_length()) {
        cursor_.fail(DecodeStatus::kLengthOutOfRange);
        return;
    }
    if (length > cursor_.left() - header_bytes) {
        cursor_.fail(DecodeStatus::kBufferTooShort);
        return;
    }
    const Bytes bytes(cursor_.at + header_bytes, static_cast<std::size_t>(length));
    cursor_.at += header_bytes + bytes.size();
    if (data.is_text()) {
        sbe::json_text(out_, as_text(bytes));
    } else {
        sbe::json_hex(out_, bytes);
    }
}

std::uint32_t header_member(const Schema& schema, const std::byte* at, const char* member) {
    const Field& field = *schema.header->member(member);
    const Literal value =
        field.on_the_wire()
            ? load_literal(at + field.offset, field.type->primitive, schema.byte_order)
        : std::string_view(member) == "schemaId" ? Literal::of(schema.id)
        : field.constant                         ? field.constant->number
                                                 : Literal{};
    return static_cast<std::uint32_t>(value.integer);
}

}  // namespace

GenericResult print_message(const Schema& schema, Bytes bytes, std::string& out) {
    const std::size_t header_bytes = schema.header->size_bytes;
    if (bytes.size() < header_bytes) {
        return {DecodeStatus::kBufferTooShort, nullptr, 0};
    }
    if (header_member(schema, bytes.data(), "schemaId") != schema.id) {
        return {DecodeStatus::kSchemaMismatch, nullptr, 0};
    }
    const Message* message = schema.message(header_member(schema, bytes.data(), "templateId"));
    if (message == nullptr) {
        return {DecodeStatus::kTemplateMismatch, nullptr, 0};
    }
    const std::uint32_t version = header_member(schema, bytes.data(), "version");
    const std::uint32_t block_length = header_member(schema, bytes.data(), "blockLength");
    if (block_length < message->min_block_length(version)) {
        return {DecodeStatus::kBlockTooShort, message, 0};
    }
    if (block_length > bytes.size() - header_bytes) {
        return {DecodeStatus::kBufferTooShort, message, 0};
    }
    const std::byte* block = bytes.data() + header_bytes;
    const std::size_t size_before = out.size();
    Printer printer(schema,
                    {block + block_length, bytes.data() + bytes.size(), version, DecodeStatus::kOk},
                    out);
    printer.print_block(*message, block, 0);
    if (!printer.cursor().ok()) {
        out.resize(size_before);
        return {printer.cursor().status, message, 0};
    }
    return {
        DecodeStatus::kOk, message, static_cast<std::size_t>(printer.cursor().at - bytes.data())};
}

}  // namespace tern::codegen
