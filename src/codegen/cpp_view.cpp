#include <fmt/format.h>

#include <algorithm>

#include "codegen/cpp_emit.hpp"

namespace tern::codegen {
namespace {

constexpr std::string_view kReserved[] = {"acting_version",
                                          "acting_block_length",
                                          "block_bytes",
                                          "block_",
                                          "block_length_",
                                          "version_",
                                          "end_",
                                          "after_block",
                                          "wrap",
                                          "wrap_body",
                                          "wrap_trusted",
                                          "walk",
                                          "verify",
                                          "visit",
                                          "min_block_length",
                                          "has_parts_in",
                                          "check_parts",
                                          "end_of_entry",
                                          "from",
                                          "bytes_left",
                                          "body_bytes",
                                          "walked_end_"};

/// One group or var data of a block, with its names.
struct PartNames {
    const Group* group = nullptr;
    const Data* data = nullptr;
    std::string accessor;
    std::string entry;  ///< of a group: the entry's class
    std::string range;  ///< of a group: the GroupView alias
    std::string stage;  ///< the walk stage that stands before it

    [[nodiscard]] std::uint32_t since() const {
        return group != nullptr ? group->effective_since : data->effective_since;
    }
    [[nodiscard]] const std::string& schema_name() const {
        return group != nullptr ? group->name : data->name;
    }
};

struct BlockNames {
    std::vector<std::string> fields;
    std::vector<std::string> meta;
    std::vector<PartNames> parts;
};

BlockNames name_block(const EmitContext& context, const Block& block) {
    NameScope members(kReserved);
    NameScope types = context.names.scope();
    for (const char* reserved : {"Meta", "Dimensions", "Schema", "Verified", "Encoder"}) {
        types.reserve(reserved);
    }
    NameScope meta;
    BlockNames names;
    for (const Field& field : block.fields) {
        names.fields.push_back(members.take(snake_case(field.name)));
        names.meta.push_back(meta.take(pascal_case(field.name)));
    }
    const auto add = [&](PartNames part, const std::string& name) {
        part.accessor = members.take(snake_case(name));
        part.stage = types.take("At" + pascal_case(name));
        if (part.group != nullptr) {
            part.range = types.take(pascal_case(name));
            part.entry = types.take(part.range + "Entry");
        }
        names.parts.push_back(std::move(part));
    };
    for (const auto& group : block.groups) {
        add({group.get(), nullptr, "", "", "", ""}, group->name);
    }
    for (const Data& data : block.data) {
        add({nullptr, &data, "", "", "", ""}, data.name);
    }
    return names;
}

std::string data_call(const EmitContext& context,
                      std::string_view function,
                      const Data& data,
                      std::string_view arguments) {
    return fmt::format("tern::sbe::{}<{}, {}>({})",
                       function,
                       codec_name(context, *data.type),
                       data.effective_since,
                       arguments);
}

std::string_view data_type(const Data& data) {
    return data.is_text() ? "std::string_view" : "tern::Bytes";
}

std::string as_data_type(const Data& data, const std::string& bytes) {
    return data.is_text() ? fmt::format("tern::as_text({})", bytes) : bytes;
}

void emit_min_block_length(CppWriter& out, const Block& block) {
    const std::vector<std::uint32_t> versions = block.growth_versions();
    out.line("/// The least block length that a writer of `version` can have sent.");
    out.line(
        "[[nodiscard]] static constexpr std::uint32_t min_block_length("
        "[[maybe_unused]] std::uint32_t version) noexcept {{");
    for (const std::uint32_t version : versions) {
        out.line("if (version < {}) {{", version);
        out.line("return {};", block.min_block_length(version - 1));
        out.line("}}");
    }
    out.line("return {};", block.min_block_length(0xffff'ffff));
    out.line("}}");
}

void emit_fields(CppWriter& out,
                 const EmitContext& context,
                 const Block& block,
                 const BlockNames& names,
                 std::uint32_t base) {
    for (std::size_t index = 0; index < block.fields.size(); ++index) {
        if (is_readable(block.fields[index])) {
            emit_getter(out, context, block.fields[index], names.fields[index], base);
        }
    }
}

void emit_meta_struct(CppWriter& out, const Block& block, const BlockNames& names) {
    out.line("/// What the schema says about each field.");
    out.line("struct Meta {{");
    for (std::size_t index = 0; index < block.fields.size(); ++index) {
        emit_meta(out, block.fields[index], names.meta[index]);
    }
    out.line("}};");
}

void emit_visit_fields(CppWriter& out,
                       const Block& block,
                       const BlockNames& names,
                       std::uint32_t base) {
    for (std::size_t index = 0; index < block.fields.size(); ++index) {
        if (is_readable(block.fields[index])) {
            emit_visit(out, block.fields[index], names.fields[index], base);
        }
    }
}

void emit_visit_parts(CppWriter& out, const BlockNames& names, std::uint32_t base) {
    for (const PartNames& part : names.parts) {
        const bool versioned = part.since() > base;
        if (versioned) {
            out.line("if (version_ >= {}) {{", part.since());
        }
        out.line("visitor(std::string_view({}), this->{}());",
                 cpp_string(part.schema_name()),
                 part.accessor);
        if (versioned) {
            out.line("}}");
        }
    }
}

void emit_entry(CppWriter& out, const EmitContext& context, const PartNames& part);

void emit_ranges(CppWriter& out, const EmitContext& context, const BlockNames& names) {
    for (const PartNames& part : names.parts) {
        if (part.group != nullptr) {
            emit_entry(out, context, part);
            out.line("using {} = tern::sbe::GroupView<{}>;", part.range, part.entry);
        }
    }
}

/// Positions and accessors of an entry's parts, which a walk has checked before.
void emit_trusted_parts(CppWriter& out, const EmitContext& context, const BlockNames& names) {
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        const PartNames& part = names.parts[index];
        if (part.group != nullptr) {
            out.comment(part.group->description);
            out.line("[[nodiscard]] {} {}() const noexcept {{", part.range, part.accessor);
            out.line("return {}::trusted(sbe_part_{}(), version_);", part.range, index);
        } else {
            out.comment(part.data->description);
            out.line(
                "[[nodiscard]] {} {}() const noexcept {{", data_type(*part.data), part.accessor);
            const std::string bytes = data_call(
                context, "trusted_data", *part.data, fmt::format("sbe_part_{}(), version_", index));
            out.line("return {};", as_data_type(*part.data, bytes));
        }
        out.line("}}");
    }
}

void emit_part_positions(CppWriter& out, const EmitContext& context, const BlockNames& names) {
    out.line("private:");
    out.line("[[nodiscard]] const std::byte* sbe_part_0() const noexcept {{");
    out.line("return block_ + block_length_;");
    out.line("}}");
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        const PartNames& part = names.parts[index];
        const std::string arguments = fmt::format("sbe_part_{}(), version_", index);
        out.line("[[nodiscard]] const std::byte* sbe_part_{}() const noexcept {{", index + 1);
        out.line("return {};",
                 part.group != nullptr ? fmt::format("{}::skip_trusted({})", part.range, arguments)
                                       : data_call(context, "skip_data", *part.data, arguments));
        out.line("}}");
    }
}

void emit_entry_statics(CppWriter& out,
                        const EmitContext& context,
                        const Group& group,
                        const BlockNames& names) {
    out.line("using Dimensions = {};", dimensions_name(context, *group.dimension));
    out.line("static constexpr std::uint32_t kSinceVersion = {};", group.effective_since);
    out.line("static constexpr std::uint32_t kBlockLength = {};", group.block_length);
    out.line("static constexpr bool kHasParts = {};", group.has_parts());
    std::uint32_t first = 0xffff'ffff;
    for (const PartNames& part : names.parts) {
        first = std::min(first, part.since());
    }
    out.line(
        "[[nodiscard]] static constexpr bool has_parts_in("
        "[[maybe_unused]] std::uint32_t version) noexcept {{");
    out.line("return {};",
             names.parts.empty() ? "false"
             : first == 0        ? "true"
                                 : fmt::format("version >= {}", first));
    out.line("}}");
    emit_min_block_length(out, group);
    out.line("/// Checks the parts behind an entry's block and steps over them.");
    out.line("static void check_parts([[maybe_unused]] tern::sbe::WalkCursor& cursor) noexcept {{");
    for (const PartNames& part : names.parts) {
        out.line("static_cast<void>({});",
                 part.group != nullptr ? fmt::format("{}::read(cursor)", part.range)
                                       : data_call(context, "read_data", *part.data, "cursor"));
    }
    out.line("}}");
    out.line("[[nodiscard]] const std::byte* end_of_entry() const noexcept {{");
    out.line("return sbe_part_{}();", names.parts.size());
    out.line("}}");
}

void emit_entry(CppWriter& out, const EmitContext& context, const PartNames& part) {
    const Group& group = *part.group;
    const BlockNames names = name_block(context, group);
    out.comment(group.description);
    out.line("class {} : public tern::sbe::BlockView {{", part.entry);
    out.line("public:");
    emit_ranges(out, context, names);
    out.line("constexpr {}() noexcept = default;", part.entry);
    out.line("explicit constexpr {}(const tern::sbe::BlockView& block) noexcept", part.entry);
    out.line("    : tern::sbe::BlockView(block) {{}}");
    emit_entry_statics(out, context, group, names);
    emit_fields(out, context, group, names, group.effective_since);
    emit_trusted_parts(out, context, names);
    out.line("template <typename Visitor>");
    out.line("void visit([[maybe_unused]] Visitor&& visitor) const {{");
    emit_visit_fields(out, group, names, group.effective_since);
    emit_visit_parts(out, names, group.effective_since);
    out.line("}}");
    emit_meta_struct(out, group, names);
    emit_part_positions(out, context, names);
    out.line("}};");
}

void emit_stages(CppWriter& out, const EmitContext& context, const BlockNames& names) {
    for (std::size_t index = names.parts.size(); index-- > 0;) {
        const PartNames& part = names.parts[index];
        const std::string next =
            index + 1 == names.parts.size() ? "tern::sbe::WalkEnd" : names.parts[index + 1].stage;
        out.line("class {} : public tern::sbe::WalkStage {{", part.stage);
        out.line("public:");
        out.line("explicit {}(const tern::sbe::WalkStage& stage) noexcept", part.stage);
        out.line("    : tern::sbe::WalkStage(stage) {{}}");
        const std::string out_type =
            part.group != nullptr ? part.range : std::string(data_type(*part.data));
        out.line("[[nodiscard]] {} {}({}& value) const noexcept {{", next, part.accessor, out_type);
        out.line("auto after = *this;");
        const std::string read =
            part.group != nullptr
                ? fmt::format("{}::read(after.cursor_)", part.range)
                : as_data_type(*part.data,
                               data_call(context, "read_data", *part.data, "after.cursor_"));
        out.line("value = {};", read);
        out.line("return {}(after);", next);
        out.line("}}");
        out.line("}};");
    }
    const std::string first = names.parts.empty() ? "tern::sbe::WalkEnd" : names.parts[0].stage;
    out.line("/// Begins the checked walk over groups and var data.");
    out.line("[[nodiscard]] {} walk() const noexcept {{", first);
    out.line("return {}(tern::sbe::WalkStage(after_block(), block_));", first);
    out.line("}}");
}

void emit_wrap(CppWriter& out, const std::string& name) {
    out.line("constexpr {}() noexcept = default;", name);
    out.line("explicit constexpr {}(const tern::sbe::MessageBlock& block) noexcept", name);
    out.line("    : tern::sbe::MessageBlock(block) {{}}");
    out.line("/// Checks the header and the root block of `message`.");
    out.line("[[nodiscard]] static tern::sbe::Decoded<{}> wrap(tern::Bytes message) noexcept {{",
             name);
    out.line("return tern::sbe::wrap_message<{}>(message);", name);
    out.line("}}");
    out.line("template <tern::sbe::TemporaryBuffer Buffer>");
    out.line("static tern::sbe::Decoded<{}> wrap(Buffer&& message) = delete;", name);
    out.line("/// Checks the root block of a message whose header was read before.");
    out.line("[[nodiscard]] static tern::sbe::Decoded<{}> wrap_body(tern::Bytes body,", name);
    out.line("    std::uint32_t block_length, std::uint32_t version) noexcept {{");
    out.line("return tern::sbe::wrap_body<{}>(body, block_length, version);", name);
    out.line("}}");
    out.line("/// Takes a message that was checked before; builds without NDEBUG check again.");
    out.line("[[nodiscard]] static {} wrap_trusted(tern::Bytes message) noexcept {{", name);
    out.line("TERN_DCHECK(wrap(message).ok());");
    out.line("const tern::sbe::HeaderFields header = Schema::read_header(message.data());");
    out.line(
        "return {}(tern::sbe::MessageBlock(message.data() + kHeaderBytes, message.data() + "
        "message.size(), header.block_length, header.version));",
        name);
    out.line("}}");
}

/// Accessors of a verified view: a part's place is known, and so is the message's end.
void emit_verified_accessors(CppWriter& out, const BlockNames& names) {
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        const PartNames& part = names.parts[index];
        const bool is_group = part.group != nullptr;
        out.comment(is_group ? part.group->description : part.data->description);
        const std::string type = is_group ? part.range : std::string(data_type(*part.data));
        const std::string member = fmt::format("part_{}_", index);
        out.line("[[nodiscard]] {} {}() const noexcept {{ return {}; }}",
                 type,
                 part.accessor,
                 is_group ? member : as_data_type(*part.data, member));
    }
    out.line("/// Bytes from the root block's start to the end of the last part.");
    out.line("[[nodiscard]] std::size_t body_bytes() const noexcept {{");
    out.line("return static_cast<std::size_t>(walked_end_ - block_);");
    out.line("}}");
    out.line("/// Bytes behind the last part: those of a newer writer, or of the next message.");
    out.line("[[nodiscard]] std::size_t bytes_left() const noexcept {{");
    out.line("return static_cast<std::size_t>(end_ - walked_end_);");
    out.line("}}");
}

void emit_verified(CppWriter& out,
                   const EmitContext& context,
                   const Message& message,
                   const BlockNames& names) {
    const std::string& base = context.names.of(message);
    const std::string view = base + "View";
    const std::string name = "Verified" + view;
    out.line("/// A {} that was walked to its end: its groups and var data are random access.",
             message.name);
    out.line("class {} : public {} {{", name, view);
    out.line("public:");
    out.line("constexpr {}() noexcept = default;", name);
    out.line("/// Checks the whole of `message`.");
    out.line("[[nodiscard]] static tern::sbe::Decoded<{}> wrap(tern::Bytes message) noexcept {{",
             name);
    out.line("const tern::sbe::Decoded<{0}> view = {0}::wrap(message);", view);
    out.line("return view ? from(*view) : tern::sbe::Decoded<{}>(view.status());", name);
    out.line("}}");
    out.line("template <tern::sbe::TemporaryBuffer Buffer>");
    out.line("static tern::sbe::Decoded<{}> wrap(Buffer&& message) = delete;", name);
    out.line("/// Checks what `view` has not checked: all behind the root block.");
    out.line(
        "[[nodiscard]] static tern::sbe::Decoded<{}> from(const {}& view) noexcept {{", name, view);
    out.line("{} verified;", name);
    out.line("static_cast<{}&>(verified) = view;", view);
    out.line("{}tern::sbe::WalkCursor cursor = verified.after_block();",
             names.parts.empty() ? "const " : "");
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        const PartNames& part = names.parts[index];
        out.line("verified.part_{}_ = {};",
                 index,
                 part.group != nullptr ? fmt::format("{}::read(cursor)", part.range)
                                       : data_call(context, "read_data", *part.data, "cursor"));
    }
    out.line("if (!cursor.ok()) {{");
    out.line("return cursor.status;");
    out.line("}}");
    out.line("verified.walked_end_ = cursor.at;");
    out.line("return verified;");
    out.line("}}");
    emit_verified_accessors(out, names);
    out.line("template <typename Visitor>");
    out.line("void visit([[maybe_unused]] Visitor&& visitor) const {{");
    out.line("{}::visit(visitor);", view);
    emit_visit_parts(out, names, 0);
    out.line("}}");
    out.line("private:");
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        out.line("{} part_{}_;",
                 names.parts[index].group != nullptr ? names.parts[index].range : "tern::Bytes",
                 index);
    }
    out.line("const std::byte* walked_end_ = nullptr;");
    out.line("}};");
}

}  // namespace

void emit_view(CppWriter& out, const EmitContext& context, const Message& message) {
    const BlockNames names = name_block(context, message);
    const std::string& base = context.names.of(message);
    const std::string name = base + "View";
    out.line("class {}Encoder;", base);
    out.line("class Verified{};", name);
    out.blank();
    out.comment(message.description);
    out.line("class {} : public tern::sbe::MessageBlock {{", name);
    out.line("public:");
    out.line("using Schema = SchemaInfo;");
    out.line("using Verified = Verified{};", name);
    out.line("using Encoder = {}Encoder;", base);
    out.line("static constexpr std::string_view kName = {};", cpp_string(message.name));
    out.line("static constexpr std::uint32_t kTemplateId = {};", message.id);
    out.line("static constexpr std::uint32_t kSchemaId = SchemaInfo::kId;");
    out.line("static constexpr std::uint32_t kVersion = SchemaInfo::kVersion;");
    out.line("static constexpr std::size_t kHeaderBytes = SchemaInfo::kHeaderBytes;");
    out.line("static constexpr std::size_t kBlockLength = {};", message.block_length);
    emit_ranges(out, context, names);
    emit_wrap(out, name);
    emit_min_block_length(out, message);
    emit_fields(out, context, message, names, 0);
    emit_stages(out, context, names);
    out.line("/// Calls visitor(name, value) for each field of the root block in schema order.");
    out.line("template <typename Visitor>");
    out.line("void visit([[maybe_unused]] Visitor&& visitor) const {{");
    emit_visit_fields(out, message, names, 0);
    out.line("}}");
    emit_meta_struct(out, message, names);
    out.line("}};");
    out.blank();
    emit_verified(out, context, message, names);
}

}  // namespace tern::codegen
