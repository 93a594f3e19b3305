#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/number_text.hpp"
#include "server/command/command_spec.hpp"
#include "server/config/config.hpp"
#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/stream/stream.hpp"

/// What the files of the stream group share.
namespace tern::server::commands {

inline constexpr GroupInfo stream_info{"stream", kAclStream};
/// Where the key of XGROUP's and XINFO's subcommands is.
inline constexpr KeyPositions kStreamSubcommandKey{2, 2, 1};

inline constexpr std::string_view kInvalidEntryId =
    "ERR Invalid stream ID specified as stream command argument";

/// Whether the key can be used as a stream; answers WRONGTYPE otherwise.
inline bool is_usable(Call& call, const store::streams::Stream& stream) {
    if (stream.is_wrong_type()) {
        call.reply.error(kWrongType);
    }
    return !stream.is_wrong_type();
}

// Ids

/// Reads "ms" or "ms-sequence"; false when it is neither. `missing_sequence` stands for one that is
/// not there.
[[nodiscard]] bool parse_entry_id(std::string_view text,
                                  std::uint64_t missing_sequence,
                                  store::streams::EntryId& id) noexcept;
/// The same, or answers with an error.
[[nodiscard]] bool read_entry_id(std::string_view text, store::streams::EntryId& id, Reply& reply);
/// Reads "ms-*"; false when it is none.
[[nodiscard]] bool parse_entry_ms(std::string_view text, std::uint64_t& ms) noexcept;

/// The ids from `first` to `last`, both included.
struct IdRange {
    store::streams::EntryId first;
    store::streams::EntryId last = store::streams::kIdMax;
};
/// Reads one end of a range: an id, "-", "+", or "(" and an id, which is left out then. Answers
/// with an error and returns false when it is none.
[[nodiscard]] bool read_range_start(std::string_view text,
                                    store::streams::EntryId& id,
                                    Reply& reply);
[[nodiscard]] bool read_range_end(std::string_view text, store::streams::EntryId& id, Reply& reply);
template <typename View>
[[nodiscard]] IdRange wire_range(const View& view) {
    return {{view.start_ms(), view.start_sequence()}, {view.end_ms(), view.end_sequence()}};
}

/// Some ids. RESP may have brought texts that are none: that counts only once the key is there.
struct EntryIds {
    std::span<const store::streams::EntryId> ids;
    bool are_valid = true;
};
[[nodiscard]] EntryIds take_entry_ids(Arguments& in);
template <typename View>
[[nodiscard]] EntryIds wire_entry_ids(const View& view, Scratch& scratch) {
    const auto entries = view.ids();
    const auto ids = scratch.array<store::streams::EntryId>(entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        ids[i++] = {entry.ms(), entry.sequence()};
    }
    return {ids, true};
}

/// An id as text.
class EntryIdText {
public:
    explicit EntryIdText(const store::streams::EntryId& id) noexcept {
        size_ = format_uint64(text_.data(), id.ms);
        text_[size_++] = '-';
        size_ += format_uint64(text_.data() + size_, id.sequence);
    }
    [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, 2 * kInt64TextBytes + 1> text_;
    std::size_t size_ = 0;
};
inline void write_id(Reply& reply, const store::streams::EntryId& id) {
    reply.bulk(EntryIdText(id).view());
}

// Entries

/// One entry: its id and its fields.
void write_entry(Reply& reply, const store::streams::EntryView& entry);
/// Answers with the entries of a range, `count_max` of them (0: all); returns how many.
std::uint64_t write_entries(Reply& reply,
                            const store::streams::EntryLog& entries,
                            const IdRange& range,
                            std::uint64_t count_max,
                            bool backwards);
/// Writes the entry of an id that is there.
void write_entry_of(Reply& reply,
                    const store::streams::EntryLog& entries,
                    const store::streams::EntryId& id);

// Trimming: XADD and XTRIM

struct TrimArguments {
    enum class Kind : std::uint8_t { kNone, kCount, kId } kind = Kind::kNone;
    std::uint64_t count_max = 0;
    store::streams::EntryId id_min;
    bool is_approximate = false;
    std::int64_t limit = -1;  ///< negative: the default
};
enum class Taken : std::uint8_t { kYes, kNo, kFailed };
/// Takes one option of a trim; kFailed: it was one, and the error is answered.
[[nodiscard]] Taken take_trim_option(Arguments& in, TrimArguments& out, Reply& reply);
/// What does not fit together in a trim, as an error; empty: all does.
[[nodiscard]] std::string_view broken_rule(const TrimArguments& trim) noexcept;
template <typename View>
[[nodiscard]] bool decode_trim(const View& view, TrimArguments& out) {
    out.kind = static_cast<TrimArguments::Kind>(view.trim().raw());
    out.count_max = view.trim_length();
    out.id_min = {view.trim_ms(), view.trim_sequence()};
    out.is_approximate = view.flags().approximate();
    out.limit = view.trim_limit();
    return view.trim().known() && broken_rule(out).empty();
}
/// Trims a stream; returns how many entries went.
std::uint64_t trim_stream(Call& call, store::streams::Stream& stream, const TrimArguments& trim);

// Groups

/// Answers NOGROUP with a text that names key and group: the one with `form` in its middle.
void write_no_group(Reply& reply, std::string_view key, std::string_view group);

/// The consumer of that name, made if it is not there, seen now; null without memory, which is
/// answered.
[[nodiscard]] store::streams::Consumer* open_consumer(Call& call,
                                                      store::streams::Group& group,
                                                      std::string_view name);

/// A stream and one of its groups, as a command names them.
struct GroupArguments {
    std::string_view key;
    std::string_view group;
};
inline bool parse_text(Arguments& in, GroupArguments& out, Reply&) {
    out.key = in.take();
    out.group = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, GroupArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.group = as_text(view.group());
    return true;
}

/// The group of a stream; null without key or group. No answer but WRONGTYPE, with `failed`.
[[nodiscard]] store::streams::Group* find_group(Call& call,
                                                const store::streams::Stream& stream,
                                                std::string_view group,
                                                bool& failed);

/// The time that passed since `then_ms`; not negative.
[[nodiscard]] inline std::int64_t elapsed_ms(const Call& call, std::int64_t then_ms) noexcept {
    return call.now_ms > then_ms ? call.now_ms - then_ms : 0;
}

}  // namespace tern::server::commands
