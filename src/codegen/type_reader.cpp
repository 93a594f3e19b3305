#include <fmt/format.h>

#include <algorithm>

#include "codegen/reader.hpp"

namespace tern::codegen {
namespace {

constexpr std::size_t kMaxNameCharacters = 64;  // SBE 1.0, symbolic names
constexpr std::string_view kBlanks = " \t\r\n";

Presence presence_of(const Type& type) {
    return type.kind == TypeKind::kSimple || type.kind == TypeKind::kEnum ? type.presence
                                                                          : Presence::kRequired;
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_valid_name(std::string_view name) noexcept {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && name.size() <= kMaxNameCharacters && is_letter(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9');
           });
}

std::uint32_t Reader::number_attribute(const Element& element,
                                       const char* name,
                                       std::uint32_t fallback,
                                       std::uint32_t most) {
    if (!element.has(name)) {
        return fallback;
    }
    const std::string_view text = trimmed(element.attribute(name));
    const std::optional<WideInteger> value = parse_integer(text);
    if (!value || *value < 0 || *value > most) {
        fail(element,
             "bad-attribute",
             fmt::format("{}=\"{}\" is not a number from 0 to {}", name, text, most));
        return fallback;
    }
    return static_cast<std::uint32_t>(*value);
}

void Reader::read_named(const Element& element, Named& named) {
    named.location = source_.locate(element);
    named.name = element.attribute("name");
    named.description = element.attribute("description");
    named.semantic_type = element.attribute("semanticType");
    if (!element.has("name")) {
        fail(element, "missing-attribute", "has no name");
    } else if (!is_valid_name(named.name)) {
        fail(element,
             "invalid-name",
             fmt::format("\"{}\" is not 1 to 64 letters, digits and _ beginning with no digit",
                         named.name.substr(0, kMaxNameCharacters)));
    }
    constexpr std::uint32_t kMaxVersion = 0xffff'fffe;
    named.since_version = number_attribute(element, "sinceVersion", 0, kMaxVersion);
    named.deprecated = number_attribute(element, "deprecated", 0, kMaxVersion);
    if (named.since_version > schema_.version) {
        fail(element,
             "since-version",
             fmt::format("sinceVersion {} is above the schema's version {}",
                         named.since_version,
                         schema_.version));
    }
}

Presence Reader::read_presence(const Element& element, Presence fallback) {
    const std::string_view text = element.attribute("presence");
    if (!element.has("presence")) {
        return fallback;
    }
    if (text == "required") {
        return Presence::kRequired;
    }
    if (text == "optional") {
        return Presence::kOptional;
    }
    if (text != "constant") {
        fail(element,
             "bad-attribute",
             fmt::format("presence=\"{}\" is not required, optional or constant", text));
    }
    return Presence::kConstant;
}

std::string Reader::read_text(const Element& element, Primitive primitive) {
    const std::string raw = element.text();
    const std::string_view text = trimmed(raw);
    return std::string(text.empty() && primitive == Primitive::kChar && raw.size() == 1 ? raw
                                                                                        : text);
}

void Reader::collect_types(const Element& types) {
    for (const Element& element : source_.children_with_includes(types)) {
        const std::string_view kind = element.local_name();
        if (kind != "type" && kind != "composite" && kind != "enum" && kind != "set") {
            fail(element,
                 "unknown-element",
                 fmt::format("<{}> is not a type, composite, enum or set", kind));
            continue;
        }
        const std::string name(element.attribute("name"));
        const auto [slot, is_new] = slots_.try_emplace(
            name,
            TypeSlot{
                element, std::string(types.attribute("package")), SlotState::kUnread, nullptr});
        if (!is_new) {
            const Location first = source_.locate(slot->second.element);
            fail(element,
                 "duplicate-type",
                 fmt::format("type {} is already defined at {}:{}", name, first.file, first.line));
            continue;
        }
        slot_order_.push_back(&slot->second);
    }
}

void Reader::read_types() {
    for (TypeSlot* slot : slot_order_) {
        schema_.top_level_types.push_back(resolve(slot->element.attribute("name"), slot->element));
    }
    std::erase(schema_.top_level_types, nullptr);
}

const Type* Reader::builtin(Primitive primitive) {
    const Type*& known = builtins_[primitive];
    if (known == nullptr) {
        auto type = std::make_unique<Type>();
        type->name = info(primitive).schema_name;
        type->is_builtin = true;
        type->primitive = primitive;
        type->null_value = default_null(primitive);
        type->min_value = default_min(primitive);
        type->max_value = default_max(primitive);
        type->size_bytes = info(primitive).size_bytes;
        known = type.get();
        schema_.types.push_back(std::move(type));
    }
    return known;
}

const Type* Reader::resolve(std::string_view name, const Element& user) {
    const auto found = slots_.find(name);
    if (found == slots_.end()) {
        if (const std::optional<Primitive> primitive = primitive_named(name)) {
            return builtin(*primitive);
        }
        fail(user, "unknown-type", fmt::format("type \"{}\" is not defined", name.substr(0, 64)));
        return nullptr;
    }
    TypeSlot& slot = found->second;
    if (slot.state == SlotState::kReading) {
        fail(user, "cyclic-type", fmt::format("type {} contains itself", name));
        return nullptr;
    }
    if (slot.state == SlotState::kUnread) {
        if (resolve_depth_ >= kMaxNesting) {
            fail(user, "limit", fmt::format("types nested deeper than {}", kMaxNesting));
            return nullptr;
        }
        ++resolve_depth_;
        slot.state = SlotState::kReading;
        slot.type = read_type_element(slot.element, nullptr, 0);
        slot.type->package = slot.package;
        slot.state = SlotState::kRead;
        --resolve_depth_;
    }
    return slot.type;
}

Type* Reader::read_type_element(const Element& element, Type* enclosing, std::uint32_t depth) {
    Type& type = *schema_.types.emplace_back(std::make_unique<Type>());
    type.enclosing = enclosing;
    read_named(element, type);
    const std::string_view kind = element.local_name();
    if (kind == "type") {
        read_simple(element, type);
    } else if (kind == "enum") {
        type.kind = TypeKind::kEnum;
        read_enum(element, type);
    } else if (kind == "set") {
        type.kind = TypeKind::kSet;
        read_set(element, type);
    } else {
        type.kind = TypeKind::kComposite;
        read_composite(element, type, depth);
    }
    return &type;
}

void Reader::read_simple(const Element& element, Type& type) {
    const std::string_view name = element.attribute("primitiveType");
    const std::optional<Primitive> primitive = primitive_named(name);
    if (!primitive) {
        fail(element,
             element.has("primitiveType") ? "unknown-primitive" : "missing-attribute",
             fmt::format("primitiveType=\"{}\" is not a primitive type", name));
    }
    type.primitive = primitive.value_or(Primitive::kUint8);
    type.presence = read_presence(element, Presence::kRequired);
    type.length =
        number_attribute(element, "length", 1, static_cast<std::uint32_t>(kMaxBlockBytes));
    type.character_encoding = element.attribute("characterEncoding");
    read_bounds(element, type);
    if (type.presence == Presence::kConstant) {
        read_constant(element, type);
    } else {
        const std::uint64_t size = std::uint64_t{type.length} * info(type.primitive).size_bytes;
        if (size > kMaxBlockBytes) {
            fail(element, "limit", fmt::format("{} bytes, more than {}", size, kMaxBlockBytes));
        }
        type.size_bytes = static_cast<std::uint32_t>(std::min(size, kMaxBlockBytes));
        if (type.length == 0 && !(type.enclosing != nullptr && type.name == "varData")) {
            fail(element, "bad-attribute", "length=\"0\" is only for a composite's varData");
        }
    }
}

void Reader::read_bounds(const Element& element, Type& type) {
    type.null_value = default_null(type.primitive);
    type.min_value = default_min(type.primitive);
    type.max_value = default_max(type.primitive);
    const auto read = [&](const char* name, Literal& into) {
        if (!element.has(name)) {
            return false;
        }
        const std::string_view text = element.attribute(name);
        const std::optional<Literal> value = parse_literal(type.primitive, text);
        if (!value) {
            fail(element,
                 "value-range",
                 fmt::format("{}=\"{}\" is not a value of {}",
                             name,
                             text.substr(0, 64),
                             info(type.primitive).schema_name));
            return false;
        }
        into = *value;
        return true;
    };
    const bool has_null = read("nullValue", type.null_value);
    read("minValue", type.min_value);
    type.has_max = read("maxValue", type.max_value);
    if (has_null && type.kind == TypeKind::kSimple && type.presence != Presence::kOptional) {
        fail(element, "null-not-optional", "has a nullValue but presence is not optional");
    }
    if (type.max_value.less_than(type.min_value)) {
        fail(element,
             "value-range",
             fmt::format(
                 "maxValue {} is below minValue {}", type.max_value.text(), type.min_value.text()));
    }
}

void Reader::read_constant(const Element& element, Type& type) {
    if (element.has("valueRef")) {
        type.constant = resolve_value_ref(element, element.attribute("valueRef"), type);
        return;
    }
    const std::string text = read_text(element, type.primitive);
    if (text.empty()) {
        fail(element, "constant-value", "presence is constant but there is no value");
        return;
    }
    Constant constant;
    if (type.primitive == Primitive::kChar &&
        (element.has("length") ? type.length > 1 : text.size() > 1)) {
        constant.is_text = true;
        constant.text = text;
        if (element.has("length") && text.size() > type.length) {
            fail(element,
                 "constant-value",
                 fmt::format("\"{}\" has {} characters, length is {}",
                             text.substr(0, 64),
                             text.size(),
                             type.length));
        }
        type.length = static_cast<std::uint32_t>(std::max<std::size_t>(text.size(), type.length));
        type.constant = constant;
        return;
    }
    const std::optional<Literal> value = parse_literal(type.primitive, text);
    if (!value) {
        fail(element,
             "constant-value",
             fmt::format("\"{}\" is not a value of {}",
                         text.substr(0, 64),
                         info(type.primitive).schema_name));
        return;
    }
    if (type.length != 1) {
        fail(element, "constant-value", "a constant array of numbers has no notation in SBE");
    }
    constant.number = *value;
    type.constant = constant;
}

std::optional<Constant> Reader::resolve_value_ref(const Element& element,
                                                  std::string_view reference,
                                                  const Type& wanted) {
    const std::size_t dot = reference.find('.');
    if (dot == std::string_view::npos) {
        fail(element,
             "value-ref",
             fmt::format("valueRef=\"{}\" is not EnumName.ValueName", reference.substr(0, 128)));
        return std::nullopt;
    }
    const Type* type = resolve(reference.substr(0, dot), element);
    if (type == nullptr) {
        return std::nullopt;
    }
    const std::string_view value_name = reference.substr(dot + 1);
    const EnumMember* value = type->kind == TypeKind::kEnum ? type->value(value_name) : nullptr;
    if (value == nullptr) {
        fail(element,
             "value-ref",
             fmt::format("{} is {}",
                         reference.substr(0, 128),
                         type->kind == TypeKind::kEnum ? "not a value of the enum" : "no enum"));
        return std::nullopt;
    }
    const bool same =
        wanted.kind == TypeKind::kEnum ? type == &wanted : wanted.primitive == type->primitive;
    if (!same) {
        fail(element,
             "value-ref",
             fmt::format("{} is of type {}, not {}", reference, type->name, wanted.name));
        return std::nullopt;
    }
    Constant constant;
    constant.number = value->value;
    constant.enum_type = type;
    constant.enum_value = value->name;
    return constant;
}

void Reader::read_composite(const Element& element, Type& type, std::uint32_t depth) {
    if (depth >= kMaxNesting) {
        fail(element, "limit", fmt::format("composites nested deeper than {}", kMaxNesting));
        return;
    }
    std::set<std::string, std::less<>> names;
    Versions latest;
    type.flat_member_count = 0;
    for (const Element& child : element.children()) {
        std::optional<Field> member = read_member(child, type, depth);
        if (!member) {
            continue;
        }
        if (!names.insert(member->name).second) {
            fail(child,
                 "duplicate-field-name",
                 fmt::format("{} has two members {}", type.name, member->name));
            continue;
        }
        check_since_order(child, {member->since_version, member->effective_since}, latest);
        place_member(child, type, *member);
        type.members.push_back(std::move(*member));
    }
    if (type.members.empty()) {
        fail(element, "empty-composite", "has no members");
    }
}

std::optional<Field> Reader::read_member(const Element& element,
                                         Type& composite,
                                         std::uint32_t depth) {
    const std::string_view kind = element.local_name();
    Field member;
    if (kind == "ref") {
        read_named(element, member);
        member.type = resolve(element.attribute("type"), element);
    } else if (kind == "type" || kind == "enum" || kind == "set" || kind == "composite") {
        member.type = read_type_element(element, &composite, depth + 1);
        static_cast<Named&>(member) = *member.type;
    } else {
        fail(element,
             "unknown-element",
             fmt::format("<{}> cannot be a member of a composite", kind));
    }
    if (member.type == nullptr) {
        return std::nullopt;
    }
    member.presence = presence_of(*member.type);
    member.constant = member.type->constant;
    member.effective_since = std::max(member.since_version, member.type->since_version);
    return member;
}

void Reader::place_member(const Element& element, Type& composite, Field& member) {
    const std::uint32_t end = composite.size_bytes;
    constexpr auto kMost = static_cast<std::uint32_t>(kMaxBlockBytes);
    member.offset = number_attribute(element, "offset", end, kMost);
    if (member.offset < end) {
        fail(element,
             "offset-too-small",
             fmt::format(
                 "offset {} lies before {}, where the member before it ends", member.offset, end));
        member.offset = end;
    }
    member.size_bytes = member.on_the_wire() ? member.type->size_bytes : 0;
    composite.flat_member_count += member.type->flat_member_count;
    if (std::uint64_t{member.offset} + member.size_bytes > kMaxBlockBytes ||
        composite.flat_member_count > kMaxFlatMembers) {
        fail(element,
             "limit",
             fmt::format("{} has more than {} bytes or {} members",
                         composite.name,
                         kMaxBlockBytes,
                         kMaxFlatMembers));
        composite.flat_member_count = 1;
        member.type = builtin(Primitive::kUint8);
        member.offset = 0;
        member.size_bytes = 0;
    }
    if (member.on_the_wire()) {
        composite.size_bytes = std::max(end, member.offset + member.size_bytes);
    } else {
        member.offset = end;
    }
}

}  // namespace tern::codegen
