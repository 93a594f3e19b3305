#include <fmt/format.h>

#include "codegen/cpp_emit.hpp"

namespace tern::codegen {
namespace {

constexpr std::string_view kReserved[] = {"wrap",
                                          "encode_status",
                                          "encoded_bytes",
                                          "message_bytes",
                                          "encoded_length",
                                          "state_",
                                          "block_",
                                          "clear",
                                          "done"};

/// One group or var data while an encoder is emitted.
struct EncoderPart {
    const Group* group = nullptr;
    const Data* data = nullptr;
    std::string accessor;
    std::string stage;  ///< the class whose next call is this part; empty for the block's own class
    std::string group_class;
    std::string entry_class;
};

/// A block being emitted: its class, its parts, and where its end leads.
struct EncoderBlock {
    const Block* block = nullptr;
    std::string class_name;
    std::size_t depth = 0;       ///< open groups around a stage of this block
    std::string complete_class;  ///< EncodeEnd, or the group that gets its entry back
    std::vector<std::string> fields;
    std::vector<EncoderPart> parts;
};

EncoderBlock name_block(NameScope& classes,
                        const Block& block,
                        std::string class_name,
                        std::string prefix,
                        std::size_t depth,
                        std::string complete) {
    EncoderBlock names{&block, std::move(class_name), depth, std::move(complete), {}, {}};
    NameScope members(kReserved);
    for (const Field& field : block.fields) {
        names.fields.push_back(members.take(snake_case(field.name)));
    }
    const auto add = [&](const Group* group, const Data* data, const std::string& name) {
        EncoderPart part{group, data, members.take(snake_case(name)), "", "", ""};
        const std::string pascal = prefix + pascal_case(name);
        if (!names.parts.empty()) {
            part.stage = classes.take(prefix + "At" + pascal_case(name));
        }
        if (group != nullptr) {
            part.group_class = classes.take(pascal + "Group");
            part.entry_class = classes.take(pascal + "Entry");
        }
        names.parts.push_back(std::move(part));
    };
    for (const auto& group : block.groups) {
        add(group.get(), nullptr, group->name);
    }
    for (const Data& data : block.data) {
        add(nullptr, &data, data.name);
    }
    return names;
}

/// Emits one message's encoder: a class with nested classes for groups, entries and stages.
class EncoderEmitter {
public:
    EncoderEmitter(CppWriter& out, const EmitContext& context) : out_(out), context_(context) {}

    void emit(const Message& message);

private:
    void emit_root_class(const Message& message, const EncoderBlock& names);
    void emit_wrap(const Message& message, const std::string& name);
    void emit_classes(const EncoderBlock& names);
    void emit_group_class(const EncoderBlock& outer, std::size_t index);
    void emit_entry_class(const EncoderBlock& names, const Group& group);
    void emit_stage_class(const EncoderBlock& names, std::size_t index);
    void emit_part_calls(const EncoderBlock& names, std::size_t index);
    void emit_data_calls(const EncoderBlock& names, std::size_t index);
    void emit_clear(const Block& block);
    void emit_setters(const EncoderBlock& names);
    void emit_state(std::size_t depth);
    void emit_lengths(const Message& message, const EncoderBlock& names);
    void declare_classes(const EncoderBlock& names);
    EncoderBlock entry_names(const EncoderBlock& outer, std::size_t index);

    static std::string next_class(const EncoderBlock& names, std::size_t index) {
        return index + 1 < names.parts.size() ? names.parts[index + 1].stage : names.complete_class;
    }
    /// `state` as the class after part `index` takes it: a block's last part completes an entry.
    static std::string next_state(const EncoderBlock& names,
                                  std::size_t index,
                                  const std::string& state) {
        const bool completes = index + 1 == names.parts.size() && names.depth > 0;
        return completes ? fmt::format("tern::sbe::complete_entry({})", state) : state;
    }

    CppWriter& out_;
    const EmitContext& context_;
    std::map<const Group*, EncoderBlock> entries_;
    NameScope classes_;
};

void EncoderEmitter::emit(const Message& message) {
    classes_ = context_.names.scope();
    for (const char* reserved : {"Sizes", "View"}) {
        classes_.reserve(reserved);
    }
    const std::string name = context_.names.of(message) + "Encoder";
    const EncoderBlock root = name_block(classes_, message, name, "", 0, "tern::sbe::EncodeEnd");
    emit_root_class(message, root);
}

EncoderBlock EncoderEmitter::entry_names(const EncoderBlock& outer, std::size_t index) {
    const EncoderPart& part = outer.parts[index];
    const auto known = entries_.find(part.group);
    if (known != entries_.end()) {
        return known->second;
    }
    const std::string prefix = part.entry_class.substr(0, part.entry_class.rfind("Entry"));
    EncoderBlock names = name_block(
        classes_, *part.group, part.entry_class, prefix, outer.depth + 1, part.group_class);
    entries_[part.group] = names;
    return names;
}

void EncoderEmitter::declare_classes(const EncoderBlock& names) {
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        const EncoderPart& part = names.parts[index];
        if (!part.stage.empty()) {
            out_.line("class {};", part.stage);
        }
        if (part.group != nullptr) {
            out_.line("class {};", part.group_class);
            out_.line("class {};", part.entry_class);
            declare_classes(entry_names(names, index));
        }
    }
}

void EncoderEmitter::emit_root_class(const Message& message, const EncoderBlock& names) {
    out_.comment(message.description);
    out_.line("class {} {{", names.class_name);
    out_.line("public:");
    out_.line("using View = {}View;", context_.names.of(message));
    out_.line("static constexpr std::string_view kName = {};", cpp_string(message.name));
    out_.line("static constexpr std::uint32_t kTemplateId = {};", message.id);
    out_.line("static constexpr std::uint32_t kSchemaId = SchemaInfo::kId;");
    out_.line("static constexpr std::uint32_t kVersion = SchemaInfo::kVersion;");
    out_.line("static constexpr std::size_t kHeaderBytes = SchemaInfo::kHeaderBytes;");
    out_.line("static constexpr std::size_t kBlockLength = {};", message.block_length);
    declare_classes(names);
    emit_wrap(message, names.class_name);
    emit_setters(names);
    if (!names.parts.empty()) {
        emit_part_calls(names, 0);
    } else {
        out_.line("/// Length of the message with its header; 0 after a failure.");
        out_.line("[[nodiscard]] std::size_t encoded_bytes() const noexcept {{");
        out_.line("return tern::sbe::EncodeEnd(state_).encoded_bytes();");
        out_.line("}}");
        out_.line("/// The message; empty after a failure.");
        out_.line("[[nodiscard]] tern::Bytes message_bytes() const noexcept {{");
        out_.line("return tern::sbe::EncodeEnd(state_).message_bytes();");
        out_.line("}}");
    }
    out_.line("[[nodiscard]] tern::sbe::EncodeStatus encode_status() const noexcept {{");
    out_.line("return state_.cursor.status;");
    out_.line("}}");
    emit_lengths(message, names);
    emit_classes(names);
    out_.line("private:");
    emit_clear(message);
    emit_state(0);
    out_.line("std::byte* block_ = nullptr;");
    out_.line("}};");
}

void EncoderEmitter::emit_wrap(const Message& message, const std::string& name) {
    out_.line(
        "/// Writes the header and an empty block: zeroes, and null where a field is optional.");
    out_.line("[[nodiscard]] static {} wrap(tern::MutableBytes buffer) noexcept {{", name);
    out_.line("{} encoder;", name);
    out_.line("tern::sbe::EncodeCursor& cursor = encoder.state_.cursor;");
    out_.line("cursor.begin = buffer.data();");
    out_.line("cursor.at = buffer.data();");
    out_.line("cursor.end = buffer.data() + buffer.size();");
    out_.line("std::byte* header = cursor.claim(kHeaderBytes + kBlockLength);");
    out_.line("if (header != nullptr) {{");
    out_.line("SchemaInfo::write_header(header, kBlockLength, kTemplateId, {}, {});",
              message.groups.size(),
              message.data.size());
    out_.line("encoder.block_ = header + kHeaderBytes;");
    out_.line("clear(encoder.block_);");
    out_.line("}}");
    out_.line("return encoder;");
    out_.line("}}");
}

void EncoderEmitter::emit_setters(const EncoderBlock& names) {
    for (std::size_t index = 0; index < names.fields.size(); ++index) {
        emit_setter(out_,
                    context_,
                    names.block->fields[index],
                    names.fields[index],
                    names.class_name,
                    "state_.cursor.status");
    }
}

void EncoderEmitter::emit_clear(const Block& block) {
    out_.line("static void clear([[maybe_unused]] std::byte* at) noexcept {{");
    if (block.block_length > 0) {
        out_.line("std::memset(at, 0, {});", block.block_length);
    }
    emit_nulls(out_, context_, block.fields);
    out_.line("}}");
}

void EncoderEmitter::emit_state(std::size_t depth) {
    out_.line("tern::sbe::WriteState<{}> state_;", depth);
}

void EncoderEmitter::emit_part_calls(const EncoderBlock& names, std::size_t index) {
    const EncoderPart& part = names.parts[index];
    if (part.data != nullptr) {
        emit_data_calls(names, index);
        return;
    }
    out_.comment(part.group->description);
    out_.line("[[nodiscard]] {} {}() const noexcept {{", part.group_class, part.accessor);
    out_.line("return {0}(tern::sbe::open_group<{0}>(state_));", part.group_class);
    out_.line("}}");
    out_.line("/// Writes `count` entries with fill(entry, index).");
    out_.line("template <typename Fill>");
    out_.line("[[nodiscard]] {} {}(std::size_t count, Fill&& fill) const {{",
              next_class(names, index),
              part.accessor);
    out_.line("return tern::sbe::fill_group(this->{}(), count, fill);", part.accessor);
    out_.line("}}");
}

void EncoderEmitter::emit_data_calls(const EncoderBlock& names, std::size_t index) {
    const EncoderPart& part = names.parts[index];
    const std::string next = next_class(names, index);
    const std::string codec = codec_name(context_, *part.data->type);
    out_.comment(part.data->description);
    out_.line("[[nodiscard]] {} {}(tern::Bytes value) const noexcept {{", next, part.accessor);
    out_.line("auto state = state_;");
    out_.line("tern::sbe::write_data<{}>(state, value);", codec);
    out_.line("return {}({});", next, next_state(names, index, "state"));
    out_.line("}}");
    out_.line("[[nodiscard]] {} {}(std::string_view value) const noexcept {{", next, part.accessor);
    out_.line("return this->{}(tern::as_bytes(value));", part.accessor);
    out_.line("}}");
    out_.line(
        "/// Reserves `length_bytes` for the caller to fill; `space` is empty after a failure.");
    out_.line(
        "[[nodiscard]] {} {}(std::size_t length_bytes, tern::MutableBytes& space) const noexcept "
        "{{",
        next,
        part.accessor);
    out_.line("auto state = state_;");
    out_.line("space = tern::sbe::reserve_data<{}>(state, length_bytes);", codec);
    out_.line("return {}({});", next, next_state(names, index, "state"));
    out_.line("}}");
}

void EncoderEmitter::emit_classes(const EncoderBlock& names) {
    for (std::size_t index = 0; index < names.parts.size(); ++index) {
        const EncoderPart& part = names.parts[index];
        if (!part.stage.empty()) {
            emit_stage_class(names, index);
        }
        if (part.group != nullptr) {
            emit_group_class(names, index);
            const EncoderBlock entry = entry_names(names, index);
            emit_entry_class(entry, *part.group);
            emit_classes(entry);
        }
    }
}

void EncoderEmitter::emit_stage_class(const EncoderBlock& names, std::size_t index) {
    const std::string& name = names.parts[index].stage;
    out_.line("class {} {{", name);
    out_.line("public:");
    out_.line("explicit {}(const tern::sbe::WriteState<{}>& state) noexcept : state_(state) {{}}",
              name,
              names.depth);
    emit_part_calls(names, index);
    out_.line("[[nodiscard]] tern::sbe::EncodeStatus encode_status() const noexcept {{");
    out_.line("return state_.cursor.status;");
    out_.line("}}");
    out_.line("private:");
    emit_state(names.depth);
    out_.line("}};");
}

void EncoderEmitter::emit_group_class(const EncoderBlock& outer, std::size_t index) {
    const EncoderPart& part = outer.parts[index];
    const Group& group = *part.group;
    const std::size_t depth = outer.depth + 1;
    out_.line("class {} {{", part.group_class);
    out_.line("public:");
    out_.line("using Dimensions = {};", dimensions_name(context_, *group.dimension));
    out_.line("static constexpr std::size_t kEntryBlockLength = {};", group.block_length);
    out_.line("static constexpr std::size_t kGroupCount = {};", group.groups.size());
    out_.line("static constexpr std::size_t kDataCount = {};", group.data.size());
    out_.line("static constexpr bool kEntryHasParts = {};", group.has_parts());
    out_.line("explicit {}(const tern::sbe::WriteState<{}>& state) noexcept : state_(state) {{}}",
              part.group_class,
              depth);
    out_.line("/// The next entry, which gives the group back when it is complete.");
    out_.line("[[nodiscard]] {} next() const noexcept {{", part.entry_class);
    out_.line("auto state = state_;");
    out_.line("std::byte* block = tern::sbe::claim_entry<{}>(state);", part.group_class);
    out_.line("return {}(state, block);", part.entry_class);
    out_.line("}}");
    out_.line("/// Ends the group: writes its count.");
    const std::string closed = fmt::format("tern::sbe::close_group<{}>(state_)", part.group_class);
    out_.line("[[nodiscard]] {} end() const noexcept {{", next_class(outer, index));
    out_.line("return {}({});", next_class(outer, index), next_state(outer, index, closed));
    out_.line("}}");
    out_.line("[[nodiscard]] tern::sbe::EncodeStatus encode_status() const noexcept {{");
    out_.line("return state_.cursor.status;");
    out_.line("}}");
    out_.line("private:");
    emit_state(depth);
    out_.line("}};");
}

void EncoderEmitter::emit_entry_class(const EncoderBlock& names, const Group& group) {
    out_.line("class {} {{", names.class_name);
    out_.line("public:");
    out_.line("{}(const tern::sbe::WriteState<{}>& state, std::byte* block) noexcept",
              names.class_name,
              names.depth);
    out_.line("    : state_(state), block_(block)");
    out_.line("{{");
    out_.line("if (block_ != nullptr) {{");
    out_.line("clear(block_);");
    out_.line("}}");
    out_.line("}}");
    emit_setters(names);
    if (!names.parts.empty()) {
        emit_part_calls(names, 0);
    } else {
        out_.line("/// Completes the entry.");
        out_.line("[[nodiscard]] {} done() const noexcept {{", names.complete_class);
        out_.line("return {}(tern::sbe::complete_entry(state_));", names.complete_class);
        out_.line("}}");
    }
    out_.line("[[nodiscard]] tern::sbe::EncodeStatus encode_status() const noexcept {{");
    out_.line("return state_.cursor.status;");
    out_.line("}}");
    out_.line("private:");
    emit_clear(group);
    emit_state(names.depth);
    out_.line("std::byte* block_;");
    out_.line("}};");
}

/// Bytes that each entry has whatever it holds: its block, dimensions and length fields.
std::uint64_t entry_bytes(const Block& block) {
    std::uint64_t bytes = block.block_length;
    for (const auto& group : block.groups) {
        bytes += group->dimension->size_bytes;
    }
    for (const Data& data : block.data) {
        bytes += data.header_bytes();
    }
    return bytes;
}

void EncoderEmitter::emit_lengths(const Message& message, const EncoderBlock& names) {
    if (names.parts.empty()) {
        out_.line("/// Every message of this kind has this length, its header included.");
        out_.line("static constexpr std::size_t kEncodedBytes = kHeaderBytes + kBlockLength;");
        return;
    }
    out_.line("/// What the length of a message depends on.");
    out_.line("struct Sizes {{");
    std::string sum = fmt::format("kHeaderBytes + {}", entry_bytes(message));
    NameScope scope;
    for (const EncoderPart& part : names.parts) {
        if (part.data != nullptr) {
            const std::string member = scope.take(part.accessor + "_bytes");
            out_.line("std::size_t {} = 0;", member);
            sum += " + sizes." + member;
            continue;
        }
        const std::string member = scope.take(part.accessor + "_count");
        out_.line("std::size_t {} = 0;", member);
        sum += fmt::format(" + sizes.{} * {}", member, entry_bytes(*part.group));
        if (part.group->has_parts()) {
            const std::string inner = scope.take(part.accessor + "_inner_bytes");
            out_.line("/// Over all entries: their var data, and the entries of their groups.");
            out_.line("std::size_t {} = 0;", inner);
            sum += " + sizes." + inner;
        }
    }
    out_.line("}};");
    out_.line("/// Length of a message with its header.");
    out_.line(
        "[[nodiscard]] static constexpr std::size_t encoded_length(const Sizes& sizes) noexcept "
        "{{");
    out_.line("return {};", sum);
    out_.line("}}");
}

}  // namespace

void emit_encoder(CppWriter& out, const EmitContext& context, const Message& message) {
    EncoderEmitter(out, context).emit(message);
}

}  // namespace tern::codegen
