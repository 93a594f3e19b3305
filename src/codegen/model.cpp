#include "codegen/model.hpp"

#include <algorithm>

namespace tern::codegen {
namespace {

template <typename Range>
auto find_named(const Range& range, std::string_view name) noexcept {
    const auto at = std::find_if(
        range.begin(), range.end(), [name](const auto& element) { return element.name == name; });
    return at == range.end() ? nullptr : &*at;
}

std::uint32_t end_at_version(const Field& field, std::uint32_t version) noexcept {
    return field.offset + field.type->size_at_version(version);
}

}  // namespace

const Field* Type::member(std::string_view member_name) const noexcept {
    return find_named(members, member_name);
}

const EnumMember* Type::value(std::string_view value_name) const noexcept {
    return find_named(values, value_name);
}

std::uint32_t Type::size_at_version(std::uint32_t version) const noexcept {
    if (kind != TypeKind::kComposite) {
        return size_bytes;
    }
    std::uint32_t end = 0;
    for (const Field& field : members) {
        if (field.on_the_wire() && field.effective_since <= version) {
            end = std::max(end, end_at_version(field, version));
        }
    }
    return end;
}

bool Type::has_younger_members() const noexcept {
    return std::any_of(members.begin(), members.end(), [this](const Field& field) {
        return field.effective_since > since_version || field.type->has_younger_members();
    });
}

std::uint64_t Data::max_length() const noexcept {
    return max_count(*type, "length");
}

bool Data::is_text() const noexcept {
    const Type& bytes = *bytes_member().type;
    return !bytes.character_encoding.empty() || bytes.primitive == Primitive::kChar;
}

std::uint32_t Block::min_block_length(std::uint32_t version) const noexcept {
    std::uint32_t end = 0;
    for (const Field& field : fields) {
        if (field.on_the_wire() && field.effective_since <= version) {
            end = std::max(end, end_at_version(field, version));
        }
    }
    return end;
}

std::vector<std::uint32_t> Block::growth_versions() const {
    std::vector<std::uint32_t> versions;
    const auto collect = [&versions](const auto& self, const Field& field) -> void {
        versions.push_back(field.effective_since);
        for (const Field& member : field.type->members) {
            self(self, member);
        }
    };
    for (const Field& field : fields) {
        collect(collect, field);
    }
    std::sort(versions.begin(), versions.end());
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
    std::erase_if(versions, [this](std::uint32_t version) {
        return version == 0 || min_block_length(version) == min_block_length(version - 1);
    });
    return versions;
}

const Message* Schema::message(std::uint32_t template_id) const noexcept {
    const auto at = std::find_if(messages.begin(), messages.end(), [template_id](const auto& m) {
        return m->id == template_id;
    });
    return at == messages.end() ? nullptr : at->get();
}

const Type* Schema::type_named(std::string_view type_name) const noexcept {
    const auto at = std::find_if(top_level_types.begin(),
                                 top_level_types.end(),
                                 [type_name](const Type* type) { return type->name == type_name; });
    return at == top_level_types.end() ? nullptr : *at;
}

std::uint64_t max_count(const Type& composite, std::string_view member) noexcept {
    const Type& type = *composite.member(member)->type;
    return static_cast<std::uint64_t>(type.max_value.integer);
}

std::uint64_t min_count(const Type& composite, std::string_view member) noexcept {
    const Type& type = *composite.member(member)->type;
    return static_cast<std::uint64_t>(type.min_value.integer);
}

}  // namespace tern::codegen
