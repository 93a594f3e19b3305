#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/command/command_spec.hpp"

/// Indexes of list commands: from 0, or from -1 at the tail.
namespace tern::server::commands {

/// A run of elements that are there.
struct IndexSpan {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

/// The index from the head of an element that `index` names, if it is there.
[[nodiscard]] inline std::optional<std::uint64_t> index_within(std::int64_t index,
                                                               std::uint64_t size) noexcept {
    const std::int64_t from_head = index < 0 ? index + static_cast<std::int64_t>(size) : index;
    if (from_head < 0 || static_cast<std::uint64_t>(from_head) >= size) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(from_head);
}

/// LRANGE, LTRIM: a key and two indexes, both inside.
struct SpanArguments {
    std::string_view key;
    std::int64_t start = 0;
    std::int64_t stop = 0;

    /// Its elements in a list of `size`.
    [[nodiscard]] IndexSpan within(std::uint64_t size) const noexcept {
        const auto length = static_cast<std::int64_t>(size);
        std::int64_t first = start < 0 ? start + length : start;
        std::int64_t last = stop < 0 ? stop + length : stop;
        first = first < 0 ? 0 : first;
        last = last >= length ? length - 1 : last;
        if (first > last || first >= length) {
            return {};
        }
        return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last - first + 1)};
    }
};
inline bool parse_text(Arguments& in, SpanArguments& out, Reply& reply) {
    out.key = in.take();
    return in.read_integer(out.start, reply) && in.read_integer(out.stop, reply);
}
template <typename View>
bool decode_wire(const View& view, SpanArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.start = view.start();
    out.stop = view.stop();
    return true;
}

}  // namespace tern::server::commands
