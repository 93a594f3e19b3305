#include <fmt/format.h>

#include <algorithm>

#include "codegen/reader.hpp"

namespace tern::codegen {
namespace {

constexpr std::uint32_t kMaxId = 65'535;  // SBE ids are uint16
constexpr const char* kHeaderMembers[] = {"blockLength", "templateId", "schemaId", "version"};
constexpr std::uint32_t kMaxHeaderMemberBytes = 4;

enum class Part { kField, kGroup, kData };

std::string_view word_for(Part part) {
    constexpr std::string_view kWords[] = {"field", "group", "data"};
    return kWords[static_cast<std::size_t>(part)];
}

std::optional<Part> part_named(std::string_view name) {
    for (const Part part : {Part::kField, Part::kGroup, Part::kData}) {
        if (word_for(part) == name) {
            return part;
        }
    }
    return std::nullopt;
}

}  // namespace

void Reader::check_header(const Element& root) {
    const std::string name =
        root.has("headerType") ? std::string(root.attribute("headerType")) : "messageHeader";
    const auto slot = slots_.find(name);
    if (slot == slots_.end() || slot->second.type == nullptr ||
        slot->second.type->kind != TypeKind::kComposite) {
        fail(root, "header-missing", fmt::format("there is no composite {} for the header", name));
        return;
    }
    const Type& header = *slot->second.type;
    const Element& element = slot->second.element;
    bool complete = true;
    for (const char* member : kHeaderMembers) {
        const Field* field = header.member(member);
        if (field == nullptr) {
            fail(element, "header-member", fmt::format("the header {} has no {}", name, member));
            complete = false;
        } else if (field->type->kind != TypeKind::kSimple || field->type->length != 1 ||
                   !is_unsigned(field->type->primitive) ||
                   info(field->type->primitive).size_bytes > kMaxHeaderMemberBytes ||
                   field->presence == Presence::kOptional) {
            fail(element,
                 "header-member",
                 fmt::format("{} is not an unsigned integer of at most 32 bits", member));
            complete = false;
        }
    }
    if (header.has_younger_members()) {
        fail(element, "header-member", "the header's layout cannot change with the version");
    }
    if (complete) {
        schema_.header = &header;
        check_fits(root, header, "schemaId", schema_.id, "schema id");
        check_fits(root, header, "version", schema_.version, "schema version");
    }
}

void Reader::check_fits(const Element& element,
                        const Type& composite,
                        const char* member,
                        std::uint64_t value,
                        std::string_view what) {
    const Field& field = *composite.member(member);
    const auto most = static_cast<std::uint64_t>(largest(field.type->primitive).integer);
    if (field.on_the_wire() && value > most) {
        fail(element,
             "too-wide",
             fmt::format("{} {} does not fit {}.{}, a {}",
                         what,
                         value,
                         composite.name,
                         member,
                         info(field.type->primitive).schema_name));
    }
}

void Reader::read_message(const Element& element) {
    auto message = std::make_unique<Message>();
    read_named(element, *message);
    if (!element.has("id")) {
        fail(element, "missing-attribute", "has no id");
    }
    message->id = number_attribute(element, "id", 0, kMaxId);
    for (const auto& other : schema_.messages) {
        if (other->id == message->id) {
            fail(element,
                 "duplicate-message-id",
                 fmt::format("id {} is message {}'s, line {}",
                             message->id,
                             other->name,
                             other->location.line));
        }
        if (other->name == message->name) {
            fail(element,
                 "duplicate-message-name",
                 fmt::format("name {} is used at line {}", message->name, other->location.line));
        }
    }
    read_block(element, *message, 0);
    if (schema_.header != nullptr) {
        check_fits(element, *schema_.header, "templateId", message->id, "message id");
        check_fits(element, *schema_.header, "blockLength", message->block_length, "block length");
    }
    schema_.messages.push_back(std::move(message));
}

void Reader::read_block(const Element& element, Block& block, std::uint32_t depth) {
    if (depth >= kMaxNesting) {
        fail(element, "limit", fmt::format("groups nested deeper than {}", kMaxNesting));
        return;
    }
    std::set<std::string, std::less<>> names;
    std::set<std::string, std::less<>> ids;
    BlockEnd end;
    Part reached = Part::kField;
    for (const Element& child : source_.children_with_includes(element)) {
        const std::optional<Part> part = part_named(child.local_name());
        if (!part) {
            fail(child,
                 "unknown-element",
                 fmt::format("<{}> is not a field, group or data", child.local_name()));
            continue;
        }
        if (*part < reached) {
            fail(child,
                 "element-order",
                 fmt::format("a {} cannot follow a {}: fields, then groups, then data",
                             word_for(*part),
                             word_for(reached)));
            continue;
        }
        reached = *part;
        if (!names.insert(std::string(child.attribute("name"))).second) {
            fail(child,
                 "duplicate-field-name",
                 fmt::format("{} is used twice at this level", child.attribute("name")));
        }
        if (!child.has("id")) {
            fail(child, "missing-attribute", "has no id");
        } else if (!ids.insert(std::string(trimmed(child.attribute("id")))).second) {
            fail(child,
                 "duplicate-field-id",
                 fmt::format("id {} is used twice at this level", child.attribute("id")));
        }
        switch (*part) {
            case Part::kField:
                read_field(child, block, end);
                break;
            case Part::kGroup:
                read_group(child, block, depth);
                break;
            case Part::kData:
                read_data(child, block);
                break;
        }
    }
    close_block(element, block, end);
}

void Reader::close_block(const Element& element, Block& block, const BlockEnd& end) {
    constexpr auto kMost = static_cast<std::uint32_t>(kMaxBlockBytes);
    const auto fields_end = static_cast<std::uint32_t>(std::min(end.bytes, kMaxBlockBytes));
    block.block_length = number_attribute(element, "blockLength", fields_end, kMost);
    if (block.block_length < end.bytes) {
        fail(element,
             "block-length-too-small",
             fmt::format("blockLength {} is less than the {} bytes of its fields",
                         block.block_length,
                         end.bytes));
        block.block_length = fields_end;
    }
}

void Reader::check_since_order(const Element& element, Versions since, Versions& latest) {
    // A type's sinceVersion alone does not misplace a field: public schemas use young types early.
    if (since.declared < latest.declared && since.effective < latest.effective) {
        fail(element,
             "since-order",
             fmt::format("is of version {} but follows one of version {}: additions go to the end",
                         since.declared,
                         latest.declared));
    }
    latest.declared = std::max(latest.declared, since.declared);
    latest.effective = std::max(latest.effective, since.effective);
}

void Reader::read_field(const Element& element, Block& block, BlockEnd& end) {
    Field field;
    read_named(element, field);
    field.id = number_attribute(element, "id", 0, kMaxId);
    field.epoch = element.has("epoch") ? element.attribute("epoch") : "unix";
    field.time_unit = element.attribute("timeUnit");
    if (!element.has("type")) {
        fail(element, "missing-attribute", "has no type");
        return;
    }
    field.type = resolve(element.attribute("type"), element);
    if (field.type == nullptr) {
        return;
    }
    if (!field.semantic_type.empty() && !field.type->semantic_type.empty() &&
        field.semantic_type != field.type->semantic_type) {
        fail(element,
             "semantic-type",
             fmt::format("semanticType \"{}\" differs from \"{}\" of type {}",
                         field.semantic_type,
                         field.type->semantic_type,
                         field.type->name));
    }
    field.effective_since = std::max(field.since_version, field.type->since_version);
    resolve_presence(element, field);
    place_field(element, field, end);
    check_since_order(element, {field.since_version, field.effective_since}, end.latest);
    block.fields.push_back(std::move(field));
}

void Reader::resolve_presence(const Element& element, Field& field) {
    const Type& type = *field.type;
    const bool has_presence = type.kind == TypeKind::kSimple || type.kind == TypeKind::kEnum;
    field.presence = read_presence(element, has_presence ? type.presence : Presence::kRequired);
    if (has_presence && type.presence == Presence::kConstant) {
        field.presence = Presence::kConstant;
    }
    if (field.presence != Presence::kConstant) {
        return;
    }
    if (element.has("valueRef")) {
        field.constant = resolve_value_ref(element, element.attribute("valueRef"), type);
    } else if (type.constant) {
        field.constant = type.constant;
    } else if (type.kind == TypeKind::kEnum) {
        fail(element, "value-ref", "a constant of an enum needs a valueRef");
    } else {
        fail(element, "constant-value", "presence is constant but there is no value");
    }
}

void Reader::place_field(const Element& element, Field& field, BlockEnd& end) {
    constexpr auto kMost = static_cast<std::uint32_t>(kMaxBlockBytes);
    const auto at = static_cast<std::uint32_t>(end.bytes);
    field.offset = number_attribute(element, "offset", at, kMost);
    if (!field.on_the_wire()) {
        field.offset = at;
        return;
    }
    if (field.offset < at) {
        fail(element,
             "offset-too-small",
             fmt::format(
                 "offset {} lies before {}, where the field before it ends", field.offset, at));
        field.offset = at;
    }
    field.size_bytes = field.type->size_bytes;
    if (std::uint64_t{field.offset} + field.size_bytes > kMaxBlockBytes) {
        fail(element, "limit", fmt::format("the block has more than {} bytes", kMaxBlockBytes));
        field.offset = 0;
        return;
    }
    end.bytes = field.offset + field.size_bytes;
}

void Reader::read_group(const Element& element, Block& block, std::uint32_t depth) {
    auto group = std::make_unique<Group>();
    read_named(element, *group);
    group->id = number_attribute(element, "id", 0, kMaxId);
    const std::string_view name =
        element.has("dimensionType") ? element.attribute("dimensionType") : "groupSizeEncoding";
    const Type* dimension = resolve(name, element);
    read_block(element, *group, depth + 1);
    if (dimension == nullptr || !check_dimension(element, *dimension)) {
        return;
    }
    group->dimension = dimension;
    group->effective_since = std::max(group->since_version, dimension->since_version);
    check_fits(element, *dimension, "blockLength", group->block_length, "block length");
    Versions latest;
    if (!block.groups.empty()) {
        latest = {block.groups.back()->since_version, block.groups.back()->effective_since};
    }
    check_since_order(element, {group->since_version, group->effective_since}, latest);
    block.groups.push_back(std::move(group));
}

bool Reader::check_unsigned_member(const Element& element,
                                   const Type& type,
                                   const char* member,
                                   const char* rule) {
    const Field* field = type.kind == TypeKind::kComposite ? type.member(member) : nullptr;
    if (field == nullptr) {
        fail(element,
             rule,
             fmt::format("{} is not a composite with a member {}", type.name, member));
        return false;
    }
    if (field->type->kind != TypeKind::kSimple || field->type->length != 1 ||
        !is_unsigned(field->type->primitive) || field->presence != Presence::kRequired) {
        fail(element,
             rule,
             fmt::format("{}.{} is not a required unsigned integer", type.name, member));
        return false;
    }
    return true;
}

void Reader::check_count_bound(const Element& element, const Type& type, const char* member) {
    const Type& counter = *type.member(member)->type;
    if (info(counter.primitive).size_bytes >= 4 && max_count(type, member) > kMaxCount32) {
        fail(element,
             "count-max",
             fmt::format("{}.{} is a {} and needs a maxValue of at most {}",
                         type.name,
                         member,
                         info(counter.primitive).schema_name,
                         kMaxCount32));
    }
}

bool Reader::check_dimension(const Element& element, const Type& type) {
    const bool usable = check_unsigned_member(element, type, "blockLength", "dimension-type") &&
                        check_unsigned_member(element, type, "numInGroup", "dimension-type");
    if (!usable) {
        return false;
    }
    if (info(type.member("blockLength")->type->primitive).size_bytes > kMaxHeaderMemberBytes) {
        fail(element,
             "dimension-type",
             fmt::format("{}.blockLength is wider than 32 bits", type.name));
        return false;
    }
    if (type.has_younger_members()) {
        fail(element, "dimension-type", "the dimensions' layout cannot change with the version");
    }
    check_count_bound(element, type, "numInGroup");
    return true;
}

bool Reader::check_var_data(const Element& element, const Type& type) {
    if (!check_unsigned_member(element, type, "length", "var-data-type")) {
        return false;
    }
    const Field* bytes = type.member("varData");
    if (bytes == nullptr || bytes->type->kind != TypeKind::kSimple || bytes->type->size_bytes > 1 ||
        info(bytes->type->primitive).size_bytes != 1) {
        fail(element,
             "var-data-type",
             fmt::format("{} has no varData of a type of one byte", type.name));
        return false;
    }
    if (bytes->presence != Presence::kRequired || bytes != &type.members.back()) {
        fail(element,
             "var-data-type",
             fmt::format("{}.varData is not required, or not the last member", type.name));
        return false;
    }
    check_count_bound(element, type, "length");
    return true;
}

void Reader::read_data(const Element& element, Block& block) {
    Data data;
    read_named(element, data);
    data.id = number_attribute(element, "id", 0, kMaxId);
    const Type* type = resolve(element.attribute("type"), element);
    if (type == nullptr || !check_var_data(element, *type)) {
        return;
    }
    if (element.attribute("presence") == "optional") {
        fail(element, "var-data-type", "var data cannot be optional: absent is length 0");
    }
    data.type = type;
    data.effective_since = std::max(data.since_version, type->since_version);
    Versions latest;
    if (!block.data.empty()) {
        latest = {block.data.back().since_version, block.data.back().effective_since};
    }
    check_since_order(element, {data.since_version, data.effective_since}, latest);
    block.data.push_back(std::move(data));
}

}  // namespace tern::codegen
