#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "client/core.hpp"

/// The shapes that most commands share, each in both languages. Named after what follows the
/// command.
namespace tern::calls {

/// A command's SBE template and its name in RESP.
struct Command {
    std::uint16_t template_id;
    std::string_view name;
};

/// Header and correlation id.
inline constexpr std::uint16_t kBareBlockBytes = 8;
inline constexpr std::size_t kBareBytes = WireWriter::kHeaderBytes + kBareBlockBytes;

/// Bytes of var data, and of a RESP argument at most.
[[nodiscard]] inline std::size_t data_bytes(std::string_view text) noexcept {
    return WireWriter::kDataHeaderBytes + text.size();
}
[[nodiscard]] inline std::size_t argument_bytes(std::string_view text) noexcept {
    return TextWriter::kArgumentBytesMax + text.size();
}
/// A RESP argument that is a number.
inline constexpr std::size_t kNumberBytes = TextWriter::kArgumentBytesMax + kDoubleTextBytes;
/// A RESP command that is nothing but its name.
inline constexpr std::size_t kNameBytes = TextWriter::kHeaderBytesMax + kNumberBytes;

/// One round trip in the language of the connection. `wire` and `text` take a writer.
template <typename Wire, typename Text>
[[nodiscard]] inline CallStatus call(ClientCore& core,
                                     ReplyView& reply,
                                     std::size_t wire_bytes,
                                     Wire&& wire,
                                     std::size_t text_bytes,
                                     Text&& text) {
    if (core.is_sbe()) {
        return core.call(
            wire_bytes,
            [&](char* at) {
                WireWriter writer(at);
                wire(writer);
                return writer.end();
            },
            reply);
    }
    return core.call(
        text_bytes,
        [&](char* at) {
            TextWriter writer(at);
            text(writer);
            return writer.end();
        },
        reply);
}

[[nodiscard]] inline CallStatus key(ClientCore& core,
                                    ReplyView& reply,
                                    const Command& command,
                                    std::string_view key_text) {
    return call(
        core,
        reply,
        kBareBytes + data_bytes(key_text),
        [&](WireWriter& out) {
            out.begin(command.template_id, kBareBlockBytes, core.request_id()).data(key_text);
        },
        kNameBytes + argument_bytes(key_text),
        [&](TextWriter& out) { out.begin(2).argument(command.name).argument(key_text); });
}

[[nodiscard]] inline CallStatus key_and_text(ClientCore& core,
                                             ReplyView& reply,
                                             const Command& command,
                                             std::string_view key_text,
                                             std::string_view other) {
    return call(
        core,
        reply,
        kBareBytes + data_bytes(key_text) + data_bytes(other),
        [&](WireWriter& out) {
            out.begin(command.template_id, kBareBlockBytes, core.request_id())
                .data(key_text)
                .data(other);
        },
        kNameBytes + argument_bytes(key_text) + argument_bytes(other),
        [&](TextWriter& out) {
            out.begin(3).argument(command.name).argument(key_text).argument(other);
        });
}

/// In RESP the number follows the key.
[[nodiscard]] inline CallStatus key_and_integer(ClientCore& core,
                                                ReplyView& reply,
                                                const Command& command,
                                                std::string_view key_text,
                                                std::int64_t value) {
    return call(
        core,
        reply,
        kBareBytes + sizeof value + data_bytes(key_text),
        [&](WireWriter& out) {
            out.begin(command.template_id, kBareBlockBytes + sizeof value, core.request_id())
                .put(value)
                .data(key_text);
        },
        kNameBytes + argument_bytes(key_text) + kNumberBytes,
        [&](TextWriter& out) {
            out.begin(3).argument(command.name).argument(key_text).integer(value);
        });
}

/// Keys alone, as many as there are.
[[nodiscard]] inline CallStatus keys(ClientCore& core,
                                     ReplyView& reply,
                                     const Command& command,
                                     std::span<const std::string_view> key_texts) {
    std::size_t wire_bytes = kBareBytes + WireWriter::kGroupHeaderBytes;
    std::size_t text_bytes = kNameBytes;
    for (const std::string_view one : key_texts) {
        wire_bytes += data_bytes(one);
        text_bytes += argument_bytes(one);
    }
    return call(
        core,
        reply,
        wire_bytes,
        [&](WireWriter& out) {
            out.begin(command.template_id, kBareBlockBytes, core.request_id())
                .group(0, key_texts.size());
            for (const std::string_view one : key_texts) {
                out.data(one);
            }
        },
        text_bytes,
        [&](TextWriter& out) {
            out.begin(1 + key_texts.size()).argument(command.name);
            for (const std::string_view one : key_texts) {
                out.argument(one);
            }
        });
}

/// A key, then a group of texts: fields or members.
[[nodiscard]] inline CallStatus key_and_list(ClientCore& core,
                                             ReplyView& reply,
                                             const Command& command,
                                             std::string_view key_text,
                                             std::span<const std::string_view> list) {
    std::size_t wire_bytes = kBareBytes + 2 * WireWriter::kGroupHeaderBytes + data_bytes(key_text);
    std::size_t text_bytes = kNameBytes + argument_bytes(key_text);
    for (const std::string_view one : list) {
        wire_bytes += data_bytes(one);
        text_bytes += argument_bytes(one);
    }
    return call(
        core,
        reply,
        wire_bytes,
        [&](WireWriter& out) {
            out.begin(command.template_id, kBareBlockBytes, core.request_id())
                .one_key(key_text)
                .group(0, list.size());
            for (const std::string_view one : list) {
                out.data(one);
            }
        },
        text_bytes,
        [&](TextWriter& out) {
            out.begin(2 + list.size()).argument(command.name).argument(key_text);
            for (const std::string_view one : list) {
                out.argument(one);
            }
        });
}

}  // namespace tern::calls
