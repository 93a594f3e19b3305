#include "codegen/compatibility.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tern::codegen {
namespace {

/// Compares two versions of a schema; `place` is where a finding is reported.
class Comparison {
public:
    Comparison(const Schema& old, const Schema& next) : old_(old), next_(next) {}

    Diagnostics run();

private:
    void report(const Location& place, std::string rule, std::string message) {
        found_.push_back({Severity::kError,
                          place.file,
                          place.line,
                          place.column,
                          place.element_path,
                          std::move(rule),
                          std::move(message)});
    }
    void compare_headers();
    void compare_block(const Block& old, const Block& next, bool in_group);
    void compare_fields(const Block& old, const Block& next);
    void compare_field(const Field& old, const Field& next);
    void compare_groups(const Block& old, const Block& next);
    void compare_data(const Block& old, const Block& next);
    void check_part_addition(const Block& old, const Block& next, bool in_group);
    void compare_types(const Type& old, const Type& next, const Location& place);
    void compare_members(const Type& old, const Type& next, const Location& place);
    void compare_values(const Type& old, const Type& next, const Location& place);
    void check_addition(const Named& added, std::uint32_t since, std::string_view what);

    const Schema& old_;
    const Schema& next_;
    Diagnostics found_;
};

Diagnostics Comparison::run() {
    if (old_.id != next_.id) {
        report(next_.location,
               "schema-id",
               fmt::format("the id was {} and is {}: another schema", old_.id, next_.id));
        return found_;
    }
    if (next_.version < old_.version) {
        report(next_.location,
               "schema-version",
               fmt::format("the version goes back from {} to {}", old_.version, next_.version));
    }
    compare_headers();
    for (const auto& message : old_.messages) {
        const Message* same = next_.message(message->id);
        if (same == nullptr) {
            report(message->location,
                   "message-removed",
                   fmt::format("message {} (id {}) is gone", message->name, message->id));
            continue;
        }
        compare_block(*message, *same, false);
    }
    for (const auto& message : next_.messages) {
        if (old_.message(message->id) == nullptr) {
            check_addition(*message, message->since_version, "message");
        }
    }
    return found_;
}

void Comparison::compare_headers() {
    if (old_.byte_order != next_.byte_order) {
        report(next_.location, "byte-order", "the byte order changed");
    }
    compare_types(*old_.header, *next_.header, next_.header->location);
}

void Comparison::check_addition(const Named& added, std::uint32_t since, std::string_view what) {
    if (next_.version <= old_.version) {
        report(added.location,
               "version-not-raised",
               fmt::format("{} {} is new but the schema's version is still {}",
                           what,
                           added.name,
                           next_.version));
    } else if (since <= old_.version) {
        report(added.location,
               "since-version-missing",
               fmt::format("{} {} is new and needs sinceVersion {} to {}, not {}",
                           what,
                           added.name,
                           old_.version + 1,
                           next_.version,
                           since));
    }
}

void Comparison::compare_block(const Block& old, const Block& next, bool in_group) {
    compare_fields(old, next);
    compare_groups(old, next);
    compare_data(old, next);
    check_part_addition(old, next, in_group);
}

void Comparison::compare_fields(const Block& old, const Block& next) {
    for (std::size_t index = 0; index < old.fields.size(); ++index) {
        const Field& before = old.fields[index];
        if (index >= next.fields.size()) {
            report(before.location, "field-removed", fmt::format("field {} is gone", before.name));
            continue;
        }
        const Field& after = next.fields[index];
        if (before.id != after.id) {
            report(after.location,
                   "field-order",
                   fmt::format("field {} (id {}) stands where {} (id {}) was: fields are neither "
                               "removed nor reordered, and new ones go to the end",
                               after.name,
                               after.id,
                               before.name,
                               before.id));
            return;
        }
        compare_field(before, after);
    }
    for (std::size_t index = old.fields.size(); index < next.fields.size(); ++index) {
        const Field& added = next.fields[index];
        if (!added.on_the_wire()) {
            continue;
        }
        check_addition(added, added.effective_since, "field");
        if (added.offset < old.block_length) {
            report(added.location,
                   "field-in-padding",
                   fmt::format("field {} lies at {}, inside the {} bytes of the version before",
                               added.name,
                               added.offset,
                               old.block_length));
        }
    }
    if (next.block_length < old.block_length) {
        report(next.location,
               "block-shrunk",
               fmt::format(
                   "the block shrinks from {} to {} bytes", old.block_length, next.block_length));
    }
}

void Comparison::compare_field(const Field& old, const Field& next) {
    if (old.offset != next.offset && old.on_the_wire()) {
        report(
            next.location,
            "field-moved",
            fmt::format("field {} moves from offset {} to {}", next.name, old.offset, next.offset));
    }
    if (old.presence != next.presence) {
        report(
            next.location, "presence", fmt::format("the presence of field {} changed", next.name));
    }
    if (old.effective_since != next.effective_since) {
        report(next.location,
               "since-version-changed",
               fmt::format("field {} was of version {} and is of version {}",
                           next.name,
                           old.effective_since,
                           next.effective_since));
    }
    if (old.constant && next.constant &&
        (!old.constant->number.same_as(next.constant->number) ||
         old.constant->text != next.constant->text)) {
        report(next.location, "constant", fmt::format("the constant {} changed", next.name));
    }
    compare_types(*old.type, *next.type, next.location);
}

void Comparison::compare_types(const Type& old, const Type& next, const Location& place) {
    if (old.kind != next.kind || old.primitive != next.primitive || old.length != next.length) {
        report(place, "type", fmt::format("the type was {} and is {}", old.name, next.name));
        return;
    }
    switch (old.kind) {
        case TypeKind::kSimple:
            if (!old.null_value.same_as(next.null_value)) {
                report(place, "null-value", fmt::format("the null of {} changed", next.name));
            }
            return;
        case TypeKind::kEnum:
        case TypeKind::kSet:
            compare_values(old, next, place);
            return;
        case TypeKind::kComposite:
            compare_members(old, next, place);
            return;
    }
}

void Comparison::compare_values(const Type& old, const Type& next, const Location& place) {
    if (old.kind == TypeKind::kEnum && !old.null_value.same_as(next.null_value)) {
        report(place, "null-value", fmt::format("the null of {} changed", next.name));
    }
    for (const EnumMember& value : old.values) {
        const EnumMember* same = next.value(value.name);
        if (same == nullptr) {
            report(place, "value-removed", fmt::format("{}.{} is gone", old.name, value.name));
        } else if (!same->value.same_as(value.value)) {
            report(same->location,
                   "value-changed",
                   fmt::format("{}.{} was {} and is {}",
                               old.name,
                               value.name,
                               value.value.text(),
                               same->value.text()));
        }
    }
    for (const EnumMember& value : next.values) {
        if (old.value(value.name) == nullptr) {
            check_addition(value, value.since_version, "value");
        }
    }
}

void Comparison::compare_members(const Type& old, const Type& next, const Location& place) {
    if (old.members.size() != next.members.size()) {
        report(place,
               "composite-extended",
               fmt::format("composite {} had {} members and has {}: composites are fixed",
                           next.name,
                           old.members.size(),
                           next.members.size()));
        return;
    }
    for (std::size_t index = 0; index < old.members.size(); ++index) {
        const Field& before = old.members[index];
        const Field& after = next.members[index];
        if (before.name != after.name) {
            report(after.location,
                   "member-renamed",
                   fmt::format("member {} of {} was {}", after.name, next.name, before.name));
        }
        compare_field(before, after);
    }
}

void Comparison::compare_groups(const Block& old, const Block& next) {
    for (std::size_t index = 0; index < old.groups.size(); ++index) {
        const Group& before = *old.groups[index];
        if (index >= next.groups.size() || next.groups[index]->id != before.id) {
            const Location& place =
                index < next.groups.size() ? next.groups[index]->location : before.location;
            report(place,
                   "group-order",
                   fmt::format("group {} is gone, or another stands in its place", before.name));
            return;
        }
        const Group& after = *next.groups[index];
        compare_types(*before.dimension, *after.dimension, after.location);
        compare_block(before, after, true);
    }
    for (std::size_t index = old.groups.size(); index < next.groups.size(); ++index) {
        check_addition(*next.groups[index], next.groups[index]->effective_since, "group");
    }
}

void Comparison::compare_data(const Block& old, const Block& next) {
    for (std::size_t index = 0; index < old.data.size(); ++index) {
        const Data& before = old.data[index];
        if (index >= next.data.size() || next.data[index].id != before.id) {
            const Location& place =
                index < next.data.size() ? next.data[index].location : before.location;
            report(place,
                   "data-order",
                   fmt::format("var data {} is gone, or another stands in its place", before.name));
            return;
        }
        compare_types(*before.type, *next.data[index].type, next.data[index].location);
    }
    for (std::size_t index = old.data.size(); index < next.data.size(); ++index) {
        check_addition(next.data[index], next.data[index].effective_since, "var data");
    }
}

void Comparison::check_part_addition(const Block& old, const Block& next, bool in_group) {
    const bool new_group = next.groups.size() > old.groups.size();
    const bool new_data = next.data.size() > old.data.size();
    if (new_group && !old.data.empty()) {
        report(next.groups[old.groups.size()]->location,
               "group-before-data",
               "a reader of the version before takes the new group's dimensions for a var data "
               "length: define a new message");
    }
    if (in_group && (new_group || new_data)) {
        const Location& place = new_group ? next.groups[old.groups.size()]->location
                                          : next.data[old.data.size()].location;
        report(place,
               "part-in-group",
               "a reader of the version before cannot step over a new group or var data inside a "
               "group's entry: define a new message");
    }
}

}  // namespace

Diagnostics check_compatible(const Schema& old, const Schema& next) {
    return Comparison(old, next).run();
}

}  // namespace tern::codegen
