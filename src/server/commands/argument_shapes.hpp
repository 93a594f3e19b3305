#pragma once

#include <span>
#include <string_view>

#include "server/command/command_spec.hpp"
#include "server/commands/scan.hpp"

/// Arguments that many commands share, with their text and SBE forms.
namespace tern::server {

/// One key.
struct KeyArguments {
    std::string_view key;
};
inline bool parse_text(Arguments& in, KeyArguments& out, Reply&) {
    out.key = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, KeyArguments& out, Scratch&) {
    out.key = as_text(view.key());
    return true;
}

/// The texts of a group's entries, each as `text_of` reads it.
template <typename Entries, typename TextOf>
std::span<const std::string_view> texts_of(const Entries& entries,
                                           Scratch& scratch,
                                           TextOf text_of) {
    const std::span<std::string_view> texts = scratch.array<std::string_view>(entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        texts[i++] = as_text(text_of(entry));
    }
    return texts;
}

/// One or more keys.
struct KeysArguments {
    std::span<const std::string_view> keys;
};
inline bool parse_text(Arguments& in, KeysArguments& out, Reply&) {
    out.keys = in.take_rest();
    return true;
}
template <typename View>
bool decode_wire(const View& view, KeysArguments& out, Scratch& scratch) {
    out.keys = texts_of(view.keys(), scratch, [](const auto& entry) { return entry.key(); });
    return !out.keys.empty();
}

template <typename View>
bool decode_wire(const View&, NoArguments&, Scratch&) {
    return true;
}

/// The key of a request whose key is the one entry of its group "keys". False: not exactly one.
template <typename View>
bool decode_only_key(const View& view, std::string_view& key) {
    const auto entries = view.keys();
    if (entries.size() != 1) {
        return false;
    }
    key = as_text((*entries.begin()).key());
    return true;
}

/// A key and one member of what it holds: SISMEMBER, ZSCORE.
struct MemberArguments {
    std::string_view key;
    std::string_view member;
};
inline bool parse_text(Arguments& in, MemberArguments& out, Reply&) {
    out.key = in.take();
    out.member = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, MemberArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.member = as_text(view.member());
    return true;
}

/// A key and a list of members or fields: SADD, ZMSCORE, HDEL.
struct MembersArguments {
    std::string_view key;
    std::span<const std::string_view> members;
};
inline bool parse_text(Arguments& in, MembersArguments& out, Reply&) {
    out.key = in.take();
    out.members = in.take_rest();
    return true;
}
template <typename View>
bool decode_wire(const View& view, MembersArguments& out, Scratch& scratch) {
    if constexpr (requires { view.fields(); }) {
        out.members =
            texts_of(view.fields(), scratch, [](const auto& entry) { return entry.field(); });
    } else {
        out.members =
            texts_of(view.members(), scratch, [](const auto& entry) { return entry.member(); });
    }
    return decode_only_key(view, out.key) && !out.members.empty();
}

/// HRANDFIELD, ZRANDMEMBER: a key, a count and whether values are wanted.
struct RandomArguments {
    std::string_view key;
    std::int64_t count = 0;
    bool has_count = false;
    bool with_values = false;

    [[nodiscard]] std::uint64_t absolute_count() const noexcept {
        return count < 0 ? 0 - static_cast<std::uint64_t>(count)
                         : static_cast<std::uint64_t>(count);
    }
};
/// `values_word`: "WITHVALUES" or "WITHSCORES".
bool parse_random(Arguments& in, RandomArguments& out, Reply& reply, std::string_view values_word);
inline bool parse_text(Arguments& in, RandomArguments& out, Reply& reply) {
    return parse_random(in, out, reply, "WITHVALUES");
}
/// Limits of a count: nobody may ask for more than half the integers when each comes with a value.
[[nodiscard]] bool random_count_is_sane(std::int64_t count, bool with_values) noexcept;
template <typename View>
bool decode_wire(const View& view, RandomArguments& out, Scratch&) {
    out.count = view.count();
    out.has_count = view.flags().has_count();
    out.with_values = view.flags().with_values();
    out.key = as_text(view.key());
    return random_count_is_sane(out.count, out.with_values);
}
/// Begins the list of a random command: pairs are nested in typed protocols and flat in RESP2.
void begin_random_list(Reply& reply, std::uint64_t count, bool with_values);

/// HSCAN, ZSCAN.
struct KeyScanArguments {
    std::string_view key;
    ScanOptions options;
};
inline bool parse_text(Arguments& in, KeyScanArguments& out, Reply& reply) {
    out.key = in.take();
    if (!parse_cursor(in, out.options, reply)) {
        return false;
    }
    while (!in.is_empty()) {
        if (!parse_scan_option(in, out.options, reply)) {
            return false;
        }
    }
    return true;
}
template <typename View>
bool decode_wire(const View& view, KeyScanArguments& out, Scratch&) {
    decode_scan(view, out.options);
    out.key = as_text(view.key());
    return true;
}

}  // namespace tern::server
