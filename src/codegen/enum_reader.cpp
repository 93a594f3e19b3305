#include <fmt/format.h>

#include "codegen/reader.hpp"

namespace tern::codegen {

const Type* Reader::read_encoding(const Element& element, Type& type) {
    const std::string_view name = element.attribute("encodingType");
    if (!element.has("encodingType")) {
        fail(element, "missing-attribute", "has no encodingType");
        return nullptr;
    }
    const Type* encoding = resolve(name, element);
    if (encoding == nullptr) {
        return nullptr;
    }
    if (encoding->kind != TypeKind::kSimple || encoding->length != 1 ||
        encoding->presence == Presence::kConstant) {
        fail(element, "encoding-type", fmt::format("{} is not a type of length 1", name));
        return nullptr;
    }
    type.primitive = encoding->primitive;
    type.size_bytes = encoding->size_bytes;
    type.presence = Presence::kRequired;
    type.null_value = encoding->null_value;
    type.min_value = encoding->min_value;
    type.max_value = encoding->max_value;
    return encoding;
}

void Reader::read_enum(const Element& element, Type& type) {
    const Type* encoding = read_encoding(element, type);
    if (encoding == nullptr) {
        type.size_bytes = 1;
        return;
    }
    if (info(type.primitive).is_real) {
        fail(element, "encoding-type", "an enum's encoding is char or an integer");
    }
    type.presence = read_presence(element, Presence::kRequired);
    if (element.has("nullValue")) {
        if (const auto null = parse_literal(type.primitive, element.attribute("nullValue"))) {
            type.null_value = *null;
        } else {
            fail(element, "value-range", "nullValue is not a value of the encoding");
        }
    }
    std::set<std::string, std::less<>> names;
    std::set<WideInteger> values;
    for (const Element& child : element.children()) {
        if (child.local_name() != "validValue") {
            fail(child,
                 "unknown-element",
                 fmt::format("<{}> is not a validValue", child.local_name()));
            continue;
        }
        EnumMember value;
        read_named(child, value);
        const std::string text = read_text(child, type.primitive);
        const auto literal = parse_literal(type.primitive, text);
        if (!literal) {
            fail(child,
                 "enum-value",
                 fmt::format("\"{}\" is not a value of {}",
                             text.substr(0, 64),
                             info(type.primitive).schema_name));
            continue;
        }
        value.value = *literal;
        check_enum_value(child, type, value, encoding);
        const bool new_name = names.insert(value.name).second;
        const bool new_value = values.insert(value.value.integer).second;
        if (!new_name || !new_value) {
            fail(child,
                 "duplicate-enum-value",
                 fmt::format("{} = {} repeats a name or value", value.name, text));
            continue;
        }
        type.values.push_back(std::move(value));
    }
}

void Reader::check_enum_value(const Element& element,
                              const Type& type,
                              const EnumMember& value,
                              const Type* encoding) {
    if (type.primitive == Primitive::kChar) {
        return;
    }
    if (value.value.same_as(type.null_value)) {
        fail(element, "enum-value", fmt::format("{} is the encoding's null", value.value.text()));
    } else if (value.value.less_than(encoding->min_value) ||
               encoding->max_value.less_than(value.value)) {
        fail(element,
             "enum-value",
             fmt::format("{} is outside {} to {}",
                         value.value.text(),
                         encoding->min_value.text(),
                         encoding->max_value.text()));
    }
}

void Reader::read_set(const Element& element, Type& type) {
    if (read_encoding(element, type) == nullptr) {
        type.size_bytes = 1;
        return;
    }
    if (!is_unsigned(type.primitive)) {
        fail(element, "encoding-type", "a set's encoding is an unsigned integer");
    }
    std::set<std::string, std::less<>> names;
    std::set<WideInteger> bits;
    for (const Element& child : element.children()) {
        if (child.local_name() != "choice") {
            fail(child, "unknown-element", fmt::format("<{}> is not a choice", child.local_name()));
            continue;
        }
        EnumMember choice;
        read_named(child, choice);
        const std::string raw = child.text();
        const auto bit = parse_integer(trimmed(raw));
        if (!bit || *bit < 0 || *bit >= 8 * type.size_bytes) {
            fail(child,
                 "choice-range",
                 fmt::format("\"{}\" is not a bit of {}",
                             trimmed(raw).substr(0, 64),
                             info(type.primitive).schema_name));
            continue;
        }
        choice.value = Literal::of(*bit);
        const bool new_name = names.insert(choice.name).second;
        const bool new_bit = bits.insert(*bit).second;
        if (!new_name || !new_bit) {
            fail(child, "duplicate-choice", fmt::format("{} repeats a name or bit", choice.name));
            continue;
        }
        type.values.push_back(std::move(choice));
    }
}

}  // namespace tern::codegen
